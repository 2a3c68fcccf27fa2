package world

import "slices"

// Needless names what can matter to no agent in this world under the given rules: actions, kinds of
// factory, recipes and stop events that no place, agent, stock or number ever allows. A recipe of what
// agents trade says what it is worth. forbidden are actions that the agents are kept from, see
// [World.Forbidden]. The list is the same in all ticks, so that a prompt which leaves these things out is
// the same too.
//
// In a fork with other rules that includes nothing that was possible before it.
func (w *World) Needless(r Rules, forbidden ...string) (names []string) {
	names = w.needless(r, forbidden)
	if r == w.scenario.Rules {
		return names
	}
	before := w.needless(w.scenario.Rules, forbidden)
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(before, name) })
}

func (w *World) needless(r Rules, forbidden []string) (names []string) {
	s := w.scenario
	s.Rules = r
	m := newMeans(s, w.geo, forbidden)
	for _, a := range actions {
		if !m.may[a.ActionName()] {
			names = append(names, a.ActionName())
		}
	}
	for k, kind := range m.industry.Kinds {
		if !m.buildable[k] {
			names = append(names, kind.Name)
		}
	}
	for _, recipe := range m.industry.Recipes {
		if !m.runs(recipe) && !m.prices(recipe) {
			names = append(names, recipe.ID)
		}
	}
	for _, e := range stopEvents {
		if !m.occurs(e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// Forbidden names the actions that the scenario's rules forbid to every agent, whatever they are
// directed to, and that no rule allows again. The world itself does not enforce it.
func (w *World) Forbidden() (names []string) {
	for _, a := range actions {
		if _, waits := a.(Wait); !waits && w.scenario.forbids(a.ActionName()) {
			names = append(names, a.ActionName())
		}
	}
	return names
}

// forbids reports whether rules forbid an action to all agents: one rule to all, or one to each. A rule
// that allows some of it may lift that.
func (s Scenario) forbids(action string) bool {
	banned := map[string]bool{}
	for _, c := range s.Policy {
		switch {
		case c.Action != action && c.Action != Anyone:
		case c.Effect == EffectAllow:
			return false
		case c.unconditional():
			banned[c.Agent] = true
		}
	}
	return banned[Anyone] || int64(len(banned)) == s.planned()
}

// unconditional reports whether a rule is about any receiver, place, thing and amount.
func (c PolicyRule) unconditional() bool {
	return (c.To == "" || c.To == Anyone) && c.What == "" && c.At == "" && c.Get == "" && c.Most == 0 && c.Total == 0
}

// means is what the agents of a world can ever do and have.
type means struct {
	industry  *Industry
	forbidden []string
	// asked are the metrics of the goals.
	asked []string
	// others says that there is more than one agent, typed that requests and offers are enabled, and
	// roads that there is more than one place.
	others, typed, roads bool
	// radiation and deposits say whether a place has any.
	radiation, deposits bool
	// may says which actions were found possible, buildable which kinds of factory, and have which
	// resources an agent may ever hold.
	may       map[string]bool
	buildable []bool
	have      []bool
}

// newMeans finds what is possible: what follows from what the agents start with, then what follows from
// that, until nothing is added.
func newMeans(s Scenario, g *geography, forbidden []string) *means {
	in := s.Industry()
	m := &means{
		industry: in, forbidden: forbidden, others: s.Agents.Count > 1, typed: s.Terms, roads: len(g.places) > 1,
		may: map[string]bool{}, buildable: make([]bool, len(in.Kinds)), have: make([]bool, len(in.Resources)),
	}
	for _, g := range s.Goals {
		m.asked = append(m.asked, g.Metric)
	}
	m.have[electricity] = true // the ambient floor gives it to everybody
	for p, place := range g.places {
		m.radiation = m.radiation || g.radiation[p] > 0
		m.deposits = m.deposits || place.CompoundG > 0
	}
	for n := range min(len(s.Agents.Stock), int(s.Agents.Count)) {
		for _, a := range s.Agents.Stock[n] {
			if kind, ok := in.resource(a.Resource); ok && a.Amount > 0 {
				m.have[kind] = true
			}
		}
	}
	for {
		before := m.count()
		m.extend()
		if m.count() == before {
			return m
		}
	}
}

// count is how much was found.
func (m *means) count() (n int) {
	for _, found := range slices.Concat(m.buildable, m.have) {
		n += int(bit(found))
	}
	for _, found := range m.may {
		n += int(bit(found))
	}
	return n
}

// extend adds what is possible with what was found so far.
func (m *means) extend() {
	for k, kind := range m.industry.Kinds {
		m.buildable[k] = m.wants(kind) && m.affords(kind.cost) && !m.forbids(BuildFactory{})
	}
	for _, a := range actions {
		m.may[a.ActionName()] = !m.forbids(a) && m.allows(a)
	}
	m.have[compound] = m.have[compound] || m.can(Mine{})
	m.have[hardware] = m.have[hardware] || m.can(Refine{})
	for _, recipe := range m.industry.Recipes {
		for kind := range m.have {
			m.have[kind] = m.have[kind] || recipe.outputs[kind] > 0 && m.can(ScheduleRecipe{}) && m.runs(recipe)
		}
	}
}

// wants reports whether a kind of factory is of use to anybody: if a recipe runs in it, if it is a power plant
// and its owner may draw from it, or if a goal asks for it.
func (m *means) wants(kind FactoryKind) bool {
	runs := func(r Recipe) bool { return r.FactoryKind == kind.Name }
	return kind.generates && !m.forbids(BuyPower{}) || slices.ContainsFunc(m.industry.Recipes, runs) ||
		slices.Contains(m.asked, "factory:"+kind.Name)
}

func (m *means) forbids(a Action) bool { return slices.Contains(m.forbidden, a.ActionName()) }

// can reports whether an action was found possible.
func (m *means) can(a Action) bool { return m.may[a.ActionName()] }

// allows reports whether the world ever accepts an action of a kind and it is of use then.
func (m *means) allows(a Action) bool {
	switch a.(type) {
	case Move:
		return m.roads
	case Harvest:
		return m.radiation
	case Mine:
		return m.deposits && m.industry.MineCostPerKG <= m.industry.PowerCapacity
	case Refine:
		return m.have[compound] && m.industry.RefineCostPerKG <= m.industry.PowerCapacity
	case BuildFactory:
		return slices.Contains(m.buildable, true)
	case ScheduleRecipe:
		return slices.ContainsFunc(m.industry.Recipes, m.runs)
	case BuyPower:
		return m.plants() || m.can(PlaceOrder{})
	case PlaceOrder:
		return m.others && m.have[data]
	case SellPower, CancelOrder:
		return m.can(PlaceOrder{})
	case Transfer, SendMessage, PostNote:
		return m.others
	case Request, Offer:
		return m.others && m.typed
	case AcceptOffer, CancelOffer:
		return m.can(Offer{})
	case Decline:
		return m.can(Offer{}) || m.can(Request{})
	}
	return true
}

// plants reports whether a power plant can be built.
func (m *means) plants() bool {
	for k, kind := range m.industry.Kinds {
		if kind.generates && m.buildable[k] {
			return true
		}
	}
	return false
}

// affords reports whether an agent can ever hold all of a price at once.
func (m *means) affords(price stock) bool {
	for kind, amount := range price {
		if amount > 0 && !m.have[kind] {
			return false
		}
	}
	return price[electricity] <= m.industry.PowerCapacity
}

// runs reports whether a recipe can ever run in a factory that can be built.
func (m *means) runs(recipe Recipe) bool {
	for k, kind := range m.industry.Kinds {
		if m.buildable[k] && (recipe.FactoryKind == "" || recipe.FactoryKind == kind.Name) {
			return m.affords(recipe.inputs)
		}
	}
	return false
}

// prices reports whether a recipe tells what a product is worth that agents have and trade.
func (m *means) prices(recipe Recipe) bool {
	for kind, amount := range recipe.outputs {
		if amount > 0 && resource(kind) >= controlChip && m.have[kind] {
			return m.can(Offer{})
		}
	}
	return false
}

// occurs reports whether a stop event can end an order that it would not end at once. Radiation never
// changes at a place.
func (m *means) occurs(event string) bool {
	switch event {
	case StopArriveTarget, StopNewVisibleLocation, StopHarvestAvailableBelow:
		return m.can(Move{})
	case StopNewVisibleAgent:
		return m.others && m.can(Move{})
	case StopHarvestYieldBelow:
		return m.can(Harvest{})
	case StopPlantStoreAbove:
		return m.plants()
	case StopPlaceCompoundBelow:
		return m.can(Mine{})
	case StopQueueEmpty:
		return m.can(ScheduleRecipe{})
	case StopCompoundAbove:
		return m.have[compound]
	case StopHardwareAbove:
		return m.have[hardware]
	case StopJobDone:
		return m.can(BuildFactory{}) || m.can(ScheduleRecipe{})
	case StopOrderFilled:
		return m.can(PlaceOrder{})
	case StopMessageReceived:
		return m.others
	}
	return true
}
