package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/trace"
)

// happened writes what came about in the world.
func (r Report) happened(s *sheet) {
	of := ""
	if len(r.Goals) > 0 {
		of = fmt.Sprintf(" of %d", len(r.Goals))
	}
	s.line("agents", fmt.Sprintf("%d; goals met: %d%s, by %s%s", r.Agents, r.GoalsMet, of,
		plaintext.Count(r.AgentsMeetingGoal, "agent"), r.powerText()))
	s.line("actions", fmt.Sprintf("%d accepted%s, %d rejected%s%s", r.ActionSuccess, r.ActionKindSuccessCounts.most(),
		r.ActionFailure, r.ActionRejectReasonCounts.most(), r.HappenedText()))
}

// played writes what was played, by whom, and what it scored.
func (r Report) played(s *sheet) {
	s.line("run", r.runLine())
	s.line("scenario", fmt.Sprintf("%s, seed %d, %d of %s, %d active", plain(r.Scenario), r.Seed, r.WorldTime,
		plaintext.Count(r.TicksRequested, "tick"), r.ActiveTicks))
	if r.ModelSource == trace.SourceNone {
		s.line("model", "none, seats play all agents")
	} else {
		s.line("model", fmt.Sprintf("%s (%s, tokens %s), protocol %s", plain(r.Model), r.ModelSource, r.UsageSource,
			plain(r.Protocol)))
	}
	for _, set := range r.Sampling {
		s.line("sampling", plain(strings.TrimSpace(set.For+" "+set.Setting+" "+set.Value)))
	}
	task := ""
	if r.Task != nil {
		task = r.Task.text(r.Advanced)
	}
	s.line("task", task)
}

// text says what the task scored, beside the scores of others. advanced is the score if nobody had acted on, nil where
// the run ended by itself.
func (t *TaskScore) text(advanced *Advanced) string {
	text := fmt.Sprintf("%s, %s in ticks %d to %d: %d", plain(t.Family), plain(wording.Task(t.Metric)), t.From,
		t.Ticks, t.Score)
	if !t.Complete {
		text += ", cut short"
	}
	if advanced != nil {
		text += fmt.Sprintf("; %d if nobody had acted on", advanced.Score)
	}
	b := t.Baselines
	if b == nil {
		return text
	}
	text += fmt.Sprintf(" (nothing %d, random %d, greedy %d, scripted %d", b.Nothing, b.Random, b.Greedy, b.Scripted)
	if b.Best != nil {
		text += fmt.Sprintf(", best known %d", *b.Best)
	}
	if !b.BoundLoose {
		text += fmt.Sprintf(", bound %d", b.Bound)
	}
	return text + ")"
}

// decided writes who decided what.
func (r Report) decided(s *sheet) {
	d := r.DecisionCounts
	by := d.DecidedBy
	bySeats := ""
	if len(r.Seats) > 0 {
		bySeats = fmt.Sprintf("%d by seats, ", by[DecidedBySeat])
	}
	s.line("decisions", fmt.Sprintf("%d by models, %s%d by orders (%s saved), %d by fallback%s, %d by nobody%s",
		by[DecidedByModel], bySeats, by[DecidedByOrder], plaintext.Count(r.CallsSaved+r.CallsSavedBy.sum(), "call"),
		by[DecidedByFallback], d.FallbacksBy.most(), by[DecidedByNobody], d.WaitDegradedByReason.most()))
	for _, seat := range r.Seats {
		s.line("seat", seat.text())
	}
	if n := d.FallbacksBy.sum(); n > 0 {
		s.line("fallbacks", fmt.Sprintf("%s failed, ending in the best they had%s",
			plaintext.Count(n, "turn"), d.FallbacksByReason.most()))
	}
	choices := fmt.Sprintf("act %d, wait %d, wait_ticks %d", d.Act, d.Wait, d.WaitTicks)
	if advice := r.TraceCounts.RepetitionAdviceByKind.most(); advice != "" {
		choices += "; repetition remarked on" + advice
	}
	s.line("choices", choices)
	if n := d.WaitChosenOverCandidates; 2*n > r.TotalDecisions {
		s.line("waits", fmt.Sprintf(
			"%d of %d decisions were to wait though a candidate stood there that passed every check; candidates count from "+
				"1, and 0 waits: does the model count from 0?", n, r.TotalDecisions))
	}
	a := r.Actions
	s.line("proposed", fmt.Sprintf("%d, %d adjusted, %d executed, %d dropped; standing orders: %d",
		a.Proposed, a.Adjusted, a.Executed, a.Dropped, a.StandingOrders))
	if a.Chains > 0 {
		s.line("chains", fmt.Sprintf("%d, %d further steps in %s without a question", a.Chains, a.ChainSteps,
			plaintext.Count(a.ChainTicks, "tick")))
	}
}

