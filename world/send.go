package world

// OutboxMax bounds the messages one agent may have on their way at a time.
const OutboxMax = 4

// SendMessage sends a text to another agent, however far. It arrives after a
// delay that grows with the distance.
type SendMessage struct {
	// To is the receiving agent's id; a message to an unknown id is lost.
	To string
	// Text is delivered as [MakeAction] makes it: cleaned and capped to [TextMax].
	Text string
}

func (SendMessage) describe(*Industry) ActionSpec {
	return ActionSpec{
		Numbers: map[string]int64{"characters": TextMax},
		Aliases: []string{"message", "send", "tell", "发送消息", "发消息"},
		Params:  []Param{receiver(), freeText("message", "content", "body")},
	}
}

// freeText is the parameter of what an agent writes.
func freeText(aliases ...string) Param {
	return Param{Name: "text", Kind: ParamText, Max: TextMax, Doc: "what to say", Aliases: aliases}
}

// rule only checks for a slot of the outbox. It does not look whether there is such a
// receiver, or where, so that a sender learns nothing about it.
func (a SendMessage) rule(f *facts, _ senses) ruling {
	if a.To == f.self {
		return refuse(Rejection{Code: RejectMessageToSelf, Field: "to_agent"})
	}
	if r := readable(a.Text); !r.accepted() {
		return r
	}
	return f.sending()
}

// sending refuses a message for which the outbox has no slot.
func (f *facts) sending() ruling {
	if f.inFlight >= OutboxMax {
		return refuse(Rejection{
			Code: RejectOutboxFull, Requested: number(1), Available: number(0), Maximum: number(OutboxMax), Unit: "messages",
		})
	}
	return ruling{}
}

// readable refuses a text of which nothing is left to read.
func readable(text string) ruling {
	if cleanText(text, TextMax) == "" {
		return refuse(Rejection{
			Code: RejectEmptyText, Field: "text", Requested: number(0), Maximum: number(TextMax), Unit: "characters",
		})
	}
	return ruling{}
}

func (SendMessage) afford(v *knowledge) Affordance {
	if r := (SendMessage{Text: "any"}).rule(&v.facts, v); !r.accepted() {
		return refused(r)
	}
	return Affordance{OK: true}
}

func (do SendMessage) carryOut(w *World, n int32, _ ruling) effect {
	w.dispatch(n, do.To, letter{text: cleanText(do.Text, TextMax)})
	return effect{subject: w.textID("msg", w.tick, n)}
}
