package batch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// Result is how a cell ended: one line of results.jsonl.
type Result struct {
	Cell
	// Attempt is the number of the claim under which the run ended.
	Attempt int64 `json:"attempt"`
	// Status is how the run ended.
	Status trace.RunStatus `json:"status"`
	// Reason is one line for people, empty for a completed run of full length.
	Reason string `json:"reason"`
	// CutShort says that the run ended before its task did: at a cap of its own, at its length or without usable
	// answers. Its score is that of a world in which nobody acted on, see [report.Advanced].
	CutShort bool `json:"cut_short"`
	// Versions are those under which it was played.
	Versions Versions `json:"versions"`
	// Shape is what else shaped the run.
	Shape Shape `json:"shape,omitempty"`
	// Model is the model asked for.
	Model string `json:"model"`
	// ModelSource says who answered: "scripted" results are no evidence about a model.
	ModelSource trace.ModelSource `json:"model_source"`
	// Answered are the models that answered, as providers named them: see [report.Report.Answered].
	Answered []string `json:"answered,omitempty"`
	// ScoreBound is the score that no player of the instance can exceed; 0 if that is not known. ScoreNothing is
	// that of doing nothing.
	ScoreBound   int64 `json:"score_bound,omitempty"`
	ScoreNothing int64 `json:"score_nothing,omitempty"`
	// Metrics are the figures of the run by name, see [report.Report.Metrics]; empty unless it
	// counts, see [Result.Scored].
	Metrics Metrics `json:"metrics"`
	// Own are the metrics of somebody's own that the run was measured by, see [Dir.Measure].
	Own []report.OwnMetric `json:"own_metrics,omitempty"`
	// Ticks is how long the run was to be.
	Ticks int64 `json:"ticks"`
	// Calls, Tokens and CostMicros are what the run took, CostMicros in millionths of the
	// currency.
	Calls      int64  `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"`
	// InVain is what was asked ahead of the run and came to nothing, beside its calls; nil where nothing was asked.
	InVain *InVain `json:"in_vain,omitempty"`
	// Digest is the digest of the world at the end, Head the chain of the trace.
	Digest string      `json:"digest"`
	Head   trace.Chain `json:"head"`
	// WallMS is the duration of the last attempt in milliseconds. It says nothing about the run.
	WallMS int64 `json:"wall_ms"`
	// Date is the day on which the run ended, such as 2026-01-31.
	Date string `json:"date,omitempty"`

	// Spoilt says that the run is over and cannot be continued: too much of it was lost to an outage.
	// Another attempt starts over.
	Spoilt bool `json:"-"`
}

// InVain is what calls asked ahead took that no run used, see docs/ahead.md. They are no part of any metric.
type InVain struct {
	Calls int64 `json:"calls"`
	// Used are the calls asked ahead that a run used, which are among its calls, and Open those that were neither when it
	// stopped: with those in vain all that were asked ahead.
	Used int64 `json:"used"`
	Open int64 `json:"open"`
	// Tokens are those of the calls that were answered. CostMicros, in millionths of the currency, is also what was
	// reserved for those that were cut off, which may have been billed.
	Tokens     int64 `json:"tokens"`
	CostMicros int64 `json:"cost_micros"`
}

// add adds what another run asked in vain.
func (v *InVain) add(other *InVain) {
	if other != nil {
		v.Calls += other.Calls
		v.Used += other.Used
		v.Open += other.Open
		v.Tokens += other.Tokens
		v.CostMicros += other.CostMicros
	}
}

// outageMost is the share of the calls, or of the decisions, of a run that may be lost to an outage,
// in percent. With more the score would say something about the endpoint.
const outageMost = 5

// outage says how much of a run was lost to outages if that is too much, and is empty otherwise.
func outage(r report.Report) string {
	calls := int64(0)
	decisions := int64(0)
	failures := report.Counts{}
	for kind, n := range r.TraceCounts.LLMErrorsByKind {
		if llmclient.ErrorKind(kind).Outage() {
			calls, failures[kind] = calls+n, n
		}
	}
	d := r.DecisionCounts
	for reason, n := range d.WaitDegradedByReason {
		if kind, found := strings.CutPrefix(reason, trace.WaitModelPrefix); found && llmclient.ErrorKind(kind).Outage() {
			decisions += n
		}
	}
	sent, decided := r.TraceCounts.ModelCalls, d.Act+d.Wait+d.WaitTicks-r.ContinuedDecisions
	switch {
	case 100*decisions > outageMost*decided:
		return fmt.Sprintf("%d of %d decisions were lost to failures of the endpoint (%s)", decisions, decided,
			mostOf(failures))
	case 100*calls > outageMost*sent:
		return fmt.Sprintf("%d of %d calls ended in a failure of the endpoint (%s)", calls, sent, mostOf(failures))
	}
	return ""
}

