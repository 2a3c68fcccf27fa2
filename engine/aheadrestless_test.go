package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ahead"
	"example.com/agentworld/llmclient"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// sightLine is the line of an observation that lists other places.
var sightLine = regexp.MustCompile(`\nplaces \([^)]*\): ([^\n]*)`)

// restless is a model nobody can foresee: what it plans and what it decides are drawn apart, of agents alike, too.
// Honest ones decide what they plan.
func restless(honest bool) sourceFunc {
	return func(_ context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		step := key.Step
		if honest {
			step = 1
		}
		h := fnv.New64a()
		fmt.Fprint(h, key.Tick, key.Agent, step)
		draw := rand.New(rand.NewPCG(h.Sum64(), 0))
		action := `{"action":"harvest_radiation","amount":3}`
		places := sightLine.FindStringSubmatch(r.Input[len(r.Input)-1].Text)
		switch {
		case draw.IntN(3) == 0 && places != nil:
			list := strings.Split(places[1], "; ")
			to, _, _ := strings.Cut(list[draw.IntN(len(list))], " ")
			action = fmt.Sprintf(`{"action":"move_agent","to":%q}`, to)
		case draw.IntN(2) == 0:
			action = fmt.Sprintf(`{"action":"mine_compound","amount":%d}`, 1+draw.IntN(900))
		}
		call := llmclient.FunctionCall("p", "plan", `{"goal":"","steps":[],"actions":[`+action+`]}`)
		if key.Step > 1 {
			call = llmclient.FunctionCall(fmt.Sprint("d", key.Step), "decision", `{"action":`+action+`,"why":"","sources_used":[]}`)
		}
		reply := llmclient.Reply{Status: "completed", Items: []llmclient.Item{call}}
		return llmclient.Answer{Reply: &reply, Attempts: 1}
	}
}

// TestNobodyForeseesTheRestless simulates crowds whose models say one thing and do another: asking ahead costs what it
// may, but for five calls, and no time.
func TestNobodyForeseesTheRestless(t *testing.T) {
	for _, honest := range []bool{false, true} {
		for _, agents := range []int{9, 40} {
			o := belt(t, agents, 15)
			o.Source = restless(honest)
			run(t, o)
			for seed := range 3 {
				got, err := engine.Simulate(t.Context(), rundir.Dir(o.RunDir).As(nil), engine.SimulateOptions{
					Limits:  ahead.Limits{Depth: 4, InFlight: 1 << 20, WastePermille: 50},
					Latency: lognormal(t, seed),
				})
				if err != nil {
					t.Fatal(err)
				}
				calls := got.Counts.Own + got.Counts.Used
				t.Logf("%d agents, honest %v: gain %.2f of %.2f, %d asked, %.1f%% of %d in vain", agents, honest,
					got.Lockstep.Seconds()/got.Elapsed.Seconds(), got.Lockstep.Seconds()/got.Oracle.Seconds(), got.Counts.Asked,
					100*float64(got.Counts.Wasted)/float64(calls), calls)
				if got.Elapsed > got.Lockstep || 20*(got.Counts.Wasted-5) > calls || got.Counts.Asked == 0 {
					t.Errorf("%d agents, honest %v: %+v", agents, honest, got)
				}
			}
		}
	}
}
