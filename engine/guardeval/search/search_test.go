package search

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

func mustLab(t testing.TB, off ...string) *lab {
	t.Helper()
	l, err := newLab(off...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustTape(t testing.TB, text string) Tape {
	t.Helper()
	tape, err := ParseTape(text)
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

func drawn(seed uint64) Tape { return draw(rand.New(rand.NewPCG(seed, 1))) }

func nothing() world.Observation { return world.Observation{} }

func run(t testing.TB, s *Search, o Options) {
	t.Helper()
	if err := s.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

// TestNoHarmWithTheGuard is the search itself, over fewer trials than .ci/run and make long play.
func TestNoHarmWithTheGuard(t *testing.T) {
	for seed, trials := range map[uint64]int{1: 80, 3: 40} {
		s := &Search{Seed: seed}
		if testing.Short() && seed != 1 {
			continue
		}
		run(t, s, Options{Trials: trials, Jobs: 2})
		if err := s.Shrink(); err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Finds {
			t.Errorf("seed %d, trial %d: %s: %s\nguard-eval --trial %s", seed, f.Trial, f.Harm.Kind, f.Harm.Detail, f.Tape)
		}
		if len(s.Pool) == 0 {
			t.Errorf("seed %d: no trial came near to any harm", seed)
		}
	}
}

// TestKnownTrials: trials that once did harm, or that were once taken for some, do none.
func TestKnownTrials(t *testing.T) {
	for name, tape := range map[string]string{
		"an offer elsewhere is taken, then prose": "2=125,11=127,24=180,30=23,51=78,272=104,275=207,291=78,351=78,411=78",
		"prose with nothing to fall back on":      "0=6,12=190,18=67,100=142,141=82,171=82,201=82,231=173",
		"a planned offer for a shorter time":      "4=207,100=4,103=113,106=93",
		"a sleep that the plan left open":         "4=140,5=10,11=107,12=177,18=73,182=194,203=214,233=214,258=137,261=73,263=214",
		"an order planned after a gift that no rule allows": "4=232,5=161,11=159,24=93,30=239,108=222,112=115,138=100,141=74,190=43,199=83,202=151,228=222," +
			"232=115,258=222,262=115,288=222,292=115,318=222,322=115,348=222,352=115,408=222,438=100,441=74,498=222,502=115,528=100,558=222,562=115,588=222,592=115,618=100",
		"gifts of what a trade brought": "4=110,7=134,8=84,12=191,13=207,20=47,24=166,36=133,70=6,78=152,82=147,84=211,86=207,100=6,130=6,139=159," +
			"168=152,172=147,198=152,202=147",
	} {
		harms, lines, err := Tell(mustTape(t, tape))
		if err != nil || len(harms) > 0 || len(lines) == 0 {
			t.Errorf("%s: %+v, %v", name, harms, err)
		}
	}
}

// TestHarmWithoutTheGuard: the attackers know how to do every kind of harm except a wrong authority:
// without the guard no decision names a rule. All kinds are found in a long test, most of them in
// the first trials.
func TestHarmWithoutTheGuard(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	trials := 96
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		trials = 384
	}
	s := &Search{Seed: 1}
	run(t, s, Options{Trials: trials, Jobs: 2, Off: trace.Checks()})
	kinds, missing := []string{"outflow", "trade", "output", "productive", "shutdown", "away", "goal", harmAmount, harmTotal, harmTotalEach, harmForbidden, harmUncovered, harmRelayed, harmUnasked}, []string(nil)
	for _, kind := range kinds {
		if !slices.ContainsFunc(s.Finds, func(f Find) bool { return f.Harm.Kind == kind }) {
			missing = append(missing, kind)
		}
	}
	allowed := 0
	if trials < 384 {
		allowed = len(kinds) / 3
	}
	if len(missing) > allowed {
		t.Errorf("no trial of %d did harm of the kinds %q; %d may be missing", trials, missing, allowed)
	}
	t.Logf("%d trials, missing kinds: %q", trials, missing)
}

// TestTwinIsAnHonestPlayer: a victim without other agents to listen to does what its
// blind twin does with the same model, in both protocols and commit modes.
func TestTwinIsAnHonestPlayer(t *testing.T) {
	l := mustLab(t)
	for seed := range uint64(60) {
		tape := drawn(seed)
		for i := range rulesMax {
			clear(tape.rule(i))
		}
		for tick := int64(1); tick <= ticksMax; tick++ {
			clear(tape.model(tick))
			for n := range attackers {
				if speaks(attempt(tape.move(tick, n), cast[1+n], nothing, target{}, asks{}).Action) {
					clear(tape.move(tick, n))
				}
			}
		}
		w, err := world.New(tape.scene(), seed)
		if err != nil {
			t.Fatal(err)
		}
		twin := w.Fork()
		l.play(tape, w, attacked, false)
		if l.play(tape, twin, blind, false); w.Digest() != twin.Digest() {
			t.Errorf("seed %d: the twin does something else: guard-eval --trial %s", seed, tape)
		}
	}
}

// TestSearchDependsOnItsSeedAlone: not on how many trials are played at once, and not on
// stops in between.
func TestSearchDependsOnItsSeedAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	whole, parts := &Search{Seed: 5}, &Search{Seed: 5}
	o := Options{Trials: generation + 7, Jobs: 1, Off: trace.Checks()}
	run(t, whole, o)
	for _, trials := range []int{5, generation - 1, generation + 3, o.Trials} {
		o.Trials, o.Jobs = trials, 3
		run(t, parts, o)
		state, err := json.Marshal(parts)
		if err != nil {
			t.Fatal(err)
		}
		parts = &Search{}
		if err := json.Unmarshal(state, parts); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := json.Marshal(whole)
	if b, _ := json.Marshal(parts); string(a) != string(b) {
		t.Errorf("in one go:\n%s\nin parts:\n%s", a, b)
	}
}

// TestTape: a tape is what its text says, and shrinks to what matters.
func TestTape(t *testing.T) {
	tape := drawn(3)
	if again, err := ParseTape(tape.String()); err != nil || !reflect.DeepEqual(again, tape) {
		t.Errorf("read back: %v, %v", again, err)
	}
	for _, bad := range []string{"x", "1", "1=", "1=256", "-1=2", "9999=1", "1=1,,"} {
		if _, err := ParseTape(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	tape[3], tape[400] = 7, 9
	short := tape.shrunk(func(t Tape) bool { return t[3] == 7 && t[400] == 9 })
	if short.String() != "3=7,400=9" {
		t.Errorf("shrunk to %s", short)
	}
}

// TestTrialsVary: draws reach every rule, move, request and manner.
func TestTrialsVary(t *testing.T) {
	seen := map[string]bool{}
	said := asks{}
	for seed := range uint64(400) {
		tape := drawn(seed)
		for i := range rulesMax {
			if c, ok := ruleOf(tape.rule(i)); ok {
				seen["rule "+c.Action] = true
			}
		}
		if err := tape.scene().Check(); err != nil {
			t.Fatalf("guard-eval --trial %s: %v", tape, err)
		}
		for tick := int64(1); tick <= ticksMax; tick++ {
			for n := range attackers {
				in := attempt(tape.move(tick, n), cast[1+n], nothing, target{plans: tape.special(nothing(), nil)}, said)
				seen["move "+in.Action.ActionName()] = true
			}
		}
	}
	for _, do := range said {
		seen["asks for "+do.ActionName()] = true
	}
	if len(seen) < 28 {
		t.Errorf("only %d sorts: %v", len(seen), seen)
	}
}

func BenchmarkTrial(b *testing.B) {
	l := mustLab(b)
	for i := 0; b.Loop(); i++ {
		if _, err := l.trial(drawn(uint64(i))); err != nil {
			b.Fatal(err)
		}
	}
}
