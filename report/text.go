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
	// namesMax bounds how many names of a count a line lists, lessonsMax how many bullets.
	namesMax   = 5
	lessonsMax = 3
	// wordsMax bounds free text, in characters; valueCharsMax one side of a fork's change,
	// capsCharsMax one that lists caps: cut in the middle of an amount they would say another one.
	wordsMax      = 120
	valueCharsMax = 40
	capsCharsMax  = 160
)

// Text returns all figures for people: one aligned line per topic, beginning with what happened in
// the world, without control characters, with a final line feed. What a reader looks for first is in package
// summary. Programs read [Report.JSON].
func (r Report) Text() string {
	var b strings.Builder
	// rare leaves a line out where there is nothing to say: most runs have none, and none
	// is no news.
	rare := func(name, text string) {
		if text != "" {
			plaintext.Fprintf(&b, "%-10s %s\n", name, text)
		}
	}
	line := func(name, text string) { rare(name, cmp.Or(text, "none")) }
	c := r.TraceCounts
	d := r.DecisionCounts
	a := r.Actions
	t := r.Timing

	of := ""
	if len(r.Goals) > 0 {
		of = fmt.Sprintf(" of %d", len(r.Goals))
	}
	line("agents", fmt.Sprintf("%d; goals met: %d%s, by %s%s", r.Agents, r.GoalsMet, of,
		plaintext.Count(r.AgentsMeetingGoal, "agent"), r.powerText()))
	line("actions", fmt.Sprintf("%d accepted%s, %d rejected%s%s", r.ActionSuccess, r.ActionKindSuccessCounts.most(),
		r.ActionFailure, r.ActionRejectReasonCounts.most(), r.HappenedText()))
	line("run", r.runLine())
	line("scenario", fmt.Sprintf("%s, seed %d, %d of %s, %d active", plain(r.Scenario), r.Seed, r.WorldTime,
		plaintext.Count(r.TicksRequested, "tick"), r.ActiveTicks))
	if r.ModelSource == trace.SourceNone {
		line("model", "none, seats play all agents")
	} else {
		line("model", fmt.Sprintf("%s (%s, tokens %s), protocol %s", plain(r.Model), r.ModelSource, r.UsageSource,
			plain(r.Protocol)))
	}
	for _, set := range r.Sampling {
		line("sampling", plain(strings.TrimSpace(set.For+" "+set.Setting+" "+set.Value)))
	}
	task := ""
	if t := r.Task; t != nil {
		task = fmt.Sprintf("%s, %s in ticks %d to %d: %d", plain(t.Family), plain(t.Metric), t.From, t.Ticks, t.Score)
		if !t.Complete {
			task += ", cut short"
		}
		if r.Advanced != nil {
			task += fmt.Sprintf("; %d if nobody had acted on", r.Advanced.Score)
		}
		if b := t.Baselines; b != nil {
			task += fmt.Sprintf(" (nothing %d, random %d, greedy %d, scripted %d", b.Nothing, b.Random, b.Greedy, b.Scripted)
			if b.Best != nil {
				task += fmt.Sprintf(", best known %d", *b.Best)
			}
			if !b.BoundLoose {
				task += fmt.Sprintf(", bound %d", b.Bound)
			}
			task += ")"
		}
	}
	line("task", task)
	rare("metrics", r.OwnText())

	by := d.DecidedBy
	saved := plaintext.Count(r.CallsSaved+r.CallsSavedBy.sum(), "call")
	bySeats := ""
	if len(r.Seats) > 0 {
		bySeats = fmt.Sprintf("%d by seats, ", by[DecidedBySeat])
	}
	line("decisions", fmt.Sprintf("%d by models, %s%d by orders (%s saved), %d by fallback%s, %d by nobody%s",
		by[DecidedByModel], bySeats, by[DecidedByOrder], saved,
		by[DecidedByFallback], d.FallbacksBy.most(), by[DecidedByNobody], d.WaitDegradedByReason.most()))
	for _, s := range r.Seats {
		line("seat", s.text())
	}
	if n := d.FallbacksBy.sum(); n > 0 {
		line("fallbacks", fmt.Sprintf("%s failed, ending in the best they had%s",
			plaintext.Count(n, "turn"), d.FallbacksByReason.most()))
	}
	choices := fmt.Sprintf("act %d, wait %d, wait_ticks %d", d.Act, d.Wait, d.WaitTicks)
	if advice := c.RepetitionAdviceByKind.most(); advice != "" {
		choices += "; repetition remarked on" + advice
	}
	line("choices", choices)
	if n := d.WaitChosenOverCandidates; 2*n > r.TotalDecisions {
		line("waits", fmt.Sprintf(
			"%d of %d decisions were to wait though a candidate stood there that passed every check; candidates count from "+
				"1, and 0 waits: does the model count from 0?", n, r.TotalDecisions))
	}
	line("proposed", fmt.Sprintf("%d, %d adjusted, %d executed, %d dropped; standing orders: %d",
		a.Proposed, a.Adjusted, a.Executed, a.Dropped, a.StandingOrders))
	if a.Chains > 0 {
		line("chains", fmt.Sprintf("%d, %d further steps in %s without a question", a.Chains, a.ChainSteps,
			plaintext.Count(a.ChainTicks, "tick")))
	}

	calls := fmt.Sprintf("%d, %s per decision, most %d; %d failed%s", c.ModelCalls, milli(c.CallsPerDecision.AvgMilli),
		c.CallsPerDecision.Max, c.LLMErrors, c.LLMErrorsByKind.most())
	if n := c.OutOfOrder.sum(); n > 0 {
		calls += fmt.Sprintf("; out of order: %d%s", n, c.OutOfOrder.most())
	}
	if c.CallsRefused > 0 {
		calls += fmt.Sprintf("; not sent, refused by caps: %d", c.CallsRefused)
	}
	line("calls", calls)
	if failed := t.HTTPFailuresByKind; len(failed) > 0 {
		line("requests", fmt.Sprintf("%d sent, %d of them failed%s", t.HTTPAttempts, failed.sum(), failed.most()))
	}
	line("answers", fmt.Sprintf("%d unusable%s, %d repaired; repair rounds: %d; calls gone wrong: %d%s", c.ParseErrors,
		c.ParseErrorsByKind.most(),
		c.ParseRepaired, c.RepairRoundsTotal, c.ToolErrorsByCode.sum(), c.ToolErrorsByCode.most()))
	if t.AnswersRecorded > 0 {
		line("recorded", fmt.Sprintf("%d of %s came from a recording", t.AnswersRecorded,
			plaintext.Count(c.ModelCalls+r.Learning.Calls, "answer")))
	}
	line("items", fmt.Sprintf("%d repaired%s, %d unknown; beside calls: %s, %s", c.ItemRepairsByKind.sum(),
		c.ItemRepairsByKind.most(),
		c.UnknownItems.sum(), plaintext.Count(c.TextBesideCalls, "text"), plaintext.Count(c.RefusalsBesideCalls, "refusal")))
	off := ""
	if len(r.Guard.Off) > 0 {
		off = "OFF: " + plain(strings.Join(r.Guard.Off, ", ")) + "; "
	}
	line("guard", fmt.Sprintf("%s%d refused%s, %s, %s; reason steps: %d, %s", off,
		r.Guard.RefusalsByRule.sum(), r.Guard.RefusalsByRule.most(), plaintext.Count(r.Guard.Waits, "wait"),
		plaintext.Count(r.Guard.TurnsWithUntrustedView, "turn with words of others"), r.Reasoning.Steps,
		plaintext.Count(r.Reasoning.Violations, "call vetoed")))
	if r.Faults != "" {
		spoilt := "unknown how many answers were spoilt on purpose, the run is unfinished"
		if r.FaultsCounted {
			spoilt = fmt.Sprintf("%s%s", plaintext.Count(r.FaultsInjectedByKind.sum(), "answer spoilt on purpose"),
				r.FaultsInjectedByKind.most())
		}
		line("faults", fmt.Sprintf("%s; asked for: %s, seed %d", spoilt, plain(r.Faults), r.FaultSeed))
	}
	line("prompts", fmt.Sprintf("%d characters on average, most %d, tools %d; sections cut: %d, in %s", c.LLMInputCharsAvg,
		c.LLMInputCharsMax, c.LLMToolChars, c.PromptSectionClipped, plaintext.Count(c.PromptsClipped, "prompt")))
	line("tokens", r.Tokens.Text())
	rare("cost", r.costLine())

	p := r.Provenance
	line("sources", fmt.Sprintf("%d in view, %d used%s, %d unknown, %d invented", p.SourcesRetrieved, p.SourcesUsed,
		p.UsedByKind.most(), p.SourcesUnknown, p.SourcesInvented))
	// The uses of a bullet are shown with their outcomes, and with the outcomes of decisions
	// that only had it in view. A count of uses alone would look like merit.
	lessons := slices.Clone(p.Bullets)
	slices.SortStableFunc(lessons, func(a, b BulletEffect) int { return cmp.Compare(b.Effect.Used, a.Effect.Used) })
	line("lessons", listed(lessons, lessonsMax, "; ", BulletEffect.text))
	passages := slices.Clone(p.Documents)
	slices.SortStableFunc(passages, func(a, b DocumentEffect) int { return cmp.Compare(b.Effect.Used, a.Effect.Used) })
	rare("documents", listed(passages, lessonsMax, "; ", func(d DocumentEffect) string {
		return fmt.Sprintf("%s (%s)%s", plain(d.ID), plain(d.Title), d.Effect.text())
	}))
	if len(p.Templates) > 1 {
		line("templates", listed(p.Templates, namesMax, "; ", func(t TemplateOutcomes) string {
			return fmt.Sprintf("%s (%s) %s, %d of %s accepted", plain(t.ID), plain(t.Title),
				plaintext.Count(t.Outcomes.Decisions, "decision"), t.Outcomes.Accepted,
				plaintext.Count(t.Outcomes.Actions, "action"))
		}))
	}
	learned := ""
	if l := r.Learning; l.Calls > 0 {
		learned = fmt.Sprintf("%s in %s; changes: %d applied%s, %d rejected%s; failed: %d%s",
			plaintext.Count(l.Consolidations, "consolidation"), plaintext.Count(l.Calls, "call"),
			l.DeltasApplied, l.AppliedByOp.most(), l.DeltasRejected, l.RejectedByCode.most(), l.ConsolidationsFailed.sum(),
			l.ConsolidationsFailed.most())
	}
	line("learning", learned)

	stock := "unknown, the run is unfinished" // the last record holds the final state
	if r.RunStatus != trace.RunUnfinished {
		stock = amountsText(r.FinalStock)
	}
	line("stock", stock)
	stopped := slices.DeleteFunc(slices.Clone(r.PerAgent), func(a AgentRow) bool { return a.StoppedBy == "" })
	rare("stopped", listed(stopped, namesMax, ", ", func(a AgentRow) string {
		return fmt.Sprintf("%s after tick %d (%s, model %s)", plain(a.AgentID), a.StoppedAtTick, plain(a.StoppedBy),
			plain(a.Model))
	}))
	rare("tools", listed(r.Tools, namesMax, "; ", ToolRow.text))
	rare("operator", listed(r.Controls, namesMax, "; ", ControlRow.Text))
	if r.Fork != nil {
		line("fork", r.Fork.Text())
		if r.Fork.Comparison != nil {
			rare("fork end", r.Fork.Comparison.endText())
		}
	}
	l := t.LLMLatencyMS
	line("time", fmt.Sprintf("%s s; model latency p50 %d ms, p95 %d ms, p99 %d ms, most %d ms", milli(t.WallMS), l.P50,
		l.P95, l.P99, l.Max))
	if b := t.Barrier; b.Ticks > 0 {
		line("waited", fmt.Sprintf("%d ms for the slowest turns of %s; the own turns of %s take %d ms", b.WaitedMS,
			plaintext.Count(b.Ticks, "tick"), plain(b.OwnAgentBoundAgent), b.OwnAgentBoundMS))
		slowest := slices.Clone(t.ByAgent)
		slices.SortStableFunc(slowest, func(a, b AgentTiming) int { return cmp.Compare(b.AwaitedMS, a.AwaitedMS) })
		line("waited for", listed(slowest, namesMax, "; ", AgentTiming.text))
		line("asked", listed(t.ByEndpoint, namesMax, "; ", EndpointLatency.text))
	}
	rare("ahead", t.Ahead.Text(r.Cost.Currency))
	busy := slices.DeleteFunc(slices.Clone(t.Endpoints),
		func(e trace.EndpointTiming) bool { return e.Waited+e.Throttled+e.GaveUp == 0 })
	rare("endpoints", listed(busy, len(busy), "; ", func(e trace.EndpointTiming) string {
		return fmt.Sprintf("%s throttled %s, %d of %s waited, most %d ms; "+
			"at most %d in flight, limit %d at the end, least %d",
			plain(e.BaseURL), plaintext.Count(e.Throttled, "time"), e.Waited, plaintext.Count(e.Attempts, "request"),
			e.WaitLongestMS, e.InFlightMost, e.LimitFinal, e.LimitLowest)
	}))
	line("digest", plain(r.FinalDigest))
	return b.String()
}

