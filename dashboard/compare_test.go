package dashboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/agentworld"
	"example.com/agentworld/batch"
	"example.com/agentworld/run"
	"example.com/agentworld/serve/catalog"
)

// endsAfter is a context that ends when it was asked a number of times.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (e *endsAfter) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestAComparisonEndsWithItsClient compares runs for a client that is gone at some point: what
// follows is not read.
func TestAComparisonEndsWithItsClient(t *testing.T) {
	s, ids := serverOf(t, 4)
	for _, left := range []int64{0, 1, 3} {
		for what, compare := range map[string]func(context.Context) error{
			"a pair": func(ctx context.Context) error { return s.comparePair(ctx, &compareView{A: ids[:1], B: ids[1:2]}) },
			"sides":  func(ctx context.Context) error { return s.compareSides(ctx, &compareView{A: ids[:2], B: ids[2:]}) },
		} {
			ctx := &endsAfter{Context: t.Context()}
			ctx.left.Store(left)
			if err := compare(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended after %d looks: %v", what, left, err)
			}
			if err := compare(t.Context()); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// TestAComparisonNamesWhatDoesNotCount compares sides with runs that have no partner, and with one that
// has not ended.
func TestAComparisonNamesWhatDoesNotCount(t *testing.T) {
	s, ids := serverOf(t, 4)
	path := filepath.Join(s.catalog.Path(), ids[3], run.TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:bytes.LastIndex(text[:len(text)-1], []byte("\n"))+1], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(filepath.Dir(path), run.ReportFile)); err != nil {
		t.Fatal(err)
	}
	v := compareView{A: []string{ids[0], ids[1], ids[3]}, B: []string{ids[0], ids[2], ids[3]}}
	if err := s.compareSides(t.Context(), &v); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range v.Out {
		got = append(got, o.Side+" "+o.ID+": "+o.Why)
	}
	slices.Sort(got)
	want := []string{
		"A run-1: no run is left of B with minimal, seed 1", "A run-3: it ended as unfinished", "B run-2: no run is left of A with minimal, seed 2", "B run-3: it ended as unfinished",
	}
	if len(v.Pairs) != 2 || !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("%d pairs, and not counted are %q", len(v.Pairs), got)
	}
}

// TestSidesArePairedByLabels marks the runs of a batch as two sides: they are paired within the axes on which both
// sides have the same values, and not within the one in which they differ.
func TestSidesArePairedByLabels(t *testing.T) {
	rows := map[string]catalog.Row{}
	add := func(id, seed, model, arm string) {
		rows[id] = catalog.Row{Scenario: "minimal", Seed: seed,
			Labels: []batch.Label{{Axis: "model", Value: model}, {Axis: "arm", Value: arm}}}
	}
	add("a1", "1", "small", "plain")
	add("a2", "1", "large", "plain")
	add("b1", "1", "large", "prosy")
	add("b2", "1", "small", "prosy")
	add("c", "2", "small", "prosy")
	for _, c := range []struct {
		a, b       []string
		model, arm bool
	}{
		{[]string{"a1", "a2"}, []string{"b1", "b2"}, true, false},
		{[]string{"a1", "b1"}, []string{"a2", "b2"}, true, true},
		{[]string{"a1"}, []string{"c"}, false, false},
	} {
		if got := sharedAxes(rows, c.a, c.b); got["model"] != c.model || got["arm"] != c.arm {
			t.Errorf("%v against %v: within %v", c.a, c.b, got)
		}
	}
}

// TestNoiseIsThatOfRepeats compares runs beside repeats of one of them: what those differ in by chance is noise, runs
// of other settings tell nothing of it.
func TestNoiseIsThatOfRepeats(t *testing.T) {
	s, ids := serverOf(t, 1)
	play := func(name string, change func(*agentworld.Settings)) {
		t.Helper()
		settings, err := agentworld.Defaults("minimal")
		if err != nil {
			t.Fatal(err)
		}
		settings.Ticks, settings.Seed = 20, 0
		change(&settings)
		if _, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: filepath.Join(s.catalog.Path(), name)}); err != nil {
			t.Fatal(err)
		}
	}
	play("lean", func(of *agentworld.Settings) { of.Protocol = "lean" })
	v := compareView{A: ids, B: []string{"lean"}}
	if err := s.comparePair(t.Context(), &v); err != nil || v.Noise != nil {
		t.Fatalf("without repeats the noise is %+v, %v", v.Noise, err)
	}
	for _, name := range []string{"second", "third"} {
		play(name, func(of *agentworld.Settings) {
			of.ScriptedSeed = uint64(len(name))
			of.Faults = ""
		})
	}
	if err := s.comparePair(t.Context(), &v); err != nil || v.Noise == nil || v.Noise.Runs != 3 {
		t.Fatalf("with two repeats the noise is %+v, %v", v.Noise, err)
	}
	var calls []float64
	for _, id := range []string{ids[0], "second", "third"} {
		of, _, err := s.catalog.ReportOf(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, of.Metrics()["calls"])
	}
	mean := (calls[0] + calls[1] + calls[2]) / 3
	squares := 0.0
	for _, n := range calls {
		squares += (n - mean) * (n - mean)
	}
	if want := 4.302652729749464 * math.Sqrt(2*squares/2); math.Abs(v.Noise.Metrics["calls"]-want) > 1e-9 {
		t.Errorf("the noise of calls is %v, of %v want %v", v.Noise.Metrics["calls"], calls, want)
	}
	play("shifted", func(of *agentworld.Settings) { // its world is another one under the same name
		of.ScenarioTOML = strings.Replace(of.ScenarioTOML, "emission = 30", "emission = 33", 1)
		if !strings.Contains(of.ScenarioTOML, "emission = 33") {
			t.Fatal("the world cannot be changed")
		}
	})
	play("damaged", func(*agentworld.Settings) {})
	damaged := filepath.Join(s.catalog.Path(), "damaged")
	err := errors.Join(os.Remove(filepath.Join(damaged, run.ReportFile)), os.Truncate(filepath.Join(damaged, run.TraceFile), 100))
	if err != nil {
		t.Fatal(err)
	}
	v = compareView{A: ids, B: []string{"second"}}
	if err := s.comparePair(t.Context(), &v); err != nil || v.Noise == nil || v.Noise.Runs != 3 {
		t.Errorf("of a run and its repeat the noise is %+v, %v", v.Noise, err)
	}
}

