package playbook

import (
	"fmt"
	"strings"
	"testing"

	"example.com/agentworld/trace"
)

// adds returns n proposed lessons that no test playbook has.
func adds(n int) []Delta {
	var out []Delta
	for i := range n {
		out = append(out, learned(fmt.Sprintf("%s matters more than the %s in week%d", subjects[i], subjects[i+5], i)))
	}
	return out
}

func codes(rejected []Rejected) string {
	var out []string
	for _, r := range rejected {
		out = append(out, fmt.Sprintf("%s %s %d/%d", r.Code, r.Other, r.Value, r.Limit))
	}
	return strings.Join(out, "; ")
}

func TestAddsBeyondTheLimit(t *testing.T) {
	next, applied, rejected := Apply(New(), adds(8), ground, Limits{BulletsMax: 5})
	if next.Len() != 5 || len(applied) != 5 {
		t.Errorf("%d bullets from %d applied, want 5", next.Len(), len(applied))
	}
	if got, want := codes(rejected), "full  6/5; full  6/5; full  6/5"; got != want {
		t.Errorf("rejected %q, want %q", got, want)
	}
}

func TestWhoMakesRoom(t *testing.T) {
	for _, c := range []struct {
		name string
		// counts are helpful and harmful uses of nav-00001 and so on.
		counts [][2]int
		adds   int
		want   string
	}{
		{"harmful before unused", [][2]int{{1, 0}, {0, 0}, {0, 1}, {2, 1}}, 1, "nav-00003"},
		{"the least helpful first", [][2]int{{0, 1}, {0, 3}, {1, 2}, {0, 0}}, 2, "nav-00002 nav-00001"},
		{"unused and balanced by age", [][2]int{{1, 1}, {0, 0}, {5, 0}, {1, 0}}, 2, "nav-00001 nav-00002"},
		{"never a proven one", [][2]int{{1, 0}, {1, 0}, {9, 8}, {1, 0}}, 2, ""},
		{"no more than may be lost", [][2]int{{0, 1}, {0, 1}, {0, 1}, {0, 1}}, 4, "nav-00001 nav-00002"},
	} {
		t.Run(c.name, func(t *testing.T) {
			book := seeded(t, len(c.counts))
			for i, n := range c.counts {
				book = counted(t, book, newID(Nav, i+1), n[0], n[1], 0)
			}
			next, applied, rejected := Apply(book, adds(c.adds), ground, Limits{BulletsMax: len(c.counts)})
			var displaced []string
			for _, a := range applied {
				displaced = append(displaced, a.Displaced...)
			}
			if got := strings.Join(displaced, " "); got != c.want {
				t.Errorf("displaced %q, want %q", got, c.want)
			}
			if next.Len() != len(c.counts) || len(applied)+len(rejected) != c.adds {
				t.Errorf("%d bullets, %d applied and %d rejected of %d", next.Len(), len(applied), len(rejected), c.adds)
			}
		})
	}
}

func TestCharactersAreLimitedToo(t *testing.T) {
	book := seeded(t, 3)
	limits := Limits{CharsMax: chars(book.bullets) + 20}
	next, applied, _ := Apply(book, adds(1), ground, limits)
	if len(applied) != 1 || len(applied[0].Displaced) != 1 || chars(next.bullets) > limits.CharsMax {
		t.Errorf("applied %+v with %d characters of %d, want one displaced", applied, chars(next.bullets), limits.CharsMax)
	}
	d := learned(strings.Repeat("long ", 40))
	d.Op, d.ID, d.Section = OpUpdate, "nav-00001", ""
	if _, _, rejected := Apply(book, []Delta{d}, ground, limits); len(rejected) != 1 || rejected[0].Code != Full {
		t.Errorf("an update beyond the limit gave %+v, want full", rejected)
	}
}

func TestLoweredLimitsTrim(t *testing.T) {
	book := counted(t, counted(t, seeded(t, 4), "nav-00001", 1, 0, 0), "nav-00002", 0, 1, 0)
	next, applied, _ := Apply(book, nil, ground, Limits{BulletsMax: 1})
	if d := diff([]string{"[nav-00001] " + content(0) + " +1-0=0"}, lines(next)); d != "" {
		t.Errorf("left over (-want +got):\n%s", d)
	}
	var gone []string
	for _, a := range applied {
		gone = append(gone, string(a.Delta.Op)+" "+a.Delta.ID)
	}
	if got, want := strings.Join(gone, ", "), "displace nav-00002, displace nav-00003, displace nav-00004"; got != want {
		t.Errorf("trimmed %q, want %q", got, want)
	}
	if back, err := next.Rollback(book.Version(), 0); err != nil || diff(book.Bullets(), back.Bullets()) != "" {
		t.Errorf("what was trimmed does not come back: %v", err)
	}
}