// called writes what models were asked, and how usable their answers were.
func (r Report) called(s *sheet) {
	c := r.TraceCounts
	calls := fmt.Sprintf("%d, %s per decision, most %d; %d failed%s", c.ModelCalls, milli(c.CallsPerDecision.AvgMilli),
		c.CallsPerDecision.Max, c.LLMErrors, c.LLMErrorsByKind.most())
	if n := c.OutOfOrder.sum(); n > 0 {
		calls += fmt.Sprintf("; out of order: %d%s", n, c.OutOfOrder.most())
	}
	if c.CallsRefused > 0 {
		calls += fmt.Sprintf("; not sent, refused by caps: %d", c.CallsRefused)
	}
	s.line("calls", calls)
	if failed := r.Timing.HTTPFailuresByKind; len(failed) > 0 {
		s.line("requests", fmt.Sprintf("%d sent, %d of them failed%s", r.Timing.HTTPAttempts, failed.sum(), failed.most()))
	}
	s.line("answers", fmt.Sprintf("%d unusable%s, %d repaired; repair rounds: %d; calls gone wrong: %d%s", c.ParseErrors,
		c.ParseErrorsByKind.most(),
		c.ParseRepaired, c.RepairRoundsTotal, c.ToolErrorsByCode.sum(), c.ToolErrorsByCode.most()))
	if recorded := r.Timing.AnswersRecorded; recorded > 0 {
		s.line("recorded", fmt.Sprintf("%d of %s came from a recording", recorded,
			plaintext.Count(c.ModelCalls+r.Learning.Calls, "answer")))
	}
	s.line("items", fmt.Sprintf("%d repaired%s, %d unknown; beside calls: %s, %s", c.ItemRepairsByKind.sum(),
		c.ItemRepairsByKind.most(),
		c.UnknownItems.sum(), plaintext.Count(c.TextBesideCalls, "text"), plaintext.Count(c.RefusalsBesideCalls, "refusal")))
}

// guarded writes what the guard did, and what was spoilt on purpose.
func (r Report) guarded(s *sheet) {
	off := ""
	if len(r.Guard.Off) > 0 {
		off = "OFF: " + plain(strings.Join(r.Guard.Off, ", ")) + "; "
	}
	s.line("guard", fmt.Sprintf("%s%d refused%s, %s, %s; reason steps: %d, %s", off,
		r.Guard.RefusalsByRule.sum(), r.Guard.RefusalsByRule.most(), plaintext.Count(r.Guard.Waits, "wait"),
		plaintext.Count(r.Guard.TurnsWithUntrustedView, "turn with words of others"), r.Reasoning.Steps,
		plaintext.Count(r.Reasoning.Violations, "call vetoed")))
	if r.Faults == "" {
		return
	}
	spoilt := "unknown how many answers were spoilt on purpose, the run is unfinished"
	if r.FaultsCounted {
		spoilt = fmt.Sprintf("%s%s", plaintext.Count(r.FaultsInjectedByKind.sum(), "answer spoilt on purpose"),
			r.FaultsInjectedByKind.most())
	}
	s.line("faults", fmt.Sprintf("%s; asked for: %s, seed %d", spoilt, plain(r.Faults), r.FaultSeed))
}

// spent writes how much was sent, answered and paid.
func (r Report) spent(s *sheet) {
	c := r.TraceCounts
	s.line("prompts", fmt.Sprintf("%d characters on average, most %d, tools %d; sections cut: %d, in %s",
		c.LLMInputCharsAvg, c.LLMInputCharsMax, c.LLMToolChars, c.PromptSectionClipped,
		plaintext.Count(c.PromptsClipped, "prompt")))
	s.line("tokens", r.Tokens.Text())
	s.rare("cost", r.costLine())
}

