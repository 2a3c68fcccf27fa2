package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/world"
)

// Metric is a figure of a run by which runs are compared and gated. All of them are about what
// models decided: no one else acts in a run, and where the engine put a wait in place of a
// decision, that is degraded_share.
type Metric struct {
	// Name is stable.
	Name string
	// Unit is what the figure counts.
	Unit string
	// Doc is one line for people.
	Doc string
	// Better says which values are better.
	Better Direction
	// Range is how much two runs can differ at most; 0 if that is not known.
	Range float64
	of    func(Report) (value float64, known bool)
}

// Direction says which values of a metric are better.
type Direction string

// The directions.
const (
	Higher  Direction = "higher"
	Lower   Direction = "lower"
	Neither Direction = ""
)

// AcceptedPrefix begins the names of metrics that count accepted actions, such as
// accepted.mine_compound.
const AcceptedPrefix = "accepted."

// always makes a figure that every run has.
func always(of func(Report) int64) func(Report) (float64, bool) {
	return func(r Report) (float64, bool) { return float64(of(r)), true }
}

// share is n of total, unknown of none.
func share(n, total int64) (float64, bool) {
	if total == 0 {
		return 0, false
	}
	return float64(n) / float64(total), true
}

// metrics are all metrics but the counts of accepted actions.
var metrics = []Metric{
	{MetricScore, "score", "score of the scenario's task", Higher, 0, func(r Report) (float64, bool) {
		score, known := r.score()
		return float64(score), known
	}},
	{MetricScoreShare, "share",
		"score above that of doing nothing, as a share of what the bound allows above it; 0 for less",
		Higher, 1, func(r Report) (float64, bool) {
			score, known := r.score()
			if !known || r.Task.Baselines == nil || r.Task.Baselines.Bound <= r.Task.Baselines.Nothing {
				return 0, false
			}
			nothing := r.Task.Baselines.Nothing
			return float64(max(score-nothing, 0)) / float64(r.Task.Baselines.Bound-nothing), true
		}},
	{"goals_met", "goals", "goals met, counted once per agent and goal", Higher, 0,
		always(Report.goalsMet)},
	{"goals_share", "share", "goals met as a share of all", Higher, 1, func(r Report) (float64, bool) {
		return share(r.goalsMet(), int64(len(r.Goals)))
	}},
	{"decisions", "decisions", "decisions made by a model", Higher, 0,
		always(func(r Report) int64 { return r.TotalDecisions })},
	{"active_ticks", "ticks", "ticks in which an agent was due or followed an order", Higher, 0,
		always(func(r Report) int64 { return r.ActiveTicks })},
	{MetricAgentTicks, "ticks", "ticks of agents in which they decided or followed an order, over all agents", Higher, 0,
		always(func(r Report) int64 { d := r.DecisionCounts; return d.Act + d.Wait + d.WaitTicks })},
	{MetricAgentsDown, "agents", "agents that ran out of power, or whose model was given up", Lower, 0,
		always(func(r Report) (n int64) {
			for _, a := range r.PerAgent {
				if a.Shutdowns > 0 || a.StoppedBy != "" {
					n++
				}
			}
			return n
		})},
	{"accepted_share", "share", "actions that the world accepted, of those it got", Higher, 1,
		func(r Report) (float64, bool) {
			return share(r.ActionSuccess, r.TotalActions)
		}},
	{"action_kinds", "kinds", "kinds of actions that the world accepted", Higher, 0,
		always(func(r Report) int64 { return int64(len(r.ActionKindSuccessCounts)) })},
	{"degraded_share", "share", "decisions that ended in a wait that nobody chose", Lower, 1,
		func(r Report) (float64, bool) {
			d := r.DecisionCounts
			return share(d.WaitDegraded, d.Wait+d.WaitTicks+d.Act-r.ContinuedDecisions)
		}},
	{"fallbacks", "turns", "turns that failed and ended in the best they had", Lower, 0, always(func(r Report) int64 {
		n := int64(0)
		for _, k := range r.DecisionCounts.FallbacksBy {
			n += k
		}
		return n
	})},
	{"guard_waits", "turns", "turns and orders that ended in a wait since the guard refused what was wanted", Lower, 0,
		always(func(r Report) int64 { return r.Guard.Waits })},
	{"parse_errors", "answers", "answers that could not be used", Lower, 0,
		always(func(r Report) int64 { return r.TraceCounts.ParseErrors })},
	{"parse_repaired", "answers", "answers used after the parser forgave something", Lower, 0,
		always(func(r Report) int64 { return r.TraceCounts.ParseRepaired })},
	{"repair_rounds", "calls", "calls made to have an answer repaired", Lower, 0,
		always(func(r Report) int64 { return r.TraceCounts.RepairRoundsTotal })},
	{"repair_rounds_max", "calls", "most of those in one turn", Lower, 0,
		always(func(r Report) int64 { return r.TraceCounts.RepairRoundsMax })},
	{"llm_errors", "calls", "calls that ended without a reply", Lower, 0,
		always(func(r Report) int64 { return r.TraceCounts.LLMErrors })},
	{"calls", "calls", "calls of models, for decisions and reflections", Lower, 0,
		always(func(r Report) int64 { return r.Cost.calls() })},
	{"calls_per_decision", "calls", "calls per decision that no order made", Lower, 0, func(r Report) (float64, bool) {
		return float64(r.TraceCounts.CallsPerDecision.AvgMilli) / 1000, r.TotalDecisions > 0
	}},
	{"tokens_input", "tokens", "input tokens of all answers", Lower, 0,
		always(func(r Report) int64 { in, _ := r.Cost.tokens(); return in })},
	{"tokens_output", "tokens", "output tokens of all answers", Lower, 0,
		always(func(r Report) int64 { _, out := r.Cost.tokens(); return out })},
	{"tokens", "tokens", "input and output tokens of all answers", Lower, 0,
		always(func(r Report) int64 { in, out := r.Cost.tokens(); return in + out })},
	{"cost", "currency", "cost of all answers, in units of the currency; unknown if a model has no price", Lower, 0,
		func(r Report) (float64, bool) {
			return float64(r.Cost.TotalMicros) / 1e6, r.Cost.Priced && r.Cost.Currency != ""
		}},
	{MetricLatency, "ms", "95th percentile of the time to an answer; it depends on the network", Lower, 0,
		func(r Report) (float64, bool) {
			return float64(r.Timing.LLMLatencyMS.P95), r.TraceCounts.ModelCalls > 0
		}},
}

