package memory

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Refined 2,000 g of Compound!", "refined 2 000 g of compound"},
		{"agent-2 at llm_hub", "agent 2 at llm hub"},
		{"control chips; less gas, radius of the bus", "control chip less gas radius of the bus"},
		{"矿石已耗尽", "矿石 石已 已耗 耗尽"},
		{"去hub采矿 3次", "去 hub 采矿 3 次"},
		{"ÉNERGIE électrique", "énergie électrique"},
		{"—!?", ""},
	} {
		if got := strings.Join(terms(c.text), " "); got != c.want {
			t.Errorf("terms(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestSearchFindsByWords(t *testing.T) {
	m := New(Config{})
	texts := []string{
		"mined 5000 g of compound at the hub",
		"moved to the outpost, 36 electricity",
		"the assembler at the hub finished a control chip",
		"矿区的矿石已经耗尽",
		"电力不足，等待充电",
	}
	byID := map[string]string{}
	for i, text := range texts {
		byID[m.Record(Entry{Tick: int64(i), Kind: KindNote, Text: text, Importance: 500})] = text
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
	m := New(Config{RecencyHalf: 10})
	m.Record(Entry{Tick: 0, Kind: KindNote, Text: "a", Importance: 800, Failed: true})
	m.Record(Entry{Tick: 10, Kind: KindNote, Text: "b", Importance: 200})
	type scores struct{ score, relevance, recency int64 }
	var got []scores
	for _, s := range m.Search("", 5, 10) {
		got = append(got, scores{s.Score, s.Relevance, s.Recency})
	}
	// (200*500 + 200*800)/1000 + 100 and (200*1000 + 200*200)/1000.
	want := []scores{{360, 0, 500}, {240, 0, 1000}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scores{})); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

func TestSearchBreaksTiesByNumericID(t *testing.T) {
	m := New(Config{})
	for i := range 12 {
		m.Record(Entry{Tick: 5, Kind: KindNote, Text: fmt.Sprint("ore ", 'a'+i), Importance: 500})
	}
	want := []string{"mem-5-1", "mem-5-2", "mem-5-3", "mem-5-4", "mem-5-5", "mem-5-6", "mem-5-7", "mem-5-8", "mem-5-9", "mem-5-10", "mem-5-11"}
	if diff := cmp.Diff(want, ids(m.Search("ore", 11, 5))); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// naiveRelevance is BM25 as the literature writes it, in floating point.
func naiveRelevance(query string, texts [][]string, doc int) float64 {
	var total int
	for _, words := range texts {
		total += len(words)
	}
	mean := float64(total) / float64(len(texts))
	var sum, best float64
	for _, term := range strings.Fields(query) {
		df, tf := 0.0, 0.0
		for i, words := range texts {
			found := 0.0
			for _, w := range words {
				if w == term {
					found++
				}
			}
			if found > 0 {
				df++
			}
			if i == doc {
				tf = found
			}
		}
		idf := math.Log(1 + (float64(len(texts))-df+0.5)/(df+0.5))
		sum += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(len(texts[doc]))/mean))
		best += idf * 2.2
	}
	return 1000 * sum / best
}

func TestRelevanceAgreesWithNaiveTwin(t *testing.T) {
	docs := []string{"ore ore hub", "hub", "outpost ore and a long way to go home", "chip", "chip chip chip hub ore"}
	m := New(Config{})
	var texts [][]string
	for i, d := range docs {
		m.Record(Entry{Tick: int64(i), Kind: KindNote, Text: d})
		texts = append(texts, strings.Fields(d))
	}
	for _, query := range []string{"ore", "hub chip", "ore hub", "way home", "zebra ore"} {
		got := newCorpus(m.held()).relevances(query)
		for i := range docs {
			if want := naiveRelevance(query, texts, i); math.Abs(float64(got[i])-want) > 5 {
				t.Errorf("relevance of %q to %q = %d, want about %.1f", docs[i], query, got[i], want)
			}
		}
	}
}

func TestLog2(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 5, 7, 10, 1000, 1 << 40, math.MaxUint64} {
		want := 1024 * math.Log2(float64(n))
		if got := log2(n); math.Abs(float64(got)-want) > 1.01 {
			t.Errorf("log2(%d) = %d, want about %.1f", n, got, want)
		}
	}
}

func TestRecencyNeverOverflows(t *testing.T) {
	m := New(Config{RecencyHalf: math.MaxInt64})
	for _, tick := range []int64{0, 1, math.MaxInt64} {
		for _, now := range []int64{math.MinInt64, 0, 5, math.MaxInt64} {
			if got := m.recency(tick, now); got < 0 || got > 1000 {
				t.Errorf("recency(%d, %d) = %d, want 0..1000", tick, now, got)
			}
		}
	}
}
