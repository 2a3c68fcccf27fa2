package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// ForkReport compares a fork with what the run it left did after the fork.
type ForkReport struct {
	// Directory of the run that was left, without the path to it.
	Parent string `json:"parent"`
	// Name of that run in the evidence of lessons.
	ParentRun string `json:"parent_run"`
	// Last tick that is the parent's; 0 for none.
	AtTick int64 `json:"at_tick"`
	// What holds differently after it.
	Changes []trace.Change `json:"changes"`
	// Complete ticks after the fork that both runs have; 0 when nothing of the parent is at hand.
	TicksCompared int64 `json:"ticks_compared"`
	// Compared ticks in which a decision differs, or after which the world does.
	TicksDiffering int64 `json:"ticks_differing"`
	// Decisions compared: those that either run has in a compared tick.
	DecisionsCompared int64 `json:"decisions_compared"`
	// Decisions of which the executed action differs, or that only one run has.
	DecisionsDiffering int64 `json:"decisions_differing"`
	// First tick with a decision that differs; null when none does.
	FirstDecisionTick *int64 `json:"first_decision_tick"`
	// First tick after which the digests differ; null when none do.
	FirstDigestTick *int64 `json:"first_digest_tick"`
	// The first differing ticks, in order.
	Ticks []ForkTick `json:"ticks"`
	// Differing ticks beyond those listed.
	TicksOmitted int64 `json:"ticks_omitted"`
	// Ticks the parent completed, 0 when it is not at hand or unfinished; its end is compared with the fork's, however long they are.
	ParentTicks int64 `json:"parent_ticks"`
	// Goals that are not at the same point at the end of both runs.
	Goals []ForkGoal `json:"goals"`
	// Resources of which all agents together hold another amount at the end.
	Stock []ForkStock `json:"stock"`
}

// ForkTick is one tick in which a fork differs from its parent.
type ForkTick struct {
	// The tick.
	Tick int64 `json:"tick"`
	// Whether the digests of the worlds are equal after it: equal or differs.
	World string `json:"world"`
	// Decisions that differ, by agent.
	Decisions []ForkDecision `json:"decisions"`
}

// ForkDecision is what an agent did in both runs.
type ForkDecision struct {
	// The agent.
	AgentID string `json:"agent_id"`
	// Executed action in the parent as JSON text; empty when it decided nothing.
	Parent string `json:"parent"`
	// Executed action in the fork as JSON text; empty when it decided nothing.
	Fork string `json:"fork"`
}

// ForkGoal is a goal that two runs got to differently.
type ForkGoal struct {
	// Id of the goal.
	GoalID string `json:"goal_id"`
	// Agent whose goal it is.
	AgentID string `json:"agent_id"`
	// Tick in which the parent met it first; null when it did not.
	ParentMetAt *int64 `json:"parent_met_at"`
	// Tick in which the fork met it first; null when it did not.
	ForkMetAt *int64 `json:"fork_met_at"`
	// Measured amount at the end of the parent.
	ParentNow int64 `json:"parent_now"`
	// Measured amount at the end of the fork.
	ForkNow int64 `json:"fork_now"`
}

// ForkStock is what all agents hold of a resource at the end of both runs.
type ForkStock struct {
	// Name of the resource.
	Resource string `json:"resource"`
	// Amount in the parent.
	Parent int64 `json:"parent"`
	// Amount in the fork.
	Fork int64 `json:"fork"`
}

// The words of [ForkTick.World].
const (
	worldEqual   = "equal"
	worldDiffers = "differs"
)

const (
	// forkTicksMax bounds the ticks a report lists.
	forkTicksMax = 500
	// forkActionMax bounds an action's text, in characters.
	forkActionMax = 300
)

// forkFold compares while the trace is folded. It is nil for a run that is no fork.
type forkFold struct {
	out ForkReport
	// parent yields what the parent did, tick by tick; nil when it is not at hand or
	// has ended.
	parent *trace.Reader
	// ours are the actions of the tick under way, theirs the parent's of the same tick.
	ours, theirs map[string]string
	theirDigest  string
	theirEnd     *trace.RunEnd
}

// newForkFold begins the comparison of the run with h as its header; nil unless it is
// a fork. Of several forks the last counts: its parent has the others too.
func newForkFold(h trace.Header, parent *trace.Reader) *forkFold {
	if len(h.Forks) == 0 {
		return nil
	}
	f := h.Forks[len(h.Forks)-1]
	return &forkFold{
		out: ForkReport{
			Parent: f.Parent.Name, ParentRun: f.Parent.Run, AtTick: f.AtTick, Changes: append([]trace.Change{}, f.Changes...),
			Ticks: []ForkTick{}, Goals: []ForkGoal{}, Stock: []ForkStock{},
		},
		parent: parent, ours: map[string]string{},
	}
}

