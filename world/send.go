package world

import (
	"cmp"
	"fmt"
	"slices"
)

// OutboxMax bounds the messages one agent may have on their way at a time.
const OutboxMax = 4

// SendMessage sends a text to another agent, however far. It arrives after a
// delay that grows with the distance.
type SendMessage struct {
	// To is the receiving agent's id; a message to nobody is lost.
	To string
	// Text is delivered as [MakeAction] makes it: cleaned and capped to [TextMax].
	Text string
}

func (SendMessage) describe(Rules) ActionSpec {
	return ActionSpec{
		Doc: fmt.Sprintf("To any agent, at most %d characters; far ones get it later.", TextMax), Aliases: []string{"message", "send", "tell", "发送消息", "发消息"},
		Params: []Param{receiver(), freeText("message", "content", "body")},
	}
}

// freeText is the parameter of what an agent writes.
func freeText(aliases ...string) Param {
	return Param{Name: "text", Kind: ParamText, Max: TextMax, Doc: "what to say", Aliases: aliases}
}

// rule is certain of the sending alone: whether there is such a receiver, and where,
// is not looked at, so that nothing about it shows. A slot of the outbox is all it
// takes.
func (a SendMessage) rule(f *facts, _ senses) ruling {
	if a.To == f.self {
		return refuse(Rejection{Code: RejectMessageToSelf, Field: "to_agent"})
	}
	if r := readable(a.Text); !r.accepted() {
		return r
	}
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

func (SendMessage) afford(v *View) Affordance {
	if r := (SendMessage{Text: "any"}).rule(&v.facts, v); !r.accepted() {
		return refused(r)
	}
	return Affordance{OK: true}
}

// carryOut lets a message go. It takes as long as the way to where its sender sees the
// receiver, and from one end of the world to the other if it does not. One to nobody is
// lost, and its sender cannot tell.
func (do SendMessage) carryOut(w *World, n int32, _ ruling) effect {
	l := letter{from: n, sentAt: w.tick, text: cleanText(do.Text, TextMax)}
	l.dueAt = w.tick + w.law.messageTicks(w.geo.diagonalCM)
	if to, exists := w.numbers[do.To]; exists {
		if there := w.placeSeen(n, to); there != noPlace {
			l.dueAt = w.tick + w.law.messageTicks(w.geo.distanceCM(w.agents[n].place, there))
		}
		// The order of arrival does not depend on who acted first in the tick, and no two
		// messages of a sender are sent in the same one.
		mail := &w.agents[to].mail
		i, _ := slices.BinarySearchFunc(mail.coming, l, func(x, y letter) int {
			return cmp.Or(cmp.Compare(x.dueAt, y.dueAt), cmp.Compare(x.sentAt, y.sentAt), cmp.Compare(x.from, y.from))
		})
		mail.coming = slices.Insert(mail.coming, i, l)
		w.touchAgent(to)
		w.planMail(to)
	}
	a := &w.agents[n]
	a.mail.outbox = slices.DeleteFunc(a.mail.outbox, func(until int64) bool { return until <= w.tick })
	a.mail.outbox = append(a.mail.outbox, l.dueAt)
	w.emit(Event{Kind: EventMessageSent, Agent: a.id, Place: w.placeID(a.place), Subject: w.letterID(l), Text: l.text})
	return effect{subject: w.letterID(l)}
}
