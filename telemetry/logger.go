package telemetry

import (
	"fmt"

	"github.com/go-logr/logr"
)

// quiet takes what the SDK logs. Left to itself the SDK writes to the process's stderr,
// with the value of each variable that it cannot read, and a header holds a key.
type quiet struct {
	note func(string)
}

// Init implements logr.LogSink.
func (quiet) Init(logr.RuntimeInfo) {}

// Enabled implements logr.LogSink: only errors are of interest.
func (quiet) Enabled(int) bool { return false }

// Info implements logr.LogSink.
func (quiet) Info(int, string, ...any) {}

// Error implements logr.LogSink. What is told is what the SDK was doing, which are fixed
// words such as "parse headers", and nothing of the error or its values.
func (q quiet) Error(_ error, doing string, _ ...any) {
	q.note(fmt.Sprintf("OpenTelemetry: an OTEL_EXPORTER_OTLP_* variable cannot be used and is left out (%s)", doing))
}

// WithValues implements logr.LogSink.
func (q quiet) WithValues(...any) logr.LogSink { return q }

// WithName implements logr.LogSink.
func (q quiet) WithName(string) logr.LogSink { return q }
