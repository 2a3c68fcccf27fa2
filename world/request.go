package world

// Request asks another agent for a resource at any distance. It arrives like a message and
// does not oblige the receiver. What the receiver gives lowers what is left of it.
type Request struct {
	// To is the id of the agent asked; a request to an unknown id is lost.
	To string
	// Resource is a resource name, Amount how much is wanted, at least 1.
	Resource string
	Amount   int64
	// Ticks is how long it stays open, 1 to [TermsTicksMax].
	Ticks int64
}

func (Request) describe(r *Industry) ActionSpec {
	return ActionSpec{
		Aliases: []string{"ask_for", "request_resource", "请求", "索取"},
		Params: []Param{
			receiver(),
			{Name: "resource", Kind: ParamChoice, Lists: ListsResources, Choices: r.Resources, Doc: "resource you want",
				Aliases: []string{"kind"}},
			{
				Name: "amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: amountMax, Doc: "how much, compound in grams",
				Aliases: []string{"quantity"},
			},
			termTicksParam(),
		},
	}
}

// rule looks only at the sender, as that of a message does. It counts as open the requests to
// the receiver that the sender believes to be open.
func (a Request) rule(f *facts, _ senses) ruling {
	r, listed := f.law.resource(a.Resource)
	switch {
	case a.To == f.self:
		return refuse(Rejection{Code: RejectMessageToSelf, Field: "to_agent"})
	case a.To == ToAnyone:
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "to_agent"})
	case !listed:
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "resource"})
	case a.Amount < 1 || a.Amount > amountMax:
		return invalidAmount("amount", a.Amount, amountMax, r.unit())
	case a.Ticks < 1 || a.Ticks > TermsTicksMax:
		return invalidAmount("for_ticks", a.Ticks, TermsTicksMax, Ticks)
	}
	open := int64(0)
	for _, t := range f.requests {
		open += bit(t.To == a.To)
	}
	if open >= RequestsMax {
		return refuse(Rejection{
			Code: RejectRequestLimit, Field: "to_agent", Available: number(open), Maximum: number(RequestsMax), Unit: "requests",
		})
	}
	return f.sending()
}

func (a Request) clamp(*knowledge) (Action, []Adjustment) {
	adjusted := lowerTo(a, "amount", &a.Amount, limit{amountMax, boundRule})
	return a, append(adjusted, clampTermTicks(a, &a.Ticks)...)
}

func (Request) afford(v *knowledge) Affordance {
	if r := v.facts.sending(); !r.accepted() {
		return refused(r)
	}
	return Affordance{OK: true}
}

func (a Request) carryOut(w *World, n int32, _ ruling) effect {
	t := w.termsOf(n, KindRequest, a.To, a.Ticks)
	t.want, _ = w.law.resource(a.Resource)
	t.Want, t.WantAmount = a.Resource, a.Amount
	mail := &w.agents[n].mail
	mail.sent = keep(mail.sent, known{t, a.Amount}, w.tick)
	w.dispatch(n, a.To, letter{terms: t})
	return effect{subject: t.ID, made: t.ID}
}
