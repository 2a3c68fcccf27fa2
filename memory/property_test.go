package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/agentworld/internal/draws"
	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/trace"
)

// check holds that the bookkeeping of a memory agrees with what it holds.
func (m *Memory) check(t interface{ Fatalf(string, ...any) }) {
	held := map[*record]bool{}
	var counts [categories]int
	heard := 0
	for i, r := range m.short {
		held[r] = true
		if !r.inShort || r.Merged > 0 || slices.Contains(m.short[:i], r) {
			t.Fatalf("%s does not belong into the ring", r.ID)
		}
		if r.category() == categoryHeard {
			heard++
		}
	}
	for i, r := range m.long {
		held[r] = true
		counts[r.category()]++
		if !r.inLong || slices.Contains(m.long[:i], r) {
			t.Fatalf("%s does not belong into the store", r.ID)
		}
	}
	if len(m.short) > m.sizes.short || len(m.long) > m.sizes.long || heard != m.heard || counts != m.counts || heard > max(1, m.sizes.short/heardShare) {
		t.Fatalf("%d in the ring, %d in the store of %+v, %d of %d heard, %v of %v", len(m.short), len(m.long), m.sizes, heard, m.heard, counts, m.counts)
	}
	facts, settled, texts := 0, map[*series]int{}, 0
	for r := range held {
		if m.ids[r.ID] != r || m.texts[r.number] != r || m.marks[r.number] != (mark{r.seq, r.LastTick, int64(r.Weight()), r.category(), r.Failed, true}) || (r.Merged == 0) != (m.facts[r.fact()] == r) {
			t.Fatalf("%s cannot be found", r.ID)
		}
		if r.Merged == 0 {
			facts++
		}
		if r.series != nil && (m.series[r.key(r.Topic)] != r.series || (r.Merged > 0) != (r.series.summary == r)) {
			t.Fatalf("%s is in a wrong series", r.ID)
		}
		if r.inLong && !r.inShort && r.series != nil {
			settled[r.series]++
		}
		if len(r.Parents) > ParentsMax || len(r.Subjects) > SubjectsMax || len(r.Measures) > MeasuresMax || utf8.RuneCountInString(r.Text) > m.sizes.text {
			t.Fatalf("%s is too large: %+v", r.ID, r.Entry)
		}
	}
	for _, r := range m.texts {
		if r != nil {
			texts++
		}
	}
	if len(m.ids) != len(held) || len(m.facts) != facts || texts != len(held) {
		t.Fatalf("%d ids, %d facts, %d texts for %d entries, %d of them facts", len(m.ids), len(m.facts), texts, len(held), facts)
	}
	for subject, numbers := range m.subjects {
		for i, number := range numbers {
			if !slices.Contains(m.texts[number].Subjects, subject) || i > 0 && numbers[i-1] >= number {
				t.Fatalf("the texts about %s are said to be %v", subject, numbers)
			}
		}
	}
	for _, s := range m.series {
		if s.settled != settled[s] || s.held == 0 {
			t.Fatalf("a series counts %d settled of %d", s.settled, settled[s])
		}
	}
}

// anyEntry makes entries of few kinds, so that repeats and series come about. Words
// of the other agent say poison. Each entry counts itself in a measure.
func anyEntry(known []string) *rapid.Generator[Entry] {
	return rapid.Custom(func(t *rapid.T) Entry {
		amount := rapid.Int64Range(1, 4).Draw(t, "amount")
		e := Entry{
			Tick: rapid.Int64Range(0, 60).Draw(t, "tick"), Importance: rapid.IntRange(300, 900).Draw(t, "importance"),
			Kind: KindOutcome, Trust: trace.TrustSelfObservation, Measures: []Measure{Sum("entries", 1), Range("g", amount)},
			Subjects: []string{rapid.SampledFrom([]string{"hub", "矿区"}).Draw(t, "place")},
		}
		e.Text = fmt.Sprintf("mine %d at %s", amount, e.Subjects[0])
		switch rapid.IntRange(0, 5).Draw(t, "sort") {
		case 0:
			e.Topic = "mine ok"
		case 1:
			e.Topic, e.Failed, e.Text = "mine refused", true, e.Text+" refused"
		case 2:
			e.Kind, e.Topic, e.Text = KindObservation, "place", "seen "+e.Subjects[0]
		case 3:
			e.Kind, e.Topic, e.Trust, e.Origin = KindHeard, "message", trace.TrustOtherAgent, "agent-7"
			e.Text = fmt.Sprintf("poison %d 电力", amount)
			e.Parents = []string{fmt.Sprint("msg-", e.Tick)}
		case 4:
			e.Kind, e.Text = KindObservation, fmt.Sprint("I think so ", amount)
			if len(known) > 0 {
				e.Parents = rapid.SliceOfN(rapid.SampledFrom(known), 1, 3).Draw(t, "parents")
			}
		}
		return e
	})
}

// life is a memory with what a naive twin knows of it.
type life struct {
	*Memory
	minted []string
	// floor is the least trust that an entry with an id ever had.
	floor map[string]trace.Trust
	// recorded counts the recordings of a series.
	recorded map[key]int
}

