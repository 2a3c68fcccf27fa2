package stub

import (
	"maps"
	"slices"

	"example.com/agentworld/world"
)

// A cycle whose steps are known beforehand needs no question between them: draw power, refine, draw,
// schedule. foresight is what an agent would see after actions that go as expected. It knows work at the
// agent's place and sleep. What depends on other agents or on another place ends it: a journey, a gift, a
// trade.
type foresight struct {
	see world.Observation
	// prompt is what the request says; rules are the costs that it states.
	prompt prompt
	rules  world.Rules
}

// sleepMost is how long a step sleeps for a job at most; the end of the job wakes the agent.
const sleepMost = 16

// recipeTicks is the time of a batch that the request does not tell.
const recipeTicks = 2

// chained are the steps that the policy expects to take after its best idea, at most as many as the tools
// offer. They are written as steps of a candidate.
func (s stage) chained(first proposal) (then []any) {
	if first.then != nil && s.offers.then > 0 {
		return first.then[:min(len(first.then), s.offers.then)]
	}
	f := &foresight{s.see, s.prompt, s.offers.rules}
	f.prompt.latest = ""
	f.see.Factories = slices.Clone(f.see.Factories)
	f.see.Self.Products = slices.Clone(f.see.Self.Products)
	s.known = experience{}
	for last := first; len(then) < s.offers.then && f.do(last); {
		s.see, s.prompt = f.see, f.prompt
		next, ok := s.expected(f)
		if !ok {
			return then
		}
		step := maps.Clone(next.action)
		maps.Copy(step, next.until)
		then = append(then, step)
		last = next
	}
	return then
}

// expected is what the policy would do in the situation that it foresees; ok is false if nobody can know.
func (s stage) expected(f *foresight) (next proposal, ok bool) {
	for _, a := range s.brief(f.prompt).Wishes(s.situation(f.prompt)) {
		action := slots(a)
		possible, known := f.possible(action)
		if !known {
			return proposal{}, false
		}
		if possible {
			return proposal{action: action, until: s.repeated(action)}, true
		}
	}
	// Others may bring what makes work possible, so nobody who sees any sleeps.
	if f.busy() && len(f.see.Agents) == 0 {
		return proposal{action: object{"action": actionSleep, slotAmount: int64(sleepMost)}}, true
	}
	return proposal{}, false
}

// repeated is the order around a harvest of a later step: as often as it takes to the charge that is enough.
// What ends an order early without reaching it would leave the steps that follow without their charge.
func (s stage) repeated(action object) object {
	order := s.standing(action)
	if amount, _ := action[slotAmount].(int64); order == nil || amount <= yieldLeast {
		return nil
	}
	events, _ := order["until"].([]any)
	order["until"] = events[:1]
	return order
}

// busy reports whether a factory has work.
func (f *foresight) busy() bool {
	return slices.ContainsFunc(f.see.Factories, func(f world.Factory) bool { return f.State != "idle" })
}

// factory is the number of the factory that an action is about, -1 for none at this place.
func (f *foresight) factory(action object) int {
	return slices.IndexFunc(f.see.Factories,
		func(of world.Factory) bool { return of.ID == action["id"] && of.Place == f.see.Here.ID })
}

// possible brings the amount of an action to what is feasible. known is false for an action whose fate
// nobody can foresee.
func (f *foresight) possible(action object) (possible, known bool) {
	self, most := &f.see.Self, int64(0)
	spare := self.Electricity - 2*f.prompt.draws()
	forPower := func(costPerKG int64) int64 {
		if costPerKG < 1 {
			return world.MineMaxG
		}
		return spare / costPerKG * gramsPerHardware
	}
	switch name(action) {
	case actionHarvest:
		most = min(f.see.Here.Radiation, self.PowerCapacity-self.Electricity)
	case actionMine:
		most = min(f.see.Here.CompoundG, world.MineMaxG, forPower(f.rules.MineCostPerKG))
	case actionRefine:
		most = min(self.CompoundG, forPower(f.rules.RefineCostPerKG)) / gramsPerHardware * gramsPerHardware
	case actionSchedule:
		at := f.factory(action)
		return at >= 0 && f.see.Factories[at].State != "building" && f.affords(action), true
	case actionBuild:
		return spare >= f.rules.BuildElectricity && self.Hardware >= f.rules.BuildHardware, true
	default:
		return false, false
	}
	amount, _ := action[slotAmount].(int64)
	action[slotAmount] = min(amount, most)
	return most > 0, true
}

// add changes how much the agent has of a resource.
func (f *foresight) add(resource any, amount int64) {
	self := &f.see.Self
	switch resource {
	case world.Electricity:
		self.Electricity += amount
	case world.Compound:
		self.CompoundG += amount
	case world.Hardware:
		self.Hardware += amount
	case world.Data:
		self.Data += amount
	default:
		at := slices.IndexFunc(self.Products, func(a world.Amount) bool { return a.Resource == resource })
		if at < 0 {
			name, _ := resource.(string)
			at = len(self.Products)
			self.Products = append(self.Products, world.Amount{Resource: name})
		}
		self.Products[at].Amount += amount
	}
}

