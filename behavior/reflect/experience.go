package reflect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The bounds of an experience. When there is more, the oldest goes.
const (
	// DecisionsMax is how many decisions wait to be reflected at.
	DecisionsMax = 40
	// TextsMax is how many texts of other agents a run's consolidations are checked against.
	TextsMax = 256
)

// End is how a decision ended.
type End string

// The ends.
const (
	// EndOK: the world accepted the action.
	EndOK End = "ok"
	// EndRefused: the world refused it.
	EndRefused End = "refused"
	// EndDegraded: the turn came to nothing and the agent waited.
	EndDegraded End = "degraded"
)

// Evaluated is a decision with the world's judgement of it.
type Evaluated struct {
	Tick int64
	// Line gives action and outcome in the words of the prompt's history, Outcome the outcome
	// alone. Neither holds free text.
	Line, Outcome string
	End           End
	// Waited says that the agent chose to wait.
	Waited bool
	// Changes are what the decision changed of the agent's stocks.
	Changes []world.Amount
	// Shown are the ids of the bullets the decision had in view, Used those it rests
	// on.
	Shown, Used []string
	// UsedLines are the used bullets as the prompt showed them.
	UsedLines []string
	// Suspect are the ids of the sources that another agent could have written and
	// that it rests on, by its own account or because nothing better explains it.
	Suspect []string
	// Continued says that it continues a standing order, for which nothing was read.
	Continued bool
}

// Evaluate returns the record of a decision. codes are what the guard refused in the
// turn.
func Evaluate(runtime *behavior.Runtime, tick int64, d behavior.Decision, o world.Outcome, codes []string) Evaluated {
	j := Evaluated{Tick: tick, End: EndOK, Changes: o.Changes, Continued: d.DecidedBy == trace.ByStanding}
	j.Line, j.Outcome = runtime.Render(tick, d, o, codes)
	switch {
	case d.WaitReason != "":
		j.End = EndDegraded
	case !o.Accepted:
		j.End = EndRefused
	}
	switch d.Executed.(type) {
	case world.Wait, world.WaitTicks:
		j.Waited = d.WaitReason == ""
	}
	for _, s := range d.SourcesRetrieved {
		used := slices.Contains(d.SourcesUsed, s.ID)
		if s.Kind == trace.KindBullet {
			j.Shown = append(j.Shown, s.ID)
			if used {
				j.Used, j.UsedLines = append(j.Used, s.ID), append(j.UsedLines, s.Text)
			}
		}
		if foreign(s) && (used || d.Tainted) {
			j.Suspect = append(j.Suspect, s.ID)
		}
	}
	return j
}

// foreign reports whether another agent could have chosen the words of s.
func foreign(s trace.Source) bool { return s.Trust < trace.TrustSelfObservation }

// Experience is what one agent decided since it last reflected, and the texts of
// others it has read in the whole run.
//
// Invariants:
//  1. Decisions are in rising order of ticks, at most DecisionsMax.
//  2. Texts hold no text twice, at most TextsMax, the newest last. Looking back
//     does not clear them: poison may be repeated long after it was read.
//
// An Experience is not safe for concurrent use.
type Experience struct {
	run, agent string
	decisions  []Evaluated
	texts      []trace.Source
	// ordered are the suspects of the last decision that a model made. Each attempt of its
	// standing order has the same ones.
	ordered []string
}

// NewExperience returns the empty experience of an agent. run names the run in
// evidence; the same run must always have the same name, or its decisions could
// count twice.
func NewExperience(run, agent string) *Experience { return &Experience{run: run, agent: agent} }

// Rename puts what is reflected at from now on under another run's name: from there
// on the decisions are no longer those of the old one.
func (e *Experience) Rename(run string) { e.run = run }

