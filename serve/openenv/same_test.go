package openenv

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// drawn is a move that depends on what the agent is told alone, and is often one that the world refuses.
func drawn(tick, electricity int64, seed uint64) world.Action {
	h := fnv.New64a()
	fmt.Fprint(h, tick, electricity, seed)
	n := h.Sum64()
	amount := int64(n>>8) % 6000
	switch n % 7 {
	case 0:
		return world.Wait{}
	case 1:
		return world.Mine{MassG: amount + 1}
	case 2:
		return world.ExecuteUntil{Do: world.Mine{MassG: 1000}, MaxTicks: 3,
			Until: []world.Condition{{Event: world.StopActionRejected}}}
	case 3:
		return world.Chain(world.ExecuteUntil{Do: world.Mine{MassG: 2000}, MaxTicks: 1,
			Until: []world.Condition{{Event: world.StopActionRejected}}},
			world.ExecuteUntil{Do: world.Wait{}, MaxTicks: 2, Until: []world.Condition{{Event: world.StopActionRejected}}})
	case 4:
		return world.Refine{MassG: 1000 * (1 + amount%3)}
	case 5:
		a, err := world.MakeAction("harvest_radiation", world.Args{"amount": {Int: amount / 60}})
		if err == nil {
			return a
		}
	}
	a, err := world.MakeAction("wait_ticks", world.Args{"ticks": {Int: 1 + amount%4}})
	if err != nil {
		panic(err)
	}
	return a
}

// onWire is an action as a client writes it.
func onWire(t testing.TB, a world.Action) string {
	order, is := a.(world.ExecuteUntil)
	if !is {
		return string(world.EncodeAction(a))
	}
	var steps []map[string]any
	for _, step := range world.Steps(order) {
		var one map[string]any
		if err := json.Unmarshal(world.EncodeAction(step.Do), &one); err != nil {
			t.Fatal(err)
		}
		one["until"], one["max_ticks"] = step.Until, step.MaxTicks
		steps = append(steps, one)
	}
	steps[0]["then"] = steps[1:]
	text, err := json.Marshal(steps[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// canonical is the trace of a run without what depends on the clock.
func canonical(t testing.TB, dir string) []byte {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if err := trace.Canonical(f, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEpisodesAreRuns: many episodes over many sessions at the same time are, record by record, the runs of a
// seat in Go that makes the same moves.
func TestEpisodesAreRuns(t *testing.T) {
	episodes, sessions := 12, 6
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		episodes, sessions = 1000, 64
	}
	var mu sync.Mutex
	outcomes := map[uint64]Outcome{}
	dir := t.TempDir()
	s := serving(t, "task_production_hardware_50", func(o *Options) {
		o.Keep = KeepAll
		o.Dir = dir
		o.Ended = func(o Outcome) {
			mu.Lock()
			defer mu.Unlock()
			outcomes[o.Seed] = o
		}
	})
	rewards := make([]int64, episodes)
	var group sync.WaitGroup
	for k := range sessions {
		group.Go(func() {
			p := join(t, s)
			for i := k; i < episodes; i += sessions {
				e := p.play(fmt.Sprintf(`{"seed":%d}`, i), func(o Observation) string {
					return onWire(t, drawn(o.Tick, o.Seat.Self.Electricity, uint64(i)))
				})
				rewards[i] = e.rewards
			}
			p.leave()
		})
	}
	group.Wait()
	for i := range uint64(episodes) {
		c := s.task.play
		c.Seed, c.ScriptedSeed, c.FaultSeed = i, i, i
		c.Dir = filepath.Join(t.TempDir(), "go")
		c.SeatTimeoutMS = 3_600_000
		c.Settings.Seats = trace.Seated(c.Settings.Seats, []trace.AgentSeat{{Agent: s.task.agent, Seat: seatName}})
		c.Seats = []engine.Seat{{Name: seatName, Version: Version, New: func(engine.Brief) engine.Player {
			return engine.Act(func(_ context.Context, o seat.Observation) (seat.Move, error) {
				return seat.Move{Action: drawn(o.Tick, o.Self.Electricity, i)}, nil
			})
		}}}
		one, err := session.New(c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := one.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		o := outcomes[i]
		if o.Run == "" || o.Status != string(trace.RunCompleted) || o.Score != r.Report.Task.Score || rewards[i] != o.Score {
			t.Fatalf("episode %d came out as %+v in rewards of %d, want a score of %d", i, o, rewards[i], r.Report.Task.Score)
		}
		if !bytes.Equal(canonical(t, o.Run), canonical(t, c.Dir)) {
			t.Fatalf("episode %d differs from the run of the same moves", i)
		}
		_ = os.RemoveAll(c.Dir)
	}
}
