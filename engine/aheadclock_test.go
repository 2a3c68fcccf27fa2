package engine_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// timed is what a run on the clock of a bubble took, and what its model was asked.
type timed struct {
	took  time.Duration
	asked []trace.CallKey
	dir   string
}

// onClock plays a run whose answers take as long as latency says, on the clock of a bubble, which ends only when
// all goroutines have. perMinute limits its requests; 0 does not.
func onClock(t *testing.T, o engine.Options, perMinute int64, latency func(trace.CallKey) time.Duration) (got timed) {
	t.Helper()
	o.RunDir = t.TempDir()
	return playedOnClock(t, o, perMinute, latency, func(t *testing.T, o engine.Options) { run(t, o) })
}

// playedOnClock plays in the directory of the options as play does.
func playedOnClock(t *testing.T, o engine.Options, perMinute int64, latency func(trace.CallKey) time.Duration,
	play func(*testing.T, engine.Options)) (got timed) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := limiter.New(limiter.Limits{RequestsPerMinute: perMinute, InFlightMax: 64})
		client := inProcess(t, stub.Options{Seed: 1}, openai.Config{Steady: true, Limiter: l})
		defer client.Close()
		live := engine.Live(client)
		var mu sync.Mutex
		o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
			mu.Lock()
			got.asked = append(got.asked, key)
			mu.Unlock()
			select {
			case <-time.After(latency(key)):
				return live.Respond(ctx, key, r)
			case <-ctx.Done():
				return llmclient.Failed(llmclient.ErrConnection, "it was broken off")
			}
		})
		began := time.Now()
		play(t, o)
		got.took = time.Since(began)
	})
	got.dir = o.RunDir
	return got
}

// TestNobodyWaitsForStrangers lets one of five agents who never meet answer four seconds late, always the same one
// or another one in each tick: the run takes little longer than the agent that answers longest needs by itself.
func TestNobodyWaitsForStrangers(t *testing.T) {
	slow(t)
	const ticks, agents = 10, 5
	names := []string{"agent-1", "agent-2", "agent-3", "agent-4", "agent-5"}
	for name, late := range map[string]func(trace.CallKey) bool{
		"one":     func(key trace.CallKey) bool { return key.Agent == "agent-3" },
		"by turn": func(key trace.CallKey) bool { return key.Agent == names[key.Tick%agents] },
	} {
		latency := func(key trace.CallKey) time.Duration {
			if late(key) {
				return 4 * time.Second
			}
			return 100 * time.Millisecond
		}
		o := options(t, "isolated_five", ticks)
		o.Concurrency = 64
		lockstep := onClock(t, o, 0, latency)
		own := map[string]time.Duration{}
		longest := time.Duration(0)
		for _, key := range lockstep.asked {
			own[key.Agent] += latency(key)
			longest = max(longest, own[key.Agent])
		}
		o.Ahead = engine.Ahead{Depth: 8, WastePermille: 50}
		got := onClock(t, o, 0, latency)
		t.Logf("%s late: %v in lockstep, %v ahead, %v the slowest agent by itself", name, lockstep.took, got.took, longest)
		if 10*got.took > 13*longest {
			t.Errorf("%s late: %v, and the slowest agent needs %v by itself", name, got.took, longest)
		}
		if !bytes.Equal(canonical(t, got.dir), canonical(t, lockstep.dir)) {
			t.Errorf("%s late: the trace is another one", name)
		}
	}
}

// TestTheRunGoesFirst plays under a limit of requests per minute: calls of the run get 95% of it, and it ends
// hardly later than without calls asked ahead.
func TestTheRunGoesFirst(t *testing.T) {
	slow(t)
	latency := func(key trace.CallKey) time.Duration {
		return time.Duration(1+(7*key.Tick+3*int64(len(key.Agent))+int64(key.Agent[len(key.Agent)-1]))%9) * 300 * time.Millisecond
	}
	o := belt(t, 10, 24)
	o.Concurrency = 64
	lockstep := onClock(t, o, 120, latency)
	o.Ahead = engine.Ahead{Depth: 4, WastePermille: 50}
	got := onClock(t, o, 120, latency)
	calls := len(lockstep.asked)
	t.Logf("%d calls in %v, ahead %d in %v", calls, lockstep.took, len(got.asked), got.took)
	if 100*calls < 95*len(got.asked) {
		t.Errorf("%d of %d requests were the run's", calls, len(got.asked))
	}
	if 100*got.took > 105*lockstep.took {
		t.Errorf("it took %v, without calls asked ahead %v", got.took, lockstep.took)
	}
	if aheadOf(t, got.dir).Used == 0 {
		t.Error("nothing that was asked ahead was used")
	}
}

