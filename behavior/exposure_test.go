package behavior

import (
	"slices"
	"testing"

	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// withText is an exposure whose opening withholds one message, new or not.
func withText(fresh int) exposure {
	message := world.Message{ID: "msg-1-agent-2-1", From: "agent-2", Text: "swordfish"}
	return exposure{opening: prompt{fresh: fresh, withheld: texts{Inbox: []world.Message{message}}}}
}

// TestTextsFollowThePlan: the texts of an opening are withheld, then due, then shown, and never go back.
func TestTextsFollowThePlan(t *testing.T) {
	e := withText(1)
	e.begin()
	e.carry(1)
	if !e.locked() || !e.follows() || !e.offersPlan() || e.tainted() || e.phase != phaseWithheld {
		t.Fatalf("before the plan: %+v", e)
	}
	if said := e.reveal(wordsOf(nil)); len(said) != 1 || e.phase != phaseDue || e.tainted() {
		t.Fatalf("with the plan: %q, %+v", said, e)
	}
	if e.locked() || e.follows() || e.offersPlan() {
		t.Error("the texts wait although they are due")
	}
	e.carry(2)
	if !e.tainted() || e.taintedAt != 2 || e.phase != phaseShown || !e.inView("msg-1-agent-2-1") {
		t.Errorf("after the next request: %+v", e)
	}
	shown := len(e.retrieved)
	if said := e.reveal(wordsOf(nil)); len(said) != 0 {
		t.Errorf("a second plan shows %q", said)
	}
	e.carry(3)
	if e.taintedAt != 2 || e.phase != phaseShown || len(e.retrieved) != shown {
		t.Errorf("a further request: %+v", e)
	}
}

// TestWhatIsLocked: new texts and unseen results wait for a plan, but for a turn that was given up on one.
func TestWhatIsLocked(t *testing.T) {
	early := withText(0)
	early.opening.early = true
	early.begin()
	result := exposure{unseen: []modules.Result{{}}}
	sealed := withText(1)
	sealed.sealed = true
	for name, c := range map[string]struct {
		e               exposure
		locked, follows bool
	}{
		"no texts": {exposure{}, false, false}, "a new text": {withText(1), true, true},
		"texts read before": {withText(0), false, true}, "a result": {result, true, true}, "sealed": {sealed, false, true},
		"shown at once": {early, false, false},
	} {
		if c.e.locked() != c.locked || c.e.follows() != c.follows {
			t.Errorf("%s: locked %v, follows %v", name, c.e.locked(), c.e.follows())
		}
	}
}

// TestResultsWaitForThePlan: a module result with untrusted text is shown after the plan; any other at once,
// and all of them after the plan or without the order of the guard.
func TestResultsWaitForThePlan(t *testing.T) {
	own := modules.Result{Output: "own", Sources: []trace.Source{{ID: "mem-1-1", Trust: trace.TrustSelfObservation}}}
	others := modules.Result{Output: "theirs", Sources: []trace.Source{{ID: "mem-2-1", Trust: trace.TrustOtherAgent}}}
	for _, c := range []struct {
		result        modules.Result
		ordered, open bool
		waits         bool
	}{{own, true, false, false}, {others, true, false, true}, {others, true, true, false}, {others, false, false, false}} {
		e := exposure{open: c.open}
		if got := e.receive(c.result, c.ordered); got != c.waits {
			t.Errorf("%+v: waits %v", c, got)
		}
		e.carry(1)
		if got := e.inView(c.result.Sources[0].ID); got == c.waits {
			t.Errorf("%+v: in view %v", c, got)
		}
		if said := e.reveal(wordsOf(nil)); (len(said) == 1) != c.waits {
			t.Errorf("%+v: the plan shows %q", c, said)
		}
		e.carry(2)
		if !e.inView(c.result.Sources[0].ID) || e.tainted() != isUntrusted(c.result.Sources[0]) {
			t.Errorf("%+v: after the plan %+v", c, e)
		}
	}
}

// TestRetrievedNeverShrinks: a source is in view once, with its best score and all words that it showed.
func TestRetrievedNeverShrinks(t *testing.T) {
	var e exposure
	e.retrieve([]trace.Source{{ID: "msg-1", Text: "one", Chars: 3}, {ID: "mem-1", Trust: trace.TrustSelfObservation}})
	e.retrieve([]trace.Source{{ID: "msg-1", Text: "two", Chars: 3}, {ID: "mem-1", Score: 7}, {ID: "mem-2"}})
	ids := []string{}
	for _, s := range e.retrieved {
		ids = append(ids, s.ID)
	}
	if !slices.Equal(ids, []string{"msg-1", "mem-1", "mem-2"}) {
		t.Errorf("retrieved %q", ids)
	}
	if first := e.retrieved[0]; first.Text != "one\ntwo" || first.Chars != 6 {
		t.Errorf("a second text of one id: %+v", first)
	}
	if e.retrieved[1].Score != 7 || e.retrieved[1].Trust != trace.TrustSelfObservation {
		t.Errorf("found by a search: %+v", e.retrieved[1])
	}
}

// TestAddressed: who is asked plans before it looks anything up.
func TestAddressed(t *testing.T) {
	for name, c := range map[string]struct {
		seen world.Observation
		want bool
	}{
		"nobody":      {world.Observation{}, false},
		"a request":   {world.Observation{Requests: []world.Terms{{}}}, true},
		"an offer":    {world.Observation{Offers: []world.Terms{{}}}, true},
		"new message": {world.Observation{Inbox: []world.Message{{New: true}}}, true},
		"old message": {world.Observation{Inbox: []world.Message{{}}}, false},
	} {
		e := exposure{opening: prompt{seen: c.seen}}
		if e.addressed() != c.want {
			t.Errorf("%s: %v", name, e.addressed())
		}
	}
}
