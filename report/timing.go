package report

import (
	"maps"
	"slices"

	"example.com/agentworld/trace"
)

// Timing holds all figures that two equal runs may differ in.
type Timing struct {
	// Start of the run, RFC 3339.
	StartedAt string `json:"started_at"`
	// Extensions of the program that began the run; empty without any.
	Extensions []trace.Extension `json:"extensions"`
	// End of the run, RFC 3339; empty for an unfinished one.
	FinishedAt string `json:"finished_at"`
	// Milliseconds that the process took which ended the run; 0 for an unfinished run.
	WallMS int64 `json:"wall_ms"`
	// How many turns could run at once, at first.
	Concurrency int64 `json:"concurrency"`
	// How often another process resumed the run.
	Resumes int64 `json:"resumes"`
	// HTTP requests sent; more than model calls when requests were retried.
	HTTPAttempts int64 `json:"http_attempts"`
	// HTTP requests sent that brought no reply, by kind of failure; those are included that a further request mended.
	HTTPFailuresByKind Counts `json:"http_failures_by_kind"`
	// Answers read from a recording, those of reflections included: nothing was sent or paid for.
	AnswersRecorded int64 `json:"answers_recorded"`
	// Latency of model calls that were sent, retries included.
	LLMLatencyMS Latency `json:"llm_latency_ms"`
	// How long the turns of each agent took, in the order of per_agent; only agents that were asked.
	ByAgent []AgentTiming `json:"by_agent"`
	// How long the calls to each endpoint took, by its name.
	ByEndpoint []EndpointLatency `json:"by_endpoint"`
	// What it cost that every tick waits for its slowest turn, and for whom.
	Barrier Barrier `json:"barrier"`
	// How the calls to each endpoint were withheld; empty for an unfinished run.
	Endpoints []trace.EndpointTiming `json:"endpoints"`
	// Hash of the last line of the trace over all of it, of which the report was made.
	TraceHead string `json:"trace_head"`
	// Hash of all other bytes of the report.
	ReportHash string `json:"report_hash"`
}

// Latency sums up latencies in milliseconds. Percentiles are by nearest rank:
// the smallest observed value that at least p percent of the values do not
// exceed. Without samples all figures are 0.
type Latency struct {
	// Median.
	P50 int64 `json:"p50"`
	// 95th percentile.
	P95 int64 `json:"p95"`
	// 99th percentile.
	P99 int64 `json:"p99"`
	// Largest value.
	Max int64 `json:"max"`
	// Number of values.
	Samples int64 `json:"samples"`
}

// latencies counts observed values. Its size is the number of different values,
// which request timeouts bound, not the number of calls.
type latencies map[int64]int64

func (l latencies) summary() (s Latency) {
	for _, n := range l {
		s.Samples += n
	}
	ranked := int64(0)
	for _, v := range slices.Sorted(maps.Keys(l)) {
		before := ranked
		ranked += l[v]
		for _, at := range []struct {
			percent int64
			value   *int64
		}{{50, &s.P50}, {95, &s.P95}, {99, &s.P99}, {100, &s.Max}} {
			// The rank is percent/100 * samples, rounded up and counted from 1.
			if rank := (at.percent*s.Samples + 99) / 100; before < rank && rank <= ranked {
				*at.value = v
			}
		}
	}
	return s
}