// TestNothingIsAskedAheadWhileARunWaits pauses a run, and lets another one drain, while answers for coming ticks are
// under way: nothing follows from them until it goes on.
func TestNothingIsAskedAheadWhileARunWaits(t *testing.T) {
	slow(t)
	for _, drains := range []bool{false, true} {
		o := options(t, "isolated_five", 10)
		o.Concurrency = 64
		o.Ahead = engine.Ahead{Depth: 8, WastePermille: 50}
		var mu sync.Mutex
		held, ahead := int64(0), 0
		synctest.Test(t, func(t *testing.T) {
			drain, end := context.WithCancel(context.Background())
			defer end()
			o.Drain = drain
			o.Controls = engine.NewControls()
			ask := func(kind trace.ControlKind) {
				if _, err := o.Controls.Ask(trace.Control{Kind: kind}); err != nil {
					t.Error(err)
				}
			}
			o.Progress = func(p engine.Progress) {
				switch {
				case p.Tick == 3 && !p.Paused && drains:
					end()
				case p.Tick == 3 && !p.Paused && held == 0:
					ask(trace.ControlPause)
				case p.Paused:
					synctest.Wait() // what had begun before
					mu.Lock()
					held = p.Tick
					mu.Unlock()
					time.Sleep(time.Minute)
					mu.Lock()
					held = -1
					mu.Unlock()
					ask(trace.ControlResume)
				}
			}
			client := inProcess(t, stub.Options{Seed: 1}, openai.Config{Steady: true})
			defer client.Close()
			live := engine.Live(client)
			o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
				mu.Lock()
				if drain.Err() != nil && key.Tick > 4 || held > 0 {
					t.Errorf("drains %v: %+v is asked after tick 3", drains, key)
				}
				if key.Tick > 4 {
					ahead++
				}
				mu.Unlock()
				late := time.Duration(len(key.Agent)+int(key.Agent[len(key.Agent)-1])%5) * 50 * time.Millisecond
				time.Sleep(late)
				return live.Respond(ctx, key, r)
			})
			result := run(t, o)
			if done := result.TicksDone; drains == (done == 10) {
				t.Errorf("drains %v: it played %d ticks", drains, done)
			}
		})
		if !drains && (held != -1 || ahead == 0 || aheadOf(t, o.RunDir).Used == 0) {
			t.Errorf("it was held: %d, %d calls of ticks after it", held, ahead)
		}
	}
}

// TestRunsThatAskNothingAhead: where a clock or a cap binds in every turn nothing is asked ahead, and where a cap
// ends the run its trace is that of a run that waits.
func TestRunsThatAskNothingAhead(t *testing.T) {
	slow(t)
	latency := func(key trace.CallKey) time.Duration {
		return time.Duration(1+(7*key.Tick+int64(key.Agent[len(key.Agent)-1]))%9) * 50 * time.Millisecond
	}
	asked := engine.Ahead{Depth: 4, WastePermille: 50}
	for name, change := range map[string]func(*engine.Options){
		"deadline":        func(o *engine.Options) { o.DecisionDeadlineMS = 60_000 },
		"cap of an agent": func(o *engine.Options) { o.Caps.Agent.Calls = 1000 },
		"cap of a tick":   func(o *engine.Options) { o.Caps.Tick.Calls = 1000 },
	} {
		o := options(t, "isolated_five", 4)
		o.Ahead = asked
		change(&o)
		if got := aheadOf(t, onClock(t, o, 0, latency).dir); got != nil {
			t.Errorf("%s: %+v", name, *got)
		}
	}
	o := belt(t, 8, 30)
	o.Caps.Run.Calls = 100
	want := onClock(t, o, 0, latency)
	if status := fold(t, want.dir).RunStatus; status != trace.RunBudgetReached {
		t.Errorf("the run ended %s: the test shows nothing", status)
	}
	o.Ahead = asked
	got := onClock(t, o, 0, latency)
	if !bytes.Equal(canonical(t, got.dir), canonical(t, want.dir)) {
		t.Error("with a cap of the run's calls the trace is another one")
	}
	if aheadOf(t, got.dir).Used == 0 {
		t.Error("nothing was asked ahead before the cap was near")
	}
}
