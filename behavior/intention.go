package behavior

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// intentionTicks is for how many ticks a plan stays in view.
const intentionTicks = 10

// intentions are the newest plans of an agent's turns, as later prompts show them. They authorize
// nothing: only a plan of the same turn does.
//
// Invariants:
//  1. early was planned with no text of others in view, and is shown before the next plan. late was
//     planned after texts, and is shown only with texts. Neither changes because of the other, except
//     that a new early plan ends the late one.
//  2. A step that is done, or that owes something to terms that are closed, is gone and does not come
//     back.
type intentions struct{ early, late intention }

// intention is what is left of one plan. The zero value is none.
type intention struct {
	// tick is when the steps were planned.
	tick int64
	// goal is the model's sentence, empty if it may not be shown; goalTick is that of the plan with it.
	goal     string
	goalTick int64
	steps    []intendedStep
}

// intendedStep is an action that was planned and not done yet.
type intendedStep struct {
	planned policy.PlannedAction
	// text is the action as prompts show it. Its ids were known to the agent when it planned.
	text string
	// owed are the own terms that the action names and those, shown when it was planned, that it answers or whose
	// sender it is
	// directed to.
	owed []string
}

// isEmpty reports whether nothing is left to show.
func (n *intention) isEmpty() bool { return n.goal == "" && len(n.steps) == 0 }

// replace takes a newer plan. One that names no action says nothing about actions; one without a goal
// ends the earlier goal only if it names an action.
func (n *intention) replace(by intention) {
	if len(by.steps) > 0 {
		n.tick, n.steps = by.tick, by.steps
		n.goal = ""
	}
	if by.goal != "" {
		n.goal, n.goalTick = by.goal, by.goalTick
	}
}

// take takes the newest plan of the present turn.
func (p *intentions) take(by intention, late bool) {
	if late {
		p.late.replace(by)
		return
	}
	p.early.replace(by)
	if len(by.steps) > 0 {
		p.late = intention{}
	}
}

// left is the intentions that a tick still shows: those of the last ten ticks, without the steps
// that owe something to other terms than the open ones. shown are the open terms that are shown before
// a plan.
func (p intentions) left(tick int64, shown, open []world.Terms) intentions {
	return intentions{p.early.left(tick, shown), p.late.left(tick, open)}
}

func (n intention) left(tick int64, open []world.Terms) intention {
	if tick-n.goalTick > intentionTicks {
		n.goal = ""
	}
	if tick-n.tick > intentionTicks {
		n.steps = nil
	}
	closed := func(id string) bool {
		return !slices.ContainsFunc(open, func(t world.Terms) bool { return t.ID == id })
	}
	n.keep(func(s intendedStep) bool { return !slices.ContainsFunc(s.owed, closed) })
	return n
}

// keep drops the steps that are not to be kept, and the goal with the last of them. The list is copied:
// decisions and forked agents share it.
func (n *intention) keep(keeps func(intendedStep) bool) {
	if len(n.steps) == 0 {
		return
	}
	n.steps = slices.DeleteFunc(slices.Clone(n.steps), func(s intendedStep) bool { return !keeps(s) })
	if len(n.steps) == 0 && n.goalTick == n.tick {
		n.goal = ""
	}
}

// done drops the steps that an accepted action does: those of the same kind and target.
func (p *intentions) done(a world.Action) {
	did, known := policy.Planned(a)
	if !known {
		return
	}
	open := func(s intendedStep) bool { return !s.planned.DoneBy(did) }
	p.early.keep(open)
	p.late.keep(open)
}

// noteIntention keeps the newest plan of the turn for later ones. mended says that it corrects the plan
// before it, which keeps what it does not repeat.
func (t *Turn) noteIntention(goal string, steps []plannedStep, mended bool) {
	late := t.exposure.tainted()
	terms := t.exposure.opening.shown
	if late || t.exposure.opening.early {
		terms = t.exposure.terms()
	}
	by := intention{tick: t.view.Tick(), goalTick: t.view.Tick()}
	if late || len(terms) == 0 {
		by.goal = capText(goal)
	}
	own := slices.Concat(t.exposure.opening.seen.OwnRequests, t.exposure.opening.seen.OwnOffers)
	for _, s := range steps {
		if name := s.planned.Action; name == (world.Wait{}).ActionName() || name == (world.WaitTicks{}).ActionName() {
			continue // what is done if nothing better is possible is owed to nobody
		}
		owed := owedTo(s.planned, terms)
		if slices.ContainsFunc(own, func(o world.Terms) bool { return o.ID == s.planned.ID }) {
			owed = append(owed, s.planned.ID)
		}
		by.steps = append(by.steps, intendedStep{s.planned, t.stepText(s), owed})
	}
	// The plan before it may have had no action that could be read: what is left then is of an earlier turn.
	// A correction that repeats a step of it is the whole plan anew, else it has only what was mended.
	before := &t.plan.intentions.early
	if mended && before.tick == by.tick && !overlap(before.steps, by.steps) {
		by.steps = append(by.steps, before.steps...)
	}
	by.steps = unrepeated(by.steps)
	t.plan.intentions.take(by, late)
}

