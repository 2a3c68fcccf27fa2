package memory

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// sizes bound a memory.
type sizes struct {
	// short is how many entries the short-term ring holds. A decision records one to three, and one
	// for each text of others.
	short int
	// long is how many entries long-term memory holds.
	long int
	// text is the length of an entry's text in characters.
	text int
}

// promoteAt is the weight, of at most [ImportanceMax], from which an entry enters long-term
// memory.
const promoteAt = 700

// Memory is what one agent remembers: a short-term ring of the newest facts and a
// long-term store of the important ones. It is a deterministic function of the
// calls made on it.
//
// Invariants:
//  1. A fact is held once, whether in the ring, in the store or in both, and
//     keeps its id for as long as it is held.
//  2. The ring holds at most 128 entries in order of their last recording,
//     at most a quarter of them untrusted texts; the store holds at most 256.
//  3. A fact enters the store at most once, and at most one summary includes it.
//  4. No entry is trusted more than anything it was made from.
//
// A Memory is not safe for concurrent use.
type Memory struct {
	sizes  sizes
	words  Words           // of the summaries
	facts  map[key]*record // without summaries
	series map[key]*series
	ids    map[string]*record
	index  relevance.Index
	// texts and marks are by number in the index. A number that is free has nil and no mark.
	texts    []*record
	marks    []mark
	subjects map[string][]int // the numbers of the texts about each subject, in order
	short    []*record        // oldest recording first
	heard    int              // untrusted texts in the ring
	long     []*record        // in order of promotion
	counts   [categories]int
	minted   int64 // ids minted so far
}

// record is one held entry with what retrieval needs.
type record struct {
	Entry
	seq      int64 // order of first recording
	number   int   // of the text in the index
	series   *series
	settled  bool // the series counts it among those that may be merged
	inShort  bool
	inLong   bool
	promoted bool
}

// New returns an empty memory, which writes its summaries in the given words.
func New(w Words) *Memory {
	return &Memory{
		sizes: sizes{short: 128, long: 256, text: 240}, words: w,
		facts: map[key]*record{}, series: map[key]*series{}, ids: map[string]*record{}, subjects: map[string][]int{},
	}
}

// SetWords changes the words of the summaries written from now on. Existing summaries keep
// their words until the next entry is merged into them. Only the text that people and
// models read changes: ids, numbers and what is kept do not depend on it.
func (m *Memory) SetWords(w Words) { m.words = w }

// Record remembers e and returns its id. If an equal fact is still held, its Repeats grows, its LastTick
// moves, and it becomes the newest of the ring under its old id. A fact of enough weight enters long-term
// memory too.
func (m *Memory) Record(e Entry) string {
	e = m.admit(e)
	t, known := m.facts[e.fact()]
	if known {
		t.repeat(e, e.Parents)
		m.remark(t)
	} else {
		t = m.mint(e)
		m.facts[e.fact()] = t
		m.addText(t)
	}
	m.touch(t)
	if !t.promoted && t.Weight() >= promoteAt {
		m.keep(t)
		m.shrink()
	}
	return t.ID
}

// admit returns e within the bounds of an entry. Nothing that a caller passes is trusted more than the
// entries it was made from.
func (m *Memory) admit(e Entry) Entry {
	line := func(text string, charsMax int) string { return plaintext.Clip(plaintext.Line(text), charsMax) }
	e.Text = line(e.Text, m.sizes.text)
	e.Origin = line(e.Origin, m.sizes.text)
	e.Topic = line(e.Topic, m.sizes.text)
	var subjects []string
	for _, s := range e.Subjects {
		s = line(s, SubjectCharsMax)
		if s != "" {
			subjects = append(subjects, s)
		}
	}
	slices.Sort(subjects)
	subjects = slices.Compact(subjects)
	e.Subjects = subjects[:min(len(subjects), SubjectsMax)]
	measures := slices.Clone(e.Measures)
	for i, measure := range measures {
		measures[i].Name = line(measure.Name, SubjectCharsMax)
		measures[i].Low, measures[i].High = min(measure.Low, measure.High), max(measure.Low, measure.High)
	}
	e.Measures = mergedMeasures(nil, measures)
	e.Importance = min(max(e.Importance, 0), ImportanceMax)
	e.Trust = min(max(e.Trust, trace.TrustToolError), trace.TrustRules)
	for _, id := range e.Parents {
		if parent, held := m.ids[id]; held {
			e.Trust = min(e.Trust, parent.Trust)
		} else if strings.HasPrefix(id, idPrefix) {
			// The parent is forgotten, and with it whose text it held.
			e.Trust = trace.TrustToolError
		}
	}
	e.Tick = max(e.Tick, 0)
	e.LastTick = e.Tick
	e.Repeats = 0
	e.Merged = 0
	e.ParentsLeft = 0
	parents := e.Parents
	e.Parents = nil
	e.joinParents(parents...)
	return e
}

// idPrefix begins the id of every entry.
const idPrefix = "mem-"

// mint gives e an id that no entry had before, and a series.
func (m *Memory) mint(e Entry) *record {
	m.minted++
	e.ID = fmt.Sprintf("%s%d-%d", idPrefix, e.Tick, m.minted)
	t := &record{Entry: e, seq: m.minted}
	m.ids[e.ID] = t
	if t.Topic != "" {
		of := t.key(t.Topic)
		if m.series[of] == nil {
			m.series[of] = &series{}
		}
		t.series = m.series[of]
		t.series.held++
	}
	return t
}

// addText makes t searchable by its text and by its subjects.
func (m *Memory) addText(t *record) {
	text := t.Text
	for _, s := range t.Subjects {
		if !strings.Contains(t.Text, s) {
			text += " " + s
		}
	}
	if t.category() == categoryHeard {
		t.number = m.index.AddSilent(text)
	} else {
		t.number = m.index.Add(text)
	}
	for _, s := range t.Subjects {
		at, _ := slices.BinarySearch(m.subjects[s], t.number)
		m.subjects[s] = slices.Insert(m.subjects[s], at, t.number)
	}
	if t.number == len(m.texts) {
		m.texts, m.marks = append(m.texts, nil), append(m.marks, mark{})
	}
	m.texts[t.number] = t
	m.remark(t)
}

// dropText undoes addText.
func (m *Memory) dropText(t *record) {
	m.index.Remove(t.number)
	for _, s := range t.Subjects {
		at, _ := slices.BinarySearch(m.subjects[s], t.number)
		m.subjects[s] = slices.Delete(m.subjects[s], at, at+1)
		if len(m.subjects[s]) == 0 {
			delete(m.subjects, s)
		}
	}
	m.texts[t.number], m.marks[t.number] = nil, mark{}
}