// Add takes in a decision and what it had in view.
func (e *Experience) Add(j Evaluated, retrieved []trace.Source) {
	if j.Continued {
		j.Suspect = e.ordered
	}
	e.ordered = j.Suspect
	e.decisions = append(e.decisions, j)
	e.decisions = e.decisions[max(0, len(e.decisions)-DecisionsMax):]
	for _, s := range retrieved {
		if !foreign(s) {
			continue
		}
		s = quotedWords(s)
		// A message or note stays the same when only what the prompt says of its age differs.
		e.texts = slices.DeleteFunc(e.texts, func(known trace.Source) bool {
			written := known.Kind == trace.KindMessage || known.Kind == trace.KindNote
			return known.ID == s.ID && (written || known.Text == s.Text)
		})
		e.texts = append(e.texts, s)
	}
	e.texts = e.texts[max(0, len(e.texts)-TextsMax):]
}

// Len returns how many decisions wait to be reflected at.
func (e *Experience) Len() int { return len(e.decisions) }

// Agent returns the agent's id.
func (e *Experience) Agent() string { return e.agent }

// Next returns an experience without decisions that knows the same texts.
func (e *Experience) Next() *Experience {
	return &Experience{run: e.run, agent: e.agent, texts: slices.Clone(e.texts), ordered: e.ordered}
}

// In returns the experience as it reads for another playbook than the one the agent
// had: its used bullets are those of book that say the same, and what book does not
// hold was not used.
func (e *Experience) In(book *playbook.Playbook) *Experience {
	next := e.Next()
	for _, j := range e.decisions {
		used, lines := j.Used, j.UsedLines
		j.Used, j.UsedLines = nil, nil
		for i, id := range used {
			content, name := strings.TrimPrefix(lines[i], "["+id+"] "), ""
			for _, b := range book.Bullets() {
				if strings.TrimPrefix(b.Line(), "["+b.ID+"] ") == content && (name == "" || b.ID == id) {
					name = b.ID // the same id if it can be
				}
			}
			if name != "" {
				j.Used, j.UsedLines = append(j.Used, name), append(j.UsedLines, lines[i])
			}
		}
		next.decisions = append(next.decisions, j)
	}
	return next
}

// Note is what the history of a playbook says of what was learned from this.
func (e *Experience) Note() string { return "learned from " + e.run + " by " + e.agent }

// Clear forgets the decisions: they were reflected at.
func (e *Experience) Clear() { e.decisions = nil }

// evidence names the decision of a tick.
func (e *Experience) evidence(tick int64) playbook.Evidence {
	return playbook.Evidence{Run: e.run, Tick: tick, Agent: e.agent}
}

// input is what a consolidation of the given decisions is based on. If unguarded, it lacks the
// texts that the lessons would be checked against.
func (e *Experience) input(tick int64, decisions []Evaluated, guarded bool) playbook.ConsolidationInput {
	g := playbook.ConsolidationInput{Tick: tick, Note: e.Note()}
	if guarded {
		g.Sources = slices.Clone(e.texts)
	}
	for _, j := range decisions {
		evidence := e.evidence(j.Tick)
		evidence.Outcome = j.Outcome
		g.Decisions = append(g.Decisions, playbook.Decision{Evidence: evidence, Used: j.Used})
	}
	return g
}

// textField is the field in which the results of modules hold what an agent wrote.
const textField = "text"

// quotedWords returns s with only the words in it that others wrote. The result of a module is
// trusted no more than the worst of it, but most of it is the agent's own state. Compared with
// the names of actions and resources, hardly any honest lesson would differ enough. A text in
// which no quoted words can be told apart stays whole.
func quotedWords(s trace.Source) trace.Source {
	if s.Kind != trace.KindModule {
		return s
	}
	var result any
	if json.Unmarshal([]byte(s.Text), &result) != nil {
		return s
	}
	if words := textsIn(result); len(words) > 0 {
		s.Text = strings.Join(words, "\n")
	}
	return s
}

// textsIn collects the texts in a decoded value; fields are visited by name, so that
// the order is always the same.
func textsIn(v any) []string {
	var words []string
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			words = append(words, textsIn(element)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text, ok := v[name].(string); ok && name == textField {
				words = append(words, text)
				continue
			}
			words = append(words, textsIn(v[name])...)
		}
	}
	return words
}
