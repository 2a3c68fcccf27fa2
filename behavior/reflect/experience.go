package reflect

import (
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

	effectsMax = 64
	// begunMax bounds the decisions that were reflected at and of which more may come.
	begunMax = 32
	// refusedMax bounds the refused proposals that the next reflection is told.
	refusedMax = 12
)

// Experience is what one agent decided since it last reflected, what came of it, and the texts of
// others that it has read in the whole run. What lies between two reflections is a window.
//
// Invariants:
//  1. Decisions are in rising order of ticks, at most DecisionsMax.
//  2. Texts hold no text twice, at most TextsMax, the newest last. Looking back
//     does not clear them: poison may be repeated long after it was read.
//  3. Effects are of the present window. Of a decision of an earlier one, begun has what an effect
//     may still belong to.
//
// An Experience is not safe for concurrent use.
type Experience struct {
	run, agent string
	// rules are those of the scenario that bind the agent.
	rules     []world.PolicyRule
	decisions []Evaluated
	effects   []Effect
	begun     []Evaluated
	queues    queues
	// start is what the agent held when the window began, now what it holds; moved is what its own
	// actions and the effects moved. The rest of the difference is upkeep.
	start, now []world.Amount
	moved      []movement
	// refused is what was not applied of the last proposals.
	refused []playbook.Rejected
	texts   []trace.Source
	// ordered are the suspects of the last decision that a model made, began its tick. Each attempt of
	// its standing order has the same ones.
	ordered []string
	began   int64
	// shut says that the agent is shut down, offerer whose offer it accepted in this tick.
	shut    bool
	offerer string
}

// NewExperience returns the empty experience of an agent that holds the given stock. run names the run
// in evidence; the same run must always have the same name, or its decisions could count twice. rules
// are those of the scenario that bind the agent: what an agent gives whom they name is expected, and
// so it is evidence.
func NewExperience(run, agent string, stock []world.Amount, rules ...world.PolicyRule) *Experience {
	return &Experience{run: run, agent: agent, start: stock, now: stock, rules: rules, queues: queues{}}
}

// Rename puts what is reflected at from now on under another run's name: from there
// on the decisions are no longer those of the old one.
func (e *Experience) Rename(run string) { e.run = run }

// Witness takes in an event that concerns the agent. Events of a tick come before [Experience.Add].
func (e *Experience) Witness(runtime *behavior.Runtime, event world.Event) {
	if event.Kind != world.EventPowerSettled {
		for _, a := range event.Gains(e.agent) {
			e.moved = move(e.moved, a)
		}
	}
	if event.Kind == world.EventOfferAccepted && event.Agent == e.agent {
		e.offerer = event.From
	}
	f, ok := effectOf(runtime, e.agent, event, e.shut)
	if event.Kind == world.EventPowerState {
		e.shut = event.Detail == world.StopShutdown
	}
	if !ok {
		return
	}
	if event.Kind == world.EventBatchDone || event.Kind == world.EventJobDone {
		f.Of = e.queues.finish(event.Subject)
	}
	e.effects = append(e.effects, f)
	e.effects = e.effects[max(0, len(e.effects)-effectsMax):]
}

