package otel

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const base, own = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	for _, c := range []struct {
		name            string
		env             map[string]string
		asked           bool
		traces, metrics string
	}{
		{"nothing", nil, false, "", ""},
		{"other variables alone", map[string]string{"OTEL_SERVICE_NAME": "x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "", ""},
		{"a flag", nil, true, "http://localhost:4318/v1/traces", "http://localhost:4318/v1/metrics"},
		{"an endpoint", map[string]string{base: "https://c.test/otlp/"}, false, "https://c.test/otlp/v1/traces", "https://c.test/otlp/v1/metrics"},
		{"one of its own is taken as it is", map[string]string{own: "http://c.test/in"}, false, "http://c.test/in", ""},
		{"both", map[string]string{base: "http://a.test", own: "http://b.test/t"}, false, "http://b.test/t", "http://a.test/v1/metrics"},
		{"an exporter without an endpoint", map[string]string{"OTEL_METRICS_EXPORTER": "otlp"}, false, "", "http://localhost:4318/v1/metrics"},
		{"one switched off", map[string]string{base: "http://a.test", "OTEL_METRICS_EXPORTER": "none"}, true, "http://a.test/v1/traces", ""},
		{"all switched off", map[string]string{base: "http://a.test", "OTEL_SDK_DISABLED": "TRUE"}, true, "", ""},
		{"a value in capitals", map[string]string{"OTEL_TRACES_EXPORTER": "OTLP", "OTEL_METRICS_EXPORTER": "None", "OTEL_LOGS_EXPORTER": "otlp"}, false, "http://localhost:4318/v1/traces", ""},
		{"blanks", map[string]string{base: "  "}, false, "", ""},
	} {
		got, err := read(func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }, c.asked)
		if err != nil || got != (config{traces: c.traces, metrics: c.metrics}) || got.on() != (c.traces+c.metrics != "") {
			t.Errorf("%s: %+v, %v, want traces %q and metrics %q", c.name, got, err, c.traces, c.metrics)
		}
	}
}

// TestReadRefusesUnknownExporters, also where nothing else asks for an export.
func TestReadRefusesUnknownExporters(t *testing.T) {
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"} {
		for _, value := range []string{"jaeger", "otlp,console", "console"} {
			env := map[string]string{name: value}
			lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
			c, err := read(lookup, false)
			if err == nil || c.on() || !strings.HasPrefix(err.Error(), name+": ") || strings.Contains(err.Error(), value) {
				t.Errorf("%s=%s: %+v, %v", name, value, c, err)
			}
			env["OTEL_SDK_DISABLED"] = "true"
			if c, err := read(lookup, false); err != nil || c.on() {
				t.Errorf("%s=%s, switched off: %+v, %v", name, value, c, err)
			}
		}
	}
}
