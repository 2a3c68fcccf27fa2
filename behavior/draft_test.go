package behavior

import (
	"slices"
	"strconv"
	"testing"

	"example.com/agentworld/world"
)

// found is a weighing whose candidates have the given statuses; an empty one could not be read.
func found(statuses ...world.CheckStatus) *weighing {
	w := &weighing{}
	for i, s := range statuses {
		var v *Evaluation
		if s != "" {
			a := world.Mine{MassG: int64(i + 1)}
			v = &Evaluation{Proposed: a, Adjusted: a, Check: world.Check{Status: s}}
			w.usable = w.usable || !v.Refused()
		}
		w.verdicts = append(w.verdicts, v)
		w.scores = append(w.scores, scorePlace*i)
	}
	return w
}

// TestAcceptedDraft: only a draft with an accepted candidate replaces the one before.
func TestAcceptedDraft(t *testing.T) {
	const accepted, rejected, unknown = world.CheckAccepted, world.CheckRejected, world.CheckUnknown
	first := found(rejected, accepted)
	for _, c := range []struct {
		statuses []world.CheckStatus
		takes    bool
		failed   bool
		ranked   []int
	}{
		{[]world.CheckStatus{accepted}, true, false, []int{1}},
		{[]world.CheckStatus{"", rejected, accepted}, true, false, []int{3}},
		{[]world.CheckStatus{unknown, accepted}, true, false, []int{1, 2}},
		{[]world.CheckStatus{unknown}, false, false, []int{1}},
		{[]world.CheckStatus{rejected, rejected}, false, true, nil},
		{[]world.CheckStatus{""}, false, true, nil},
		{nil, false, true, nil},
	} {
		d := draft{accepted: first}
		w := found(c.statuses...)
		d.weighed(w)
		d.given = w
		if took := d.accepted == w; took != c.takes || !took && d.accepted != first {
			t.Errorf("%q: taken %v, want %v", c.statuses, took, c.takes)
		}
		if d.hasFailed() != c.failed {
			t.Errorf("%q: failed %v", c.statuses, d.hasFailed())
		}
		ranked := w.ranked()
		for i, n := range c.ranked {
			if len(ranked) != len(c.ranked) || ranked[i] != n {
				t.Errorf("%q: ranked %v, want %v", c.statuses, ranked, c.ranked)
			}
		}
	}
	if (&draft{}).hasFailed() {
		t.Error("an answer without a draft has failed")
	}
}

// TestDraftOfAnAnswer: an answer begins without a draft, a note and a mistake, and with what the turn
// knows of earlier ones.
func TestDraftOfAnAnswer(t *testing.T) {
	d := draft{accepted: found(world.CheckAccepted), candidates: []world.Action{nil, world.Wait{}}}
	d.given = d.accepted
	first, second := fault{early: "amount: expected a number"}, fault{early: "to: expected an id", refusal: true}
	d.keepFault(first)
	if !d.first(world.Wait{}) || d.first(world.Wait{}) || !d.first(world.Mine{MassG: 1}) {
		t.Error("a refused action is not noted once in an answer")
	}
	d.begin()
	if d.given != nil || d.accepted == nil || len(d.read()) != 1 || !slices.Equal(d.faults, []fault{first}) {
		t.Errorf("the next answer begins with %+v", d)
	}
	if !d.first(world.Wait{}) {
		t.Error("what an earlier answer was refused is not noted again")
	}
	d.keepFault(second)
	d.keepFault(first)
	if want := []fault{first, second}; !slices.Equal(d.faults, want) {
		t.Errorf("the mistakes are %v, want %v", d.faults, want)
	}
	for n := range int64(2 * faultsMax) {
		d.keepFault(fault{late: strconv.FormatInt(n, 10), tainted: true})
	}
	if early := d.faults[:2]; len(d.faults) != 2+faultsMax || !slices.Equal(early, []fault{first, second}) {
		t.Errorf("what came of texts takes the place of what was wrong before them: %v", d.faults)
	}
}
