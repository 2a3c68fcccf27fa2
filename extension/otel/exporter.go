package otel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
	"go.opentelemetry.io/otel/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"

	"example.com/agentworld"
)

// closeTimeout bounds the sending of what is left at the end: a collector that is gone
// must not hold up a run that is done.
const closeTimeout = 5 * time.Second

// scope names the creator of the spans.
const scope = "agentworld"

// telemetry exports what a run does. It implements agentworld.RunObserver.
type telemetry struct {
	// run is the span of the run, until Close, and conversation its name. ended is when the run
	// ended.
	run          trace.Span
	conversation string
	ended        time.Time
	tracer       trace.Tracer
	tokens       genaiconv.ClientTokenUsage
	duration     genaiconv.ClientOperationDuration
	// stop sends what is left and ends what was started, the last first.
	stop []func(context.Context) error
}

// start begins to export. note is called at most once, with a line for people, when
// something cannot be sent; the run continues without it. The error says which part of
// the configuration cannot work.
func start(ctx context.Context, c config, note func(string)) (*telemetry, error) {
	// The SDK would print each failed export with its URL and what the collector said.
	var once sync.Once
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {
		once.Do(func() {
			note("OpenTelemetry: something could not be sent to the collector; check OTEL_EXPORTER_OTLP_ENDPOINT. The run " +
				"goes on (this is said once)")
		})
	}))
	otel.SetLogger(logr.New(quiet{note}))
	about, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("agentworld")), resource.WithFromEnv(),
		resource.WithTelemetrySDK())
	if err != nil {
		return nil, errors.New("describe this program for OpenTelemetry: OTEL_RESOURCE_ATTRIBUTES cannot be read")
	}
	t := &telemetry{tracer: nooptrace.NewTracerProvider().Tracer(scope)}
	if c.traces != "" {
		exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.traces))
		if err != nil {
			return nil, errors.New("export of OpenTelemetry traces: an OTEL_EXPORTER_OTLP_* variable cannot be used")
		}
		provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
		t.tracer = provider.Tracer(scope)
		t.stop = append(t.stop, provider.Shutdown)
	}
	var meter metric.Meter = noopmetric.NewMeterProvider().Meter(scope)
	if c.metrics != "" {
		exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(c.metrics))
		if err != nil {
			return nil, errors.Join(
				errors.New("export of OpenTelemetry metrics: an OTEL_EXPORTER_OTLP_* variable cannot be used"), t.Close())
		}
		provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)),
			sdkmetric.WithResource(about))
		meter = provider.Meter(scope)
		t.stop = append(t.stop, provider.Shutdown)
	}
	var tokensErr, durationErr error
	t.tokens, tokensErr = genaiconv.NewClientTokenUsage(meter, metric.WithExplicitBucketBoundaries(tokenBuckets...))
	t.duration, durationErr = genaiconv.NewClientOperationDuration(meter,
		metric.WithExplicitBucketBoundaries(durationBuckets...))
	if err := cmp.Or(tokensErr, durationErr); err != nil {
		return nil, errors.Join(fmt.Errorf("make the metrics of tokens and durations: %w", err), t.Close())
	}
	return t, nil
}

// The buckets that the conventions ask for: tokens by powers of four, seconds by powers
// of two from 10 ms.
var (
	tokenBuckets    = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	durationBuckets = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
)

// Evaluate adds results to the span of the run, each as an event gen_ai.evaluation.result. It is
// called between the end of the run and Close; without a run it does nothing.
func (t *telemetry) Evaluate(results ...agentworld.Evaluation) {
	if t.run == nil {
		return
	}
	for _, e := range results {
		list := []attribute.KeyValue{semconv.GenAIEvaluationName(e.Name), semconv.GenAIEvaluationScoreLabel(e.Label)}
		if e.Score != nil {
			list = append(list, semconv.GenAIEvaluationScoreValue(*e.Score))
		}
		t.run.AddEvent("gen_ai.evaluation.result", trace.WithAttributes(list...))
	}
}

// Close sends what is left, for five seconds at most, and ends what was started. The
// error was noted already.
func (t *telemetry) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if t.run != nil {
		t.run.End(trace.WithTimestamp(t.ended))
		t.run = nil
	}
	var failed error
	for i := len(t.stop) - 1; i >= 0; i-- {
		failed = errors.Join(failed, t.stop[i](ctx))
	}
	t.stop = nil
	if failed != nil {
		otel.Handle(failed)
	}
	return failed
}

// quiet takes what the SDK logs. Left to itself the SDK writes to the process's stderr,
// with the value of each variable that it cannot read, and a header holds a key.
type quiet struct {
	note func(string)
}

// Only errors are of interest.
func (quiet) Init(logr.RuntimeInfo)            {}
func (quiet) Enabled(int) bool                 { return false }
func (quiet) Info(int, string, ...any)         {}
func (q quiet) WithValues(...any) logr.LogSink { return q }
func (q quiet) WithName(string) logr.LogSink   { return q }

// Error reports what the SDK was doing, in fixed words such as "parse headers", and
// nothing of the error or its values.
func (q quiet) Error(_ error, doing string, _ ...any) {
	q.note(fmt.Sprintf("OpenTelemetry: an OTEL_EXPORTER_OTLP_* variable cannot be used and is left out (%s)", doing))
}
