// Package summary says what happened in a run: its outcome in one sentence, a table of its agents, why turns
// failed, and what it cost. It is what a terminal shows at the end of a run; all other figures are in
// [report.Report.Text].
//
//	for _, line := range summary.Of(r, summary.Options{Columns: 80}) {
//		fmt.Println(line.Text)
//	}
package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/trace"
)

// Tone is what a line is about: terminals colour by it.
type Tone int

// The tones. Plain lines have none.
const (
	Plain Tone = iota
	// Strong is a heading.
	Strong
	Good
	// Warn is what a reader should look at, Bad what makes the run useless.
	Warn
	Bad
)

// Line is one line, without control characters.
type Line struct {
	Text string
	Tone Tone
}

// Options are how a summary is laid out.
type Options struct {
	// Columns is the width of the terminal; 0 is a pipe, where lines have any length.
	Columns int
	// AllAgents lists every agent also where there are many.
	AllAgents bool
}

// labelCells is the width of the labels of lines, with the space after them.
const labelCells = 8

// shareOfFailedWarn is the share of failed turns from which on a reader is warned, in percent.
const shareOfFailedWarn = 5

// namesMax bounds how many kinds a line lists.
const namesMax = 4

// Of is the summary of a run.
func Of(r report.Report, o Options) []Line {
	text, tone := Outcome(r)
	page := page{columns: o.Columns}
	page.add("", tone, text)
	if r.RunReason != "" {
		page.add("why", tone, plain(r.RunReason))
	}
	page.add("played", Plain, played(r))
	if set, warns := chosen(r); set != "" {
		page.add("set", toneIf(warns, Warn), set)
	}
	page.lines = append(page.lines, agents(r, o)...)
	page.add("score", Plain, score(r))
	page.add("metrics", Plain, r.OwnText())
	page.add("actions", Plain, actions(r))
	page.add("passed", Plain, passed(r, o))
	page.add("failed", tone.atLeastWarn(), failures(r))
	page.add("stopped", Bad, stopped(r))
	page.add("control", Plain, controls(r))
	page.add("learned", Plain, learned(r.Learning))
	page.add("fork", Plain, r.Fork.Text())
	page.add("cost", Plain, cost(r))
	page.add("waited", Plain, waited(r.Timing))
	page.add("ahead", Plain, r.Timing.Ahead.Text(r.Cost.Currency))
	return page.lines
}

// Outcome says in one sentence how a run ended, what came of it, and how many of its turns failed. Tone is Warn
// from 5% of failed turns on, and Bad from the share on that the run's settings allow.
func Outcome(r report.Report) (sentence string, tone Tone) {
	ticks := plaintext.Count(r.WorldTime, "tick")
	tone = Good
	var parts []string
	over := ""
	switch r.RunStatus {
	case trace.RunCompleted:
		over = " in " + ticks
	case trace.RunInterrupted, trace.RunBudgetReached, trace.RunUnfinished:
		tone = Warn
	default:
		tone = Bad
	}
	if over == "" {
		parts = append(parts, fmt.Sprintf("The run %s, after %d of %s", wording.Status(r.RunStatus), r.WorldTime,
			plaintext.Count(r.TicksRequested, "tick")))
	}
	done, acted := achieved(r)
	parts = append(parts, done+over)
	if !acted {
		tone = max(tone, Warn)
	}
	turns, failed := r.Turns(), r.FailedTurns()
	switch {
	case turns == 0:
		parts = append(parts, "no agent was asked to decide")
	case failed == 0 && turns == 1:
		parts = append(parts, "the one turn did not fail")
	case failed == 0:
		parts = append(parts, fmt.Sprintf("none of %s failed", plaintext.Count(turns, "turn")))
	case failed == turns:
		parts = append(parts, fmt.Sprintf("all of %s failed", plaintext.Count(turns, "turn")))
	default:
		parts = append(parts, fmt.Sprintf("%d of %s failed (%d%%)", failed, plaintext.Count(turns, "turn"),
			(100*failed+turns/2)/turns))
	}
	if failed*100 >= turns*shareOfFailedWarn && failed > 0 {
		tone = max(tone, Warn)
	}
	if r.TooManyUndecided() {
		tone = Bad
	}
	sentence = strings.Join(parts, "; ") + "."
	return strings.ToUpper(sentence[:1]) + sentence[1:], tone
}

