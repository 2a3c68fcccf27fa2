package world

import (
	"strings"
	"testing"
)

// TestOperatorIsInTheDigest: what the operator wrote is part of the world, and so is its order.
// A fork knows it.
func TestOperatorIsInTheDigest(t *testing.T) {
	after := func(fork bool, texts ...string) Digest {
		t.Helper()
		w, err := New(mustScenario(t, "two_bases"), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if err := w.Tell("agent-1", text); err != nil {
				t.Fatal(err)
			}
		}
		if fork {
			w = w.Fork()
		}
		w.Advance()
		w.Apply(nil)
		if kept, again := w.Digest(), w.Fork().Digest(); kept != again {
			t.Errorf("the digest kept is %s, of the fork %s", kept, again)
		}
		return w.Digest()
	}
	seen := map[Digest][]string{}
	for _, texts := range [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"b", "a"}, {"a", "a"}} {
		d := after(false, texts...)
		if before, known := seen[d]; known {
			t.Errorf("%q and %q have one digest", before, texts)
		}
		seen[d] = texts
		if after(true, texts...) != d {
			t.Errorf("%q: a fork before the tick has another digest", texts)
		}
	}
}

// TestNoAgentIsTheOperator: however many agents there are, none has its id.
func TestNoAgentIsTheOperator(t *testing.T) {
	for n := range 2000 {
		if id := agentID(n); id == Operator || strings.HasPrefix(id, Operator+"-") {
			t.Errorf("agent %d is called %q", n, id)
		}
	}
	if err := CheckTold(strings.Repeat("é", TextMax)); err != nil {
		t.Error(err)
	}
	if err := CheckTold(strings.Repeat("é", TextMax+1)); err == nil {
		t.Errorf("%d characters are accepted", TextMax+1)
	}
}
