package world

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/agentworld/plaintext"
)

// Message is a message as its receiver sees it. All but the text is set by the
// world and never read from the text.
type Message struct {
	// ID is "msg-<tick sent>-<sender>-<n>", n counting the sender's messages of
	// that tick from 1; a typed message has "req", "offer" or "decline" in place of msg.
	// One of the [Operator] is sent in the tick in which it can arrive first.
	ID string `json:"id"`
	// From is the sender's id, or [Operator].
	From string `json:"from"`
	// Sent and Arrived are ticks.
	Sent    int64 `json:"sent"`
	Arrived int64 `json:"arrived"`
	// Text is what the sender wrote: data, at most [TextMax] characters, one line;
	// empty in a typed message.
	Text string `json:"text"`
	// New says that it arrived since the receiver's last decision.
	New bool `json:"new"`
	// Kind is empty for a text, else request, offer or decline, with its Terms. The inbox
	// does not tell whether they are still open.
	Kind  string `json:"kind,omitempty"`
	Terms *Terms `json:"terms,omitempty"`
	// Parents are as in [Terms.Parents].
	Parents []string `json:"-"`
}

// letter is a message on its way or arrived.
type letter struct {
	// from is the sender's number, or [fromOperator].
	from   int32
	sentAt int64
	// dueAt is the earliest tick of its arrival, arrivedAt the real one, 0 before.
	dueAt, arrivedAt int64
	text             string
	// parents are those of what was sent.
	parents []string
	// terms are those of a typed message, nil for a text.
	terms *terms
	// told counts the operator's messages of the tick up to this one, 0 for one of an agent.
	told int32
}

// letterID is the id of the letter. An agent acts once per tick, so its message is the first
// of the tick. A count of all it ever sent would tell receivers about the others.
func (w *World) letterID(l letter) string {
	switch {
	case l.terms != nil:
		return l.terms.ID
	case l.from == fromOperator:
		return operatorID(l)
	}
	return w.textID("msg", l.sentAt, l.from)
}

// sender is the id of who sent the letter.
func (w *World) sender(l letter) string {
	if l.from == fromOperator {
		return Operator
	}
	return w.agents[l.from].id
}

// textID is the id of what agent n wrote in a tick.
func (w *World) textID(kind string, tick int64, n int32) string {
	return kind + "-" + strconv.FormatInt(tick, 10) + "-" + w.agents[n].id + "-1"
}

// mailbox is the messages to and from an agent.
type mailbox struct {
	// coming are the messages on their way to the agent, by tick due, tick sent and
	// sender. No agent sees them.
	coming []letter
	// inbox are the newest arrived ones, oldest first; dropped counts the others.
	inbox   []letter
	dropped int64
	// outbox holds for each message sent the tick from which it no longer counts
	// against OutboxMax. Entries that are over stay until the next message.
	outbox []int64
	// sent are the agent's own requests, got the requests and offers to it that have
	// arrived, both in the order of sending. What is over is dropped with the next change.
	sent, got []known
	// wokenAt is the tick in which strangers last woke the agent, 0 if they never did.
	wokenAt int64
	// endedAt is the tick in which agents that a rule names last ended a chain, 0 if they never did.
	endedAt int64
}

// StrangersTicks is the time in which agents that no rule of an agent names can wake it once,
// all of them together.
const StrangersTicks = 10

// messageTicks is the duration of a message's flight, at least one tick.
func (l *law) messageTicks(distanceCM int64) int64 {
	return 1 + distanceCM/(l.MessageKMPerTick*CMPerKM)
}

// planMail sets the wake-up for the next message to agent n. A travelling agent gets its
// messages on arrival.
func (w *World) planMail(n int32) {
	a := &w.agents[n]
	if len(a.mail.coming) == 0 {
		return
	}
	at := a.mail.coming[0].dueAt
	if a.travelling() {
		at = max(at, a.arriveAt)
	}
	w.calendar.set(wakeUpOf(n, kindMail), at)
}

// dispatch sends a message of agent n. The delay is that to the place where the sender sees
// the receiver; to one out of sight it is that across the whole world. A message to an
// unknown receiver is lost, and its sender cannot tell.
func (w *World) dispatch(n int32, receiver string, l letter) {
	l.from = n
	l.sentAt = w.tick
	l.parents = w.parents
	l.dueAt = w.tick + w.law.messageTicks(w.geo.diagonalCM)
	if to, exists := w.numbers[receiver]; exists {
		if there := w.placeSeen(n, to); there != noPlace {
			l.dueAt = w.tick + w.law.messageTicks(w.geo.distanceCM(w.agents[n].place, there))
		}
		w.underway(to, l)
	}
	a := &w.agents[n]
	a.mail.outbox = slices.DeleteFunc(a.mail.outbox, func(until int64) bool { return until <= w.tick })
	a.mail.outbox = append(a.mail.outbox, l.dueAt)
	w.emit(Event{
		Kind: EventMessageSent, Agent: a.id, Place: w.placeID(a.place), Subject: w.letterID(l), Detail: l.kind(),
		Text: l.text,
	})
}

