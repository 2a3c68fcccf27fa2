package openenv

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/agentworld/baseline"
	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// played is what an episode came to.
type played struct {
	first    reply
	rewards  int64
	last     Observation
	step     [2]int64 // the least and the largest reward
	observed []int64  // the ticks of the observations
}

// play plays an episode to its end. move makes a move of an observation.
func (p *player) play(reset string, move func(Observation) string) (e played) {
	p.Helper()
	r := p.ask(`{"type":"reset","data":` + reset + `}`)
	e.first = r
	for !r.Data.Done {
		o := r.told(p)
		e.observed = append(e.observed, o.Tick)
		r = p.ask(`{"type":"step","data":` + move(o) + `}`)
		if r.Data.Reward == nil {
			p.Fatalf("a step without a reward: %s", r.raw)
		}
		e.rewards += *r.Data.Reward
		e.step = [2]int64{min(e.step[0], *r.Data.Reward), max(e.step[1], *r.Data.Reward)}
	}
	e.last = r.told(p)
	return e
}

func waits(Observation) string { return `{"action":"wait"}` }

// tasksOf are the built-in tasks: a few, or all of them in a long test.
func tasksOf(few ...string) (names []string) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		return few
	}
	for _, name := range scenario.Names() {
		if s, _, _ := scenario.Embedded(name); s.Task != nil {
			names = append(names, s.ID)
		}
	}
	return names
}

// TestDoingNothingScoresTheFloor: a client that waits gets the floor of the manifest, in rewards within the
// declared range. Their sum is the score of the task less that of its start.
func TestDoingNothingScoresTheFloor(t *testing.T) {
	for _, name := range tasksOf("task_production_chips_40", "task_survival_low_start_60", "task_cooperation_ring_40",
		"task_survival_distant_power_60") {
		s := serving(t, name, nil)
		m := s.manifest
		start := world.NewScorer(s.task.of.Instance(s.task.of.Seed)).Score(0)
		e := join(t, s).play(fmt.Sprintf(`{"index":%d}`, m.Own.Index), waits)
		if m.Floor == nil || e.last.Score != *m.Floor || e.rewards != *m.Floor-start {
			t.Errorf("%s: waiting scores %d in rewards of %d, want the floor %v from %d", name, e.last.Score, e.rewards,
				m.Floor, start)
		}
		if e.step[0] < m.Reward.Step[0] || e.step[1] > m.Reward.Step[1] ||
			e.rewards < m.Reward.Episode[0] || e.rewards > m.Reward.Episode[1] {
			t.Errorf("%s: rewards of %v, in all %d, are not within %v", name, e.step, e.rewards, m.Reward)
		}
	}
}

// TestBestPlanScoresTheOracle: if all agents play the best plan on file, the client by its moves, the rewards
// come to the oracle of the manifest.
func TestBestPlanScoresTheOracle(t *testing.T) {
	for _, name := range tasksOf("task_production_chips_40", "task_production_hardware_50", "task_survival_low_start_60") {
		of, _, _ := scenario.Embedded(name)
		plan, _, known := baseline.BestPlan(of.ID, of.Seed)
		if !known || of.Terms { // whoever is shown no offers cannot follow it
			continue
		}
		others := engine.Seat{Name: "plan", Version: "1", New: func(b engine.Brief) engine.Player {
			decide := plan.Policy()(b.Brief)
			return engine.Act(func(_ context.Context, o seat.Observation) (seat.Move, error) {
				return seat.Move{Action: decide(o.View)}, nil
			})
		}}
		s := serving(t, name, func(o *Options) {
			o.Play.Seats = []engine.Seat{others}
			o.Play.Settings.Seats = []trace.AgentSeat{{Agent: trace.AnyAgent, Seat: "plan"}}
		})
		// What the plan has the client do, by ticks.
		moves := map[int64]string{}
		_, _, err := baseline.Play(of.Instance(of.Seed), of.Seed, of.Task.Ticks, func(b baseline.Brief) baseline.Decider {
			decide := plan.Policy()(b)
			return func(v world.View) world.Action {
				a := decide(v)
				if v.AgentID() == s.task.agent {
					moves[v.Tick()] = string(world.EncodeAction(a))
				}
				return a
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		e := join(t, s).play(fmt.Sprintf(`{"index":%d}`, s.manifest.Own.Index), func(o Observation) string {
			if moves[o.Tick] == "" {
				t.Errorf("%s: the plan has no move in tick %d", name, o.Tick)
				return waits(o)
			}
			return moves[o.Tick]
		})
		start := world.NewScorer(of.Instance(of.Seed)).Score(0)
		if s.manifest.Oracle == nil || e.rewards != *s.manifest.Oracle-start {
			t.Errorf("%s: the best plan scores %d in rewards of %d, want the oracle %v from %d", name, e.last.Score, e.rewards,
				s.manifest.Oracle, start)
		}
	}
}

// TestNoOracleOfTest: nothing that is served of the split test says how well it can be played.
func TestNoOracleOfTest(t *testing.T) {
	s := serving(t, "task_production_chips_40", nil)
	for _, index := range []int64{0, instances[splitTest] - 1} {
		one, err := s.task.spec(instance{splitTest, index})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(one)
		if err != nil || strings.Contains(string(text), "oracle") || one.Floor == nil {
			t.Errorf("the instance is %s, %v", text, err)
		}
	}
}