// achieved says what came of a run, and whether any agent did anything.
func achieved(r report.Report) (text string, acted bool) {
	var parts []string
	if r.TotalActions == 0 {
		parts = append(parts, "nobody acted")
	}
	goals := int64(len(r.Goals))
	switch {
	case r.Task != nil:
		text := fmt.Sprintf("the score is %d", r.Task.Score)
		if b := r.Task.Baselines; b != nil && !b.BoundLoose {
			text += fmt.Sprintf(" of at most %d", b.Bound)
		}
		parts = append(parts, text)
	case goals == 1 && r.GoalsMet == 1:
		parts = append(parts, "the one goal was met")
	case goals == 1:
		parts = append(parts, "the one goal was not met")
	case goals > 0 && r.GoalsMet == goals:
		parts = append(parts, fmt.Sprintf("all %d goals were met", goals))
	case goals > 0:
		parts = append(parts, fmt.Sprintf("%s met", ofAll(r.GoalsMet, goals, "goal")))
	case r.RunStatus == trace.RunUnfinished && r.GoalsMet > 0:
		parts = append(parts, plaintext.Count(r.GoalsMet, "goal")+" met so far")
	case r.TotalActions > 0:
		parts = append(parts, fmt.Sprintf("%s done, %d refused", plaintext.Count(r.ActionSuccess, "action"), r.ActionFailure))
	}
	return strings.Join(parts, ", "), r.TotalActions > 0
}

// ofAll is a share of things: "none of 5 goals was", "1 of 5 goals was", "2 of 5 goals were".
func ofAll(n, all int64, things string) string {
	of := " of " + plaintext.Count(all, things)
	switch n {
	case 0:
		return "none" + of + " was"
	case 1:
		return "1" + of + " was"
	}
	return fmt.Sprint(n) + of + " were"
}

// played says what was played, and by whom.
func played(r report.Report) string {
	by := plain(r.Model)
	switch r.ModelSource {
	case trace.SourceScripted:
		by = "the scripted stub (no model: results only check the wiring)"
	case trace.SourceNone:
		by = "seats alone, without a model"
	case trace.SourceRecorded:
		by += ", from a recording"
	case trace.SourceMixed:
		by += ", in part from a recording"
	}
	took := ""
	if r.Timing.WallMS > 0 {
		took = " in " + span(r.Timing.WallMS)
	}
	return fmt.Sprintf("%s, seed %d, %s%s, by %s", plain(r.Scenario), r.Seed, plaintext.Count(r.Agents, "agent"), took, by)
}

// chosen lists what was set otherwise than by default. warns says that results must not be taken for those of
// another run: the guard was off, or answers were spoilt on purpose.
func chosen(r report.Report) (text string, warns bool) {
	var first, others []string
	for _, row := range r.NotDefault {
		value := plain(row.Value)
		if list, isList := strings.CutPrefix(value, `["`); isList {
			value = strings.ReplaceAll(strings.TrimSuffix(list, `"]`), `","`, ", ")
		}
		mark := wording.Setting(row.Setting) + ": " + value
		switch row.Setting {
		case "guard_off", "faults", "words":
			first = append(first, mark)
			warns = warns || row.Setting != "words"
		default:
			others = append(others, mark)
		}
	}
	return strings.Join(append(first, others...), " · "), warns
}

// actions says what agents did, and what the world refused, and why.
func actions(r report.Report) string {
	text := fmt.Sprintf("%d done%s", r.ActionSuccess, most(r.ActionKindSuccessCounts)) + r.HappenedText()
	if r.ActionFailure > 0 {
		reasons := report.Counts{}
		for code, n := range r.ActionRejectReasonCounts {
			reasons[wording.Rejection(code)] += n
		}
		text += fmt.Sprintf("; %d refused: %s", r.ActionFailure, clauses(reasons))
	}
	return text
}

