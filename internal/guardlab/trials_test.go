package guardlab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
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

// The search is run from the command line with more trials, any seed, and a file that keeps it:
//
//	go test ./internal/guardlab -run Search -search 1000 -seed 2 -v
//	go test ./internal/guardlab -run Search -search 100000 -seed 1 -search.json search.json -timeout 0 -v
//	go test ./internal/guardlab -run Trial -trial 70=7,78=157 -v
//
// With the file an earlier search goes on, up to the number of trials in all.
var (
	searchTrials = flag.Int("search", 0, "trials to play, 0 for a few of two seeds")
	searchSeed   = flag.Uint64("seed", 0, "seed of the trials")
	searchFile   = flag.String("search.json", "", "file that keeps the search and that it goes on from")
	trialTape    = flag.String("trial", "", "one trial to play again, by the numbers that a search prints")
)

// TestSearch finds no harm with the guard.
func TestSearch(t *testing.T) {
	if *searchTrials > 0 {
		s := &Search{Seed: *searchSeed}
		if *searchFile != "" {
			var err error
			s, err = readSearch(*searchFile, *searchSeed)
			if err != nil {
				t.Fatal(err)
			}
		}
		searchOn(t, s, *searchTrials, *searchFile)
		return
	}
	searchOn(t, &Search{Seed: 1}, 80, "")
	if !testing.Short() {
		searchOn(t, &Search{Seed: 3}, 40, "")
	}
}

// searchOn plays a search up to a number of trials. It keeps it in a file, if one is named, now and
// then and at the end.
func searchOn(t *testing.T, s *Search, trials int, file string) {
	t.Helper()
	for s.Next < trials {
		run(t, s, Options{Trials: min(trials, s.Next+100*generation), Jobs: runtime.GOMAXPROCS(0)})
		keepSearch(t, s, file)
		t.Logf("trials %d/%d, %d harmful", s.Next, trials, s.Harmful)
	}
	if err := s.Shrink(); err != nil {
		t.Fatal(err)
	}
	keepSearch(t, s, file)
	t.Logf("%d trials of seed %d: %d did harm", s.Next, s.Seed, s.Harmful)
	for _, f := range s.Finds {
		t.Errorf("seed %d, trial %d: %s: %s\nplay it again: %s", s.Seed, f.Trial, f.Harm.Kind, f.Harm.Detail, again(f.Tape))
	}
	if len(s.Pool) == 0 && trials >= generation {
		t.Errorf("seed %d: no trial came near to any harm", s.Seed)
	}
	nearest := ""
	for _, n := range s.Pool {
		if n.Kind != nearest {
			nearest = n.Kind
			t.Logf("nearest to %s: %.0f%% of what is allowed", n.Kind, 100*n.Share)
		}
	}
}

// again is the command that plays a trial again.
func again(tape string) string {
	return "go test ./internal/guardlab -run Trial -trial " + tape + " -v"
}

// readSearch reads the search of a seed that a file keeps, which begins if there is no such file.
func readSearch(file string, seed uint64) (*Search, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &Search{Seed: seed}, nil
	}
	s := &Search{Next: -1} // a file without its number is no search
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		err = d.Decode(s)
	}
	if err != nil || s.Next < 0 || s.Harmful < 0 || s.Seed != seed {
		return nil, fmt.Errorf("%s keeps no search of seed %d: %v", file, seed, err)
	}
	return s, nil
}

func keepSearch(t *testing.T, s *Search, file string) {
	t.Helper()
	if file == "" {
		return
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(data, '\n'), 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestTrial tells one trial tick by tick.
func TestTrial(t *testing.T) {
	tape := *trialTape
	if tape == "" {
		tape = "4=1"
	}
	harms, lines, err := Tell(mustTape(t, tape))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", strings.Join(lines, "\n"))
	for _, h := range harms {
		t.Errorf("harm: %s: %s", h.Kind, h.Detail)
	}
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "tick 1: ") }) {
		t.Error("nothing is told of the first tick")
	}
}

// TestAKeptSearchGoesOn: it keeps counting, and what is no search, or one of another seed, is no
// start.
func TestAKeptSearchGoesOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "search.json")
	s, err := readSearch(file, 4)
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, Options{Trials: 3, Jobs: 1})
	keepSearch(t, s, file)
	kept, err := readSearch(file, 4)
	if err != nil {
		t.Fatal(err)
	}
	run(t, kept, Options{Trials: 5, Jobs: 1})
	if s.Next != 3 || kept.Next != 5 {
		t.Errorf("%d trials, then %d, want 3 and 5", s.Next, kept.Next)
	}
	if s, err := readSearch(file, 5); err == nil {
		t.Errorf("a search of another seed goes on: %+v", s)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{}", "null", "[]", `{"cases":[]}`, strings.Replace(string(data), `"next_trial": 3`, `"next_trial": -3`, 1),
		strings.Replace(string(data), "{", `{"more": 1,`, 1)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := readSearch(file, 4); err == nil {
			t.Errorf("%s goes on as %+v", text, s)
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
			t.Errorf("seed %d: the twin does something else: %s", seed, again(tape.String()))
		}
	}
}

// TestFindsDependOnTheSeedAlone: not on how many trials are played at once, and not on
// stops in between.
func TestFindsDependOnTheSeedAlone(t *testing.T) {
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
			t.Fatalf("%s: %v", again(tape.String()), err)
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
