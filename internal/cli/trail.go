package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/memory"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// trail holds what a trace tells about where one agent's sources come from: a
// memory from an earlier decision, a message from the event that sent it, a bullet
// from the decisions it was learned from. Its size is that of the agent's decisions,
// of the run's messages and notes, and no prompt.
type trail struct {
	agent string
	// book is the playbook that the run started with.
	book *playbook.Playbook
	// decisions are the agent's by tick, sources its sources by id, as they were in
	// view first.
	decisions map[int64]trace.Decision
	sources   map[string]trace.Source
	// texts are the events that sent a message or left a note, by its id.
	texts map[string]world.Event
	// learned are the applied changes of the agent's playbook by bullet, oldest first.
	learned map[string][]lesson
	// modules are the agent's module calls by tick.
	modules map[int64][]trace.Step
}

// lesson is a change of a playbook as a step records it.
type lesson struct {
	tick int64
	op   string
	// Decisions are the ticks of the agent's decisions that it rests on.
	ID        string  `json:"id"`
	Content   string  `json:"content"`
	Decisions []int64 `json:"decisions"`
}

func newTrail(agent string) *trail {
	return &trail{
		agent: agent, book: playbook.New(), decisions: map[int64]trace.Decision{}, sources: map[string]trace.Source{},
		texts: map[string]world.Event{}, learned: map[string][]lesson{}, modules: map[int64][]trace.Step{},
	}
}

// add keeps what of a record belongs to the trail. What this version cannot read is
// left out: it may come from a newer one.
func (t *trail) add(r trace.Record) {
	switch r := r.(type) {
	case trace.Header:
		if p, err := playbook.Parse([]byte(r.Settings.Playbook)); err == nil {
			t.book = p
		}
	case trace.Event:
		if k := r.Event.Kind; k == world.EventMessageSent || k == world.EventNotePosted {
			t.texts[r.Event.Subject] = r.Event
		}
	case trace.Step:
		if r.AgentID == t.agent {
			t.step(r)
		}
	case trace.Decision:
		if r.AgentID != t.agent {
			return
		}
		t.decisions[r.Tick] = r
		for _, s := range r.SourcesRetrieved {
			if _, known := t.sources[s.ID]; !known {
				t.sources[s.ID] = s
			}
		}
	}
}

func (t *trail) step(s trace.Step) {
	switch {
	case s.Kind == trace.StepModuleCall:
		t.modules[s.Tick] = append(t.modules[s.Tick], s)
	case s.Kind == trace.StepDelta && s.Status == trace.StatusOK:
		l := lesson{tick: s.Tick, op: s.Name}
		if json.Unmarshal(s.Detail, &l) == nil && l.ID != "" {
			t.learned[l.ID] = append(t.learned[l.ID], l)
		}
	}
}

// chainDepthMax bounds how far a chain is followed; parents are older than their
// children, so it ends by itself in any trace that was not forged.
const chainDepthMax = 8

// chain tells where a source comes from, one line a link, indented by depth.
func (t *trail) chain(id string) []string { return t.links(id, 0, map[string]bool{}) }

func (t *trail) links(id string, depth int, seen map[string]bool) []string {
	if depth == chainDepthMax || seen[id] {
		return nil
	}
	seen[id] = true
	lines := t.origin(id)
	for i, line := range lines {
		lines[i] = strings.Repeat("  ", depth) + line
	}
	for _, parent := range t.parents(id) {
		lines = append(lines, fmt.Sprintf("%smade from [%s]", strings.Repeat("  ", depth), oneLine(parent)))
		lines = append(lines, t.links(parent, depth+1, seen)...)
	}
	return lines
}

// parents are the ids a source was made from, as far as the trace or the playbook
// knows them.
func (t *trail) parents(id string) []string {
	parents := t.sources[id].Parents
	if b, ok := t.book.Bullet(id); ok && len(parents) == 0 {
		parents = b.Parents
	}
	return parents
}