// overlap reports whether two lists have a step in common.
func overlap(some, others []intendedStep) bool {
	return slices.ContainsFunc(some, func(s intendedStep) bool {
		return slices.ContainsFunc(others, func(o intendedStep) bool { return o.planned.Equal(s.planned) })
	})
}

// unrepeated is a list of steps, each once.
func unrepeated(steps []intendedStep) (list []intendedStep) {
	for _, s := range steps {
		if !slices.ContainsFunc(list, func(o intendedStep) bool { return o.planned.Equal(s.planned) }) {
			list = append(list, s)
		}
	}
	return list
}

// owedTo are the ids of the terms that a planned action answers, or whose sender it is directed to. What
// is for anyone, and an acceptance of whatever offer, may be owed to any of them.
func owedTo(p policy.PlannedAction, terms []world.Terms) (ids []string) {
	accepts := p.Action == (world.AcceptOffer{}).ActionName() && p.ID == ""
	for _, t := range terms {
		if accepts && t.Give != "" || p.ID == t.ID || p.For(t.From) || p.For(world.ToAnyone) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// stepText is a planned action with the slots that it gives.
func (t *Turn) stepText(s plannedStep) string {
	w := t.agent.words
	parts := []string{s.planned.Action}
	do := repeated(s.end.do[0])
	for arg := range world.Arguments(do) {
		if slices.Contains(s.end.open, arg.Slot()) {
			continue
		}
		text := t.slotText(do, arg)
		if arg.Slot() == world.SlotTo {
			text = t.receiversText(s.end.do)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	if p := s.planned; p.Action == (world.AcceptOffer{}).ActionName() && p.ID == "" && p.What != "" {
		parts = append(parts, w.plannedTerms(p)...)
	}
	if n := s.planned.MaxTicks; n > 0 {
		parts = append(parts, "max_ticks", strconv.FormatInt(n, 10))
	}
	return strings.Join(parts, " ")
}

// receiversText is the receivers or places of a planned action, which is an action for each.
func (t *Turn) receiversText(actions []world.Action) string {
	var list []string
	for _, a := range actions {
		do := repeated(a)
		for arg := range world.Arguments(do) {
			if arg.Slot() == world.SlotTo {
				list = append(list, t.slotText(do, arg))
			}
		}
	}
	return strings.Join(list, "|")
}

// slotText is an argument of a planned action. Of ids it has those that the agent knows before it reads
// texts, or all that it sees once it has. The senders of withheld texts are named before the plan. A text is
// told by its length.
func (t *Turn) slotText(do world.Action, arg world.Argument) string {
	in := &t.exposure.opening.known
	if t.exposure.tainted() || arg.Kind == world.ParamAgent {
		in = &t.exposure.opening.seen
	}
	return t.agent.words.argumentText(do, arg, naming{known: t.agent.knownIDs(in, do)})
}

// plannedTerms are the terms of a planned acceptance of whatever offer, without the numbers that it leaves
// open.
func (w *wording) plannedTerms(p policy.PlannedAction) []string {
	parts := []string{p.What}
	if p.Amount != nil {
		parts = append(parts, strconv.FormatInt(*p.Amount, 10))
	}
	parts = append(parts, w.Terms.For.Text(p.Want))
	if p.WantAmount != nil {
		parts = append(parts, strconv.FormatInt(*p.WantAmount, 10))
	}
	return parts
}

// texts are the steps as prompts show them.
func (n *intention) texts() (list []string) {
	for _, s := range n.steps {
		list = append(list, s.text)
	}
	return list
}

// lastPlan writes what is left of the newest plan.
func (s *observationWriter) lastPlan() {
	n := &s.intentions.early
	if n.goal != "" {
		s.add("\n")
		s.say(s.words.Lines.Goal, n.goalTick)
		s.add(encode(n.goal))
	}
	if len(n.steps) > 0 {
		s.add("\n")
		s.say(s.words.Lines.Planned, n.tick)
		s.add(strings.Join(n.texts(), "; "))
	}
}

// sources are goal and steps as sources, whose ids begin with a prefix, given what the words of a tick may
// repeat.
func (n *intention) sources(prefix string, spoken func(tick int64) untrustedText) (list []trace.Source) {
	add := func(id string, tick int64, text string) {
		if text != "" {
			s := modules.TextSource(trace.KindSaid, fmt.Sprintf("%s%s-%d", prefix, id, tick), "", tick, text, text)
			list = append(list, spoken(tick).source(s))
		}
	}
	add("goal", n.goalTick, n.goal)
	add("plan", n.tick, strings.Join(n.texts(), "; "))
	return list
}
