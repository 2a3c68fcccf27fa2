package engine_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ahead"
	"example.com/agentworld/llmclient/stub"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// The town of AI Metropolis (arXiv 2411.03519), rebuilt: its villages of 25 agents stand side by side, as many as the
// agents take, and an agent sees its own place and nothing beyond. Its places are ours (a settlement of twelve sites, an
// hour's walk is a tick's journey or two), its people and their texts are not theirs, and no trace of theirs is used.
const (
	villagers       = 25
	villageSites    = 12
	villageColumns  = 4
	siteDistanceCM  = 300_000
	villagesAbreast = 7
)

// townTOML is a rebuilt town with so many agents, a multiple of [villagers].
func townTOML(agents int) string {
	var b, spawn strings.Builder
	b.WriteString("id = \"town_rebuilt\"\nname = \"Town, rebuilt after AI Metropolis\"\ntext = \"People of a town live side by side.\"\n" +
		"seed = 7\nvisibility_km = 1\n")
	materials := []string{"silicate", "metal", "carbon", "composite"}
	for village := range agents / villagers {
		for site := range villageSites {
			x := village%villagesAbreast*(villageColumns+1) + site%villageColumns
			y := village/villagesAbreast*(villageSites/villageColumns+1) + site/villageColumns
			fmt.Fprintf(&b, "[[places]]\nid = \"v%d-%d\"\nname = \"Village %d, site %d\"\nx_cm = %d\ny_cm = %d\nz_cm = 0\n"+
				"material = %q\nradius_cm = 220\nemission = 40\ncompound_g = 200000\n", village+1, site+1, village+1, site+1,
				x*siteDistanceCM, y*siteDistanceCM, materials[site%len(materials)])
		}
		for n := range villagers {
			fmt.Fprintf(&spawn, "\"v%d-%d\", ", village+1, n%villageSites+1)
		}
	}
	fmt.Fprintf(&b, "[agents]\ncount = %d\nspawn = [%s]\nstock = [{ electricity = 60, data = 10 }]\n", agents, spawn.String())
	b.WriteString("[[personas]]\nname = \"Neighbour\"\ntext = \"You know your neighbours and trade with them.\"\n" +
		"short_term_goal = \"Build a factory where you live.\"\nlong_term_goal = \"Make two control chips.\"\n" +
		"[[goals]]\nid = \"chips\"\nagent = \"*\"\ntext = \"Hold 2 control chips.\"\nmetric = \"product:control_chip\"\nat_least = 2\n")
	return b.String()
}

// TestTownRebuilt plays rebuilt towns of 25 to 1,000 agents, and simulates them with latencies that are lognormal: as
// a lockstep, with the rule of AI Metropolis at its best ("sight"), and asking ahead. Of these 25 agents and few ticks
// are played unless all is asked for.
func TestTownRebuilt(t *testing.T) {
	slow(t)
	type town struct {
		agents, seeds int
		ticks         int64
	}
	towns := []town{{25, 1, 8}}
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		towns = []town{{25, 3, 40}, {100, 3, 40}, {500, 1, 20}, {1000, 1, 10}}
	}
	for _, town := range towns {
		o := options(t, "minimal", town.ticks)
		o.Scenario = "town_rebuilt"
		o.ScenarioTOML = townTOML(town.agents)
		o.ChainSteps = trace.DefaultSettings().ChainSteps
		o.Concurrency = 64
		run(t, o)
		for seed := range town.seeds {
			got, err := engine.Simulate(t.Context(), rundir.Dir(o.RunDir).As(nil), engine.SimulateOptions{
				Limits:  ahead.Limits{Depth: ahead.DepthMax, InFlight: 1 << 20, WastePermille: 50},
				Latency: lognormal(t, seed),
			})
			if err != nil {
				t.Fatal(err)
			}
			lockstep := got.Lockstep.Seconds()
			calls := got.Counts.Own + got.Counts.Used
			t.Logf("%d agents, %d ticks, seed %d: lockstep %.0f s, sight %.2f, oracle %.2f, own answers %.2f, --ahead %d %.2f with %.1f%% in vain",
				town.agents, town.ticks, seed, lockstep, lockstep/got.Sight.Seconds(), lockstep/got.Oracle.Seconds(),
				lockstep/got.Own.Seconds(), ahead.DepthMax, lockstep/got.Elapsed.Seconds(), 100*float64(got.Counts.Wasted)/float64(calls))
			if got.Elapsed > got.Lockstep || got.Elapsed < got.Own || 20*got.Counts.Wasted > calls+20*villagers {
				t.Errorf("%d agents: %+v", town.agents, got)
			}
		}
	}
}

// lognormal are latencies with a median of a second and a deviation of 0.8, drawn by seed and call.
func lognormal(t *testing.T, seed int) func(trace.CallKey, time.Duration) time.Duration {
	t.Helper()
	law, err := stub.ParseLatency("p50:1s..p99:6.43s")
	if err != nil {
		t.Fatal(err)
	}
	return func(key trace.CallKey, _ time.Duration) time.Duration {
		h := fnv.New64a()
		fmt.Fprint(h, key)
		draw := rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
		return law.Draw(draw.Float64(), draw.Float64())
	}
}