// mostOf is the most frequent kind of failure, in alphabetical order the first of several.
func mostOf(counts report.Counts) string {
	if len(counts) == 0 { // a model that was given up is not called
		return "no call was sent"
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(b, a))
	})
}

// ResultOf is the result of a cell that was played, from the report of its run. A run of which more than a
// twentieth was lost to an outage counts as one whose endpoint failed.
func ResultOf(c Cell, attempt int64, r report.Report, head trace.Chain) Result {
	all := r.Metrics()
	out := Result{
		Cell: c, Attempt: attempt, Status: r.RunStatus, Reason: r.RunReason,
		Versions: Versions{Engine: r.Versions.Engine, Rules: r.Versions.Rules, Prompt: r.Versions.Prompt},
		Model:    r.Model, Answered: r.Answered, ModelSource: r.ModelSource, Ticks: r.TicksRequested,
		Calls: int64(all["calls"]), Tokens: int64(all["tokens"]), CostMicros: r.Cost.TotalMicros, Currency: r.Cost.Currency,
		Digest: r.FinalDigest, Head: head, Shape: shapeOf(r),
	}
	out.Date, _, _ = strings.Cut(r.Timing.FinishedAt, "T")
	if t := r.Task; t != nil && t.Baselines != nil {
		out.ScoreNothing, out.ScoreBound = t.Baselines.Nothing, t.Baselines.Bound
	}
	if a := r.Timing.Ahead; a.Asked > 0 {
		out.InVain = &InVain{Calls: a.Wasted, Used: a.Used, Open: a.Open,
			Tokens: a.WastedInputTokens + a.WastedOutputTokens, CostMicros: a.WastedMicros}
	}
	over := Final(out.Status) || r.WorldTime >= r.TicksRequested
	if lost := outage(r); lost != "" && Final(out.Status) {
		out.Status, out.Reason = trace.RunProviderFailed, lost
	}
	out.Spoilt = out.Status == trace.RunProviderFailed && over
	if out.Status != trace.RunCompleted && !(Final(out.Status) && r.Counts()) {
		return out
	}
	out.Metrics = MetricsOf(all)
	out.Own = r.OwnMetrics
	if a := r.Advanced; a != nil {
		out.CutShort, out.Reason = true, "scored: "+a.Text()
	} else if t := r.Task; t != nil && !t.Complete {
		out.CutShort, out.Reason = true,
			fmt.Sprintf("cut short: %d of the %s of its task", r.WorldTime, plaintext.Count(t.Ticks, "tick"))
	}
	return out
}

// Differs says in what two results of a cell differ; empty if they may be of the same run. It ignores
// attempts, all that depends on the clock, and what runs were measured by, which changes none.
func (r Result) Differs(other Result) string {
	for _, one := range []*Result{&r, &other} {
		one.Attempt = 0
		one.WallMS = 0
		one.Date = ""
		one.ScoreBound = 0
		one.ScoreNothing = 0
		one.Answered = nil
		one.Head = ""
		one.Own = nil
		one.InVain = nil
		figures := one.Metrics.Map()
		maps.DeleteFunc(figures, func(name string, _ float64) bool {
			_, ours := report.AllMetrics().Named(name)
			return !ours || name == report.MetricLatency
		})
		one.Metrics = MetricsOf(figures)
	}
	switch {
	case string(llmclient.Marshal(r)) == string(llmclient.Marshal(other)):
		return ""
	case r.Status != other.Status || r.Digest != other.Digest:
		return fmt.Sprintf("%s with digest %.16s, and %s with digest %.16s", r.Status, r.Digest, other.Status, other.Digest)
	case r.Calls != other.Calls || r.Tokens != other.Tokens:
		return fmt.Sprintf("%d calls with %d tokens, and %d with %d", r.Calls, r.Tokens, other.Calls, other.Tokens)
	}
	for _, m := range report.AllMetrics() {
		a, _ := r.Metrics.Get(m.Name)
		b, _ := other.Metrics.Get(m.Name)
		if a != b {
			return fmt.Sprintf("%s of %s, and of %s", m.Name, number(a), number(b))
		}
	}
	return "other figures"
}

// Scored says that the run counts in comparisons: it was played to its end, or ended by a cap of its own or
// without usable answers. A failure of the infrastructure is no score.
func (r Result) Scored() bool {
	return r.Status == trace.RunCompleted || Final(r.Status) && !r.Metrics.Empty()
}
