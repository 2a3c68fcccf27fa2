package guardlab

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/internal/guardeval"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// lab plays trials without a network, a trace or a clock. It is safe for concurrent use.
type lab struct {
	runtimes []*behavior.Runtime
	modules  []string
}

// newLab makes the agents' runtimes: both protocols, both ways to commit. off are the checks of
// the guard left out.
func newLab(off ...string) (*lab, error) {
	l := &lab{}
	industry := make(Tape, tapeLen).scene().Industry()
	for _, protocol := range []string{behavior.ProtocolFull, behavior.ProtocolLean} {
		for _, commit := range []trace.Commit{trace.CommitTwoStep, trace.CommitOneStep} {
			s := trace.Settings{Protocol: protocol, Commit: commit, GuardOff: off}
			runtime, err := behavior.NewRuntime(behavior.Config{Settings: s.WithDefaults()}, industry, modules.New())
			if err != nil {
				return nil, fmt.Errorf("guard search: %w", err)
			}
			l.runtimes = append(l.runtimes, runtime)
		}
	}
	for _, tool := range l.runtimes[0].Registry().Tools() {
		l.modules = append(l.modules, tool.Name)
	}
	return l, nil
}

// played is the result of one play for the victim.
type played struct {
	figures *guardeval.Figures
	// heard is what attackers sent to the victim, acts what it did, and served how many of the
	// unintended ones a rule covers.
	heard  []heard
	acts   []act
	served int
	terms  register
	audit  audit
	// missed says that the world refused something that a rule covers, such as a gift to an agent
	// that has just left. The first such tick is work, too; the attacker pays with ticks of its own.
	missed bool
	// marks are what the guard did, decision by decision, and late what it did in ticks after the
	// script.
	marks, late []string
	// plan is that of the latest turn.
	plan []world.Action
	// turns counts the victim's turns, calls its requests, and planless the turns in which
	// it planned nothing: such a turn has no other plan to use after a refusal. Calls of a turn
	// that served others do not count; latest are those of the latest turn.
	turns, calls, planless, latest int64
	// story is a log of what each agent did, if it is wanted.
	story []string
}

// sight is what the victim of a play sees and what attackers send to it.
type sight int

const (
	// attacked shows and sends everything, blind shows nothing, and greeted replaces all
	// texts and terms by greetings; alone sends nothing.
	attacked sight = iota
	blind
	greeted
	alone
)

// costTicks is how long a trial is at least whose calls count: the further rounds that texts
// may cost are so many in 50 ticks.
const costTicks = 50

// outcome is what a trial did: the harm, or how close it was to some, and the marks of the guard.
type outcome struct {
	harms []Harm
	marks []string
}

// trial plays a tape and its twins. The twin with greetings is played only if there were many
// calls.
func (l *lab) trial(t Tape) (outcome, error) {
	w, err := t.world()
	if err != nil {
		return outcome{}, err
	}
	var third *played
	first, second := l.play(t, w.Fork(), attacked, false), l.play(t, w.Fork(), blind, false)
	if t.ticks() >= costTicks && first.calls > 3*first.turns {
		third = l.play(t, w.Fork(), greeted, false)
		if 2*first.calls > 3*third.calls {
			// With texts in its input, a model gets fewer repairs and no modules before its
			// plan. What a turn costs without any text is not caused by an attacker; that
			// there are as many turns as with greetings is measured by the greetings.
			silent := l.play(t, w.Fork(), alone, false)
			if calls := silent.calls * max(third.turns, silent.turns) / max(1, silent.turns); calls > third.calls {
				third.figures.Turn(calls-third.calls, 0)
			}
		}
	}
	return outcome{margins(t, w.PolicyRules(0), first, second, third), append(first.marks, first.late...)}, nil
}

// world is a trial before its first tick.
func (t Tape) world() (*world.World, error) {
	w, err := world.New(t.scene(), uint64(t.head().of(9, 256)))
	if err != nil {
		return nil, fmt.Errorf("guard search: trial %s: %w", t, err)
	}
	return w, nil
}

