package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The bounds of the text form.
const (
	// namesMax bounds how many names of a count a line lists.
	namesMax = 5
	// wordsMax bounds free text, in characters.
	wordsMax = 120
)

// Text returns a summary for a terminal: one aligned line per topic, without
// control characters, with a final line feed. What matters to a program is in
// [Report.JSON].
func (r Report) Text() string {
	var b strings.Builder
	for _, line := range [][2]string{
		{"run", r.runLine()},
		{"scenario", fmt.Sprintf("%s, seed %d, %d of %d ticks, %d active", plain(r.Scenario), r.Seed, r.WorldTime, r.TicksRequested, r.ActiveTicks)},
		{"model", fmt.Sprintf("%s (%s, tokens %s), protocol %s", plain(r.Model), r.ModelSource, r.UsageSource, plain(r.Protocol))},
		{"agents", fmt.Sprintf("%d; goals met: %d%s, by %d agents", r.Agents, r.GoalsMet, r.goalsTotal(), r.AgentsMeetingGoal)},
		{"task", r.taskLine()},
		{"decisions", r.decisionsLine()},
		{"choices", r.choicesLine()},
		{"actions", fmt.Sprintf("%d accepted%s, %d rejected%s", r.ActionSuccess, r.ActionKindSuccessCounts.most(), r.ActionFailure, r.ActionRejectReasonCounts.most())},
		{"proposed", r.proposedLine()},
		{"calls", r.callsLine()},
		{"requests", r.requestsLine()},
		{"answers", r.answersLine()},
		{"recorded", r.recordedLine()},
		{"items", r.itemsLine()},
		{"guard", r.guardLine()},
		{"faults", r.faultsLine()},
		{"prompts", r.promptsLine()},
		{"tokens", fmt.Sprintf("%d input (%d cached), %d output (%d reasoning)", r.Tokens.Input, r.Tokens.Cached, r.Tokens.Output, r.Tokens.Reasoning)},
		{"cost", r.costLine()},
		{"sources", r.sourcesLine()},
		{"lessons", r.lessonsLine()},
		{"learning", r.learningLine()},
		{"stock", r.stockLine()},
		{"stopped", r.stoppedLine()},
		{"fork", r.forkLine()},
		{"fork end", r.forkEndLine()},
		{"time", r.timeLine()},
		{"endpoints", r.endpointsLine()},
		{"digest", plain(r.FinalDigest)},
	} {
		if line[1] == "" && slices.Contains(rareLines, line[0]) {
			continue // most runs have none, and none is no news
		}
		fmt.Fprintf(&b, "%-10s %s\n", line[0], cmp.Or(line[1], "none"))
	}
	return b.String()
}

// rareLines are left out where there is nothing to say.
var rareLines = []string{"requests", "faults", "cost", "recorded", "stopped", "fork", "fork end", "endpoints"}

func (r Report) sourcesLine() string {
	p := r.Provenance
	return fmt.Sprintf("%d in view, %d used%s, %d unknown, %d invented", p.SourcesRetrieved, p.SourcesUsed, p.UsedByKind.most(), p.SourcesUnknown, p.SourcesInvented)
}

// lessonsMax bounds how many bullets the summary tells of.
const lessonsMax = 3

