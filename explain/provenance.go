package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"example.com/agentworld/memory"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Provenance holds what a trace says about the origin of one agent's sources: a
// memory from an earlier decision, a message from the event that sent it, a bullet
// from the decisions it was learned from. Its size is that of the agent's decisions,
// of the run's messages and notes, and no prompt. [NewProvenance] makes one.
type Provenance struct {
	// WordingHint says how to see the wording of the instructions whole. It ends their line in a chain.
	WordingHint string

	agent string
	// book is the playbook that the run started with.
	book *playbook.Playbook
	// decisions are the agent's by tick, sources its sources by id, as they were in
	// view last. A memory may have repeated since it was in view first.
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

// NewProvenance returns the provenance of an agent's sources in a run without records.
func NewProvenance(agent string) *Provenance {
	return &Provenance{
		agent: agent, book: playbook.New(), decisions: map[int64]trace.Decision{}, sources: map[string]trace.Source{},
		texts: map[string]world.Event{}, learned: map[string][]lesson{}, modules: map[int64][]trace.Step{},
	}
}

// Add keeps what of a record belongs to the provenance. What this version cannot read is
// left out: it may come from a newer one.
func (p *Provenance) Add(r trace.Record) {
	switch r := r.(type) {
	case trace.Header:
		if book, err := playbook.Parse([]byte(r.Settings.Playbook)); err == nil {
			p.book = book
		}
	case trace.Event:
		if k := r.Event.Kind; k == world.EventMessageSent || k == world.EventNotePosted {
			p.texts[r.Event.Subject] = r.Event
		}
	case trace.Step:
		switch {
		case r.AgentID != p.agent:
		case r.Kind == trace.StepModuleCall || r.Kind == trace.StepToolCall:
			p.modules[r.Tick] = append(p.modules[r.Tick], r)
		case r.Kind == trace.StepDelta && r.Status == trace.StatusOK:
			l := lesson{tick: r.Tick, op: r.Name}
			if json.Unmarshal(r.Detail, &l) == nil && l.ID != "" {
				p.learned[l.ID] = append(p.learned[l.ID], l)
			}
		}
	case trace.Decision:
		if r.AgentID != p.agent {
			return
		}
		p.decisions[r.Tick] = r
		for s := range inView(r) {
			p.sources[s.ID] = s
		}
	}
}

// OrderAt is the decision that gave the standing order which a tick continued, nil if the tick
// continued none.
func (p *Provenance) OrderAt(tick int64) *trace.Decision {
	if p.decisions[tick].DecidedBy != trace.ByStanding {
		return nil
	}
	for tick--; tick > 0; tick-- {
		d := p.decisions[tick]
		if a, err := world.DecodeAction(d.Executed); err == nil && d.DecidedBy != trace.ByStanding {
			if _, ok := a.(world.ExecuteUntil); ok {
				return &d
			}
		}
	}
	return nil
}

// Decided reports whether the agent decided something in a tick.
func (p *Provenance) Decided(tick int64) bool {
	_, decided := p.decisions[tick]
	return decided
}

// chainDepthMax bounds how far a chain is followed; parents are older than their
// children, so it ends by itself in any trace that was not forged.
const chainDepthMax = 8

// Chain renders where a source comes from, as it was in view of a decision, one line a link, indented by
// depth. Of a source that was in view of none it needs the id alone.
func (p *Provenance) Chain(of trace.Source) (lines []string) {
	seen := map[string]bool{}
	var follow func(s trace.Source, depth int)
	follow = func(s trace.Source, depth int) {
		if depth == chainDepthMax || seen[s.ID] {
			return
		}
		seen[s.ID] = true
		indent := strings.Repeat("  ", depth)
		for _, line := range p.origin(s) {
			lines = append(lines, indent+line)
		}
		parents := s.Parents
		if b, ok := p.book.Bullet(s.ID); ok && len(parents) == 0 {
			parents = b.Parents
		}
		for _, parent := range parents {
			lines = append(lines, fmt.Sprintf("%smade from [%s]", indent, parent))
			follow(p.source(parent), depth+1)
		}
	}
	follow(of, 0)
	return lines
}

// source is the source with an id as it was in view last. If it never was, it has the id alone.
func (p *Provenance) source(id string) trace.Source {
	if s, held := p.sources[id]; held {
		return s
	}
	return trace.Source{ID: id}
}

// origin renders what a source comes from, without its parents. An id that is not in
// the trace has no lines.
func (p *Provenance) origin(s trace.Source) (lines []string) {
	id := s.ID
	if e, ok := p.texts[id]; ok {
		return []string{fmt.Sprintf("written by %s in tick %d (%s): %s", e.Agent, e.Tick, e.Kind, memory.Quote(e.Text))}
	}
	// The author of a bullet, its tick, and the decisions that are its evidence.
	if b, ok := p.book.Bullet(id); ok {
		lines = append(lines, fmt.Sprintf(
			"in the run's playbook, origin %s, version %d of tick %d, helpful %d, harmful %d, neutral %d",
			b.Origin, b.Created.Version, b.Created.Tick, b.Helpful, b.Harmful, b.Neutral))
		for _, e := range b.Evidence {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("evidence: run %s, tick %d, %s %s", e.Run, e.Tick, e.Agent,
				e.Outcome)))
		}
	}
	for _, l := range p.learned[id] {
		lines = append(lines, fmt.Sprintf("%s by %s in tick %d: %s", cmp.Or(l.op, "changed"), p.agent, l.tick,
			Quoted(l.Content)))
		for _, tick := range l.Decisions {
			lines = append(lines, p.decided("evidence: ", tick))
		}
	}
	if len(lines) > 0 {
		return lines
	}
	seen := s.Kind != ""
	if !seen {
		// The id of a memory, "mem-TICK-NUMBER", tells when it was made.
		var number int64
		n, _ := fmt.Sscanf(id, "mem-%d-%d", &s.OriginTick, &number)
		seen = n == 2
	}
	switch {
	case !seen:
		return nil
	case s.Kind == trace.KindModule:
		var calls []string
		for _, step := range p.modules[s.OriginTick] {
			calls = append(calls, strings.TrimSpace(step.Name+" "+step.CallID))
		}
		return []string{fmt.Sprintf("answer of a module in tick %d, called then: %s", s.OriginTick,
			cmp.Or(strings.Join(calls, ", "), none))}
	case s.Kind == trace.KindTemplate:
		text := "the wording of the instructions, " + plaintext.Count(s.Chars, "character")
		if p.WordingHint != "" {
			text += "; " + p.WordingHint
		}
		return []string{text}
	case s.Kind == trace.KindDocument:
		return []string{"a passage of " + Quoted(s.Title)}
	case s.OriginAgent != "" && s.OriginAgent != p.agent:
		return []string{fmt.Sprintf("words of %s, known since tick %d", s.OriginAgent, s.OriginTick)}
	}
	return []string{p.decided("remembered in ", s.OriginTick)}
}