// underway puts a letter among those on their way to agent n. The order of arrival does not
// depend on who acted first in the tick: no two messages of an agent are sent in the same one.
func (w *World) underway(n int32, l letter) {
	mail := &w.agents[n].mail
	i, _ := slices.BinarySearchFunc(mail.coming, l, func(x, y letter) int {
		return cmp.Or(cmp.Compare(x.dueAt, y.dueAt), cmp.Compare(x.sentAt, y.sentAt), cmp.Compare(x.from, y.from),
			cmp.Compare(x.told, y.told))
	})
	mail.coming = slices.Insert(mail.coming, i, l)
	w.touchAgent(n)
	w.planMail(n)
}

// kind is that of a typed message, empty for a text.
func (l letter) kind() string {
	if l.terms == nil {
		return ""
	}
	return l.terms.kind
}

// deliver hands agent n the messages that are due. A shut-down agent finds them when it
// restarts. An offer that its rules can never let it accept wakes nobody.
func (w *World) deliver(n int32) {
	a := &w.agents[n]
	due := 0
	for !a.travelling() && due < len(a.mail.coming) && a.mail.coming[due].dueAt <= w.tick {
		l := a.mail.coming[due]
		due++
		l.arrivedAt = w.tick
		a.mail.file(l, int(w.law.InboxMax))
		w.emit(Event{
			Kind: EventMessageDelivered, Agent: a.id, Place: w.placeID(a.place), Subject: w.letterID(l), Detail: l.kind(),
			Text: l.text,
		})
		w.touchAgent(n)
		if l.terms != nil {
			w.takeUp(n, l.terms)
		}
		if l.terms == nil || l.terms.kind != KindOffer || w.takes(n, l.terms) {
			w.disturb(n, l.from)
		}
	}
	a.mail.coming = slices.Delete(a.mail.coming, 0, due)
	w.planMail(n)
}

// file puts a letter into the inbox. If the inbox is full, the sender with the most letters
// loses its oldest, so no sender can displace what others wrote.
func (m *mailbox) file(l letter, most int) {
	m.inbox = append(m.inbox, l)
	if len(m.inbox) <= most {
		return
	}
	count, excess := map[int32]int{}, 0
	for _, l := range m.inbox {
		count[l.from]++
	}
	for i, l := range m.inbox {
		if count[l.from] > count[m.inbox[excess].from] {
			excess = i
		}
	}
	m.inbox = slices.Delete(m.inbox, excess, excess+1)
	m.dropped++
}

// disturb wakes agent n for a message and ends its chain, unless the present step ignores messages.
// Agents that no rule of it names do so in at most one of any [StrangersTicks] ticks, and those that a
// rule names end a chain in at most one of any [NamedTicks].
// Otherwise their chatter could keep it from its work. The operator is none of them.
func (w *World) disturb(n, from int32) {
	a := &w.agents[n]
	heeds := !a.standing.ignores(StopMessageReceived)
	ends := a.standing != nil && (heeds || a.standing.names(StopMessageReceived))
	if !ends && (!heeds || a.waitUntil == 0) {
		return
	}
	again := func(last, ticks int64) bool { return last != 0 && last != w.tick && w.tick < last+ticks }
	switch {
	case from == fromOperator:
	case !w.names(n, from):
		if again(a.mail.wokenAt, StrangersTicks) {
			return
		}
		a.mail.wokenAt = w.tick
	case a.standing != nil:
		if again(a.mail.endedAt, NamedTicks) {
			return
		}
		a.mail.endedAt = w.tick
	}
	if ends {
		a.standing.messaged = true
	}
	if heeds {
		w.wake(n, string(EventMessageDelivered))
	}
}

// TextMax bounds a message or note, in characters.
const TextMax = 200

// cleanText makes a text fit to be stored and shown: valid UTF-8 on one line of at most most
// characters, without white space at its ends. Hidden characters become spaces, so that a
// text cannot hide part of itself. A text that is cut ends with an ellipsis. Cleaning a clean
// text changes nothing.
func cleanText(text string, most int64) string {
	text = strings.Map(func(r rune) rune {
		if plaintext.Hidden(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return plaintext.Clip(strings.TrimSpace(text), int(most))
}