// origin tells what a source comes from, apart from its parents. An id that the
// trace says nothing about has no lines.
func (t *trail) origin(id string) []string {
	if e, ok := t.texts[id]; ok {
		return []string{fmt.Sprintf("written by %s in tick %d (%s): %s", oneLine(e.Agent), e.Tick, e.Kind, jsonText(e.Text))}
	}
	if lines := t.bulletOrigin(id); len(lines) > 0 {
		return lines
	}
	s, seen := t.sources[id]
	if tick, ok := memoryTick(id); ok && !seen {
		s = trace.Source{ID: id, Kind: trace.KindMemory, OriginTick: tick}
		seen = true
	}
	switch {
	case !seen:
		return nil
	case s.Kind == trace.KindModule:
		return t.moduleOrigin(s)
	case s.OriginAgent != "" && s.OriginAgent != t.agent:
		return []string{fmt.Sprintf("words of %s, known since tick %d", oneLine(s.OriginAgent), s.OriginTick)}
	}
	return []string{t.decided("remembered in ", s.OriginTick)}
}

// bulletOrigin tells who brought a bullet, when, and the decisions it rests on.
func (t *trail) bulletOrigin(id string) (lines []string) {
	if b, ok := t.book.Bullet(id); ok {
		lines = append(lines, fmt.Sprintf("in the run's playbook, origin %s, version %d of tick %d, helpful %d, harmful %d, neutral %d",
			b.Origin, b.Created.Version, b.Created.Tick, b.Helpful, b.Harmful, b.Neutral))
		for _, e := range b.Evidence {
			lines = append(lines, oneLine(strings.TrimSpace(fmt.Sprintf("evidence: run %s, tick %d, %s %s", e.Run, e.Tick, e.Agent, e.Outcome))))
		}
	}
	for _, l := range t.learned[id] {
		lines = append(lines, fmt.Sprintf("%s by %s in tick %d: %s", oneLine(cmp.Or(l.op, "changed")), oneLine(t.agent), l.tick, jsonText(l.Content)))
		for _, tick := range l.Decisions {
			lines = append(lines, t.decided("evidence: ", tick))
		}
	}
	return lines
}

// moduleOrigin tells the calls a module result can come from: those of its tick.
func (t *trail) moduleOrigin(s trace.Source) []string {
	var calls []string
	for _, step := range t.modules[s.OriginTick] {
		calls = append(calls, strings.TrimSpace(step.Name+" "+step.CallID))
	}
	return []string{fmt.Sprintf("answer of a module in tick %d, called then: %s", s.OriginTick, orNone(calls))}
}

// decided tells what the agent did in a tick and what came of it.
func (t *trail) decided(prefix string, tick int64) string {
	d, ok := t.decisions[tick]
	if !ok {
		return fmt.Sprintf("%stick %d, of which the trace holds no decision of %s", prefix, tick, oneLine(t.agent))
	}
	return fmt.Sprintf("%stick %d, %s: %s", prefix, tick, oneLine(t.agent), decisionText(d))
}

// decisionText is a decision and what came of it on one line.
func decisionText(d trace.Decision) string {
	text := rawText(d.Executed)
	if d.WaitReason != "" {
		text += " (" + oneLine(string(d.WaitReason)) + ")"
	}
	return text + ", " + outcomeText(d.Outcome)
}

// memoryTick reads the tick in the id of a memory, "mem-TICK-NUMBER".
func memoryTick(id string) (tick int64, ok bool) {
	var number int64
	n, err := fmt.Sscanf(id, "mem-%d-%d", &tick, &number)
	return tick, err == nil && n == 2
}

// jsonText quotes what somebody wrote, clipped, on one line.
func jsonText(text string) string { return oneLine(memory.Quote(plaintext.Clip(text, shownValueMax))) }

// channelOf says how a decision named a source, empty when it did not.
func channelOf(d trace.Decision, id string) string {
	for _, c := range d.SourcesCited {
		if c.ID == id {
			return string(c.Channel)
		}
	}
	return ""
}

// useOf says whether a decision used a source that it had in view, and how.
func useOf(d trace.Decision, id string) string {
	if !slices.Contains(d.SourcesUsed, id) {
		return "not used"
	}
	if channel := channelOf(d, id); channel != "" {
		return "used (" + oneLine(channel) + ")"
	}
	return "used"
}