func TestCollapseRejectsTheWholeStep(t *testing.T) {
	removal := func(n int) Delta { return Delta{Op: OpRemove, ID: newID(Nav, n), Evidence: because(1)} }
	shortened := func(n int) Delta {
		return Delta{Op: OpUpdate, ID: newID(Nav, n), Content: "Mind the " + subjects[n], Evidence: because(1), Trust: trace.TrustSelfObservation}
	}
	for _, c := range []struct {
		name    string
		bullets int
		deltas  []Delta
		want    string
	}{
		{"two may always go", 4, []Delta{removal(1), removal(2)}, ""},
		{"three of four", 4, []Delta{removal(1), removal(2), removal(3)}, "bullets 3/2"},
		{"three of thirty", 30, []Delta{removal(1), removal(2), removal(3)}, ""},
		{"four of thirty", 30, []Delta{removal(1), removal(2), removal(3), removal(4)}, "bullets 4/3"},
		{"two may always shrink", 4, []Delta{shortened(1), shortened(2)}, ""},
		{"a rewrite", 4, []Delta{shortened(1), shortened(2), shortened(3)}, "chars 94/36"},
	} {
		t.Run(c.name, func(t *testing.T) {
			book := seeded(t, c.bullets)
			for i := range 4 {
				book = counted(t, book, newID(Nav, i+1), 0, 3, 0)
			}
			deltas := append([]Delta{{Op: OpTag, ID: "nav-00001", Tag: Helpful, Evidence: because(2)}}, c.deltas...)
			next, applied, rejected := Apply(book, deltas, ground, Limits{})
			if c.want == "" {
				if len(applied) != len(c.deltas) || codes(rejected) != "not_used  0/0" {
					t.Errorf("applied %d of %d, rejected %q", len(applied), len(c.deltas), codes(rejected))
				}
				return
			}
			want := "not_used  0/0" + strings.Repeat("; "+string(Collapse)+" "+c.want, len(c.deltas))
			if next != book || len(applied) > 0 || codes(rejected) != want {
				t.Errorf("rejected %q, want %q and nothing applied", codes(rejected), want)
			}
		})
	}
}

func TestCollapseBoundaries(t *testing.T) {
	for _, c := range []struct {
		churn churn
		want  *Rejected
	}{
		{churn{bullets: 100, chars: 1000, removed: 10}, nil},
		{churn{bullets: 100, chars: 1000, removed: 11}, &Rejected{Code: Collapse, Other: "bullets", Value: 11, Limit: 10}},
		{churn{bullets: 100, chars: 1000, shortened: 3, less: 200}, nil},
		{churn{bullets: 100, chars: 1000, shortened: 3, less: 201}, &Rejected{Code: Collapse, Other: "chars", Value: 201, Limit: 200}},
		{churn{bullets: 2, chars: 1000, shortened: 2, less: 900}, nil},
		{churn{bullets: 5, chars: 1000, removed: 2, shortened: 2, less: 300}, nil},
	} {
		if d := diff(c.want, c.churn.collapse()); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c.churn, d)
		}
	}
}

// TestWhatIsAddedSetsOffWhatIsShortened holds that the alarm looks at the sum: to
// split a long lesson into short ones loses nothing.
func TestWhatIsAddedSetsOffWhatIsShortened(t *testing.T) {
	book := seeded(t, 4)
	var deltas []Delta
	for n := range 3 {
		d := learned("Mind the " + subjects[n+1])
		d.Op, d.ID, d.Section = OpUpdate, newID(Nav, n+1), ""
		deltas = append(deltas, d)
	}
	if _, _, rejected := Apply(book, deltas, ground, Limits{}); len(rejected) != 3 {
		t.Fatalf("without additions rejected %q, want a collapse", codes(rejected))
	}
	if next, _, rejected := Apply(book, append(deltas, adds(3)...), ground, Limits{}); next.Len() != 7 || len(rejected) > 0 {
		t.Errorf("%d bullets, rejected %q, want all applied", next.Len(), codes(rejected))
	}
}

func TestRemovalsLeaveLessToDisplace(t *testing.T) {
	book := seeded(t, 4)
	for n := range 4 {
		book = counted(t, book, newID(Nav, n+1), 0, 3, 0)
	}
	deltas := append(adds(4), Delta{Op: OpRemove, ID: "nav-00004", Evidence: because(1)})
	next, _, rejected := Apply(book, deltas, ground, Limits{BulletsMax: 4})
	if got := codes(rejected); next.Len() != 4 || got != "full  5/4; full  5/4" {
		t.Errorf("%d bullets, rejected %q: one removed and one displaced are the two that may go", next.Len(), got)
	}
}

func TestRemovalsComeBeforeTrimming(t *testing.T) {
	book := counted(t, seeded(t, 3), "nav-00003", 0, 3, 0)
	remove := Delta{Op: OpRemove, ID: "nav-00003", Evidence: because(1)}
	next, applied, _ := Apply(book, []Delta{remove}, ground, Limits{BulletsMax: 2})
	if next.Len() != 2 || len(applied) != 1 {
		t.Errorf("%d bullets after %+v, want the removal alone", next.Len(), applied)
	}
}

func TestMergesCountAsLost(t *testing.T) {
	book := seeded(t, 5)
	var deltas []Delta
	for n := range 3 {
		d := learned(content(4))
		d.Op, d.ID, d.Section = OpUpdate, newID(Nav, n+1), ""
		deltas = append(deltas, d)
	}
	next, _, rejected := Apply(book, deltas, ground, Limits{})
	if next != book || len(rejected) != 3 || rejected[0].Code != Collapse {
		t.Errorf("three merges in a playbook of five: rejected %q, want a collapse", codes(rejected))
	}
}
