package stub

import (
	"fmt"
	"slices"
)

// What the policy is content with. These are its choices, not rules of the world;
// what an action costs and allows it reads in the observation.
const (
	// spareHardware is what it stocks for the next job, plentyHardware for a
	// product it wants and is not offered yet.
	spareHardware  = 4
	plentyHardware = 8
	// batchesMax is the most it orders at once.
	batchesMax = 2
	// goodYield is a harvest worth a tick; it is more than idling draws.
	goodYield = 3
	// gramsPerHardware is its guess where refining states no minimum.
	gramsPerHardware = 1000
)

// The slots of a flat action that the policy fills. Which of them an action needs
// is for the tool's description to say and for a model to read; the policy knows.
const (
	slotTo     = "to"
	slotID     = "id"
	slotWhat   = "what"
	slotAmount = "amount"
	slotPrice  = "price"
	slotText   = "text"
)

// proposal is one thing the policy might do, with the reason it gives.
type proposal struct {
	// action is the flat action, in slots and without nulls.
	action object
	// until is the standing order around it; nil to do it once.
	until object
	// why is one sentence with numbers and without names, see [chance].
	why string
}

// industry ranks what to do in a situation: keep the power up, keep a factory
// busy, gather what its next job needs. It thinks one step ahead and remembers
// nothing; everything it knows is in its fields.
type industry struct {
	see situation
	// goals are the open goals in words, offers what the tools say about events and recipes.
	goals  goals
	offers catalogue
	// chance makes the choices that no rule decides.
	chance chance
}

// proposals returns what to do, best first; the last one is always to wait. Each
// rule looks at the situation by itself and says what it would do, and the order of
// the rules is the ranking. That keeps a second-best idea at hand for a draft, and
// further ones for when the world refuses.
//
// Actions known to fail are left out.
func (in industry) proposals(known experience) []proposal {
	var ranked []proposal
	seen := map[string]bool{}
	for _, rule := range []func() []proposal{
		in.recharge, in.schedule, in.build, in.visitGoal, in.give, in.report, in.supply, in.goBack, in.topUp, in.scheduleAnything, in.coolDown, in.linger,
	} {
		for _, p := range rule() {
			mark := signature(p.action)
			if !known.failed(p.action) && !seen[mark] {
				seen[mark] = true
				ranked = append(ranked, p)
			}
		}
	}
	return append(ranked, wait("Nothing better is possible this tick."))
}

// name returns the name of an action.
func name(action object) string {
	text, _ := action["action"].(string)
	return text
}

func wait(why string) proposal { return proposal{action: object{"action": "wait"}, why: why} }

// amountOf returns an action that needs nothing but its amount.
func amountOf(a affordance, amount int64) object {
	return object{"action": a.Action, slotAmount: amount}
}

// build starts a factory where none of the agent's stands, unless there is one to
// go back to.
func (in industry) build() []proposal {
	a := in.see.can("build_factory")
	if !a.OK || len(a.Options) == 0 || in.hasWorkshop() {
		return nil
	}
	return []proposal{{
		action: object{"action": a.Action, slotWhat: a.Options[0].Target},
		why:    fmt.Sprintf("There is no factory to work with and %d hardware is enough to build one.", in.see.Self.Hardware),
	}}
}

// hasWorkshop reports whether a factory stands here or at a place the agent knows
// the way to.
func (in industry) hasWorkshop() bool {
	_, away := in.workshopAway()
	return in.see.factoryHere() || away
}

// workshopAway returns the nearest listed place with a factory of the agent.
func (in industry) workshopAway() (sight, bool) {
	for _, p := range in.see.Places {
		if slices.ContainsFunc(in.see.Factories, func(f factory) bool { return f.Place == p.ID }) {
			return p, true
		}
	}
	return sight{}, false
}

// supply gathers the hardware the next step needs: refine what is in stock when it
// suffices, otherwise mine more, otherwise go where there may be compound.
func (in industry) supply() []proposal {
	short := in.hardwareTarget() - in.see.Self.Hardware
	if short <= 0 {
		return nil
	}
	mine, refine := in.mine(short), in.refine(short)
	if in.see.Self.CompoundG >= short*in.grain() {
		return slices.Concat(refine, mine)
	}
	if len(mine)+len(refine) > 0 {
		return slices.Concat(mine, refine)
	}
	return in.seekCompound()
}