// Share says that the metric is a share of this program's, from 0 to 1.
func (m Metric) Share() bool {
	ours := func(o Metric) bool { return o.Name == m.Name }
	return m.Range == 1 && m.Unit == "share" && slices.ContainsFunc(metrics, ours)
}

// calls is how many requests were sent.
func (c Cost) calls() (n int64) {
	for _, m := range c.ByModel {
		n += m.Calls
	}
	return n
}

// tokens are those of all answers.
func (c Cost) tokens() (input, output int64) {
	for _, m := range c.ByModel {
		input, output = input+m.Tokens.Input, output+m.Tokens.Output
	}
	return input, output
}

// MetricLatency is the one metric that the clock has a part in.
const MetricLatency = "model_p95_ms"

// MetricScore is the score of the task, and MetricScoreShare its share of what the bound allows.
const (
	MetricScore      = "score"
	MetricScoreShare = "score_share"
)

// The metrics that say how much of a run its agents lived through.
const (
	MetricAgentTicks = "agent_ticks"
	MetricAgentsDown = "agents_down"
)

// sums are the metrics of which less is better and which grow with every tick that an agent plays.
var sums = []string{"fallbacks", "guard_waits", "parse_errors", "parse_repaired", "repair_rounds", "llm_errors",
	"calls", "tokens_input", "tokens_output", "tokens", "cost"}

// Sums says that less of the metric is better and that it grows with every tick that an agent plays: where agents
// died, or a run ended early, there is less of it for no merit.
func (m Metric) Sums() bool { return slices.Contains(sums, m.Name) }

// MetricList are metrics in the order in which they are shown. It has all but the counts of accepted actions.
type MetricList []Metric

// AllMetrics are those of this program, and after them those of somebody's own.
func AllMetrics(own ...OwnMetric) MetricList {
	all := slices.Clone(metrics)
	for _, o := range own {
		all = append(all, o.metric())
	}
	return all
}

// Named is the metric of a name; accepted.ACTION counts accepted actions of a kind.
func (all MetricList) Named(name string) (m Metric, ok bool) {
	if i := slices.IndexFunc(all, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return all[i], true
	}
	action, found := strings.CutPrefix(name, AcceptedPrefix)
	if found && slices.ContainsFunc(world.Actions(), func(s world.ActionSpec) bool { return s.Name == action }) {
		return Metric{Name: name, Unit: "actions", Doc: "actions of this kind that the world accepted", Better: Higher,
			of: always(func(r Report) int64 { return r.ActionKindSuccessCounts[action] })}, true
	}
	return Metric{}, false
}

// Unknown says that a name is none of a metric, and which is near.
func (all MetricList) Unknown(name string) error {
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	return fmt.Errorf("unknown metric %q; %s", name,
		document.Offer(name, append(names, AcceptedPrefix+"ACTION"), "docs/verdicts.md"))
}

// Metrics are all that a run has, by name, counts of accepted actions and metrics of somebody's own included.
func (r Report) Metrics() map[string]float64 {
	all := map[string]float64{}
	for _, m := range AllMetrics(Union(r.OwnMetrics)...) {
		if v, known := m.of(r); known {
			all[m.Name] = v
		}
	}
	for action := range maps.Keys(r.ActionKindSuccessCounts) {
		all[AcceptedPrefix+action] = float64(r.ActionKindSuccessCounts[action])
	}
	return all
}
