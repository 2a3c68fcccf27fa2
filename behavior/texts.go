package behavior

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// texts are the words of other agents that a turn has in view, and what the agent
// itself said last among them. They are withheld until the turn's plan is made,
// so that no stranger's text can bend it, and are shown only encoded as JSON.
type texts struct {
	Inbox []world.Message `json:"inbox,omitempty"`
	Notes []world.Note    `json:"notes,omitempty"`
	// Terms are the requests and offers that no rule of the agent could answer now.
	Terms []world.Terms `json:"terms,omitempty"`
	// Remembered are lines of memories of what others wrote earlier.
	Remembered []string `json:"remembered,omitempty"`
	// Lessons are lines of the playbook that are trusted less than what the agent
	// observed itself.
	Lessons []string `json:"lessons,omitempty"`
	// Documents are lines of untrusted documents.
	Documents []string `json:"documents,omitempty"`
	// Said is what the agent wrote itself in the last ticks: it may repeat what others
	// wrote, so it stays with their texts.
	Said []sent `json:"you_said,omitempty"`
	// Planned is what the agent planned after texts of others and has not done.
	Planned *lateIntention `json:"you_planned,omitempty"`
	// LastTurn says what was refused or changed in the last turn, if that was under texts.
	LastTurn []string `json:"last_turn,omitempty"`
	// NotDone are steps of a chain that were not done, decided with texts in view.
	NotDone []string `json:"not_done,omitempty"`
	// LeftOut counts the older texts cut to stay in the budget.
	LeftOut int `json:"left_out,omitempty"`
	// tick is that of the turn.
	tick int64
	// recalled are the sources of Remembered, taught those of Lessons, passages those of Documents.
	recalled, taught, passages []trace.Source
	// last is LastTurn as a source.
	last trace.Source
	// spoken returns what a text of the agent's own may repeat, by its tick.
	spoken func(tick int64) untrustedText
	// deciders are the authors of the texts with which NotDone was decided.
	deciders []string
	// bare says that the prompt holds the texts without an envelope.
	bare bool
}

// visibleObservation is an observation as the opening prompt shows it: without texts, but
// with their number.
type visibleObservation struct {
	world.Observation
	Withheld int
	// withheldTerms is how many of them are requests or offers, unread how many the agent has not
	// read before. idle are the offers among the unread: no rule can take them now, so no plan has to
	// be made for them. fresh counts the unread ones and lessons.
	withheldTerms, unread, idle, fresh int
	// sent is what the agent wrote lately, with its text only if that cannot repeat others, and spoken
	// are the sources of those texts. senders are the authors of what is withheld.
	sent    []sent
	spoken  []trace.Source
	senders []string
	// shown are the terms in it, rules what others may ask for.
	shown []world.Terms
	rules []policy.Quota
	// news are what others or time did to the agent since it last decided.
	news []episode
	// saw is what it saw of places before.
	saw []sighting
	// intentions are what it planned and has not done.
	intentions intentions
	// standing is the agent's standing order, nil without one.
	standing *world.ExecuteUntil
	// notDone are the steps of the last chain that were not done.
	notDone []string
	// naming is how the ids in it are rendered.
	naming naming
	// last is the tick after which nothing counts any more, 0 where no task says so.
	last int64
	// idleDraw is the electricity that an agent uses in a tick.
	idleDraw int64
}

func (t texts) count() int {
	return len(t.Inbox) + len(t.Notes) + len(t.Terms) + len(t.Remembered) + len(t.Lessons) + len(t.Documents)
}

// told is how many texts are told of before the plan. How many old ones come back depends on their
// words, so those are not counted.
func (t texts) told() int { return t.count() - len(t.Remembered) }

// variants are the texts with ever fewer of the old ones, and none at last.
func (t texts) variants() (all []texts) {
	for total := t.count(); t.count() > 0; t.LeftOut = total - t.count() {
		all = append(all, t)
		t.Inbox = t.Inbox[:len(t.Inbox)/2]
		t.Notes = t.Notes[:len(t.Notes)/2]
		t.Terms = t.Terms[:len(t.Terms)/2]
		t.Remembered = nil
		t.Lessons = nil
		t.Documents = t.Documents[:len(t.Documents)/2]
	}
	return append(all, texts{})
}

// section is the text of the prompt section, empty without any text of others.
func (t texts) section(w *wording) string {
	switch {
	case t.count() == 0:
		return ""
	case t.bare:
		var lines []string
		for _, s := range t.plainLines() {
			lines = append(lines, s.Text)
		}
		return strings.Join(lines, "\n")
	}
	return w.Headings.Messages + "\n" + encode(t)
}

// sources are the texts as sources for self, who wrote some of them perhaps. Its own
// ones are trusted as far as what was in view when it wrote them: they may repeat it.
func (t texts) sources(self string) []trace.Source {
	if t.bare {
		return t.plainSources()
	}
	list := slices.Concat(t.recalled[:len(t.Remembered)], t.taught[:len(t.Lessons)], t.passages[:len(t.Documents)])
	for _, m := range t.Inbox {
		list = append(list, modules.TextSource(trace.KindMessage, m.ID, m.From, m.Sent, m.Text, encode(m)))
	}
	for _, n := range t.Notes {
		s := modules.TextSource(trace.KindNote, n.ID, n.Author, n.Tick, n.Text, encode(n))
		if n.Author == self {
			s = t.spoken(n.Tick).source(s)
		}
		list = append(list, s)
	}
	for _, s := range t.Terms {
		list = append(list, modules.TermsSource(s, t.tick, encode(s)))
	}
	for _, s := range t.Said {
		list = append(list, s.source(t.spoken))
	}
	if t.Planned != nil {
		list = append(list, t.Planned.sources...)
	}
	if len(t.LastTurn) > 0 {
		list = append(list, t.last)
	}
	return list
}