// rested writes what decisions rested on. The uses of a bullet are shown with their outcomes, and with the outcomes of
// decisions that only had it in view: a count of uses alone would look like merit.
func (r Report) rested(s *sheet) {
	p := r.Provenance
	s.line("sources", fmt.Sprintf("%d in view, %d used%s, %d unknown, %d invented", p.SourcesRetrieved, p.SourcesUsed,
		p.UsedByKind.most(), p.SourcesUnknown, p.SourcesInvented))
	lessons := slices.Clone(p.Bullets)
	slices.SortStableFunc(lessons, func(a, b BulletEffect) int { return cmp.Compare(b.Effect.Used, a.Effect.Used) })
	s.line("lessons", listed(lessons, lessonsMax, "; ", BulletEffect.text))
	passages := slices.Clone(p.Documents)
	slices.SortStableFunc(passages, func(a, b DocumentEffect) int { return cmp.Compare(b.Effect.Used, a.Effect.Used) })
	s.rare("documents", listed(passages, lessonsMax, "; ", func(d DocumentEffect) string {
		return fmt.Sprintf("%s (%s)%s", plain(d.ID), plain(d.Title), d.Effect.text())
	}))
	if len(p.Templates) > 1 {
		s.line("templates", listed(p.Templates, namesMax, "; ", func(t TemplateOutcomes) string {
			return fmt.Sprintf("%s (%s) %s, %d of %s accepted", plain(t.ID), plain(t.Title),
				plaintext.Count(t.Outcomes.Decisions, "decision"), t.Outcomes.Accepted,
				plaintext.Count(t.Outcomes.Actions, "action"))
		}))
	}
}

// text says what agents learned; empty if they did not reflect.
func (l Learning) text() string {
	if l.Calls == 0 {
		return ""
	}
	return fmt.Sprintf("%s in %s; changes: %d applied%s, %d rejected%s; failed: %d%s",
		plaintext.Count(l.Consolidations, "consolidation"), plaintext.Count(l.Calls, "call"),
		l.DeltasApplied, l.AppliedByOp.most(), l.DeltasRejected, l.RejectedByCode.most(), l.ConsolidationsFailed.sum(),
		l.ConsolidationsFailed.most())
}

// ended writes how the run was left, and what others did to it.
func (r Report) ended(s *sheet) {
	stock := "unknown, the run is unfinished" // the last record holds the final state
	if r.RunStatus != trace.RunUnfinished {
		stock = amountsText(r.FinalStock)
	}
	s.line("stock", stock)
	stopped := slices.DeleteFunc(slices.Clone(r.PerAgent), func(a AgentRow) bool { return a.StoppedBy == "" })
	s.rare("stopped", listed(stopped, namesMax, ", ", func(a AgentRow) string {
		return fmt.Sprintf("%s after tick %d (%s, model %s)", plain(a.AgentID), a.StoppedAtTick, plain(a.StoppedBy),
			plain(a.Model))
	}))
	s.rare("tools", listed(r.Tools, namesMax, "; ", ToolRow.text))
	s.rare("operator", listed(r.Controls, namesMax, "; ", ControlRow.Text))
	if r.Fork != nil {
		s.line("fork", r.Fork.Text())
		if r.Fork.Comparison != nil {
			s.rare("fork end", r.Fork.Comparison.endText())
		}
	}
}

// write writes how long everything took, and who was waited for.
func (t Timing) write(s *sheet, currency string) {
	l := t.LLMLatencyMS
	s.line("time", fmt.Sprintf("%s s; model latency p50 %d ms, p95 %d ms, p99 %d ms, most %d ms", milli(t.WallMS), l.P50,
		l.P95, l.P99, l.Max))
	if b := t.Barrier; b.Ticks > 0 {
		s.line("waited", fmt.Sprintf("%d ms for the slowest turns of %s; the own turns of %s take %d ms", b.WaitedMS,
			plaintext.Count(b.Ticks, "tick"), plain(b.OwnAgentBoundAgent), b.OwnAgentBoundMS))
		slowest := slices.Clone(t.ByAgent)
		slices.SortStableFunc(slowest, func(a, b AgentTiming) int { return cmp.Compare(b.AwaitedMS, a.AwaitedMS) })
		s.line("waited for", listed(slowest, namesMax, "; ", AgentTiming.text))
		s.line("asked", listed(t.ByEndpoint, namesMax, "; ", EndpointLatency.text))
	}
	s.rare("ahead", t.Ahead.Text(currency))
	busy := slices.DeleteFunc(slices.Clone(t.Endpoints),
		func(e trace.EndpointTiming) bool { return e.Waited+e.Throttled+e.GaveUp == 0 })
	s.rare("endpoints", listed(busy, len(busy), "; ", func(e trace.EndpointTiming) string {
		return fmt.Sprintf("%s throttled %s, %d of %s waited, most %d ms; "+
			"at most %d in flight, limit %d at the end, least %d",
			plain(e.BaseURL), plaintext.Count(e.Throttled, "time"), e.Waited, plaintext.Count(e.Attempts, "request"),
			e.WaitLongestMS, e.InFlightMost, e.LimitFinal, e.LimitLowest)
	}))
}