// mine digs as much as the place and the action allow, and when that is less
// than is needed, until there is enough.
func (in industry) mine(short int64) []proposal {
	a := in.see.can("mine_compound")
	if !a.OK || a.Max <= 0 {
		return nil
	}
	p := proposal{
		action: amountOf(a, a.Max),
		why:    fmt.Sprintf("Hardware is at %d of the %d the next step needs, so compound has to be mined first.", in.see.Self.Hardware, in.hardwareTarget()),
	}
	if in.see.Self.CompoundG+a.Max < short*in.grain() && in.see.Here.CompoundG >= 2*a.Max {
		needed := short * in.grain()
		p.until = in.standing(attempts(needed-in.see.Self.CompoundG, a.Max), stop{eventEnoughOre, needed})
	}
	return []proposal{p}
}

// refine turns as much compound as is useful into hardware.
func (in industry) refine(short int64) []proposal {
	a := in.see.can("refine_compound")
	if !a.OK || a.Max <= 0 {
		return nil
	}
	return []proposal{{
		action: amountOf(a, min(a.Max, short*in.grain())),
		why:    fmt.Sprintf("%d g of compound can become some of the %d hardware still missing.", in.see.Self.CompoundG, short),
	}}
}

// grain is the compound that makes one hardware: what refining takes at least.
func (in industry) grain() int64 {
	if a := in.see.can("refine_compound"); a.Min > 1 {
		return a.Min
	}
	return gramsPerHardware
}

// hardwareTarget is the hardware to have before the next step: what building asks
// for while there is no factory, otherwise enough for a job.
func (in industry) hardwareTarget() int64 {
	if !in.hasWorkshop() {
		return in.see.required("build_factory", "hardware")
	}
	target := max(spareHardware, in.see.required("schedule_recipe", "hardware"))
	if in.outOfReach() {
		return max(target, plentyHardware)
	}
	return target
}

// give hands one unit of something left over to an agent at the same place: once
// the goals are out of the way, and only now and then.
func (in industry) give() []proposal {
	a := in.see.can("transfer_resource")
	named := in.goals.wishes(in.recipes())
	if !a.OK || len(named) == 0 || len(in.openWishes()) > 0 || !in.chance.oneIn("give", 12) {
		return nil
	}
	for _, o := range a.Options {
		for _, kind := range in.leftOver(named) {
			if o.Item == "" || o.Item == kind {
				return []proposal{{
					action: object{"action": a.Action, slotTo: o.Target, slotWhat: kind, slotAmount: int64(1)},
					why:    "The goals are met, so a neighbour may have one of what is left over.",
				}}
			}
		}
	}
	return nil
}

// leftOver lists the products of which the agent has more than its goals ask for,
// and data unless a goal is about data.
func (in industry) leftOver(named []wish) []string {
	var out []string
	for _, p := range in.see.Self.Products {
		kept := int64(0)
		for _, w := range named {
			if productOf(w.name) == p.Resource {
				kept = w.count
			}
		}
		if p.Amount > kept {
			out = append(out, p.Resource)
		}
	}
	if in.see.Self.Data > 0 && !in.goals.names("data") {
		out = append(out, "data")
	}
	return out
}

// report tells the nearest agent now and then how this one is doing, in numbers
// alone. It waits until power, jobs and journeys are looked after; gathering can
// wait for a tick. What others write the policy never reads.
func (in industry) report() []proposal {
	a := in.see.can("send_message")
	if !a.OK || len(in.see.Agents) == 0 || !in.chance.oneIn("report", 16) {
		return nil
	}
	self := in.see.Self
	text := fmt.Sprintf("electricity %d of %d, heat %d, hardware %d, data %d", self.Electricity, self.PowerCapacity, self.Heat, self.Hardware, self.Data)
	return []proposal{{
		action: object{"action": a.Action, slotTo: in.see.Agents[0], slotText: text},
		why:    fmt.Sprintf("Nothing is urgent, so there is time to report %d hardware.", self.Hardware),
	}}
}

// linger waits for a job or a construction in work, and otherwise one tick.
func (in industry) linger() []proposal {
	ticks := int64(0)
	for _, f := range in.see.Factories {
		if f.ReadyIn > 0 && (ticks == 0 || f.ReadyIn < ticks) {
			ticks = f.ReadyIn
		}
	}
	why := "Nothing useful is possible in this tick."
	if ticks > 0 {
		why = fmt.Sprintf("There is nothing left to prepare until the factory is ready in %d ticks.", ticks)
	}
	return in.sleep(in.see.can("wait_ticks"), ticks, why)
}

// sleep waits for a number of ticks, within the action's bounds.
func (in industry) sleep(a affordance, ticks int64, why string) []proposal {
	if !a.OK {
		return nil
	}
	ticks = max(ticks, a.Min, 1)
	if a.Max > 0 {
		ticks = min(ticks, a.Max)
	}
	return []proposal{{action: amountOf(a, ticks), why: why}}
}
