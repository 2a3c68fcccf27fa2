package world

import "strconv"

// FactoriesMax bounds the factories of one agent.
const FactoriesMax = 8

// BuildFactory starts building a factory at the agent's place. The world names
// it; the id is in the outcome and in later observations.
type BuildFactory struct {
	// FactoryKind is one of the kinds of the [Industry].
	FactoryKind string
}

func (BuildFactory) describe(r *Industry) ActionSpec {
	return ActionSpec{
		Numbers: map[string]int64{"most": FactoriesMax},
		Aliases: []string{"build", "construct_factory", "建造工厂", "建造"},
		Params: []Param{{
			Name: "factory_kind", Kind: ParamChoice, Lists: ListsKinds, Choices: r.Choices(Param{Lists: ListsKinds}),
			Doc: "kind of factory", Aliases: []string{"kind", "factory", "factory_type"},
		}},
	}
}

// rule takes the price into escrow at once; the factory opens Ticks later, wherever
// its owner is then. The limit per agent bounds the size of views and of the world.
func (a BuildFactory) rule(f *facts, _ senses) ruling {
	k, known := kindNumber(f.law.Kinds, a.FactoryKind)
	if !known {
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "factory_kind"})
	}
	if len(f.factories) >= FactoriesMax {
		return refuse(Rejection{
			Code: RejectFactoryLimit, Available: number(int64(len(f.factories))),
			Maximum: number(FactoriesMax), Unit: "factories",
		})
	}
	kind := &f.law.Kinds[k]
	if r, short := f.missing(kind.cost); short {
		return f.insufficient("factory_kind", r, kind.cost[r], f.stock[r])
	}
	return ruling{ticks: kind.Ticks, changes: f.costs(kind.cost)}
}

// afford offers the kinds of factory that can be paid for.
// If there are none, the first kind says why, with all that is short of it.
func (BuildFactory) afford(v *knowledge) Affordance {
	f := &v.facts
	var a Affordance
	var options []Option
	for i, kind := range f.law.Kinds {
		r := BuildFactory{kind.Name}.rule(f, v)
		if r.accepted() {
			options = append(options, Option{Target: kind.Name})
		} else if i == 0 {
			a = Affordance{Why: r.rejection.Code, Need: f.short(r, kind.cost)}
		}
	}
	a = a.or(options)
	if len(f.factories) < FactoriesMax {
		a.Makes = factoryID(v.seen.Self.ID, len(f.factories)+1)
	}
	return a
}

// factoryID is the id of the factory of a number, from 1, of an agent.
func factoryID(agent string, number int) string { return agent + "-f" + strconv.Itoa(number) }

// MadeBy reports whether an id is one that a factory of the agent has or may get.
func MadeBy(agent, id string) bool {
	for number := 1; number <= FactoriesMax; number++ {
		if id == factoryID(agent, number) {
			return true
		}
	}
	return false
}

// carryOut founds a factory. Its id counts only its owner's, so that it tells
// nothing about others.
func (do BuildFactory) carryOut(w *World, n int32, _ ruling) effect {
	k, _ := kindNumber(w.law.Kinds, do.FactoryKind)
	a := &w.agents[n]
	number := int32(len(w.factories))
	f := factory{owner: n, kind: k, place: a.place, stepAt: w.tick + w.law.Kinds[k].Ticks}
	f.id = factoryID(a.id, len(a.factories)+1)
	f.account = w.ledger.open("factory:" + f.id)
	if w.isPlant(&f) {
		f.store = w.ledger.open("store:" + f.id)
	}
	w.factories = append(w.factories, f)
	a.factories = append(a.factories, number)
	w.touchFactory(number)
	w.digest.touchHeader() // it counts the factories
	w.calendar.set(wakeUpOf(int32(len(w.agents))+number, kindBody), f.stepAt)
	return effect{postings: w.deposit(n, f.account, w.law.Kinds[k].cost), subject: f.id, made: f.id}
}
