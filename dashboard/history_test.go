package dashboard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/run"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
)

// recordRun plays a run of the embedded model.
func recordRun(t *testing.T, scenario string, ticks int64) run.Dir {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	settings, err := agentworld.Defaults(scenario)
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = ticks
	if _, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return run.Dir(dir)
}

// TestAnyTickIsThatOfTheRun asks for ticks in random order and compares each with the run played
// from its beginning: with all moves kept, and with none, so that they are read again.
func TestAnyTickIsThatOfTheRun(t *testing.T) {
	const ticks = 45
	dir := recordRun(t, "task_cooperation_camp_160", ticks)
	want := []string{}
	h, err := dir.Header()
	if err != nil {
		t.Fatal(err)
	}
	f, err := dir.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := playback.Begin(h)
	if err != nil {
		t.Fatal(err)
	}
	see := func() { want = append(want, overviewText(t, p.World().Overview())) }
	see()
	for record, err := range trace.NewReader(f).All() {
		if err != nil {
			t.Fatal(err)
		}
		if whole, err := p.Add(record); err != nil {
			t.Fatal(err)
		} else if whole {
			see()
		}
	}
	of, err := openHistory(dir, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer of.cancel()
	<-of.readOnce
	if r := of.reached(); r.Tick != ticks || r.Reading || r.Differs != "" || r.Damage != "" {
		t.Fatalf("reached %+v", r)
	}
	whole, _, err := dir.Index(true)
	if err != nil {
		t.Fatal(err)
	}
	of.index.Sizes = whole.Sizes
	if got, want := overviewText(t, of.index), overviewText(t, whole); got != want {
		t.Errorf("by what is decoded of the lines the index is\n%s\nby whole lines\n%s", got, want)
	}
	before := of.bytes()
	for _, kept := range []bool{true, false} {
		if !kept {
			of.limit(1)
			if len(of.worlds) != 1 || len(of.moves) != 1 || of.bytes() > before/2 {
				t.Errorf("with no room %d worlds and %d moves are kept, %d bytes of %d", len(of.worlds), len(of.moves), of.bytes(), before)
			}
		}
		random := rand.New(rand.NewPCG(1, 2))
		for range 60 {
			tick := random.Int64N(ticks + 1)
			w, err := of.at(tick)
			if err != nil {
				t.Fatalf("tick %d: %v", tick, err)
			}
			if got := overviewText(t, w.Overview()); got != want[tick] {
				t.Fatalf("moves kept: %v: tick %d is\n%s\nwant\n%s", kept, tick, got, want[tick])
			}
		}
	}
	if _, err := of.at(ticks + 1); err == nil {
		t.Error("there is a world after the last tick")
	}
}

func overviewText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLongHistoriesAreThinnedOut adds more rows and samples than are kept: their sums and order
// stay.
func TestLongHistoriesAreThinnedOut(t *testing.T) {
	f := newFigures(trace.Header{})
	const ticks = 3*figureRowsMax + 17
	for tick := int64(1); tick <= ticks; tick++ {
		c := tickCount{refusals: make([]trace.Refusal, tick%3)}
		f.add(tick, &c)
	}
	columns, sum := f.columns(), int64(0)
	for i, tick := range columns["tick"] {
		if want := int64(i)*f.every + 1; tick != want {
			t.Fatalf("row %d begins with tick %d, want %d", i, tick, want)
		}
		sum += columns["refused"][i]
	}
	if n := len(columns["tick"]); n > figureRowsMax || n < figureRowsMax/4 || f.every != 4 {
		t.Errorf("%d rows of %d ticks", n, f.every)
	}
	if want := int64(ticks/3*3 + ticks%3*(ticks%3+1)/2); sum != want {
		t.Errorf("the rows count %d, want %d", sum, want)
	}
}

func TestOriginOfSources(t *testing.T) {
	for _, c := range []struct {
		source trace.Source
		want   origin
	}{
		{trace.Source{ID: "msg-12-agent-4-1", OriginAgent: "agent-4", OriginTick: 15}, origin{"agent-4", 12}},
		{trace.Source{ID: "offer-3-the-dock-1", OriginTick: 4}, origin{"the-dock", 3}},
		{trace.Source{ID: "mem-7-2", OriginTick: 7}, origin{"agent-1", 7}},
		{trace.Source{ID: "mem-7-2", OriginAgent: "agent-2", OriginTick: 7}, origin{"agent-2", 7}},
		{trace.Source{ID: "msg-x-1", OriginTick: 2}, origin{"agent-1", 2}},
	} {
		if got := originOf(c.source, "agent-1"); got != c.want {
			t.Errorf("%s comes from %v, want %v", fmt.Sprint(c.source.ID), got, c.want)
		}
	}
}
