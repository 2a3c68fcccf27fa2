package behavior

import (
	"slices"

	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The topics of what others wrote, and how much of a text is remembered.
const (
	topicMessage  = "message"
	topicNote     = "note"
	heardCharsMax = 120
)

// heard are the texts of other agents as memories, oldest first. The agent's own texts are left
// out. The memories keep author, tick and trust of what they repeat, whatever is made of them
// later. Only with the memory check off do they have the trust of the agent's own.
func (m *Agent) heard(t texts) []memory.Entry {
	var list []memory.Entry
	for _, n := range slices.Backward(t.Notes) {
		if n.Author != m.id {
			list = append(list, heardEntry(topicNote, n.ID, n.Author, n.Tick, n.Text))
		}
	}
	for _, l := range slices.Backward(t.Inbox) {
		list = append(list, heardEntry(topicMessage, l.ID, l.From, l.Sent, l.Text))
	}
	if !m.cfg.Guards(trace.CheckMemory) {
		for i := range list {
			list[i].Trust = trace.TrustSelfObservation
		}
	}
	return list
}

func heardEntry(topic, id, author string, tick int64, text string) memory.Entry {
	return memory.Entry{
		Tick: tick, Kind: memory.KindHeard, Importance: memory.ImportanceRoutine, Trust: trace.TrustOtherAgent,
		Text: plaintext.Clip(text, heardCharsMax), Topic: topic, Subjects: []string{author}, Origin: author,
		Parents: []string{id},
	}
}

// reading is a text of another agent that was read, the memory of it and its parents.
type reading struct {
	text, memory string
	parents      []string
}

// unread is 1 for a text that was not read yet, and 0 for any other.
func (p *history) unread(id string) int {
	if slices.ContainsFunc(p.read, func(r reading) bool { return r.text == id }) {
		return 0
	}
	return 1
}

// readMax bounds how many readings are kept to recognize new texts. It is more than places and
// inboxes hold at once, so that a text which stays there is new only once.
const readMax = 256

// recallHeard puts among the texts withheld what the agent remembers of earlier
// ones, where that is about its goals. Without newer texts it recalls none: what an old one
// says shall not decide whether there are texts in view.
func (m *Agent) recallHeard(withheld texts, f memory.Focus) texts {
	if !m.cfg.Guards(trace.CheckMemory) {
		return withheld
	}
	if withheld.count() == 0 {
		return withheld
	}
	var inView []string
	for _, r := range m.history.read {
		if slices.ContainsFunc(withheld.Inbox, func(m world.Message) bool { return m.ID == r.text }) ||
			slices.ContainsFunc(withheld.Notes, func(n world.Note) bool { return n.ID == r.text }) {
			inView = append(inView, r.memory)
		}
	}
	for _, s := range m.memory.Digest(f, memory.Quota{Heard: m.layout.quota.Heard}, inView) {
		if s.Relevance > 0 {
			withheld.Remembered = append(withheld.Remembered, s.Line(m.words.memory))
			withheld.recalled = append(withheld.recalled, s.Source(m.words.memory))
		}
	}
	return withheld
}