// failures says how turns failed, and which was the first.
func failures(r report.Report) string {
	n := r.FailedTurns()
	if n == 0 {
		return ""
	}
	reasons := report.Counts{}
	fallbacks := int64(0)
	for _, counts := range []report.Counts{r.DecisionCounts.WaitDegradedByReason, r.DecisionCounts.FallbacksByReason} {
		for reason, k := range counts {
			reasons[wording.Reason(trace.WaitReason(reason))] += k
		}
	}
	for _, k := range r.DecisionCounts.FallbacksBy {
		fallbacks += k
	}
	text := plaintext.Count(n, "turn") + ": " + clauses(reasons)
	switch {
	case fallbacks == n:
		text += "; what had been drafted or planned was done"
	case fallbacks > 0:
		text += fmt.Sprintf("; in %d of them what had been drafted or planned was done, in the others the agent waited",
			fallbacks)
	default:
		text += "; the agent waited"
	}
	if first := r.FirstFailure; first != nil {
		text += fmt.Sprintf("; first %s in tick %d", plain(first.AgentID), first.Tick)
	}
	return text
}

// stopped lists the agents whose endpoints were given up.
func stopped(r report.Report) string {
	var list []string
	for _, a := range r.PerAgent {
		if a.StoppedBy != "" {
			list = append(list, fmt.Sprintf("%s after tick %d: %s", plain(a.AgentID), a.StoppedAtTick,
				wording.Failure(a.StoppedBy)))
		}
	}
	return firstOf(list, "; ")
}

// controls says what an operator did to the run.
func controls(r report.Report) string {
	list := make([]string, len(r.Controls))
	for i, c := range r.Controls {
		list[i] = c.Text()
	}
	return firstOf(list, "; ")
}

// learned says what agents added to their playbooks, and how often they could not.
func learned(l report.Learning) string {
	if l.Calls == 0 {
		return ""
	}
	text := fmt.Sprintf("%s of playbooks in %s", plaintext.Count(l.DeltasApplied, "change"),
		plaintext.Count(l.Calls, "call"))
	if l.DeltasRejected > 0 {
		text += fmt.Sprintf(", %d turned down", l.DeltasRejected)
	}
	failed := int64(0)
	for _, n := range l.ConsolidationsFailed {
		failed += n
	}
	if failed > 0 {
		text += fmt.Sprintf(", %s failed", plaintext.Count(failed, "reflection"))
	}
	return text
}

// cost says what was asked, and what that cost.
func cost(r report.Report) string {
	calls := r.TraceCounts.ModelCalls + r.Learning.Calls
	if calls == 0 {
		return "no model was asked"
	}
	tokens := int64(0)
	for _, m := range r.Cost.ByModel {
		tokens += m.Tokens.Input + m.Tokens.Output
	}
	text := fmt.Sprintf("%s, %s tokens", plaintext.Count(calls, "call"), plaintext.Thousands(tokens))
	switch {
	case r.Cost.Currency != "":
		text += fmt.Sprintf(", %s %s", amount(r.Cost.TotalMicros), plain(r.Cost.Currency))
		if !r.Cost.Priced {
			text += " and what models without a price cost"
		}
	case r.ModelSource == trace.SourceLive:
		text += ", at a price that is not known"
	default:
		text += ", free of charge"
	}
	if n := r.Timing.AnswersRecorded; n > 0 {
		text += fmt.Sprintf("; %s came from a recording", plaintext.Count(n, "answer"))
	}
	if n := r.TraceCounts.CallsRefused; n > 0 {
		text += fmt.Sprintf("; %s not sent, refused by caps", plaintext.Count(n, "call"))
	}
	return text
}

// waitedLeastMS is the time from which on a reader wants to know who was waited for.
const waitedLeastMS = 1000

// waited says whom the run waited for. A run without long turns waited for nobody.
func waited(t report.Timing) string {
	b := t.Barrier
	if b.WaitedMS < waitedLeastMS {
		return ""
	}
	text := fmt.Sprintf("%s for the slowest answers of %s", span(b.WaitedMS), plaintext.Count(b.Ticks, "tick"))
	if len(t.ByAgent) < 2 {
		return text
	}
	most := slices.MaxFunc(t.ByAgent, func(a, b report.AgentTiming) int { return cmp.Compare(a.AwaitedMS, b.AwaitedMS) })
	return text + fmt.Sprintf("; %s of it for %s alone, the slowest in %s; %s if agents did not wait for each other",
		span(most.AwaitedMS), plain(most.AgentID), plaintext.Count(most.SlowestTicks, "tick"), span(b.OwnAgentBoundMS))
}