// live records e and holds its id and trust against the twin.
func (l *life) live(t *rapid.T, e Entry) {
	id := l.Record(e)
	floor := e.Trust
	for _, p := range e.Parents {
		if of, minted := l.floor[p]; minted {
			floor = min(floor, of)
		}
	}
	if !slices.Contains(l.minted, id) {
		l.minted = append(l.minted, id)
		l.floor[id] = floor
	}
	now, ok := l.Lookup(id)
	if !ok || now.Trust > floor || now.Trust > l.floor[id] {
		t.Fatalf("%s was recorded with trust %v, and what it comes from has %v", id, now.Trust, floor)
	}
	l.floor[id] = min(l.floor[id], floor)
	e = now.Entry
	l.recorded[e.key(e.Topic)]++
}

// mindTrust holds entries that were shown against the twin.
func (l *life) mindTrust(t *rapid.T, shown []Scored) {
	for _, s := range shown {
		for _, id := range append([]string{s.ID}, s.Parents...) {
			if of, minted := l.floor[id]; minted && s.Trust > of {
				t.Fatalf("%+v is trusted more than %s, which has %v", s.Entry, id, of)
			}
		}
		if strings.Contains(s.Text, "poison") && (s.Trust > trace.TrustOtherAgent || s.category() != categoryHeard || !strings.Contains(s.Line(English), `"poison`)) {
			t.Fatalf("words of another agent came out as %s with trust %v", s.Line(English), s.Trust)
		}
	}
}

// mindCounts checks that no recording is counted twice: neither by two entries nor twice
// by one entry.
func (l *life) mindCounts(t *rapid.T) {
	told := map[key]int{}
	for _, r := range l.ids {
		told[r.key(r.Topic)] += r.Repeats + 1
		if r.Merged > 0 && (r.Measures[0].Total != int64(r.Repeats+1) || r.Merged > r.Repeats+1) {
			t.Fatalf("a summary of %d counts %v: %+v", r.Repeats+1, r.Measures, r.Entry)
		}
	}
	for key, n := range told {
		if n > l.recorded[key] {
			t.Fatalf("%+v was recorded %d times and is told %d times", key, l.recorded[key], n)
		}
	}
}

// naiveSearch is Search by the book: everything held is scored and sorted.
func (l *life) naiveSearch(query string, limit int, now int64) []Scored {
	var all []Scored
	var index relevance.Index
	for _, id := range l.ids {
		all = append(all, Scored{Entry: id.copied()})
	}
	slices.SortFunc(all, func(a, b Scored) int { return int(l.ids[a.ID].seq - l.ids[b.ID].seq) })
	for _, s := range all {
		text := s.Text
		for _, subject := range s.Subjects {
			if !strings.Contains(s.Text, subject) {
				text += " " + subject
			}
		}
		if s.category() == categoryHeard {
			index.AddSilent(text)
		} else {
			index.Add(text)
		}
	}
	for i, r := range index.Relevances(relevance.QueryTerms(query)) {
		s := &all[i]
		s.Relevance, s.Recency = r, 1000*8/(8+max(now-s.LastTick, 0))
		s.Score = (600*r + 200*s.Recency + 200*int64(s.Weight())) / 1000
		if s.Failed {
			s.Score += 100
		}
	}
	if query != "" {
		all = slices.DeleteFunc(all, func(s Scored) bool { return s.Relevance == 0 })
	}
	slices.SortStableFunc(all, func(a, b Scored) int { return int(b.Score - a.Score) })
	return all[:min(limit, len(all))]
}

// TestMemoryLives records whatever comes in small memories, and compares with the
// twin after every step.
func TestMemoryLives(t *testing.T) {
	merged := 0
	play := func(t *rapid.T) {
		config := sizes{short: rapid.IntRange(1, 12).Draw(t, "ring"), long: rapid.IntRange(1, 12).Draw(t, "store"), text: 60}
		l := &life{Memory: sized(config), floor: map[string]trace.Trust{}, recorded: map[key]int{}}
		second := sized(config)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			e := anyEntry(l.minted).Draw(t, "entry")
			before := len(l.minted)
			l.live(t, e)
			if id := second.Record(e); id != l.minted[len(l.minted)-1] && len(l.minted) > before {
				t.Fatalf("the same records made %s and %s", id, l.minted[len(l.minted)-1])
			}
			l.check(t)
			l.mindCounts(t)
			query := rapid.SampledFrom([]string{"", "mine", "refused 矿区", "电力 poison", "zebra"}).Draw(t, "query")
			found := l.Search(query, 5, 60)
			if diff := cmp.Diff(l.naiveSearch(query, 5, 60), found); diff != "" && len(found) > 0 {
				t.Fatalf("Search(%q) (-naive +got):\n%s", query, diff)
			}
			l.mindTrust(t, found)
			l.mindTrust(t, l.Recent(9, 60))
			f, q := Focus{Query: query, Subjects: []string{"矿区"}, Now: 60}, Quota{2, 1, 1, 2}
			d := l.Digest(f, q, nil)
			l.mindTrust(t, d)
			if diff := cmp.Diff(linesOf(d), linesOf(second.Digest(f, q, nil))); diff != "" {
				t.Fatalf("the same memory has two digests:\n%s", diff)
			}
			for _, r := range l.long {
				merged = max(merged, r.Merged)
			}
		}
	}
	rapid.Check(t, play)
	draws.Until(func() bool { return merged >= 3 }, play)
}
