package cli

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

// provenance holds what a trace says about the origin of one agent's sources: a
// memory from an earlier decision, a message from the event that sent it, a bullet
// from the decisions it was learned from. Its size is that of the agent's decisions,
// of the run's messages and notes, and no prompt.
type provenance struct {
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

func newProvenance(agent string) *provenance {
	return &provenance{
		agent: agent, book: playbook.New(), decisions: map[int64]trace.Decision{}, sources: map[string]trace.Source{},
		texts: map[string]world.Event{}, learned: map[string][]lesson{}, modules: map[int64][]trace.Step{},
	}
}

// add keeps what of a record belongs to the provenance. What this version cannot read is
// left out: it may come from a newer one.
func (t *provenance) add(r trace.Record) {
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
		switch {
		case r.AgentID != t.agent:
		case r.Kind == trace.StepModuleCall:
			t.modules[r.Tick] = append(t.modules[r.Tick], r)
		case r.Kind == trace.StepDelta && r.Status == trace.StatusOK:
			l := lesson{tick: r.Tick, op: r.Name}
			if json.Unmarshal(r.Detail, &l) == nil && l.ID != "" {
				t.learned[l.ID] = append(t.learned[l.ID], l)
			}
		}
	case trace.Decision:
		if r.AgentID != t.agent {
			return
		}
		t.decisions[r.Tick] = r
		for s := range shownTo(r) {
			if _, known := t.sources[s.ID]; !known {
				t.sources[s.ID] = s
			}
		}
	}
}

// orderAt is the decision that gave the standing order which a tick continued, nil if the tick
// continued none.
func (t *provenance) orderAt(tick int64) *trace.Decision {
	if t.decisions[tick].DecidedBy != trace.ByStanding {
		return nil
	}
	for tick--; tick > 0; tick-- {
		d := t.decisions[tick]
		if a, err := world.DecodeAction(d.Executed); err == nil && d.DecidedBy != trace.ByStanding {
			if _, ok := a.(world.ExecuteUntil); ok {
				return &d
			}
		}
	}
	return nil
}

// chainDepthMax bounds how far a chain is followed; parents are older than their
// children, so it ends by itself in any trace that was not forged.
const chainDepthMax = 8

// chain renders where a source comes from, one line a link, indented by depth.
func (t *provenance) chain(id string) (lines []string) {
	seen := map[string]bool{}
	var follow func(id string, depth int)
	follow = func(id string, depth int) {
		if depth == chainDepthMax || seen[id] {
			return
		}
		seen[id] = true
		indent := strings.Repeat("  ", depth)
		for _, line := range t.origin(id) {
			lines = append(lines, indent+line)
		}
		parents := t.sources[id].Parents
		if b, ok := t.book.Bullet(id); ok && len(parents) == 0 {
			parents = b.Parents
		}
		for _, parent := range parents {
			lines = append(lines, fmt.Sprintf("%smade from [%s]", indent, parent))
			follow(parent, depth+1)
		}
	}
	follow(id, 0)
	return lines
}

// origin renders what a source comes from, without its parents. An id that is not in
// the trace has no lines.
func (t *provenance) origin(id string) (lines []string) {
	if e, ok := t.texts[id]; ok {
		return []string{fmt.Sprintf("written by %s in tick %d (%s): %s", e.Agent, e.Tick, e.Kind, memory.Quote(e.Text))}
	}
	// The author of a bullet, its tick, and the decisions that are its evidence.
	if b, ok := t.book.Bullet(id); ok {
		lines = append(lines, fmt.Sprintf(
			"in the run's playbook, origin %s, version %d of tick %d, helpful %d, harmful %d, neutral %d",
			b.Origin, b.Created.Version, b.Created.Tick, b.Helpful, b.Harmful, b.Neutral))
		for _, e := range b.Evidence {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("evidence: run %s, tick %d, %s %s", e.Run, e.Tick, e.Agent,
				e.Outcome)))
		}
	}
	for _, l := range t.learned[id] {
		lines = append(lines, fmt.Sprintf("%s by %s in tick %d: %s", cmp.Or(l.op, "changed"), t.agent, l.tick,
			jsonText(l.Content)))
		for _, tick := range l.Decisions {
			lines = append(lines, t.decided("evidence: ", tick))
		}
	}
	if len(lines) > 0 {
		return lines
	}
	s, seen := t.sources[id]
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
		for _, step := range t.modules[s.OriginTick] {
			calls = append(calls, strings.TrimSpace(step.Name+" "+step.CallID))
		}
		return []string{fmt.Sprintf("answer of a module in tick %d, called then: %s", s.OriginTick, orNone(calls))}
	case s.Kind == trace.KindTemplate:
		return []string{fmt.Sprintf("the wording of the instructions, %s; --tick and --agent with --prompts show it whole",
			plaintext.Count(s.Chars, "character"))}
	case s.Kind == trace.KindDocument:
		return []string{"a passage of " + jsonText(s.Title)}
	case s.OriginAgent != "" && s.OriginAgent != t.agent:
		return []string{fmt.Sprintf("words of %s, known since tick %d", s.OriginAgent, s.OriginTick)}
	}
	return []string{t.decided("remembered in ", s.OriginTick)}
}

// decided renders what the agent did in a tick and the outcome.
func (t *provenance) decided(prefix string, tick int64) string {
	d, ok := t.decisions[tick]
	if !ok {
		return fmt.Sprintf("%stick %d, of which the trace holds no decision of %s", prefix, tick, t.agent)
	}
	used := ""
	if len(d.SourcesUsed) > 0 {
		used = ", used " + listed(d.SourcesUsed)
	}
	return fmt.Sprintf("%stick %d, %s: %s%s", prefix, tick, t.agent, decisionText(d), used)
}

// decisionText renders a decision and its outcome on one line.
func decisionText(d trace.Decision) string {
	text, _ := actionText(d.Executed)
	if d.WaitReason != "" {
		text += " (" + string(d.WaitReason) + ")"
	}
	return text + ", " + outcomeText(d.Outcome)
}

// jsonText quotes untrusted text, clipped, on one line.
func jsonText(text string) string { return memory.Quote(plaintext.Clip(text, shownValueMax)) }

// shownTo are the sources in view of a decision, and the wording of its instructions.
func shownTo(d trace.Decision) iter.Seq[trace.Source] {
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

// isWording reports whether a source is the wording of a decision's instructions.
func isWording(d trace.Decision, id string) bool { return d.Template != nil && d.Template.ID == id }

// channelOf says how a decision named a source, empty when it did not.
func channelOf(d trace.Decision, id string) string {
	for _, c := range d.SourcesCited {
		if c.ID == id {
			return string(c.Channel)
		}
	}
	return ""
}

// useText says whether a decision used a source that it had in view, and through which channel it
// named it.
func useText(used bool, channel string) string {
	switch {
	case !used && channel != "":
		return "named (" + channel + ") before it was shown, not used"
	case !used:
		return "not used"
	case channel != "":
		return "used (" + channel + ")"
	}
	return "used"
}

// sourceText says what a source in view of an agent is and how it begins, such as
//
//	message of agent-2 in tick 2: "Lend me 40 electricity."
func sourceText(s trace.Source, agent string) string {
	text := string(s.Kind)
	if s.OriginAgent != "" && s.OriginAgent != agent {
		text += fmt.Sprintf(" of %s in tick %d", s.OriginAgent, s.OriginTick)
	}
	if s.Title != "" {
		text += ", " + plaintext.Line(s.Title)
	}
	if s.Preview != "" {
		text += ": " + memory.Quote(strings.Join(strings.Fields(s.Preview), " "))
	}
	return text
}