// TestARunUnderWayHasItsTimeLeft: half of the ticks took ten minutes, so the other half takes ten more.
func TestARunUnderWayHasItsTimeLeft(t *testing.T) {
	s, ids := serverOf(t, 1)
	h, err := run.Dir(filepath.Join(s.catalog.Path(), ids[0])).Header()
	if err != nil {
		t.Fatal(err)
	}
	began, err := time.Parse(time.RFC3339, h.Timing.StartedAt)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.catalog.Path(), ids[0], run.TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.underWay(ids[0], began); got != "tick 20 of 20" {
		t.Errorf("of a run that is played to its end: %q", got)
	}
	half := bytes.Index(text, []byte(`{"type":"tick_end","tick":10`))
	half += bytes.IndexByte(text[half:], '\n') + 1
	if err := errors.Join(os.WriteFile(path, text[:half], 0o600), os.Remove(filepath.Join(filepath.Dir(path), run.ReportFile))); err != nil {
		t.Fatal(err)
	}
	if got := s.underWay(ids[0], began.Add(10*time.Minute)); got != "tick 10 of 20, about 10m0s left" {
		t.Errorf("of a run under way: %q", got)
	}
	if got := s.underWay("none", began); got != "" {
		t.Errorf("of no run: %q", got)
	}
}

// TestAFileHoldsPromptsAsFarAsTheyFit gives the prompts of a run less room than they take: the file has those of the
// first decisions, no others, and says of how many.
func TestAFileHoldsPromptsAsFarAsTheyFit(t *testing.T) {
	all, ids := serverOf(t, 1)
	c, err := catalog.Open(filepath.Join(all.catalog.Path(), ids[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, h := &Server{catalog: c, hub: newHub()}, opened(t, all, ids[0])
	prompts := func(most int) (bytes, n int, held *heldView) {
		t.Helper()
		b, held, err := s.bundle(t.Context(), h, most)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range b.Answers {
			if strings.HasPrefix(name, "prompt ") {
				bytes += len(text)
				n++
			}
		}
		return bytes, n, held
	}
	whole, count, held := prompts(filePromptsMax)
	if held.Prompted != held.Turns || strings.Contains(held.about(), "first") {
		t.Fatalf("with room for all the file says %q", held.about())
	}
	some, n, held := prompts(whole / 2)
	want := fmt.Sprintf("with prompts of its first %d decisions", held.Prompted)
	if some > whole/2 || n == 0 || n >= count || held.Prompted == 0 || held.Prompted >= held.Turns || !strings.Contains(held.about(), want) {
		t.Errorf("of %d bytes in %d prompts there are %d in %d, and the file says %q", whole, count, some, n, held.about())
	}
	if _, n, held := prompts(0); n != 0 || !strings.Contains(held.about(), "without its prompts") {
		t.Errorf("without prompts there are %d, and the file says %q", n, held.about())
	}
}
