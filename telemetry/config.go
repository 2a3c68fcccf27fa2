package telemetry

import (
	"fmt"
	"net/url"
	"strings"
)

// Config says what is exported and where to. The zero value exports nothing.
type Config struct {
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

// On reports whether anything is exported.
func (c Config) On() bool { return c.traces != "" || c.metrics != "" }

// Read finds out what to export: what the standard variables configure, and with
// asked, which stands for a flag, both to the usual place. Without either it is
// nothing. The error names the variable that cannot be followed and never its value,
// which may hold a password.
func Read(lookup func(string) (string, bool), asked bool) (Config, error) {
	env := func(name string) string {
		text, _ := lookup(name)
		return strings.TrimSpace(text)
	}
	if strings.EqualFold(env(envDisabled), "true") {
		return Config{}, nil
	}
	var c Config
	for signal, into := range map[string]*string{"TRACES": &c.traces, "METRICS": &c.metrics} {
		place, err := endpoint(env, signal, asked)
		if err != nil {
			return Config{}, err
		}
		*into = place
	}
	return c, nil
}

// endpoint is where one signal goes, empty for nowhere.
func endpoint(env func(string) string, signal string, asked bool) (string, error) {
	exporter := env("OTEL_" + signal + "_EXPORTER")
	if exporter == "none" {
		return "", nil
	}
	name, path := "OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT", ""
	if env(name) == "" {
		name, path = envEndpoint, "/v1/"+strings.ToLower(signal)
	}
	place := env(name)
	if place == "" && (asked || exporter == "otlp") {
		place = endpointDefault
	}
	if place == "" {
		return "", nil
	}
	if exporter != "" && exporter != "otlp" {
		return "", fmt.Errorf("OTEL_%s_EXPORTER: only otlp and none are known here", signal)
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
