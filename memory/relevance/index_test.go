package relevance

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

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
	var index Index
	var texts [][]string
	for _, d := range docs {
		index.Add(d)
		texts = append(texts, strings.Fields(d))
	}
	for _, query := range []string{"ore", "hub chip", "ore hub", "way home", "zebra ore"} {
		got := index.Relevances(QueryTerms(query))
		for i := range docs {
			if want := naiveRelevance(query, texts, i); math.Abs(float64(got[i])-want) > 5 {
				t.Errorf("relevance of %q to %q = %d, want about %.1f", docs[i], query, got[i], want)
			}
		}
	}
}

// TestIndexForgets compares an index that has been added to and removed from with
// a fresh one of the same texts.
func TestIndexForgets(t *testing.T) {
	content := rapid.StringMatching(`((hub|ore|chips|矿石|充电|agent-2) ?){0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		var aged Index
		held := map[int]string{}
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			if len(held) > 0 && rapid.Bool().Draw(t, "remove") {
				number := rapid.SampledFrom(numbers(held)).Draw(t, "number")
				aged.Remove(number)
				delete(held, number)
				continue
			}
			added := content.Draw(t, "text")
			number := aged.Add(added)
			if _, taken := held[number]; taken {
				t.Fatalf("Add gave the number %d, which a held text has", number)
			}
			held[number] = added
		}
		var fresh Index
		var want, got []int64
		query := content.Draw(t, "query")
		relevances := aged.Relevances(QueryTerms(query))
		for _, number := range numbers(held) {
			fresh.Add(held[number])
			got = append(got, relevances[number])
		}
		want = fresh.Relevances(QueryTerms(query))
		if diff := cmp.Diff(want, append([]int64{}, got...)); diff != "" {
			t.Errorf("relevances after removals (-fresh +aged):\n%s", diff)
		}
	})
}

// numbers returns the numbers of the held texts in ascending order.
func numbers(held map[int]string) []int {
	var out []int
	for number := range len(held) * 40 {
		if _, found := held[number]; found {
			out = append(out, number)
		}
	}
	return out
}

func TestRemoveOfAnUnheldTextPanics(t *testing.T) {
	var index Index
	number := index.Add("ore")
	index.Remove(number)
	defer func() {
		if recover() == nil {
			t.Error("removing a text twice did not panic")
		}
	}()
	index.Remove(number)
}

func TestLog2(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 5, 7, 10, 1000, 1 << 40, math.MaxUint64} {
		want := 1024 * math.Log2(float64(n))
		if got := log2(n); math.Abs(float64(got)-want) > 1.01 {
			t.Errorf("log2(%d) = %d, want about %.1f", n, got, want)
		}
	}
}
