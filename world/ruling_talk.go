package world

// judgeSend rules on a message. Sending is all that is certain: whether there is
// such a receiver, and where, is not looked at, so that nothing about it shows.
// A slot of the outbox is all it takes.
func (f *facts) judgeSend(a SendMessage) ruling {
	if a.To == f.self {
		return refuse(Rejection{Code: RejectMessageToSelf, Field: "to_agent"})
	}
	if r := judgeText(a.Text); !r.accepted() {
		return r
	}
	if f.inFlight >= OutboxMax {
		return refuse(Rejection{
			Code: RejectOutboxFull, Requested: number(1), Available: number(0), Maximum: number(OutboxMax), Unit: "messages",
		})
	}
	return ruling{}
}

// judgeText refuses a text of which nothing is left to read.
func judgeText(text string) ruling {
	if cleanText(text, TextMax) == "" {
		return refuse(Rejection{
			Code: RejectEmptyText, Field: "text", Requested: number(0), Maximum: number(TextMax), Unit: "characters",
		})
	}
	return ruling{}
}
