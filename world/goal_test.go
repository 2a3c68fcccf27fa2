package world

import (
	"slices"
	"testing"
)

// TestGoalsCountEvents: a goal counts what its agent's factories and refining made, also what is gone again,
// and events of a kind. It is met in the tick of the event. Forks count on their own, and the digest holds
// the count.
func TestGoalsCountEvents(t *testing.T) {
	s := mustScenario(t, "minimal").WithAgents(2)
	s.Agents.Stock = [][]Amount{{{Electricity, 90}, {Compound, 5000}}}
	s.Goals = []Goal{
		{ID: "made", Agent: "agent-1", Metric: "made:hardware", AtLeast: 3},
		{ID: "sent", Agent: "agent-1", Metric: "event:message_sent", AtLeast: 1},
		{ID: "got", Agent: "agent-2", Metric: "event:message_delivered", AtLeast: 2},
		{ID: "held", Agent: "agent-2", Metric: "stock:hardware", AtLeast: 2},
	}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int64{}
	play := func(actions ...Action) {
		for _, e := range w.Advance() {
			if e.Kind == EventGoalMet {
				met[e.Subject] = e.Tick
			}
		}
		var intents []Intent
		for n, a := range actions {
			intents = append(intents, Intent{Agent: n, Action: a})
		}
		for _, e := range w.Apply(intents) {
			if e.Kind == EventGoalMet {
				met[e.Subject] = e.Tick
			}
		}
		if w.Digest() != w.RecomputeDigest() {
			t.Fatalf("tick %d: the digest is not that of the state", w.Tick())
		}
	}
	play(Refine{2000}, Wait{})
	play(Transfer{"agent-2", Hardware, 2}, Wait{})
	fork := w.Fork()
	before := w.Digest()
	play(Refine{1000}, SendMessage{"agent-1", "one"})
	play(SendMessage{"agent-2", "two"}, Wait{})
	play(SendMessage{"agent-2", "three"}, Wait{})
	play(Wait{}, Wait{})
	play(Wait{}, Wait{})
	want := map[string]int64{"made": 3, "sent": 4, "got": 6, "held": 2}
	for id, tick := range want {
		if met[id] != tick {
			t.Errorf("%s is met in tick %d, want %d", id, met[id], tick)
		}
	}
	if got := w.Goals()[0].Now; got != 3 {
		t.Errorf("made are %d, want 3", got)
	}
	if got := fork.Goals()[0].Now; got != 2 || fork.Digest() != before {
		t.Errorf("the fork has made %d, want 2", got)
	}
}

// TestGoalsOthersCanMeet: gifts count in what an agent holds and messages in what it gets; what it made or
// did is its own. One agent alone, or a rule against gifts, leaves nothing to others.
func TestGoalsOthersCanMeet(t *testing.T) {
	s := mustScenario(t, "minimal").WithAgents(2)
	alone, ruled := s.WithAgents(1), s
	ruled.Policy = []PolicyRule{{Agent: Anyone, Effect: EffectForbid, Action: Transfer{}.ActionName()}}
	for metric, want := range map[string]string{
		"stock:data": "gifts", "product:motor_mk1": "gifts", "event:message_delivered": "messages",
		"made:data": "", "event:message_sent": "", "place:origin": "", "factory:" + AssemblerMk1: "",
	} {
		g := Goal{Metric: metric}
		if got := s.ByOthers(g); got != want {
			t.Errorf("%s: by %q, want %q", metric, got, want)
		}
		if got := alone.ByOthers(g); got != "" {
			t.Errorf("%s of an agent alone: by %q", metric, got)
		}
		if got := ruled.ByOthers(g); got == "gifts" {
			t.Errorf("%s where nobody gives: by %q", metric, got)
		}
	}
	if names := CountableEvents(); slices.Contains(names, string(EventGoalMet)) {
		t.Error("a goal counts goals")
	}
}

// TestGoalsChange: what was counted for a goal stays with it, what was met stays met under the same bound, and
// a new goal that the state meets is met in the next tick. The digest follows the goals and not their texts.
func TestGoalsChange(t *testing.T) {
	s := mustScenario(t, "minimal").WithAgents(2)
	s.Agents.Stock = [][]Amount{{{Electricity, 90}, {Compound, 5000}}}
	made := Goal{ID: "made", Agent: "agent-1", Metric: "made:hardware", AtLeast: 2}
	s.Goals = []Goal{made, {ID: "held", Agent: "*", Metric: "stock:hardware", AtLeast: 9}}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	play := func(w *World, actions ...Action) (met []string) {
		events := w.Advance()
		var intents []Intent
		for n, a := range actions {
			intents = append(intents, Intent{Agent: n, Action: a})
		}
		for _, e := range slices.Concat(events, w.Apply(intents)) {
			if e.Kind == EventGoalMet {
				met = append(met, e.Subject)
			}
		}
		if w.Digest() != w.RecomputeDigest() {
			t.Fatalf("tick %d: the digest is not that of the state", w.Tick())
		}
		return met
	}
	play(w, Refine{2000}, Wait{})
	same, other := w.Fork(), w.Fork()
	said := slices.Clone(s.Goals)
	said[0].Text = "Make two."
	if err := same.SetGoals(said); err != nil || same.Digest() != w.Digest() || same.Goals()[0].MetAt != 1 {
		t.Errorf("in other words the goals are %+v, %v", same.Goals(), err)
	}
	made.AtLeast = 3
	next := []Goal{{ID: "has", Agent: "agent-1", Metric: "stock:hardware", AtLeast: 1}, made,
		{ID: "sent", Agent: "agent-1", Metric: "event:message_sent", AtLeast: 1}}
	if err := other.SetGoals(next); err != nil {
		t.Fatal(err)
	}
	if g := other.Goals(); len(g) != 3 || g[0].MetAt != -1 || g[1].MetAt != -1 || g[1].Now != 2 || g[2].Now != 0 {
		t.Errorf("the goals are %+v", g)
	}
	if other.RecomputeDigest() == w.Digest() {
		t.Error("other goals leave the digest as it was")
	}
	if met := play(other, Refine{1000}, Wait{}); !slices.Equal(met, []string{"has", "made"}) {
		t.Errorf("met are %v", met)
	}
	if met := play(other, SendMessage{"agent-2", "hello"}, Wait{}); !slices.Equal(met, []string{"sent"}) {
		t.Errorf("met are %v", met)
	}
	before := w.Digest()
	for _, bad := range []Goal{{ID: "x", Agent: "agent-3", Metric: "stock:data", AtLeast: 1},
		{ID: "x", Agent: "*", Metric: "stock:nothing", AtLeast: 1}, {ID: "x", Agent: "*", Metric: "stock:data"}} {
		if err := w.SetGoals([]Goal{bad}); err == nil || w.Digest() != before || len(w.Goals()) != 3 {
			t.Errorf("%+v: %v, then the goals are %+v", bad, err, w.Goals())
		}
	}
}
