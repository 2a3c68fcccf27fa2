package world

import (
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
	// that tick from 1.
	ID string `json:"id"`
	// From is the sender's id.
	From string `json:"from"`
	// Sent and Arrived are ticks.
	Sent    int64 `json:"sent"`
	Arrived int64 `json:"arrived"`
	// Text is what another agent wrote: data, at most [TextMax] characters, one line.
	Text string `json:"text"`
	// New says that it arrived since the receiver's last decision.
	New bool `json:"new"`
}

// letter is a message on its way or arrived.
type letter struct {
	from   int32
	sentAt int64
	// dueAt is the earliest tick of its arrival, arrivedAt the real one, 0 before.
	dueAt, arrivedAt int64
	text             string
}

// id names the letter. An agent acts once per tick, so that its message of a tick
// is the first. Counting all it ever sent would tell receivers of the others.
func (w *World) letterID(l letter) string { return w.textID("msg", l.sentAt, l.from) }

// textID is the id of what agent n wrote in a tick.
func (w *World) textID(kind string, tick int64, n int32) string {
	return kind + "-" + strconv.FormatInt(tick, 10) + "-" + w.agents[n].id + "-1"
}

// mailbox is an agent's part in the exchange of messages.
type mailbox struct {
	// coming are the messages on their way to the agent, by tick due, tick sent and
	// sender. Nobody sees them.
	coming []letter
	// inbox are the newest arrived ones, oldest first; dropped counts the others.
	inbox   []letter
	dropped int64
	// outbox holds for each message sent the tick from which it no longer counts
	// against OutboxMax. Entries that are over stay until the next message.
	outbox []int64
}

// messageTicks is the duration of a message's flight, at least one tick.
func (l *law) messageTicks(distanceCM int64) int64 {
	return 1 + distanceCM/(l.MessageKMPerTick*CMPerKM)
}

// planMail sets the wake-up for the next message to agent n. Whoever travels gets
// its messages on arrival, however long they have been due.
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

// deliver hands agent n the messages that are due and wakes it; from a full inbox the
// oldest goes. A shut-down agent
// finds them when it restarts.
func (w *World) deliver(n int32) {
	a := &w.agents[n]
	due := 0
	for !a.travelling() && due < len(a.mail.coming) && a.mail.coming[due].dueAt <= w.tick {
		l := a.mail.coming[due]
		due++
		l.arrivedAt = w.tick
		a.mail.inbox = append(a.mail.inbox, l)
		if excess := len(a.mail.inbox) - int(w.law.InboxMax); excess > 0 {
			a.mail.inbox = slices.Delete(a.mail.inbox, 0, excess)
			a.mail.dropped += int64(excess)
		}
		w.emit(Event{Kind: EventMessageDelivered, Agent: a.id, Place: w.placeID(a.place), Subject: w.letterID(l), Text: l.text})
		w.touchAgent(n)
		if a.standing != nil {
			a.standing.messaged = true
		}
		if !a.standing.ignores(StopMessageReceived) {
			w.wake(n, string(EventMessageDelivered))
		}
	}
	a.mail.coming = slices.Delete(a.mail.coming, 0, due)
	w.planMail(n)
}

// TextMax bounds a message or note, in characters.
const TextMax = 200

// cleanText makes what an agent wrote fit to be stored and shown: valid UTF-8 on
// one line of at most most characters, without white space at its ends. Hidden
// characters become spaces, so that a text can neither break lines nor hide part of
// itself; one that is cut ends with an ellipsis. Cleaning a clean text changes nothing.
func cleanText(text string, most int64) string {
	text = strings.Map(func(r rune) rune {
		if plaintext.Hidden(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return plaintext.Clip(strings.TrimSpace(text), int(most))
}