// inputs are what a batch of a recipe takes.
func (f *foresight) inputs(recipe string) []world.Amount {
	if told := f.prompt.inputs[recipe]; told != nil {
		return told
	}
	return []world.Amount{{Resource: world.Electricity, Amount: batchElectricity},
		{Resource: world.Hardware, Amount: batchHardware}}
}

// affords reports whether the agent has what the batches take that it would schedule.
func (f *foresight) affords(action object) bool {
	recipe, _ := action[slotWhat].(string)
	batches, _ := action[slotAmount].(int64)
	rest := foresight{see: f.see, prompt: f.prompt}
	rest.see.Self.Products = slices.Clone(f.see.Self.Products)
	for _, in := range f.inputs(recipe) {
		rest.add(in.Resource, -in.Amount*batches)
	}
	self := &rest.see.Self
	lacks := func(a world.Amount) bool { return a.Amount < 0 }
	return self.Electricity >= 2*f.prompt.draws() && self.Hardware >= 0 && self.CompoundG >= 0 && self.Data >= 0 &&
		!slices.ContainsFunc(self.Products, lacks)
}

// do goes on to what the agent would see after an action; ok is false if nobody can know.
func (f *foresight) do(p proposal) (ok bool) {
	amount, _ := p.action[slotAmount].(int64)
	times := int64(1)
	if limit, is := p.until["max_ticks"].(int64); is && amount > yieldLeast {
		times = limit // a smaller yield ends the order at once
	}
	ticks := times
	pay := func(grams, costPerKG int64) { f.see.Self.Electricity -= grams * costPerKG / gramsPerHardware }
	switch name(p.action) {
	case actionSend:
	case actionHarvest:
		f.see.Self.Electricity += amount * times
	case actionMine:
		f.see.Self.CompoundG += amount
		f.see.Here.CompoundG -= min(f.see.Here.CompoundG, amount)
		pay(amount, f.rules.MineCostPerKG)
	case actionRefine:
		f.see.Self.CompoundG -= amount
		f.see.Self.Hardware += amount / gramsPerHardware
		pay(amount, f.rules.RefineCostPerKG)
	case actionSchedule:
		at := f.factory(p.action)
		if at < 0 {
			return false
		}
		f.schedule(&f.see.Factories[at], p.action[slotWhat], amount)
	case actionSleep:
		ticks = f.sleep(amount)
	default:
		return false
	}
	self := &f.see.Self
	f.see.Tick += ticks
	self.Electricity = min(self.Electricity-ticks*f.prompt.draws(), self.PowerCapacity)
	for range ticks {
		f.produce()
	}
	return self.Electricity >= 2*f.prompt.draws() && self.Hardware >= 0 && self.CompoundG >= 0
}

// schedule gives a factory work and pays for it.
func (f *foresight) schedule(of *world.Factory, recipe any, batches int64) {
	name, _ := recipe.(string)
	for _, in := range f.inputs(name) {
		f.add(in.Resource, -in.Amount*batches)
	}
	if of.State == "working" {
		of.Queued += batches
		return
	}
	of.State = "working"
	of.Recipe = name
	of.Batches = batches
	of.ReadyIn = f.ticksOf(name)
}

func (f *foresight) ticksOf(recipe string) int64 {
	if ticks := f.prompt.ticks[recipe]; ticks > 0 {
		return ticks
	}
	return recipeTicks
}

// produce lets a tick pass in the factories.
func (f *foresight) produce() {
	for i := range f.see.Factories {
		of := &f.see.Factories[i]
		of.ReadyIn--
		switch {
		case of.State == "idle" || of.ReadyIn > 0:
			of.ReadyIn = max(0, of.ReadyIn)
			continue
		case of.State == "working" && of.Recipe != "":
			made := f.prompt.product(of.Recipe)
			f.add(made.Resource, made.Amount)
			of.Batches--
			if of.Batches < 1 {
				of.Batches, of.Queued = of.Queued, 0
			}
		}
		if of.Batches < 1 {
			of.State = "idle"
			of.Recipe = ""
			of.ReadyIn = 0
			continue
		}
		of.ReadyIn = f.ticksOf(of.Recipe)
	}
}

// sleep is how long a sleep lasts: the end of a job cuts it short.
func (f *foresight) sleep(ticks int64) int64 {
	for _, of := range f.see.Factories {
		if of.State != "idle" {
			ticks = min(ticks, max(1, of.ReadyIn+(max(1, of.Batches)-1)*f.ticksOf(of.Recipe)))
		}
	}
	return ticks
}
