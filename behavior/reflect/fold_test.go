package reflect

import (
	"testing"

	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
)

// learnedBy lets an agent learn in its own copy.
func learnedBy(t *testing.T, copied *playbook.Playbook, agent string, tick int64, used []string, deltas ...playbook.Delta) (*playbook.Playbook, Learned) {
	t.Helper()
	evidence := playbook.Evidence{Run: "run-1", Tick: tick, Agent: agent}
	ground := playbook.ConsolidationInput{Tick: tick, Decisions: []playbook.Decision{{Evidence: evidence, Used: used}}}
	for i := range deltas {
		deltas[i].Evidence, deltas[i].Trust = []playbook.Evidence{evidence}, trace.TrustSelfObservation
	}
	next, applied, rejected := playbook.Apply(copied, deltas, ground, playbook.Limits{})
	if len(rejected) != 0 {
		t.Fatalf("%s, tick %d: rejected %+v", agent, tick, rejected)
	}
	return next, Learned{Agent: agent, Applied: applied, Input: ground}
}

func adds(content string) playbook.Delta {
	return playbook.Delta{Op: playbook.OpAdd, Section: playbook.Res, Content: content}
}

func tags(id string) playbook.Delta {
	return playbook.Delta{Op: playbook.OpTag, ID: id, Tag: playbook.Helpful}
}

// TestFoldFollowsBulletsToTheFile: two agents give the same id to different lessons,
// and different ids to the same one. What they say later counts for the lesson.
func TestFoldFollowsBulletsToTheFile(t *testing.T) {
	seed := book(t)
	one, a1 := learnedBy(t, seed, "agent-1", 5, nil, adds("Refine compound as soon as there is enough of it."))
	two, b1 := learnedBy(t, seed, "agent-2", 5, nil, adds("Sell spare electricity to whoever is short of it."), adds("Refine compound as soon as there is enough of it."))
	one, a2 := learnedBy(t, one, "agent-1", 9, []string{"res-00003"}, tags("res-00003"))
	two, b2 := learnedBy(t, two, "agent-2", 9, []string{"res-00003", "nav-00001"}, tags("res-00003"), tags("nav-00001"))
	_, b3 := learnedBy(t, two, "agent-2", 12, []string{"res-00004"}, tags("res-00004"))
	if one.Len() != 3 {
		t.Fatalf("agent-1 has %d bullets", one.Len())
	}
	next, folded := Fold(seed, []Learned{a1, b1, a2, b2, b3}, playbook.Limits{})
	want := map[string]struct {
		content string
		helpful int
	}{
		"nav-00001": {"Mine where you stand before moving on.", 1},
		"res-00003": {"Refine compound as soon as there is enough of it.", 2},
		"res-00004": {"Sell spare electricity to whoever is short of it.", 1},
	}
	for id, w := range want {
		if b, _ := next.Bullet(id); b.Content != w.content || b.Helpful != w.helpful {
			t.Errorf("%s: %q, helpful %d; want %q, %d", id, b.Content, b.Helpful, w.content, w.helpful)
		}
	}
	if next.Len() != 4 || folded.Applied != 6 || len(folded.Rejected) != 1 || folded.Rejected[0].Code != playbook.Duplicate {
		t.Errorf("%d bullets, %+v", next.Len(), folded)
	}
}

// TestFoldOfNothing leaves the file as it is.
func TestFoldOfNothing(t *testing.T) {
	seed := book(t)
	if next, _ := Fold(seed, nil, playbook.Limits{}); next != seed {
		t.Error("nothing learned makes another playbook")
	}
}

// TestFoldForgetsWhatTheFileDoesNotTake: a tag of a lesson that the file refused must
// not count for the bullet that has its id there.
func TestFoldForgetsWhatTheFileDoesNotTake(t *testing.T) {
	seed := book(t)
	full := playbook.Limits{BulletsMax: 3}
	one, a1 := learnedBy(t, seed, "agent-1", 5, nil, adds("Refine compound as soon as there is enough of it."))
	_, a2 := learnedBy(t, one, "agent-1", 6, []string{"res-00003"}, tags("res-00003"))
	two, b1 := learnedBy(t, seed, "agent-2", 7, nil, adds("Sell spare electricity to whoever is short of it."))
	_, b2 := learnedBy(t, two, "agent-2", 8, []string{"res-00003"}, tags("res-00003"))
	// The first lesson and those of the seed have proved themselves, so there is no room.
	_, s := learnedBy(t, seed, "agent-3", 4, []string{"nav-00001", "res-00002"}, tags("nav-00001"), tags("res-00002"))
	next, folded := Fold(seed, []Learned{s, a1, a2, b1, b2}, full)
	b, _ := next.Bullet("res-00003")
	if next.Len() != 3 || b.Helpful != 1 || b.Content != "Refine compound as soon as there is enough of it." {
		t.Errorf("%d bullets, %+v; rejected %+v", next.Len(), b, folded.Rejected)
	}
}

// folded is the result of folding everything at once.
type folded struct {
	Applied  int
	Rejected []playbook.Rejected
}

// Fold carries all over to seed, in the order given.
func Fold(seed *playbook.Playbook, all []Learned, limits playbook.Limits) (next *playbook.Playbook, sum folded) {
	f := NewFolder(seed, limits)
	for _, l := range all {
		applied, rejected := f.Add(l)
		sum.Applied += len(applied)
		sum.Rejected = append(sum.Rejected, rejected...)
	}
	return f.Playbook(), sum
}
