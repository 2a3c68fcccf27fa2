package ahead

import (
	"slices"
	"testing"
)

// TestCrowds: who decided where others are lost tells what these will do, and where they may go.
func TestCrowds(t *testing.T) {
	// Of those at a, 0 is lost in tick 5, and 1, 2 and 3 decided there; 3 went to b, where 4 is lost since tick 4.
	at := func(place string) life { return life{place: place, turn: &turn{}} }
	lost := func(tick int64, place string) life { return life{place: place, lost: tick} }
	s := &shadow{ticks: []*foreseen{
		{tick: 4, lives: []life{at("a"), at("a"), at("a"), at("a"), at("b"), at("c")}},
		{tick: 5, lives: []life{at("a"), at("a"), at("a"), at("a"), lost(4, "b"), at("c")}},
	}}
	next := &foreseen{tick: 6, lives: []life{lost(5, "a"), at("a"), at("a"), at("b"), lost(4, "b"), at("c")}}
	c := s.crowdsOf(next)
	for place, want := range map[string]crowd{
		"a": {open: 1, decided: 3, left: 1}, "b": {open: 1, expecting: true}, "c": {},
	} {
		if got := *c.at(place); got != want {
			t.Errorf("at %s: %+v, not %+v", place, got, want)
		}
	}
	for n, want := range map[int]certainty{1: restless, 3: unsettled, 5: settledInSight} {
		if got := c.about(&next.lives[n]); got != want {
			t.Errorf("agent %d: certainty %d, not %d", n, got, want)
		}
	}
	for before, want := range map[int64][]string{4: nil, 5: {"b"}, 6: {"b", "a"}} {
		if got := slices.Collect(c.seenLate(before)); !slices.Equal(got, want) {
			t.Errorf("lost before tick %d: %v, not %v", before, got, want)
		}
	}
}

// TestCalmCrowds: the more decided to stay and the fewer are open, the likelier nothing is seen of these.
func TestCalmCrowds(t *testing.T) {
	for _, tt := range []struct {
		crowd crowd
		came  bool
		want  certainty
	}{
		{crowd{open: 1, decided: 20}, false, nearlySettled},
		{crowd{open: 5, decided: 20}, false, likelySettled},
		{crowd{open: 20, decided: 5}, false, hardlySettled},
		{crowd{open: 1}, false, hardlySettled},
		{crowd{open: 1, decided: 20, left: 1}, false, restless},
		{crowd{open: 1, decided: 20}, true, unsettled},
		{crowd{open: 1, decided: 20, expecting: true}, false, unsettled},
		{crowd{decided: 20, left: 3}, false, settledInSight},
	} {
		c := crowds{byPlace: map[string]*crowd{"a": &tt.crowd}}
		if got := c.about(&life{place: "a", came: tt.came}); got != tt.want {
			t.Errorf("%+v, came %v: certainty %d, not %d", tt.crowd, tt.came, got, tt.want)
		}
	}
}
