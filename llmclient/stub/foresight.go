package stub

import (
	"slices"

	"example.com/agentworld/world"
)

// A cycle whose steps are known beforehand needs no question between them: draw power, refine, draw,
// schedule. foresight tells what an agent would see after an action that goes as expected. It knows
// work at a place, journeys to places in view, and sleep; what depends on other agents ends it.

// sleepMost is how long a chain sleeps for a job at most; its end wakes the agent.
const sleepMost = 16

// chained are the steps that the policy expects to take after its best idea, at most as many as the tools
// offer. They are written as steps of a candidate.
func (s stage) chained(first proposal) (then []any) {
	if first.then != nil && s.offers.then > 0 {
		return first.then[:min(len(first.then), s.offers.then)]
	}
	p := s.prompt
	p.latest = ""
	s.known = experience{}
	for last := first; len(then) < s.offers.then; {
		see, ok := after(s.see, last, s.offers.rules)
		if !ok {
			return then
		}
		s.see = see
		last, ok = s.expected(p)
		if !ok {
			return then
		}
		step := object{}
		for slot, v := range last.action {
			step[slot] = v
		}
		for field, v := range last.until {
			step[field] = v
		}
		then = append(then, step)
	}
	return then
}

// expected is what the policy would do in a situation that it foresees; ok is false if it depends on others.
func (s stage) expected(p prompt) (next proposal, ok bool) {
	for _, a := range s.brief(p).Wishes(s.situation(p)) {
		action := slots(a)
		switch possible, known := foreseen(s.see, action, s.offers.rules); {
		case !known:
			return proposal{}, false
		case possible:
			return proposal{action: action, until: s.standing(action)}, true
		}
	}
	busy := func(f world.Factory) bool { return f.State != "idle" }
	if slices.ContainsFunc(s.see.Factories, busy) {
		return proposal{action: object{"action": actionSleep, slotAmount: int64(sleepMost)}}, true
	}
	return proposal{}, false
}

// foreseen brings the amount of an action to what is feasible in a situation, as far as that is known.
// known is false for an action whose fate depends on others.
func foreseen(see world.Observation, action object, rules world.Rules) (possible, known bool) {
	self, most := &see.Self, int64(0)
	spare := self.Electricity - idleDraw
	perKG := func(cost int64) int64 {
		if cost < 1 {
			return world.MineMaxG
		}
		return spare / cost * gramsPerHardware
	}
	switch name(action) {
	case actionHarvest:
		most = min(see.Here.Radiation, self.PowerCapacity-self.Electricity)
		if self.HeatCapacity > 0 {
			most = min(most, self.HeatCapacity-self.Heat)
		}
	case actionMine:
		most = min(see.Here.CompoundG, world.MineMaxG, perKG(rules.MineCostPerKG))
	case actionRefine:
		most = min(self.CompoundG, perKG(rules.RefineCostPerKG)) / gramsPerHardware * gramsPerHardware
	case actionSchedule:
		i := slices.IndexFunc(see.Factories, func(f world.Factory) bool { return f.ID == action["id"] })
		return i >= 0 && see.Factories[i].State != "building" && see.Factories[i].Place == see.Here.ID, true
	case actionMove:
		i := slices.IndexFunc(see.Places, func(p world.Sight) bool { return p.ID == action[slotTo] })
		return i >= 0 && see.Places[i].MoveCost <= spare, true
	case actionBuild:
		return self.Electricity > rules.BuildElectricity && self.Hardware >= rules.BuildHardware, true
	default:
		return false, false
	}
	if amount, counted := action[slotAmount].(int64); counted {
		action[slotAmount] = min(amount, most)
	}
	return most > 0, true
}

// after is what the agent would see after an action that goes as expected; ok is false if that depends on
// others, or on a place that the agent has not seen.
func after(see world.Observation, p proposal, rules world.Rules) (next world.Observation, ok bool) {
	see.Factories = slices.Clone(see.Factories)
	see.Self.Products = slices.Clone(see.Self.Products)
	self := &see.Self
	amount, _ := p.action[slotAmount].(int64)
	times := int64(1)
	if limit, is := p.until["max_ticks"].(int64); is {
		times = limit
	}
	ticks := times
	perKG := func(grams, cost int64) int64 { return grams * cost / gramsPerHardware }
	switch name(p.action) {
	case actionHarvest:
		self.Electricity += amount * times
		self.Heat += amount * times
	case actionMine:
		self.CompoundG += amount * times
		see.Here.CompoundG -= min(see.Here.CompoundG, amount*times)
		self.Electricity -= perKG(amount*times, rules.MineCostPerKG)
	case actionRefine:
		self.CompoundG -= amount
		self.Hardware += amount / gramsPerHardware
		self.Electricity -= perKG(amount, rules.RefineCostPerKG)
	case actionSchedule:
		i := slices.IndexFunc(see.Factories, func(f world.Factory) bool { return f.ID == p.action["id"] })
		if i < 0 {
			return see, false
		}
		f := &see.Factories[i]
		f.State, f.Queued = "working", f.Queued+amount
		self.Electricity -= amount * batchElectricity
		self.Hardware -= amount * batchHardware
	case actionSleep:
		ticks = amount
		for i := range see.Factories {
			f := &see.Factories[i]
			f.State, f.Recipe, f.Queued, f.Batches, f.ReadyIn = "idle", "", 0, 0, 0
		}
	default:
		return see, false
	}
	see.Tick += ticks
	self.Electricity -= ticks * idleDraw
	self.Heat -= min(self.Heat, ticks)
	if self.Electricity < idleDraw || self.Hardware < 0 || self.CompoundG < 0 {
		return see, false
	}
	self.Electricity = min(self.Electricity, self.PowerCapacity)
	return see, true
}
