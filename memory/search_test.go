package memory

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/trace"
)

func TestSearchFindsByWords(t *testing.T) {
	m := New(English)
	texts := []string{
		"mined 5000 g of compound at the hub",
		"moved to the outpost, 36 electricity",
		"the assembler at the hub finished a control chip",
		"矿区的矿石已经耗尽",
		"电力不足，等待充电",
	}
	byID := map[string]string{}
	for i, text := range texts {
		byID[m.Record(Entry{Tick: int64(i), Kind: KindObservation, Trust: trace.TrustSelfObservation, Text: text, Importance: 500})] = text
	}
	for _, c := range []struct {
		query string
		want  []int
	}{
		{"control chips", []int{2}},
		{"outpost", []int{1}},
		{"HUB", []int{0, 2}},
		{"compound hub", []int{0, 2}},
		{"矿石", []int{3}},
		{"充电", []int{4}},
		{"矿", []int{3}},
		{"zebra", nil},
	} {
		var want []string
		for _, i := range c.want {
			want = append(want, texts[i])
		}
		var got []string
		for _, s := range m.Search(c.query, 5, 10) {
			got = append(got, byID[s.ID])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Search(%q) (-want +got):\n%s", c.query, diff)
		}
	}
}

func TestScoreFormula(t *testing.T) {
	m := New(English)
	m.Record(Entry{Tick: 0, Kind: KindObservation, Text: "a", Importance: 800, Failed: true})
	m.Record(Entry{Tick: 8, Kind: KindObservation, Text: "b", Importance: 200})
	type scores struct{ score, relevance, recency int64 }
	var got []scores
	for _, s := range m.Search("", 5, RecencyHalf) {
		got = append(got, scores{s.Score, s.Relevance, s.Recency})
	}
	// (200*500 + 200*800)/1000 + 100 and (200*1000 + 200*200)/1000.
	want := []scores{{360, 0, 500}, {240, 0, 1000}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scores{})); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

func TestSearchBreaksTiesByNumericID(t *testing.T) {
	m := New(English)
	for i := range 12 {
		m.Record(Entry{Tick: 5, Kind: KindObservation, Text: fmt.Sprint("ore ", 'a'+i), Importance: 500})
	}
	want := []string{"mem-5-1", "mem-5-2", "mem-5-3", "mem-5-4", "mem-5-5", "mem-5-6", "mem-5-7", "mem-5-8", "mem-5-9", "mem-5-10", "mem-5-11"}
	if diff := cmp.Diff(want, ids(m.Search("ore", 11, 5))); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestRecencyNeverOverflows(t *testing.T) {
	for _, tick := range []int64{0, 1, math.MaxInt64} {
		for _, now := range []int64{math.MinInt64, 0, 5, math.MaxInt64} {
			if got := recency(tick, now); got < 0 || got > 1000 {
				t.Errorf("recency(%d, %d) = %d, want 0..1000", tick, now, got)
			}
		}
	}
}

// TestWordsOfOthersMoveNothing: what another agent writes, in rare or common words or the same
// twice, changes neither the ids of the agent's own memories nor their scores and order.
func TestWordsOfOthersMoveNothing(t *testing.T) {
	told := func(words ...string) (own []Scored) {
		m := New(English)
		for i, heard := range words {
			m.Record(Entry{Tick: int64(i), Kind: KindObservation, Trust: trace.TrustSelfObservation,
				Text: fmt.Sprintf("hub chip %d ore", i), Importance: 300})
			m.Record(Entry{Tick: int64(i), Kind: KindHeard, Trust: trace.TrustOtherAgent, Origin: "agent-9",
				Text: heard, Topic: "message", Subjects: []string{"agent-9"}, Parents: []string{fmt.Sprint("msg-", i)}})
		}
		m.Record(Entry{Tick: 9, Kind: KindOutcome, Trust: trace.TrustSelfObservation, Text: "made a chip", Importance: 300})
		return m.Digest(Focus{Query: "chip at the hub", Now: 9}, Quota{Outcomes: 2, Facts: 3}, nil)
	}
	plain := told("yes", "no", "no more", "never")
	loud := told("hub hub hub chip", "hub hub hub chip", "hub hub hub chip", "chip chip chip chip chip chip chip chip")
	if diff := cmp.Diff(plain, loud); diff != "" || len(plain) < 4 {
		t.Errorf("%d memories, other words (-plain +loud):\n%s", len(plain), diff)
	}
}
