package otel

import (
	"fmt"
	"net/url"
	"strings"
)

// config says what is exported and where to. The zero value exports nothing.
type config struct {
	// traces and metrics are the URLs to send to, empty for not at all.
	traces, metrics string
}

// The standard variables that decide whether anything is exported. Headers, certificates,
// timeouts and the like are read by the exporter itself.
const (
	envDisabled = "OTEL_SDK_DISABLED"
	envEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envProtocol = "OTEL_EXPORTER_OTLP_PROTOCOL"
)

// endpointDefault is where a collector of this machine listens.
const endpointDefault = "http://localhost:4318"

// on reports whether anything is exported.
func (c config) on() bool { return c.traces != "" || c.metrics != "" }

// read finds out what to export: what the standard variables configure, and if asked,
// which is the value of a flag, both to the usual place. Without either it is nothing.
// The error names the invalid variable and never its value, which may hold a password.
func read(lookup func(string) (string, bool), asked bool) (config, error) {
	env := func(name string) string {
		text, _ := lookup(name)
		return strings.TrimSpace(text)
	}
	if strings.EqualFold(env(envDisabled), "true") {
		return config{}, nil
	}
	// There are no logs; the variable is read only to refuse an unknown exporter.
	if _, err := exporter(env, "LOGS"); err != nil {
		return config{}, err
	}
	var c config
	var err error
	c.traces, err = endpoint(env, "TRACES", asked)
	if err != nil {
		return config{}, err
	}
	c.metrics, err = endpoint(env, "METRICS", asked)
	if err != nil {
		return config{}, err
	}
	return c, nil
}

// exporter is the exporter that a signal's variable names, empty if it names none. An
// unknown exporter is refused even if nothing else asks for an export: its user would
// wait for data that never arrives.
func exporter(env func(string) string, signal string) (string, error) {
	name := "OTEL_" + signal + "_EXPORTER"
	switch text := strings.ToLower(env(name)); text {
	case "", "none", "otlp":
		return text, nil
	}
	return "", fmt.Errorf("%s: this exporter is not known here; allowed: otlp or none", name)
}

// endpoint is the destination of one signal, empty for none.
func endpoint(env func(string) string, signal string, asked bool) (string, error) {
	named, err := exporter(env, signal)
	if err != nil || named == "none" {
		return "", err
	}
	name, path := "OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT", ""
	if env(name) == "" {
		name, path = envEndpoint, "/v1/"+strings.ToLower(signal)
	}
	place := env(name)
	if place == "" && (asked || named == "otlp") {
		place = endpointDefault
	}
	if place == "" {
		return "", nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL", envProtocol} {
		if p := env(name); p != "" && p != "http/protobuf" {
			return "", fmt.Errorf("%s: only http/protobuf is known here; a collector takes it at port 4318", name)
		}
	}
	u, err := url.Parse(place)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%s: it is no URL; allowed: http:// or https:// and a host", name)
	}
	if path != "" {
		u = u.JoinPath(path)
	}
	return u.String(), nil
}
