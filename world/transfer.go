package world

// Transfer gives part of the agent's stock to an agent at the same place.
type Transfer struct {
	// To is the receiving agent's id.
	To string
	// Kind is a resource name.
	Kind string
	// Amount is in the resource's own unit, at least 1.
	Amount int64
}

func (Transfer) describe(r *Industry) ActionSpec {
	return ActionSpec{
		Aliases: []string{"transfer", "give", "give_resource", "转移资源", "转移"},
		Params: []Param{
			receiver(),
			{Name: "kind", Kind: ParamChoice, Lists: ListsResources, Choices: r.Resources, ChoiceAliases: resourceAliases,
				Doc: "resource to give", Aliases: []string{"resource", "what"}},
			{
				Name: "amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: amountMax, Give: true,
				Doc:     "how much, compound in grams",
				Aliases: []string{"quantity"},
			},
		},
	}
}

// receiver is the parameter of what is directed to an agent.
func receiver() Param {
	return Param{Name: "to_agent", Kind: ParamAgent, Doc: "id of the receiver",
		Aliases: []string{"to", "target", "recipient", "agent"}}
}

// rule does not let the giver know whether electricity fits the receiver's battery,
// so that refusal carries no numbers.
// Nothing else can go wrong on the receiver's side: only electricity is bounded. An agent
// that is shut down can get electricity, so that others can restart it.
func (a Transfer) rule(f *facts, s senses) ruling {
	r, known := f.law.resource(a.Kind)
	if !known {
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "kind"})
	}
	if a.To == f.self {
		return refuse(Rejection{Code: RejectTransferToSelf, Field: "to_agent"})
	}
	to := s.contact(a.To)
	full := r == electricity && to.room != roomUnknown && to.room < a.Amount
	switch {
	case to.presence == presenceElsewhere:
		return refuse(Rejection{Code: RejectAgentNotHere, Field: "to_agent"})
	case a.Amount < 1:
		return invalidAmount("amount", a.Amount, f.stock[r], r.unit())
	case a.Amount > f.stock[r]:
		return f.insufficient("amount", r, a.Amount, f.stock[r])
	case to.presence == presenceUnknown, r == electricity && to.room == roomUnknown:
		return ruling{unknown: true}
	case full:
		return refuse(Rejection{Code: RejectStorageFull, Field: "amount", Resource: Electricity})
	}
	return ruling{amount: a.Amount, changes: []Amount{{a.Kind, -a.Amount}}}
}

// clamp lowers a gift to what the giver has. A gift of nothing or less
// stays as it is and is refused: the agent did not say that it wants to give.
// The giver does not know how much fits the receiver.
func (a Transfer) clamp(v *knowledge) (Action, []Adjustment) {
	r, known := v.facts.law.resource(a.Kind)
	if !known {
		return a, nil
	}
	adjusted := lowerTo(a, "amount", &a.Amount, limit{v.facts.stock[r], boundStock})
	return a, adjusted
}

// afford offers the agents at the same place as receivers; what can be given
// is the agent's own stock.
// Listing each resource for each receiver would repeat the stock many times.
func (Transfer) afford(v *knowledge) Affordance {
	if len(v.mates) == 0 {
		return Affordance{Why: RejectAgentNotHere}
	}
	if v.facts.stock == (stock{}) {
		return Affordance{Why: RejectInsufficient}
	}
	a := Affordance{OK: true}
	for _, id := range v.mates[:min(len(v.mates), len(v.seen.Agents))] {
		a.Options = append(a.Options, Option{Target: id})
	}
	return a
}

// carryOut moves part of the stock; electricity settles both batteries.
// The receiver may be asleep or shut down; a change of its power state is
// announced in the next tick.
func (a Transfer) carryOut(w *World, n int32, _ ruling) effect {
	r, _ := w.law.resource(a.Kind)
	to := w.numbers[a.To]
	if r == electricity {
		w.settle(n)
		w.settle(to)
	}
	p := w.post(w.agents[n].account, w.agents[to].account, r, a.Amount)
	if r == electricity {
		w.planPower(n)
		w.planPower(to)
	}
	w.touchAgent(to)
	return effect{postings: []Posting{p}, subject: a.To, answers: w.answer(n, to, r, a.Amount)}
}