// readings are the texts, terms and chunks of documents, each with the agents whose text may have
// led to it.
func (t texts) readings() (list []reading) {
	for _, m := range t.Inbox {
		list = append(list, reading{text: m.ID, parents: m.Parents})
	}
	for _, n := range t.Notes {
		list = append(list, reading{text: n.ID, parents: n.Parents})
	}
	for _, s := range t.Terms {
		list = append(list, reading{text: s.ID, parents: s.Parents})
	}
	for _, s := range t.passages[:len(t.Documents)] {
		list = append(list, reading{text: s.ID})
	}
	return list
}

// parents are the agents whose text may have led to the messages, notes, terms and steps not done.
func (t texts) parents() (ids []string) {
	for _, r := range t.readings() {
		ids = append(ids, r.parents...)
	}
	return append(ids, t.deciders...)
}

// lateIntention is a plan made after texts, as it is shown with texts.
type lateIntention struct {
	Goal    string   `json:"goal,omitempty"`
	NotDone []string `json:"not_done,omitempty"`
	// sources are its goal and its steps, each as trusted as what was in view when it was planned.
	sources []trace.Source
}

// plan adds what is left of a plan made after texts.
func (t *texts) plan(n *intention) {
	if !n.isEmpty() {
		t.Planned = &lateIntention{n.goal, n.texts(), n.sources("late-", t.spoken)}
	}
}

// source is the text as a source, given what it may repeat by its tick.
func (s sent) source(spoken func(tick int64) untrustedText) trace.Source {
	return spoken(s.Tick).source(modules.TextSource(trace.KindSaid, fmt.Sprintf("said-%d", s.Tick), "", s.Tick, s.Text,
		s.Text))
}

// withheld says how many texts wait for the plan, terms and unread ones among them, and whose they are.
func (w *wording) withheld(count, terms, unread int, senders []string) string {
	senders = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(senders))),
		func(id string) bool { return id == "" })
	var kinds []string
	if n := count - terms; n > 0 {
		kinds = append(kinds, w.Observation.Texts.Text(n))
	}
	if terms > 0 {
		kinds = append(kinds, w.Observation.Terms.Text(terms))
	}
	whose := cmp.Or(strings.Join(senders, ", "), textUnknown)
	return w.Observation.Withheld.Text(strings.Join(kinds, " + "), whose, unread)
}

// A guard is measured against texts without an envelope. Each is a line that begins with its
// sender, and nothing marks its end. The author is then only what the text says, for the model
// and for the trust of sources.

// plainLines are the texts as sources without an author, one a line, the newest first.
// What the agent said itself comes last and has no kind.
func (t texts) plainLines() []trace.Source {
	var list []trace.Source
	for _, m := range t.Inbox {
		list = append(list, modules.TextSource(trace.KindMessage, m.ID, "", m.Sent, m.Text, "From "+m.From+": "+m.Text))
	}
	for _, n := range t.Notes {
		list = append(list, modules.TextSource(trace.KindNote, n.ID, "", n.Tick, n.Text, "From "+n.Author+": "+n.Text))
	}
	for _, s := range slices.Concat(t.recalled[:len(t.Remembered)], t.taught[:len(t.Lessons)],
		t.passages[:len(t.Documents)]) {
		list = append(list, modules.TextSource(s.Kind, s.ID, "", s.OriginTick, s.Preview, s.Text))
	}
	for _, s := range t.Said {
		list = append(list, modules.TextSource("", "", "", 0, s.Text, "You said: "+s.Text))
	}
	if t.Planned != nil {
		text := encode(t.Planned)
		list = append(list, modules.TextSource("", "", "", 0, text, "You planned: "+text))
	}
	for _, step := range t.NotDone {
		list = append(list, modules.TextSource("", "", "", 0, step, "You did not do: "+step))
	}
	for _, text := range t.LastTurn {
		list = append(list, modules.TextSource("", "", "", 0, text, text))
	}
	return list
}

// plainSources are the texts as sources. The author of each is read from its own words: text
// after a second "From agent-9:" counts as written by agent-9.
func (t texts) plainSources() []trace.Source {
	var list []trace.Source
	for _, s := range t.plainLines() {
		if s.Kind == "" {
			continue
		}
		starts := saidBy.FindAllStringSubmatchIndex(s.Text, -1)
		if len(starts) == 0 {
			list = append(list, s)
		}
		for n, at := range starts {
			end, id := len(s.Text), s.ID
			if n+1 < len(starts) {
				end = starts[n+1][0]
			}
			if n > 0 {
				id = fmt.Sprintf("%s-%d", s.ID, n+1)
			}
			text := s.Text[at[0]:end]
			list = append(list, modules.TextSource(s.Kind, id, s.Text[at[2]:at[3]], s.OriginTick, text, text))
		}
	}
	return list
}

// saidBy finds where another speaker begins, or seems to begin.
var saidBy = regexp.MustCompile(`(?i)\bfrom ([a-z0-9_.:-]{1,64}): `)
