package ahead

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

var (
	goes   = world.Move{To: "frag-amber"}
	stays  = world.Harvest{MaxAmount: 5}
	writes = world.SendMessage{To: "agent-2", Text: "hello"}
)

// beginCrowd is the first tick of a crowd, and a shadow that has only it. Some of the crowd are in one situation at
// llm-hub.
func beginCrowd(t *testing.T, agents int64) (*shadow, *foreseen) {
	t.Helper()
	sc, _, _ := scenario.Embedded("llm_bootstrap")
	sc.Agents.Count = agents
	w, err := world.New(sc, sc.Seed)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	every := func(int) bool { return true }
	s := &shadow{base: Base{Asked: every, Active: every, View: (*world.World).View}, age: 2}
	f := &foreseen{tick: w.Tick(), world: w, lives: make([]life, agents), chances: map[string]int64{}}
	for _, n := range w.Due() {
		f.lives[n] = life{place: w.PlaceOf(n), turn: &turn{asks: true}}
	}
	s.ticks = []*foreseen{f}
	return s, f
}

// decided lets agents in the situation decide, as many as there are actions; those of them who are left are open. All
// others wait.
func decided(f *foreseen, actions ...world.Action) (open []int) {
	for n := range f.lives {
		switch {
		case f.world.Situation(n) != f.world.Situation(0):
			f.lives[n].turn.decision = &behavior.Decision{Executed: world.Wait{}}
		case len(actions) == 0:
			open = append(open, n)
		default:
			f.lives[n].turn.decision = &behavior.Decision{Executed: actions[0]}
			actions = actions[1:]
		}
	}
	return open
}

// TestPeersTellWhatIsGuessed: who is open is taken to do what most others in the same situation decided, unless that is
// to say something, or what it leans to itself.
func TestPeersTellWhatIsGuessed(t *testing.T) {
	other := world.Wait{}
	for _, tt := range []struct {
		name    string
		decided []world.Action
		leans   []world.Action
		want    []world.Action
		peers   string
	}{
		{"nobody decided", nil, nil, nil, "0 of 0 [llm-hub]"},
		{"most go", []world.Action{stays, goes, goes}, nil, []world.Action{goes}, "2 of 3 [llm-hub frag-amber]"},
		{"most stay", []world.Action{stays, goes, stays}, nil, []world.Action{stays}, "2 of 3 [llm-hub frag-amber]"},
		{"they stay, each in its way", []world.Action{other, stays, stays}, nil, []world.Action{stays}, "3 of 3 [llm-hub]"},
		{"they talk", []world.Action{writes, writes, goes}, nil, nil, "0 of 3 [llm-hub frag-amber]"},
		{"one talks", []world.Action{stays, stays, writes}, nil, []world.Action{stays}, "2 of 3 [llm-hub]"},
		{
			"it leans to go", []world.Action{stays, stays}, []world.Action{goes}, []world.Action{goes},
			"30 of 30 [llm-hub frag-amber]",
		},
		{"it leans to talk", []world.Action{stays, stays}, []world.Action{writes}, nil, "0 of 30 [llm-hub]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, f := beginCrowd(t, 12)
			open := decided(f, tt.decided...)
			n := open[len(open)-1]
			f.lives[n].turn.leaning = tt.leans
			p := s.census(f).of[n]
			if got := fmt.Sprintf("%d of %d %v", p.agreed, p.decided, p.places); got != tt.peers {
				t.Errorf("its peers are %s, want %s", got, tt.peers)
			}
			intents, _ := s.guess(f)
			var got []world.Action
			for _, in := range intents {
				if in.Agent == n {
					got = append(got, in.Action)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("it is taken to do %v, want %v", got, tt.want)
			}
		})
	}
}

// TestWhoIsOpenDoesWhatIsGuessed: in the tick that follows, those who are open have gone with their peers, and are not
// asked; where they were and where they go, less is certain than elsewhere.
func TestWhoIsOpenDoesWhatIsGuessed(t *testing.T) {
	s, f := beginCrowd(t, 12)
	open := decided(f, goes, goes, goes)
	next := s.follow(f, nil)
	for _, n := range open {
		l := next.lives[n]
		if l.place != "frag-amber" || l.lost != f.tick || l.turn != nil {
			t.Errorf("agent %d, who is open, is at %q, lost since %d, with a turn: %v", n, l.place, l.lost, l.turn != nil)
		}
	}
	want := next.unknown[0].chance() * 1000 / sureChance
	for _, place := range []string{"llm-hub", "frag-amber"} {
		next.lives[0] = life{place: place}
		if got := s.weigh(next, 0); !got.certainty.guessed() || got.expected != want {
			t.Errorf("at %s: %+v, want %d", place, got, want)
		}
	}
	next.lives[0] = life{place: "llm-outpost", turn: &turn{looked: true}}
	want = int64(1000 * math.Pow(1-stray/1000.0, float64(len(open))))
	if got := s.weigh(next, 0); got.expected != want {
		t.Errorf("elsewhere in sight: %+v, want %d", got, want)
	}
	for n := range f.lives {
		f.lives[n].turn.decision = &behavior.Decision{Executed: goes}
	}
	if whole := s.follow(f, nil); whole.anyLost || len(whole.unknown) > 0 || whole.before.after == "" {
		t.Errorf("a whole tick leaves unknown %v", whole.unknown)
	}
}

// TestChancesOfPeers: the more decided alike and the fewer are open, the likelier it is that all do the same.
func TestChancesOfPeers(t *testing.T) {
	for _, tt := range []struct {
		open, decided, agreed int64
		least, most           int64
	}{
		{1, 0, 0, 800, 800},
		{1, 9, 9, 970, 980},
		{1, leaningWeight, leaningWeight, 990, 995},
		{100, 900, 900, 974, 974},
		{300, 30, 30, 551, 552},
		{1, 10, 5, 500, 560},
		{3, 10, 5, 170, 230},
		{1, 5, 0, 150, 170},
		{1 << 20, 0, 0, 0, 200},
	} {
		p := peers{open: tt.open, decided: tt.decided, agreed: tt.agreed}
		if got := p.chance() * 1000 / sureChance; got < tt.least || got > tt.most {
			t.Errorf("%d open, %d of %d decided alike: %d, want %d to %d", tt.open, tt.agreed, tt.decided, got, tt.least,
				tt.most)
		}
	}
}

// TestNobodyGuessesSeats: what a seat decides nobody knows before, so those beside it wait for it.
func TestNobodyGuessesSeats(t *testing.T) {
	s, f := beginCrowd(t, 12)
	open := decided(f, stays, stays, stays)
	for _, n := range open[1:] {
		f.lives[n].turn.decision = &behavior.Decision{Executed: stays}
	}
	s.base.Asked = func(n int) bool { return n != open[0] }
	next := s.follow(f, nil)
	if intents, _ := s.guess(f); len(intents) > 0 {
		t.Errorf("guessed: %+v", intents)
	}
	if got := s.weigh(next, 0); got.expected != 800 {
		t.Errorf("beside an open seat: %+v", got)
	}
}