// powerText says how often agents ran out of power, and how many were out of it at the end; nothing
// where none did.
func (r Report) powerText() string {
	times, down := int64(0), 0
	for _, a := range r.PerAgent {
		times += a.Shutdowns
		if a.PowerState == "shutdown" {
			down++
		}
	}
	if times == 0 {
		return ""
	}
	return fmt.Sprintf("; out of power: %s, %s at the end", plaintext.Count(times, "time"), plaintext.Count(down, "agent"))
}

// HappenedText counts for people what came of actions, after a semicolon: factories, jobs, trades and messages;
// empty if nothing did.
func (r Report) HappenedText() string {
	var words []string
	for _, c := range []struct {
		kind world.EventKind
		what string
	}{
		{world.EventFactoryBuilt, "factory built"}, {world.EventJobDone, "job done"}, {world.EventTrade, "trade"},
		{world.EventOfferAccepted, "offer accepted"},
		{world.EventMessageDelivered, "message delivered"},
	} {
		if n := r.JournalEventCounts[string(c.kind)]; n > 0 {
			words = append(words, plaintext.Count(n, c.what))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; " + strings.Join(words, ", ")
}

// runLine says how the run ended.
func (r Report) runLine() string {
	if r.RunReason == "" {
		return plain(string(r.RunStatus))
	}
	return plain(string(r.RunStatus)) + ": " + plain(r.RunReason)
}

// text names the bullet and its effect.
func (b BulletEffect) text() string {
	if b.AgentID != "" {
		return plain(b.ID) + " of " + plain(b.AgentID) + b.Effect.text()
	}
	return plain(b.ID) + b.Effect.text()
}

// text says how often a source was used and, where both are known, how the accepted
// shares after use and otherwise compare.
func (e Effect) text() string {
	text := fmt.Sprintf(" used %d of %d", e.Used, e.Retrieved)
	if e.Difference == nil {
		return text
	}
	return text + fmt.Sprintf(", accepted %s after use, %s otherwise, difference %s (95%% %s..%s)",
		milli(e.AfterUse.AcceptedShare.Value),
		milli(e.AfterUnused.AcceptedShare.Value), milli(e.Difference.Value), milli(e.Difference.Low),
		milli(e.Difference.High))
}

// Text says for people where a fork left its parent and how far it got from it; empty for a run of its own.
func (f *ForkReport) Text() string {
	if f == nil {
		return ""
	}
	changes := "none"
	if len(f.Changes) > 0 {
		changes = listed(f.Changes, namesMax, ", ", func(c trace.Change) string {
			chars := valueCharsMax
			if c.What == "caps" {
				chars = capsCharsMax
			}
			show := func(value string) string { return cmp.Or(plaintext.Clip(plain(value), chars), "unset") }
			return fmt.Sprintf("%s %s -> %s", plain(c.What), show(c.From), show(c.To))
		})
	}
	if trace.EndsChains(f.Changes) {
		changes += "; orders and chains ended there"
	}
	ticks := "that run is not at hand to compare with"
	if f.Comparison != nil {
		ticks = f.Comparison.ticksText()
	}
	return fmt.Sprintf("of %s after tick %d; changes: %s; %s", plain(f.Parent), f.AtTick, changes, ticks)
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
	return listed(list, namesMax, ", ",
		func(a world.Amount) string { return fmt.Sprintf("%s %d", plain(a.Resource), a.Amount) })
}

// listed joins the texts of the first elements and says how many more there are.
func listed[E any](list []E, most int, separator string, text func(E) string) string {
	var parts []string
	for _, e := range list[:min(len(list), most)] {
		parts = append(parts, text(e))
	}
	if more := len(list) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, separator)
}

// plain makes a name or a provider's message safe for one line of a terminal.
func plain(s string) string { return plaintext.Clip(s, wordsMax) }