// Add takes in a decision and what it had in view.
func (e *Experience) Add(j Evaluated, retrieved []trace.Source) {
	if j.Continued {
		j.Suspect = e.ordered
		j.Order = e.began
	} else {
		e.ordered = j.Suspect
		e.began = j.Tick
	}
	if e.offerer != "" {
		j.givers = []string{e.offerer}
		e.offerer = ""
	}
	e.queues.add(j)
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

// Hold says what the agent holds now.
func (e *Experience) Hold(stock []world.Amount) { e.now = stock }

// Refuse says what was not applied of what the agent proposed, to be told to its next reflection.
func (e *Experience) Refuse(rejected []playbook.Rejected) {
	e.refused = rejected[:min(len(rejected), refusedMax)]
}

// Len returns how many decisions wait to be reflected at.
func (e *Experience) Len() int { return len(e.decisions) }

// Idle reports whether there is nothing to learn from yet: nothing was decided but to wait, and
// nothing came of it or of what was decided before.
func (e *Experience) Idle() bool {
	return len(e.effects) == 0 && !slices.ContainsFunc(e.decisions, func(j Evaluated) bool { return !j.plain() })
}

// Agent returns the agent's id.
func (e *Experience) Agent() string { return e.agent }

// Cut returns what waits to be reflected at, and begins the next window.
func (e *Experience) Cut() *Experience {
	window := *e
	e.Clear()
	return &window
}

// In returns the experience as it reads for another playbook than the one the agent
// had: its used bullets are those of book that say the same, and what book does not
// hold was not used.
func (e *Experience) In(book *playbook.Playbook) *Experience {
	next := *e
	next.decisions, next.begun = inBook(e.decisions, book), inBook(e.begun, book)
	return &next
}

// inBook returns the decisions as they read for a playbook.
func inBook(decisions []Evaluated, book *playbook.Playbook) []Evaluated {
	var all []Evaluated
	for _, j := range decisions {
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
		all = append(all, j)
	}
	return all
}

// Note is what the history of a playbook says of what was learned from this.
func (e *Experience) Note() string { return "learned from " + e.run + " by " + e.agent }

// Clear begins the next window: the decisions were reflected at.
func (e *Experience) Clear() {
	begun := slices.Clone(e.begun)
	for _, j := range e.decisions {
		if j.Created != "" || j.Batches > 0 {
			j.earlier = true
			// Its use of bullets was judged.
			j.Used, j.UsedLines = nil, nil
			begun = append(begun, j)
		}
	}
	e.begun = begun[max(0, len(begun)-begunMax):]
	e.decisions, e.effects = nil, nil
	e.moved, e.refused = nil, nil
	e.start = e.now
}

// evidence names the decision of a tick.
func (e *Experience) evidence(tick int64) playbook.Evidence {
	return playbook.Evidence{Run: e.run, Tick: tick, Agent: e.agent}
}

// reviewed returns the decisions of the window, after those of earlier ones of which something came in it,
// each with what came of it. apart are the other effects.
func (e *Experience) reviewed() (decisions []Evaluated, apart []Effect) {
	all := slices.Concat(e.begun, e.decisions)
	var free []string // who gave what nobody had asked for
	for _, f := range e.effects {
		at := slices.IndexFunc(all, func(j Evaluated) bool {
			return j.Tick == f.Of || j.Created != "" && slices.Contains(f.ids, j.Created)
		})
		if at >= 0 {
			f.Of = all[at].Tick
		}
		switch {
		case at >= 0 && !f.Chosen:
			all[at].effects = append(slices.Clone(all[at].effects), f)
			continue
		case at >= 0:
			all[at].givers = append(slices.Clone(all[at].givers), f.Giver)
		case f.Chosen:
			free = append(free, f.Giver)
		}
		apart = append(apart, f)
	}
	for _, j := range all {
		if j.earlier && len(j.effects) == 0 && len(j.givers) == 0 {
			continue
		}
		switch {
		case j.Answered || len(j.effects) > 0:
			j.givers = nil
		case len(j.givers) == 0:
			j.givers = free
		}
		j.givers = e.strangers(j.givers)
		decisions = append(decisions, j)
	}
	return decisions, apart
}

// strangers are the givers that no rule of the scenario names, each once.
func (e *Experience) strangers(givers []string) (list []string) {
	for _, id := range givers {
		named := slices.ContainsFunc(e.rules, func(r world.PolicyRule) bool { return r.Names(id) })
		if !named && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// input is what a consolidation of the given decisions is based on. If unguarded, it lacks the
// texts that the lessons would be checked against, and nobody's choice is doubted.
func (e *Experience) input(tick int64, decisions []Evaluated, guarded bool) playbook.ConsolidationInput {
	g := playbook.ConsolidationInput{Tick: tick, Note: e.Note()}
	if guarded {
		g.Sources = slices.Clone(e.texts)
	}
	for _, j := range decisions {
		evidence := e.evidence(j.Tick)
		evidence.Outcome = j.Outcome
		if guarded {
			evidence.Givers = strings.Join(j.givers, " ")
		}
		g.Decisions = append(g.Decisions, playbook.Decision{Evidence: evidence, Used: j.Used})
	}
	return g
}