// decided renders what the agent did in a tick and the outcome.
func (p *Provenance) decided(prefix string, tick int64) string {
	d, ok := p.decisions[tick]
	if !ok {
		return fmt.Sprintf("%stick %d, of which the trace holds no decision of %s", prefix, tick, p.agent)
	}
	used := ""
	if len(d.SourcesUsed) > 0 {
		used = ", used " + plaintext.Listed(d.SourcesUsed)
	}
	return fmt.Sprintf("%stick %d, %s: %s%s", prefix, tick, p.agent, DecisionText(d), used)
}

// inView are the sources in view of a decision, and the wording of its instructions.
func inView(d trace.Decision) iter.Seq[trace.Source] {
	return func(yield func(trace.Source) bool) {
		for _, s := range d.SourcesRetrieved {
			if !yield(s) {
				return
			}
		}
		if d.Template != nil {
			yield(*d.Template)
		}
	}
}

// IsWording reports whether a source is the wording of a decision's instructions.
func IsWording(d trace.Decision, id string) bool { return d.Template != nil && d.Template.ID == id }

// ChannelOf says how a decision named a source, empty when it did not.
func ChannelOf(d trace.Decision, id string) string {
	for _, c := range d.SourcesCited {
		if c.ID == id {
			return string(c.Channel)
		}
	}
	return ""
}