func (f *forkFold) decision(d trace.Decision) {
	if f != nil {
		f.ours[d.AgentID] = actionText(d.Executed)
	}
}

// actionText is an action as recorded, bounded. Equal actions have equal bytes.
func actionText(action json.RawMessage) string {
	text := string(action)
	text = plaintext.Clip(text, forkActionMax)
	return text
}

// tickEnd compares a tick that is complete in the fork with the parent's.
func (f *forkFold) tickEnd(t trace.TickEnd) {
	if f == nil {
		return
	}
	ours := f.ours
	f.ours = map[string]string{}
	if t.Tick <= f.out.AtTick || !f.readParent(t.Tick) {
		return
	}
	f.out.TicksCompared++
	tick := ForkTick{Tick: t.Tick, World: worldEqual, Decisions: f.differing(ours)}
	if t.Digest != f.theirDigest {
		tick.World = worldDiffers
	}
	f.out.DecisionsDiffering += int64(len(tick.Decisions))
	if len(tick.Decisions) > 0 && f.out.FirstDecisionTick == nil {
		f.out.FirstDecisionTick = &tick.Tick
	}
	if tick.World == worldDiffers && f.out.FirstDigestTick == nil {
		f.out.FirstDigestTick = &tick.Tick
	}
	if tick.World == worldEqual && len(tick.Decisions) == 0 {
		return
	}
	f.out.TicksDiffering++
	if len(f.out.Ticks) == forkTicksMax {
		f.out.TicksOmitted++
		return
	}
	f.out.Ticks = append(f.out.Ticks, tick)
}

// differing lists the agents whose actions in the tick are not the same.
func (f *forkFold) differing(ours map[string]string) []ForkDecision {
	agents := make([]string, 0, len(ours))
	for id := range ours {
		agents = append(agents, id)
	}
	for id := range f.theirs {
		if _, both := ours[id]; !both {
			agents = append(agents, id)
		}
	}
	slices.Sort(agents)
	f.out.DecisionsCompared += int64(len(agents))
	list := []ForkDecision{}
	for _, id := range agents {
		if ours[id] != f.theirs[id] {
			list = append(list, ForkDecision{AgentID: id, Parent: f.theirs[id], Fork: ours[id]})
		}
	}
	return list
}

// readParent reads the parent's actions of a tick; false when it has none. What of it
// cannot be read ends the comparison: the report is the fork's own.
func (f *forkFold) readParent(tick int64) bool {
	f.theirs = map[string]string{}
	for f.parent != nil {
		record, err := f.parent.Next()
		if err != nil {
			f.parent = nil
			return false
		}
		switch r := record.(type) {
		case trace.Decision:
			f.theirs[r.AgentID] = actionText(r.Executed)
		case trace.RunEnd:
			f.theirEnd = &r
		case trace.TickEnd:
			if f.theirDigest = r.Digest; r.Tick >= tick {
				return r.Tick == tick
			}
			f.theirs = map[string]string{}
		}
	}
	return false
}

// report closes the comparison with both ends; nil for a run that is no fork.
func (f *forkFold) report(end *trace.RunEnd) *ForkReport {
	if f == nil {
		return nil
	}
	for f.parent != nil {
		record, err := f.parent.Next()
		if r, ok := record.(trace.RunEnd); ok {
			f.theirEnd = &r
		}
		if err == io.EOF || err != nil {
			f.parent = nil
		}
	}
	if f.theirEnd != nil {
		f.out.ParentTicks = f.theirEnd.TicksDone
	}
	if end != nil && f.theirEnd != nil {
		f.goals(f.theirEnd.Goals, end.Goals)
		f.stock(totals(f.theirEnd.Agents), totals(end.Agents))
	}
	return &f.out
}

func (f *forkFold) goals(parent, fork []trace.GoalOutcome) {
	ours := map[goalKey]trace.GoalOutcome{}
	for _, g := range fork {
		ours[goalKey{g.AgentID, g.GoalID}] = g
	}
	for _, p := range parent {
		g, ok := ours[goalKey{p.AgentID, p.GoalID}]
		if ok && (p.Now != g.Now || !sameTick(p.MetAt, g.MetAt)) {
			f.out.Goals = append(f.out.Goals, ForkGoal{
				GoalID: p.GoalID, AgentID: p.AgentID, ParentMetAt: p.MetAt, ForkMetAt: g.MetAt, ParentNow: p.Now, ForkNow: g.Now,
			})
		}
	}
}

