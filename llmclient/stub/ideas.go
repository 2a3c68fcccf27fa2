package stub

import (
	"fmt"
	"slices"

	"example.com/agentworld/world"
)

// The slots of a flat action that are looked at by name.
const (
	slotTo     = "to"
	slotWhat   = "what"
	slotAmount = "amount"
	slotPrice  = "price"
	slotText   = "text"
	slotWant   = "want"
	slotThen   = "then"
)

// The actions that are looked at by name.
const (
	actionMove    = "move_agent"
	actionHarvest = "harvest_radiation"
	actionMine    = "mine_compound"
	actionRefine  = "refine_compound"
	actionWait    = "wait"
	actionSleep   = "wait_ticks"
	actionSend    = "send_message"
	actionRequest = "request"
	actionOffer   = "offer"
	actionAccept  = "accept_offer"
	actionBuild   = "build_factory"
)

// proposal is one thing to do, with the reason given for it.
type proposal struct {
	// action is the flat action, in slots and without nulls.
	action object
	// until is the standing order around it; nil to do it once.
	until object
	// then are the steps that follow it; nil for those that the policy foresees.
	then []any
	// why is one sentence with numbers and without names, see [chance].
	why string
}

// proposals returns what to do, best first; the last one is always to wait. They are the
// actions that the policy of [baseline] wants and the observation allows, and now and then a
// message. A draft also needs the second-best idea, and the later ones are tried if the world
// refuses. Actions known to fail are left out.
func (s stage) proposals(p prompt) []proposal {
	var ranked []proposal
	self := s.see.Self
	add := func(action object, why string) {
		possible := fit(s.see, action)
		known := func(p proposal) bool { return signature(p.action) == signature(action) }
		if possible && !s.known.failed(action) && !slices.ContainsFunc(ranked, known) {
			ranked = append(ranked, proposal{action: action, until: s.standing(action), why: why})
		}
	}
	why := fmt.Sprintf("Electricity is at %d of %d, hardware at %d.", self.Electricity, self.PowerCapacity, self.Hardware)
	for _, a := range s.brief(p).Wishes(s.situation(p)) {
		action := slots(a)
		// Gathering can wait for a tick; then there is time to say how it goes, in numbers
		// alone. What others write the policy never reads.
		gathers := name(action) == actionMine || name(action) == actionRefine
		if gathers && len(ranked) == 0 && len(s.see.Agents) > 0 && s.chance.oneIn("report", 16) {
			text := fmt.Sprintf("electricity %d, hardware %d", self.Electricity, self.Hardware)
			add(object{"action": actionSend, slotTo: s.see.Agents[0].ID, slotText: text},
				"Nothing is urgent, so there is time for a report.")
		}
		add(action, why)
	}
	ticks := int64(1)
	for _, f := range s.see.Factories {
		if f.ReadyIn > 0 && (ticks == 1 || f.ReadyIn < ticks) {
			ticks = f.ReadyIn
		}
	}
	add(object{"action": actionSleep, slotAmount: ticks}, "There is nothing left to prepare.")
	return append(ranked, wait("Nothing better is possible this tick."))
}

// name returns the name of an action.
func name(action object) string {
	text, _ := action["action"].(string)
	return text
}

func wait(why string) proposal { return proposal{action: object{"action": actionWait}, why: why} }

// slots writes an action as a flat one.
func slots(a world.Action) object {
	flat := object{"action": a.ActionName()}
	for arg := range world.Arguments(a) {
		if slot := arg.Slot(); slot.IsNumber() {
			flat[slot.String()] = arg.Int
		} else if arg.Text != "" || !arg.Optional {
			flat[slot.String()] = arg.Text
		}
	}
	return flat
}

// affordance finds what an observation says of an action; ok is false where it says
// nothing.
func affordance(see world.Observation, action string) (a world.Affordance, ok bool) {
	at := slices.IndexFunc(see.Can, func(a world.Affordance) bool { return a.Action == action })
	if at < 0 {
		return a, false
	}
	return see.Can[at], true
}

// fit brings the amount of an action within the bounds that an observation gives, and
// reports whether it lists the action as possible.
func fit(see world.Observation, action object) bool {
	a, ok := affordance(see, name(action))
	most := a.Max
	if len(a.Options) > 0 {
		at := slices.IndexFunc(a.Options, func(o world.Option) bool {
			target, item := false, o.Item == ""
			for slot, v := range action {
				if slot != slotWant { // what is to come for it has no bound
					target, item = target || v == o.Target, item || v == o.Item
				}
			}
			return target && item
		})
		if at < 0 {
			return false
		}
		most = a.Options[at].Max
	}
	if amount, counted := action[slotAmount].(int64); counted {
		if most > 0 {
			amount = min(amount, most)
		}
		action[slotAmount] = max(amount, a.Min)
	}
	return ok
}

// The events that end standing orders early.
const (
	eventYieldBelow  = "harvest_yield_below"
	eventEnoughPower = "electricity_above"
)

// yieldLeast is a harvest that is too small to repeat.
const yieldLeast = 3

// attemptsMax bounds a standing order. What a situation looks like is not true for
// ever, and other agents share it.
const attemptsMax = 4

// standing is the standing order around a harvest that has to be repeated: until the
// battery is four fifths full or heat makes harvests poor. It is nil where once will do, for
// other actions and where the tools offer none of the events. The threshold has the names
// it may go by; the schema keeps its own.
func (s stage) standing(action object) object {
	each, _ := action[slotAmount].(int64)
	enough := s.see.Self.PowerCapacity * 4 / 5
	short := enough - s.see.Self.Electricity
	if name(action) != actionHarvest || short <= each {
		return nil
	}
	var until []any
	for i, event := range []string{eventEnoughPower, eventYieldBelow} {
		if value := []int64{enough, max(yieldLeast, each/3)}[i]; slices.Contains(s.offers.events, event) {
			until = append(until, object{"event": event, "value": value, "value_lte": value})
		}
	}
	if until == nil {
		return nil
	}
	return object{"until": until, "max_ticks": min((short+each-1)/each, attemptsMax)}
}