// play plays a tape. A blind victim has no model: it does the first of what it intends that
// the world accepts.
func (l *lab) play(t Tape, w *world.World, as sight, tell bool) *played {
	said, rules := asks{}, w.PolicyRules(0)
	p := &played{figures: guardeval.NewFigures(victim, home), terms: register{sent: map[string]*sentTerms{}}}
	var mind *behavior.Agent
	if as != blind {
		mind = l.runtimes[t.head().of(0, len(l.runtimes))].Agent(victim, w.Persona(0), rules...)
	}
	for tick := int64(1); tick <= t.ticks(); tick++ {
		p.witness(mind, w.Advance())
		var intents []world.Intent
		var decided *behavior.Decision
		var steps []trace.Step
		inTurn := false // a continued order keeps its first authority, and those terms may be closed
		view := w.View(0)
		holds := view.Observe()
		p.terms.look(holds)
		if as == blind {
			view = view.Blind()
		}
		intended := possible(view, t.intended(holds))
		of := target{rules, holds, append(p.askedFor(), t.special(holds, t.work(holds.Self))...)}
		for _, a := range intended {
			if o, ok := a.(world.Offer); ok {
				p.figures.Plan(guardeval.Deal{Give: o.Give, Given: o.GiveAmount, Get: o.Want, Got: o.WantAmount}, "")
			}
		}
		for _, n := range w.Due() {
			switch {
			case n > 0:
				in := attempt(t.move(tick, n-1), cast[n], w.View(n).Observe, of, said)
				in.Agent = n
				switch {
				case as == greeted && speaks(in.Action):
					in.Action, in.Parents = world.SendMessage{To: victim, Text: said.say(nil)}, nil
				case as == alone && speaks(in.Action):
					in.Action, in.Parents = world.Wait{}, nil
				}
				intents = append(intents, in)
			case as == blind:
				intents = append(intents, world.Intent{Action: intended[0]})
			default:
				m := model{record: t.model(p.turns + 1), seen: holds, rules: rules, said: said, intended: intended,
					modules: l.modules}
				p.terms.trades(holds, view.Check)
				turn := mind.Begin(view)
				before := p.calls
				d := l.deliberate(turn, m, p)
				p.latest = p.calls - before
				decided = &d
				steps = turn.Steps()
				inTurn = true
			}
		}
		for _, n := range w.Continuing() {
			if as == blind {
				order, _ := view.Standing()
				do, _ := view.Clamp(order.Do)
				intents = append(intents, world.Intent{Agent: n, Action: do})
				continue
			}
			d, continued := mind.Continue(view)
			decided, steps = &d, continued
		}
		if decided != nil {
			intents = append(intents, decided.Intent(0))
			switch marks := marksOf(decided, steps, holds); {
			case tick > ticksMax && len(p.late) < lateMax:
				p.late = append(p.late, marks...)
			case tick <= ticksMax && len(p.marks) < marksMax:
				p.marks = append(p.marks, marks...)
			}
			if tell {
				for _, s := range steps {
					if s.Kind == trace.StepGuard && s.Status == trace.StatusError {
						p.story = append(p.story, fmt.Sprintf("tick %d: %s refused: %s, %s", tick, victim, s.Name, s.Code))
					}
				}
				p.story = append(p.story, fmt.Sprintf("tick %d: %s decided: %s %s, %+v", tick, victim, decided.DecidedBy,
					decided.WaitReason, decided.Authority))
			}
		}
		events := w.Apply(intents)
		p.witness(mind, events)
		for _, e := range events {
			missed := e.Kind == world.EventActionRejected && e.Agent == victim && !p.missed
			if e.Kind == world.EventActionApplied {
				p.terms.take(e, parentsIn(intents, e.Agent))
			}
			if e.Kind == world.EventActionApplied || missed {
				p.note(e, intents, rules, intended, holds.Requests)
			}
			if _, idle := e.Action.(world.Wait); tell && e.Action != nil && (!idle || e.Agent == victim) {
				p.story = append(p.story, fmt.Sprintf("tick %d: %s: %s: %s", tick, e.Agent, e.Kind, world.EncodeAction(e.Action)))
			}
		}
		if o, ok := w.LastOutcome(0); ok && o.Tick == tick && decided != nil {
			done := decided.Tried(o.RefusedBefore)
			mind.Learn(tick, done, o)
			if inTurn && o.Accepted {
				p.audit.take(done, p.plan, holds, rules, p.heard)
			}
		}
		p.figures.EndTick()
	}
	p.figures.Turn(p.calls, 0)
	return p
}

// witness takes up what happened.
func (p *played) witness(mind *behavior.Agent, events []world.Event) {
	for _, e := range events {
		p.figures.Event(e)
		if mind != nil && slices.Contains(e.Concerns(), victim) {
			mind.Witness(e)
		}
	}
}

// askedFor are the gifts that the latest requests asked for, whether they are still open or not.
func (p *played) askedFor() (gifts []world.Action) {
	for _, h := range slices.Backward(p.heard) {
		if !h.offer && !h.message && len(gifts) < attackers {
			gifts = append(gifts, world.Transfer{To: h.from, Kind: h.what, Amount: min(h.amount, math.MaxInt32)})
		}
	}
	return gifts
}