func sameTick(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// totals adds up what all agents hold.
func totals(agents []trace.FinalAgent) Counts {
	total := Counts{}
	for _, a := range agents {
		total["electricity"] += a.Electricity
		for _, s := range a.Stock {
			total[s.Resource] += s.Amount
		}
	}
	return total
}

func (f *forkFold) stock(parent, fork Counts) {
	all := Counts{}
	for _, c := range []Counts{parent, fork} {
		for name := range c {
			all[name] = 0
		}
	}
	for _, a := range all.amounts() {
		if p, n := parent[a.Resource], fork[a.Resource]; p != n {
			f.out.Stock = append(f.out.Stock, ForkStock{Resource: a.Resource, Parent: p, Fork: n})
		}
	}
}

// forkLine says in one line where a fork left its parent and how far it got from it;
// empty for a run that is no fork.
func (r Report) forkLine() string {
	f := r.Fork
	if f == nil {
		return ""
	}
	text := fmt.Sprintf("of %s after tick %d; changes: %s", plain(f.Parent), f.AtTick, f.changesText())
	if f.TicksCompared == 0 {
		return text + "; nothing to compare with"
	}
	if f.TicksDiffering == 0 {
		return text + fmt.Sprintf("; all %d ticks since are equal", f.TicksCompared)
	}
	return text + fmt.Sprintf("; %d of %d ticks differ, %s, %s", f.TicksDiffering, f.TicksCompared, f.decisionsText(), f.worldText())
}

// decisionsText says how many decisions differ, and since when.
func (f *ForkReport) decisionsText() string {
	if f.FirstDecisionTick == nil {
		return fmt.Sprintf("none of %d decisions", f.DecisionsCompared)
	}
	return fmt.Sprintf("%d of %d decisions, the first in tick %d", f.DecisionsDiffering, f.DecisionsCompared, *f.FirstDecisionTick)
}

// worldText says since when the worlds differ.
func (f *ForkReport) worldText() string {
	if f.FirstDigestTick == nil {
		return "the world in none"
	}
	return fmt.Sprintf("the world from tick %d on", *f.FirstDigestTick)
}

// changesText names the changes with their values.
func (f *ForkReport) changesText() string {
	if len(f.Changes) == 0 {
		return "none"
	}
	var words []string
	for i, c := range f.Changes {
		if i == namesMax {
			words = append(words, fmt.Sprintf("%d more", len(f.Changes)-i))
			break
		}
		chars := valueCharsMax
		if c.What == "caps" {
			chars = capsCharsMax // cut in the middle of an amount they would say another one
		}
		words = append(words, fmt.Sprintf("%s %s -> %s", plain(c.What), valueText(c.From, chars), valueText(c.To, chars)))
	}
	return strings.Join(words, ", ")
}

const (
	// valueCharsMax bounds one side of a change in a line, capsCharsMax one that lists caps.
	valueCharsMax = 40
	capsCharsMax  = 160
)

// valueText is one side of a change, short enough for a line.
func valueText(text string, chars int) string {
	if text == "" {
		return "unset"
	}
	text = plain(text)
	return plaintext.Clip(text, chars)
}

// forkEndLine says how the ends of both runs differ; empty when they do not.
func (r Report) forkEndLine() string {
	if r.Fork == nil {
		return ""
	}
	var parts []string
	if n := len(r.Fork.Goals); n > 0 {
		parts = append(parts, fmt.Sprintf("goals that differ, %d: %s", n, r.Fork.goalsText()))
	}
	var amounts []world.Amount
	for _, s := range r.Fork.Stock {
		amounts = append(amounts, world.Amount{Resource: s.Resource, Amount: s.Fork - s.Parent})
	}
	if len(amounts) > 0 {
		parts = append(parts, "stock here less the parent's: "+amountsText(amounts))
	}
	if len(parts) > 0 && r.Fork.ParentTicks != r.WorldTime {
		parts = append(parts, fmt.Sprintf("the parent ended with tick %d", r.Fork.ParentTicks))
	}
	return strings.Join(parts, "; ")
}

// goalsText says of each goal how the two runs got to it, of the first few.
func (f *ForkReport) goalsText() string {
	var words []string
	for i, g := range f.Goals {
		if i == namesMax {
			words = append(words, fmt.Sprintf("%d more", len(f.Goals)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s of %s %s", plain(g.GoalID), plain(g.AgentID), g.text()))
	}
	return strings.Join(words, ", ")
}

// text says in what the goal differs: when it was met or, where that is the same, how
// much of it there is at the end.
func (g ForkGoal) text() string {
	if sameTick(g.ParentMetAt, g.ForkMetAt) {
		return fmt.Sprintf("(parent %d at the end, here %d)", g.ParentNow, g.ForkNow)
	}
	return fmt.Sprintf("(parent %s, here %s)", metText(g.ParentMetAt), metText(g.ForkMetAt))
}

// metText says when a goal was met.
func metText(at *int64) string {
	if at == nil {
		return "not met"
	}
	return fmt.Sprintf("met in tick %d", *at)
}