// lessonsLine tells of the bullets used most, what came of it and what came of
// having them in view for nothing: a count of uses alone would look like merit.
func (r Report) lessonsLine() string {
	list := slices.Clone(r.Provenance.Bullets)
	slices.SortStableFunc(list, func(a, b BulletEffect) int { return cmp.Compare(b.Effect.Used, a.Effect.Used) })
	var parts []string
	for i, b := range list {
		if i == lessonsMax {
			parts = append(parts, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		name := plain(b.ID)
		if b.AgentID != "" {
			name += " of " + plain(b.AgentID)
		}
		parts = append(parts, fmt.Sprintf("%s used %d of %d%s", name, b.Effect.Used, b.Effect.Retrieved, b.Effect.shares()))
	}
	return strings.Join(parts, "; ")
}

// shares compares the accepted shares, where there are both.
func (e Effect) shares() string {
	if e.Difference == nil {
		return ""
	}
	return fmt.Sprintf(", accepted %s after use, %s otherwise, difference %s (95%% %s..%s)", milli(e.AfterUse.AcceptedShare.Value),
		milli(e.AfterUnused.AcceptedShare.Value), milli(e.Difference.Value), milli(e.Difference.Low), milli(e.Difference.High))
}

// stockLine is unknown without the run's last record, which holds the final state.
func (r Report) stockLine() string {
	if r.RunStatus == trace.RunUnfinished {
		return "unknown, the run is unfinished"
	}
	return amountsText(r.FinalStock)
}

func (r Report) runLine() string {
	if r.RunReason == "" {
		return plain(string(r.RunStatus))
	}
	return plain(string(r.RunStatus)) + ": " + plain(r.RunReason)
}

func (r Report) goalsTotal() string {
	if len(r.Goals) == 0 {
		return ""
	}
	return fmt.Sprintf(" of %d", len(r.Goals))
}

func (r Report) decisionsLine() string {
	return fmt.Sprintf("%d by models, %d continued (%d calls saved), %d degraded to wait%s", r.TotalDecisions, r.ContinuedDecisions,
		r.CallsSaved+r.CallsSavedBy.sum(), r.DecisionCounts.WaitDegraded, r.DecisionCounts.WaitDegradedByReason.most())
}

func (r Report) choicesLine() string {
	c := r.DecisionCounts
	line := fmt.Sprintf("act %d, wait %d, wait_ticks %d", c.Act, c.Wait, c.WaitTicks)
	if advice := r.TraceCounts.RepetitionAdviceByKind.most(); advice != "" {
		line += "; repetition remarked on" + advice
	}
	return line
}

func (r Report) proposedLine() string {
	a := r.Actions
	return fmt.Sprintf("%d, %d adjusted, %d executed, %d dropped; standing orders: %d", a.Proposed, a.Adjusted, a.Executed, a.Dropped, a.StandingOrders)
}

func (r Report) callsLine() string {
	c := r.TraceCounts
	text := fmt.Sprintf("%d, %s per decision, most %d; %d failed%s", c.ModelCalls, milli(c.CallsPerDecision.AvgMilli),
		c.CallsPerDecision.Max, c.LLMErrors, c.LLMErrorsByKind.most())
	if c.CallsRefused > 0 {
		text += fmt.Sprintf("; not sent, refused by caps: %d", c.CallsRefused)
	}
	return text
}

func (r Report) answersLine() string {
	c := r.TraceCounts
	return fmt.Sprintf("%d unusable%s, %d repaired; repair rounds: %d; calls gone wrong: %d%s", c.ParseErrors, c.ParseErrorsByKind.most(),
		c.ParseRepaired, c.RepairRoundsTotal, c.ToolErrorsByCode.sum(), c.ToolErrorsByCode.most())
}

func (r Report) itemsLine() string {
	c := r.TraceCounts
	return fmt.Sprintf("%d repaired%s, %d unknown; beside calls: %d texts, %d refusals", c.ItemRepairsByKind.sum(), c.ItemRepairsByKind.most(),
		c.UnknownItems.sum(), c.TextBesideCalls, c.RefusalsBesideCalls)
}

// recordedLine tells of answers that no model gave in this run; it is empty without.
func (r Report) recordedLine() string {
	n := r.Timing.AnswersRecorded
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d answers came from a recording", n, r.TraceCounts.ModelCalls+r.Learning.Calls)
}

// faultsLine tells of the faults injected on purpose; it is empty when none were asked
// for.
func (r Report) faultsLine() string {
	if r.Faults == "" {
		return ""
	}
	asked := fmt.Sprintf("asked for: %s, seed %d", plain(r.Faults), r.FaultSeed)
	if !r.FaultsCounted {
		return "unknown how many answers were spoilt on purpose, the run is unfinished; " + asked
	}
	return fmt.Sprintf("%d answers spoilt on purpose%s; %s", r.FaultsInjectedByKind.sum(), r.FaultsInjectedByKind.most(), asked)
}

// requestsLine tells of HTTP requests without a reply; it is empty when all had one.
func (r Report) requestsLine() string {
	failed := r.Timing.HTTPFailuresByKind
	if len(failed) == 0 {
		return ""
	}
	return fmt.Sprintf("%d sent, %d of them failed%s", r.Timing.HTTPAttempts, failed.sum(), failed.most())
}

func (r Report) promptsLine() string {
	c := r.TraceCounts
	return fmt.Sprintf("%d characters on average, most %d, tools %d; sections cut: %d, in %d prompts", c.LLMInputCharsAvg,
		c.LLMInputCharsMax, c.LLMToolChars, c.PromptSectionClipped, c.PromptsClipped)
}

func (r Report) timeLine() string {
	l := r.Timing.LLMLatencyMS
	return fmt.Sprintf("%s s; model latency p50 %d ms, p95 %d ms, p99 %d ms, most %d ms", milli(r.Timing.WallMS), l.P50, l.P95, l.P99, l.Max)
}

// stoppedLine tells of agents whose endpoint was given up; it is empty without any.
func (r Report) stoppedLine() string {
	var parts []string
	stopped := 0
	for _, a := range r.PerAgent {
		if a.StoppedBy == "" {
			continue
		}
		if stopped++; stopped <= namesMax {
			parts = append(parts, fmt.Sprintf("%s after tick %d (%s, model %s)", plain(a.AgentID), a.StoppedAtTick, plain(a.StoppedBy), plain(a.Model)))
		}
	}
	if stopped > namesMax {
		parts = append(parts, fmt.Sprintf("%d more", stopped-namesMax))
	}
	return strings.Join(parts, ", ")
}

// endpointsLine tells of endpoints that held calls back; it is empty when none did.
func (r Report) endpointsLine() string {
	var parts []string
	for _, e := range r.Timing.Endpoints {
		if e.Waited+e.Throttled+e.GaveUp > 0 {
			parts = append(parts, fmt.Sprintf("%s throttled %d times, %d of %d requests waited, most %d ms; at most %d in flight, limit %d at the end, least %d",
				plain(e.BaseURL), e.Throttled, e.Waited, e.Attempts, e.WaitLongestMS, e.InFlightMost, e.LimitFinal, e.LimitLowest))
		}
	}
	return strings.Join(parts, "; ")
}

// milli writes thousandths as a decimal number.
func milli(n int64) string {
	if n < 0 {
		return "-" + milli(-n)
	}
	return fmt.Sprintf("%d.%03d", n/1000, n%1000)
}

// sum adds the counts up.
func (c Counts) sum() (total int64) {
	for _, n := range c {
		total += n
	}
	return total
}

// most lists the largest counts in brackets after a space; nothing for none.
func (c Counts) most() string {
	list := c.amounts()
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b world.Amount) int { return cmp.Compare(b.Amount, a.Amount) })
	return " (" + amountsText(list) + ")"
}

func amountsText(list []world.Amount) string {
	words := make([]string, 0, namesMax+1)
	for i, a := range list {
		if i == namesMax {
			words = append(words, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s %d", plain(a.Resource), a.Amount))
	}
	return strings.Join(words, ", ")
}

// plain makes a name or a provider's message safe for one line of a terminal.
func plain(s string) string { return plaintext.Clip(plaintext.EscapeLine(s), wordsMax) }
