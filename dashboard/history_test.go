package dashboard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
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
// from its beginning: with some worlds kept, and with the first one alone.
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
	of, err := openHistory(dir.As(nil), func() {})
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
			if len(of.worlds) != 1 || of.bytes() > before/2 {
				t.Errorf("with no room %d worlds are kept, %d bytes of %d", len(of.worlds), of.bytes(), before)
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
				t.Fatalf("worlds kept: %v: tick %d is\n%s\nwant\n%s", kept, tick, got, want[tick])
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

// TestTheAgentsAreThoseOfTheReport: what the page counts of each agent while it follows a run is what the report counts
// of all records.
func TestTheAgentsAreThoseOfTheReport(t *testing.T) {
	settings, err := agentworld.Defaults("task_cooperation_camp_160")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks, settings.Faults, settings.MaxDegradedPct = 40, "http_400=8%,unusable=8%", 100
	dir := run.Dir(filepath.Join(t.TempDir(), "run"))
	if _, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: string(dir)}); err != nil {
		t.Fatal(err)
	}
	of, err := report.Of(dir.As(nil))
	if err != nil {
		t.Fatal(err)
	}
	h, err := openHistory(dir.As(nil), func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer h.cancel()
	<-h.readOnce
	type row struct {
		agent                                                  string
		turns, failed, continued, refused, calls, tokens, last int64
		gave, got                                              string
	}
	amounts := func(list []world.Amount) string {
		list = slices.Clone(list)
		slices.SortFunc(list, func(a, b world.Amount) int { return strings.Compare(a.Resource, b.Resource) })
		return fmt.Sprint(list)
	}
	var page, told []row
	all := row{}
	for _, s := range h.agents.Shares() {
		page = append(page, row{s.Agent, s.Turns, s.Failed, s.Continued, s.Refused, s.Calls, s.Tokens, s.Last.Tick,
			amounts(s.Gave), amounts(s.Got)})
		all.failed += s.Failed
		all.continued += s.Continued
		all.refused += s.Refused
		all.gave += amounts(s.Gave)
	}
	for _, a := range of.PerAgent {
		told = append(told, row{a.AgentID, a.Turns, a.FailedTurns, a.Continued, a.Failures, a.Calls,
			a.Tokens.Input + a.Tokens.Output, a.LastTick, amounts(a.Gave), amounts(a.Got)})
	}
	if !slices.Equal(page, told) {
		t.Errorf("the page counts\n%+v\nthe report\n%+v", page, told)
	}
	if all.failed == 0 || all.continued == 0 || all.refused == 0 || !strings.Contains(all.gave, "{") {
		t.Errorf("the run shows too little: %+v", all)
	}
}