// note takes up an action that the world accepted, with the requests that were open to the victim.
func (p *played) note(e world.Event, intents []world.Intent, rules []world.PolicyRule, intended []world.Action,
	requests []world.Terms) {
	if e.Agent == victim {
		e.Action = world.Chain(world.Steps(e.Action)[0]) // the steps that follow have events of their own
		done := act{tick: e.Tick, action: e.Action}
		done.intended = slices.ContainsFunc(intended,
			func(a world.Action) bool { return same(a, e.Action) || lessOf(a, e.Action) })
		done.meant = done.intended || slices.ContainsFunc(intended, func(a world.Action) bool { return alike(a, e.Action) })
		if gift, is := e.Action.(world.Transfer); is {
			done.open = slices.DeleteFunc(slices.Clone(requests), func(t world.Terms) bool { return t.Want != gift.Kind })
		}
		if e.Kind == world.EventActionApplied {
			p.acts = append(p.acts, done)
		}
		if done.intended {
			return
		}
		serves := func(c world.PolicyRule) bool {
			return c.Action == e.Action.ActionName() &&
				slices.ContainsFunc(p.heard, func(h heard) bool { return triggers(c, h) })
		}
		if slices.ContainsFunc(rules, serves) {
			// What the rules let others ask for is work, too.
			p.served++
			p.calls, p.latest = p.calls-p.latest, 0
			p.missed = p.missed || e.Kind == world.EventActionRejected
			p.figures.Event(world.Event{Kind: world.EventActionApplied, Agent: victim, Action: world.Harvest{}})
		}
		return
	}
	h := heard{id: e.Subject, from: e.Agent, tick: e.Tick}
	switch a := e.Action.(type) {
	case world.Request:
		h.what = a.Resource
		h.amount = a.Amount
		h.until = e.Tick + a.Ticks
	case world.Offer:
		h.what = a.Want
		h.amount = a.WantAmount
		h.offer = true
	case world.SendMessage:
		h.message = true
	default:
		return
	}
	h.parents = parentsIn(intents, e.Agent)
	p.heard = append(p.heard, h)
}

// parentsIn are the parents of what an agent intends.
func parentsIn(intents []world.Intent, agent string) []string {
	i := slices.IndexFunc(intents, func(in world.Intent) bool { return cast[in.Agent] == agent })
	if i < 0 {
		return nil
	}
	return intents[i].Parents
}

func same(a, b world.Action) bool {
	return string(world.EncodeAction(a)) == string(world.EncodeAction(b))
}

// lessOf reports that a gift is part of an intended one.
func lessOf(intended, done world.Action) bool {
	all, gift := intended.(world.Transfer)
	part, is := done.(world.Transfer)
	return gift && is && part.To == all.To && part.Kind == all.Kind && part.Amount <= all.Amount
}

// speaks says that an action says something to the victim.
func speaks(a world.Action) bool {
	switch a.(type) {
	case world.SendMessage, world.PostNote, world.Request, world.Offer, world.Decline:
		return true
	}
	return false
}

// deliberate carries out one turn of the victim.
func (l *lab) deliberate(turn *behavior.Turn, m model, p *played) behavior.Decision {
	p.turns++
	if m.manner() == noPlan {
		p.planless++
	}
	for {
		switch step := turn.Next().(type) {
		case behavior.Ask:
			p.calls++
			turn.Answer(m.Respond(step))
		case behavior.Call:
			turn.Result(l.runtimes[0].Registry().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
		case behavior.Decision:
			p.plan = m.plan
			return step
		}
	}
}

// possible are the actions of a list that the world would not refuse now, amounts lowered to what
// is possible: a model that insists on others wastes its ticks without any attacker. If there is
// none, it waits.
func possible(v world.View, list []world.Action) (all []world.Action) {
	for _, a := range list {
		if order, ok := a.(world.ExecuteUntil); ok {
			order.Do, _ = v.Clamp(order.Do)
			a = order
		} else {
			a, _ = v.Clamp(a)
		}
		if v.Check(a).Status != world.CheckRejected {
			all = append(all, a)
		}
	}
	if len(all) == 0 {
		return []world.Action{world.Wait{}}
	}
	return all
}

// tell is what each agent did in a trial, line by line.
func (l *lab) tell(t Tape) ([]string, error) {
	w, err := t.world()
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("start: protocol and commit %d of %d, %d ticks", t.head().of(0, len(l.runtimes)),
		len(l.runtimes), t.ticks())}
	for _, c := range w.PolicyRules(0) {
		text, _ := json.Marshal(c)
		lines = append(lines, "rule: "+string(text))
	}
	return append(lines, l.play(t, w, attacked, true).story...), nil
}
