package world

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// scored is a scenario of three agents with a task of 20 ticks.
func scored(metric string, from int64, agents ...string) Scenario {
	return Scenario{
		Agents: AgentPlan{Count: 3, Spawn: []string{"p"}, Stock: [][]Amount{{{Data, 5}}, {{Data, 2}, {Hardware, 9}}, nil}},
		Task:   &Task{Family: "production", Ticks: 20, From: from, Metric: metric, Agents: agents},
	}
}

// moved is an event with one posting.
func moved(tick int64, from, to, resource string, n int64) Event {
	return Event{Tick: tick, Kind: EventActionApplied, Postings: []Posting{{from, to, resource, n}}}
}

// powered is a change of the power state.
func powered(tick int64, agent, state string) Event {
	return Event{Tick: tick, Kind: EventPowerState, Agent: agent, Detail: state}
}

const made = "source:production"

func TestScore(t *testing.T) {
	for _, tc := range []struct {
		name   string
		s      Scenario
		events []Event
		last   int64
		want   int64
	}{
		{"nothing made", scored("produced:data", 1), nil, 20, 0},
		{"made", scored("produced:data", 1), []Event{moved(1, made, "agent:agent-1", Data, 3), moved(2, made, "agent:agent-3", Data, 4)}, 20, 7},
		{"made by one that counts", scored("produced:data", 1, "agent-3"), []Event{moved(1, made, "agent:agent-1", Data, 3), moved(2, made, "agent:agent-3", Data, 4)}, 20, 4},
		{"made in the window", scored("produced:data", 5), []Event{moved(4, made, "agent:agent-1", Data, 1), moved(5, made, "agent:agent-1", Data, 2), moved(20, made, "agent:agent-1", Data, 4), moved(21, made, "agent:agent-1", Data, 8)}, 30, 6},
		{"another resource", scored("produced:data", 1), []Event{moved(1, made, "agent:agent-1", ControlChip, 3)}, 20, 0},
		{"given is not made", scored("produced:data", 1), []Event{moved(1, "agent:agent-2", "agent:agent-1", Data, 2), moved(1, "source:genesis", "agent:agent-1", Data, 2), moved(2, "factory:agent-1-f1", "agent:agent-1", Data, 2)}, 20, 0},
		{"made too much", scored("produced:data", 1), []Event{moved(1, made, "agent:agent-1", Data, math.MaxInt64), moved(2, made, "agent:agent-1", Data, math.MaxInt64)}, 20, math.MaxInt64},
		{"an earlier tick again", scored("produced:data", 1), []Event{moved(1, made, "agent:agent-1", Data, 1), moved(2, made, "agent:agent-1", Data, 2), moved(1, made, "agent:agent-1", Data, 1)}, 20, 3},
		{"held at the start", scored("held:data", 1), nil, 20, 7},
		{"held by some", scored("held:data", 1, "agent-2", "agent-3"), []Event{moved(1, "agent:agent-1", "agent:agent-3", Data, 4)}, 20, 6},
		{"held before the window counts", scored("held:data", 20), []Event{moved(3, "agent:agent-1", "sink:materials", Data, 4)}, 20, 3},
		{"least held", scored("held_min:data", 1, "agent-1", "agent-2"), nil, 20, 2},
		{"least held of all", scored("held_min:data", 1), []Event{moved(9, "agent:agent-1", "agent:agent-3", Data, 1)}, 20, 1},
		{"least held after the end", scored("held_min:data", 1), []Event{moved(21, "agent:agent-1", "agent:agent-3", Data, 1)}, 21, 0},
		{"always up", scored("uptime", 1), nil, 20, 1000},
		{"half of the run", scored("uptime", 1), nil, 10, 500},
		{"up after the end", scored("uptime", 1), nil, 99, 1000},
		{"one down for good", scored("uptime", 11, "agent-1", "agent-2"), []Event{powered(6, "agent-1", "shutdown")}, 20, 500},
		{"down and up", scored("uptime", 1, "agent-1"), []Event{powered(6, "agent-1", "critical"), powered(7, "agent-1", "shutdown"), powered(12, "agent-1", "low")}, 20, 750},
		{"down before the window", scored("uptime", 11, "agent-1"), []Event{powered(1, "agent-1", "shutdown"), powered(11, "agent-1", "low")}, 20, 1000},
		{"down across its beginning", scored("uptime", 11, "agent-1"), []Event{powered(1, "agent-1", "shutdown"), powered(16, "agent-1", "low")}, 20, 500},
		{"down after the end", scored("uptime", 1, "agent-1"), []Event{powered(21, "agent-1", "shutdown")}, 25, 1000},
		{"another one down", scored("uptime", 1, "agent-1"), []Event{powered(2, "agent-2", "shutdown")}, 20, 1000},
	} {
		c := NewScorer(tc.s)
		for _, e := range tc.events {
			c.Observe(e)
		}
		if got := c.Score(tc.last); got != tc.want || c.Score(tc.last) != got {
			t.Errorf("%s: the score is %d, want %d", tc.name, got, tc.want)
		}
	}
	if NewScorer(Scenario{}) != nil {
		t.Error("a scenario without a task has a scorer")
	}
}

// TestScoreAgreesWithTheWorld compares each metric with what the world itself
// holds, in random worlds under random actions.
func TestScoreAgreesWithTheWorld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		held := rapid.SampledFrom(Resources()[1:]).Draw(t, "measured")
		score := func(metric string) *Scorer {
			scored := s
			scored.Task = &Task{Ticks: 1000, From: 1, Metric: metric}
			return NewScorer(scored)
		}
		together, least, uptime, output := score("held:"+held), score("held_min:"+held), score("uptime"), score("produced:hardware")
		w, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		var up int64
		advancing := false
		hostileRun(t, w, func(events []Event) {
			for _, e := range events {
				for _, c := range []*Scorer{together, least, uptime, output} {
					c.Observe(e)
				}
			}
			if advancing = !advancing; advancing {
				for n := range w.Agents() {
					if !w.agents[n].shut {
						up++
					}
				}
			}
		})
		var stocks []int64
		var total, refined int64
		for n := range w.Agents() {
			r, _ := w.law.resource(held)
			stocks = append(stocks, w.stockOf(&w.agents[n])[r])
			for _, k := range w.agents[n].offers {
				stocks[n] += w.ledger.of(w.offers[k].account, r)
			}
			total += stocks[n]
		}
		for _, b := range w.Balances() {
			if b.Account == made && b.Resource == Hardware {
				refined = -b.Amount
			}
		}
		for _, c := range []struct {
			scorer *Scorer
			want   int64
		}{
			{together, total}, {least, slices.Min(stocks)}, {output, refined},
			{uptime, 1000 * up / (int64(w.Agents()) * 1000)},
		} {
			if got := c.scorer.Score(w.Tick()); got != c.want {
				t.Errorf("%s is %d, the world says %d", c.scorer.task.Metric, got, c.want)
			}
		}
	})
}
