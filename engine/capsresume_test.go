package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/draws"
	"example.com/agentworld/trace"
)

// TestCapsHoldAcrossResumes stops a run with caps again and again: the budget continues
// from its last state, and the same turns are refused as in a run that never stopped.
func TestCapsHoldAcrossResumes(t *testing.T) {
	slow(t)
	capped := func(concurrency int) (o engine.Options, counted *tally) {
		o, counted = eventful(t, 12)
		o.Prices, o.Concurrency = simulated(), concurrency
		o.MaxOutputTokens = 1024
		o.Caps = trace.Caps{Run: trace.Limit{Tokens: 66_000}, Agent: trace.Limit{Calls: 9}, Tick: trace.Limit{Cost: 90_000_000_000}}
		return o, counted
	}
	whole, _ := capped(8)
	if result := run(t, whole); result.Status != trace.RunBudgetReached {
		t.Fatalf("%+v", result)
	}
	want := canonical(t, whole.RunDir)
	dir, stops := t.TempDir(), 0
	for {
		again, counted := capped(1 + stops*3)
		ctx, cancel := context.WithCancel(context.Background())
		counted.after, counted.stop = 11, cancel
		again.RunDir = dir
		result, err := continued(ctx, t, dir, again, stops > 0)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if result.Status == trace.RunBudgetReached {
			break
		}
		if result.Status != trace.RunInterrupted {
			t.Fatalf("%+v", result)
		}
		stops++
	}
	if stops < 2 { // calls in flight at a stop are taken, and a slow machine has more of them
		t.Errorf("only %d resumes", stops)
	}
	if diff := cmp.Diff(string(want), string(canonical(t, dir))); diff != "" {
		t.Errorf("the trace differs:\n%.3000s", diff)
	}
	r := fold(t, dir)
	for _, use := range r.Cost.Caps {
		if use.Spent > use.Cap {
			t.Errorf("%s of the %s: %d of %d", use.Unit, use.Scope, use.Spent, use.Cap)
		}
	}
	if len(r.Cost.RefusedByCap) < 2 {
		t.Errorf("refused %v: the test shows nothing", r.Cost.RefusedByCap)
	}
}

// under makes the caps of a run those given.
func under(caps trace.Caps) func(trace.Caps) trace.Caps {
	return func(trace.Caps) trace.Caps { return caps }
}

// resumeUnder resumes a run under other caps, with this context.
func resumeUnder(ctx context.Context, t *testing.T, dir string, o engine.Options, caps trace.Caps) engine.Result {
	t.Helper()
	result, err := tryUnder(ctx, dir, o, caps, false)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func tryUnder(ctx context.Context, dir string, o engine.Options, caps trace.Caps, abandon bool) (engine.Result, error) {
	s, err := engine.PrepareResume(dir, engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL, Caps: under(caps), AbandonTick: abandon})
	if err != nil {
		return engine.Result{}, err
	}
	result, err := s.Run(ctx, o)
	return result, errors.Join(err, s.Close())
}

// priced is an eventful run with prices and these caps.
func priced(t *testing.T, ticks int64, caps trace.Caps) (engine.Options, *tally) {
	o, counted := eventful(t, ticks)
	o.Prices, o.Caps = simulated(), caps
	return o, counted
}

// TestMoreMoney raises the caps of a run that they ended, three times, at other
// concurrencies. The run continues from its last state, earlier spending counts, and
// replay, report, forks and later resumes know the caps.
func TestMoreMoney(t *testing.T) {
	slow(t)
	const ticks = 18
	limits := []trace.Caps{
		{Run: trace.Limit{Calls: 40}}, {Run: trace.Limit{Calls: 60, Tokens: 250_000}}, {Run: trace.Limit{Cost: 340_000_000_000}, Tick: trace.Limit{Calls: 40}}, {},
	}
	var first []byte
	for _, concurrency := range []int{1, 8} {
		o, counted := priced(t, ticks, limits[0])
		o.Concurrency, o.SegmentBytes = concurrency, 60<<10
		result := run(t, o)
		asked := len(counted.asked)
		for _, caps := range limits[1:] {
			if result.Status != trace.RunBudgetReached {
				t.Fatalf("before %+v: %+v", caps, result)
			}
			if passed := spentIn(t, o.RunDir, o.Prices[0]).within(capsIn(t, o.RunDir)); passed != "" {
				t.Errorf("before %+v: %s", caps, passed)
			}
			again, counted := priced(t, ticks, limits[0])
			again.Concurrency, again.SegmentBytes = concurrency, 60<<10
			result = resumeUnder(context.Background(), t, o.RunDir, again, caps)
			asked += len(counted.asked)
		}
		if result.Status != trace.RunCompleted || result.TicksDone != ticks {
			t.Fatalf("without caps: %+v", result)
		}
		r := fold(t, o.RunDir)
		if got := spentIn(t, o.RunDir, o.Prices[0]).run.Calls; got != int64(asked) {
			t.Errorf("%d calls recorded, %d asked for", got, asked)
		}
		if len(r.Cost.CapChanges) != 8 || len(r.Cost.Caps) != 0 {
			t.Errorf("the report has caps %+v and changes %+v", r.Cost.Caps, r.Cost.CapChanges)
		}
		got := canonical(t, o.RunDir)
		if first != nil && !bytes.Equal(first, got) {
			t.Error("turns at once give another canonical trace")
		}
		first = got
		if concurrency == 1 {
			continue // equal runs have equal replays and forks
		}
		requireReplays(t, o.RunDir, ticks)
		// A fork that changes nothing is its parent, changes of caps included.
		for _, at := range []int64{r.Cost.CapChanges[2].Tick, ticks - 1} {
			again, _ := priced(t, ticks, limits[0])
			again.RunDir = o.RunDir
			parent, err := engine.ParentSettings(o.RunDir, at, nil)
			if err != nil {
				t.Fatal(err)
			}
			f := forkOf(t, again, at)
			f.Settings.Caps = parent.Caps
			if _, err := engine.Fork(context.Background(), f); err != nil {
				t.Fatal(err)
			}
			if at == ticks-1 && !bytes.Equal(canonical(t, f.RunDir), first) {
				t.Errorf("a fork at tick %d has another canonical trace", at)
			}
			result, err := engine.Replay(context.Background(), f.RunDir, engine.ReplayOptions{})
			if err != nil || !result.Equal {
				t.Errorf("replay of a fork at tick %d: %+v, %v", at, result, err)
			}
		}
	}
}

// capsIn are the caps that hold at the end of a run.
func capsIn(t *testing.T, dir string) trace.Caps {
	t.Helper()
	s, err := engine.ParentSettings(dir, 1<<40, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Caps
}

// repliesIn are the calls of a run that a model replied to.
func repliesIn(t *testing.T, dir string) map[trace.CallKey]bool {
	t.Helper()
	keys := map[trace.CallKey]bool{}
	for record, err := range trace.NewReader(bytes.NewReader(readTrace(t, dir))).All() {
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := record.(trace.ModelCall); ok && c.Answer.Failure == nil {
			keys[trace.CallKey{Tick: c.Tick, Agent: c.AgentID, Step: c.Step}] = true
		}
	}
	return keys
}

// TestCapsChangeAfterTheOpenTick stops runs while answers of a tick are pending and
// resumes them under other caps. If the tick cannot exceed the new caps, it ends under
// the old ones; otherwise its open turns are ended. No recorded answer is asked for
// again, and stops between the answers change nothing.
func TestCapsChangeAfterTheOpenTick(t *testing.T) {
	slow(t)
	const ticks = 7
	uncapped := trace.Caps{}
	first := trace.Caps{Run: trace.Limit{Calls: 200}, Tick: trace.Limit{Cost: 400_000_000_000}}
	const capped = 35 // calls, which a run passes soon after it is stopped
	for name, c := range map[string]struct {
		from, to trace.Caps
		refused  string
	}{
		"set":     {uncapped, trace.Caps{Run: trace.Limit{Calls: capped}, Agent: trace.Limit{Tokens: 32_000}}, "which may pass the cap on calls of the run, 35"},
		"raised":  {first, trace.Caps{Run: trace.Limit{Calls: 300}, Tick: trace.Limit{Cost: 900_000_000_000}}, ""},
		"lowered": {first, trace.Caps{Run: trace.Limit{Calls: capped}, Tick: trace.Limit{Cost: 400_000_000_000}}, "which may pass the cap on calls of the run, 35"},
		"removed": {first, uncapped, ""},
		"other":   {trace.Caps{Agent: trace.Limit{Calls: 18}}, trace.Caps{Run: trace.Limit{Tokens: 90_000}}, "which may pass the cap on tokens of the run, 90000"},
	} {
		var o engine.Options
		var stopped engine.Result
		after, refused := 26, false
		// Which answers a tick is stopped between follows from every byte of a prompt. A stop at which
		// the tick may pass the caps is looked for.
		for !refused {
			if after++; after >= capped {
				t.Fatalf("%s: no stop leaves a tick that is refused with %q", name, c.refused)
			}
			var counted *tally
			o, counted = priced(t, ticks, c.from)
			ctx, cancel := context.WithCancel(context.Background())
			counted.after, counted.stop = after, cancel
			o.Concurrency = 1 // a tick is open then
			var err error
			if stopped, err = engine.Run(ctx, o); err != nil || stopped.Status != trace.RunInterrupted {
				t.Fatalf("%s after %d: %+v, %v", name, after, stopped, err)
			}
			var open *engine.OpenTickError
			refused = c.refused == ""
			if !refused {
				_, err = tryUnder(context.Background(), copied(t, o.RunDir), o, c.to, false)
				refused = errors.As(err, &open) && open.Tick == stopped.TicksDone+1 && strings.Contains(open.Error(), c.refused)
			}
		}
		before := repliesIn(t, o.RunDir)
		base, traces := o.RunDir, [][]byte(nil)
		for _, stops := range []int{1, 3} {
			o.RunDir = copied(t, base)
			var result engine.Result
			var asked []trace.CallKey
			var err error
			for stop := range stops {
				again, counted := priced(t, ticks, c.from)
				again.Concurrency = 1 + 3*(stops-1)
				ctx, cancel := context.WithCancel(context.Background())
				if stop < stops-1 && c.refused == "" {
					counted.after, counted.stop = 6, cancel
				}
				if result, err = tryUnder(ctx, o.RunDir, again, c.to, c.refused != ""); err != nil {
					t.Fatal(err)
				}
				cancel()
				asked = append(asked, counted.asked...)
			}
			if result.Status != trace.RunCompleted && result.Status != trace.RunBudgetReached {
				t.Fatalf("%s after %d: %+v", name, after, result)
			}
			if passed := spentIn(t, o.RunDir, o.Prices[0]).within(trace.Caps{Run: c.to.Run, Agent: c.to.Agent}); passed != "" {
				t.Errorf("%s after %d: %s", name, after, passed)
			}
			for _, key := range asked {
				if stops == 1 && before[key] {
					t.Errorf("%s after %d: %v was asked for again", name, after, key)
				}
				if c.refused != "" && key.Tick == stopped.TicksDone+1 {
					t.Errorf("%s after %d: %v was asked in the tick that was abandoned", name, after, key)
				}
			}
			if stops == 1 {
				requireReplays(t, o.RunDir, result.TicksDone)
			}
			traces = append(traces, canonical(t, o.RunDir))
		}
		if !bytes.Equal(traces[0], traces[1]) {
			t.Errorf("%s after %d: three resumes give another canonical trace than one", name, after)
		}
	}
}

// TestWantedCapsOutliveTheProcess: caps meant to apply after the open tick, or after the
// last tick of a resume, apply to the next resume, even if it names no caps.
func TestWantedCapsOutliveTheProcess(t *testing.T) {
	wanted := trace.Caps{Run: trace.Limit{Calls: 40}}
	for name, c := range map[string]struct {
		after int
		until func(done int64) int64
	}{
		"stopped at the end of the open tick": {20, func(done int64) int64 { return done + 1 }},
		"stopped where no tick was open":      {20, func(done int64) int64 { return done }},
	} {
		t.Run(name, func(t *testing.T) {
			o, counted := priced(t, 12, trace.Caps{Run: trace.Limit{Calls: 300}})
			ctx, cancel := context.WithCancel(context.Background())
			counted.after, counted.stop = c.after, cancel
			stopped, err := engine.Run(ctx, o)
			if err != nil || stopped.Status != trace.RunInterrupted {
				t.Fatalf("%+v, %v", stopped, err)
			}
			again, _ := priced(t, 12, o.Caps)
			options := engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL, Caps: under(wanted), AbandonTick: true, UntilTick: c.until(stopped.TicksDone)}
			s, err := engine.PrepareResume(o.RunDir, options)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Run(context.Background(), again); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			options.Caps, options.UntilTick = nil, 12
			if s, err = engine.PrepareResume(o.RunDir, options); err != nil {
				t.Fatal(err)
			}
			if got := s.Settings().Caps; got != wanted {
				t.Errorf("the caps from now on are %+v, want %+v", got, wanted)
			}
			again, _ = priced(t, 12, o.Caps)
			result, err := s.Run(context.Background(), again)
			if err != nil || result.Status != trace.RunBudgetReached {
				t.Errorf("%+v, %v; want the run ended by the cap", result, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if r := fold(t, o.RunDir); len(r.Cost.CapChanges) == 0 {
				t.Error("no change of caps is recorded")
			}
			requireReplays(t, o.RunDir, result.TicksDone)
			again, _ = priced(t, 12, o.Caps)
			again.RunDir = o.RunDir
			f := forkOf(t, again, result.TicksDone)
			f.Ticks, f.Caps = result.TicksDone+1, trace.Caps{}
			if forked := fork(t, f); forked.Status != trace.RunCompleted {
				t.Errorf("a fork after an abandoned tick: %+v", forked)
			}
		})
	}
}

// TestACapBelowWhatIsSpent ends the run at once, asks for nothing, and leaves a whole
// report; a higher cap continues from there.
func TestACapBelowWhatIsSpent(t *testing.T) {
	slow(t)
	o, _ := priced(t, 12, trace.Caps{Run: trace.Limit{Calls: 40}})
	done := run(t, o).TicksDone
	again, counted := priced(t, 12, o.Caps)
	result := resumeUnder(context.Background(), t, o.RunDir, again, trace.Caps{Run: trace.Limit{Calls: 20}})
	if result.Status != trace.RunBudgetReached || result.TicksDone != done || len(counted.asked) > 0 {
		t.Fatalf("%+v after %d calls", result, len(counted.asked))
	}
	if r := fold(t, o.RunDir); result.Reason != fmt.Sprintf("cap on calls of the run, 20: %d are spent already", r.Cost.Caps[0].Spent) || r.RunStatus != trace.RunBudgetReached || len(r.Goals) == 0 {
		t.Errorf("reason %q, report %+v", result.Reason, r.Cost.Caps)
	}
	again, _ = priced(t, 12, o.Caps)
	if result := resumeUnder(context.Background(), t, o.RunDir, again, trace.Caps{}); result.Status != trace.RunCompleted {
		t.Errorf("%+v", result)
	}
	requireReplays(t, o.RunDir, 12)
}

// TestAForkThatTakesACapAway: the caps it leaves go on counting, and one that it changes
// counts from the fork on.
func TestAForkThatTakesACapAway(t *testing.T) {
	slow(t)
	o, _ := priced(t, 16, trace.Caps{Run: trace.Limit{Calls: 40}, Tick: trace.Limit{Calls: 40}})
	run(t, o)
	before := int64(0)
	for key := range answered(t, readTrace(t, o.RunDir)) {
		if key.Tick <= 3 {
			before++
		}
	}
	for _, c := range []struct {
		caps        trace.Caps
		least, most int64
	}{{trace.Caps{Run: trace.Limit{Calls: 40}}, 25, 40}, {trace.Caps{Run: trace.Limit{Calls: 41}}, 42, 41 + before}} {
		again, _ := priced(t, 16, o.Caps)
		again.RunDir = o.RunDir
		f := forkOf(t, again, 3)
		f.Caps = c.caps
		if result, err := engine.Fork(context.Background(), f); err != nil || result.Status != trace.RunBudgetReached {
			t.Fatalf("%+v, %v", result, err)
		}
		calls := spentIn(t, f.RunDir, o.Prices[0]).run.Calls
		if calls < c.least || calls > c.most {
			t.Errorf("%+v: %d calls in all, %d of them the parent's, want %d to %d", c.caps, calls, before, c.least, c.most)
		}
		if use := fold(t, f.RunDir).Cost.Caps[0]; use.Spent > use.Cap || use.Spent != calls-(c.most-use.Cap) {
			t.Errorf("%+v: the report says %+v of %d calls", c.caps, use, calls)
		}
	}
}

// TestAnyCapsChange stops runs anywhere and resumes them under any caps, up to three
// times; a tick that may exceed the caps is abandoned. Spending exceeds no cap that was
// not exceeded before. Concurrent and sequential turns give the same trace if they had
// the same answers. A replay agrees.
func TestAnyCapsChange(t *testing.T) {
	slow(t)
	plain := options(t, "llm_bootstrap", 3)
	plain.Prices, plain.AgentsOverride = simulated(), 3
	changed, refused := 0, 0
	play := func(rt *rapid.T) {
		o := plain
		o.Protocol = rapid.SampledFrom([]string{"full", "lean"}).Draw(rt, "protocol")
		o.LearnEvery = rapid.SampledFrom([]int64{0, 2}).Draw(rt, "learn every")
		o.Caps, o.RunDir = rapid.Just(trace.Caps{}).Draw(rt, "no caps"), newDir(rt, t)
		if rapid.Bool().Draw(rt, "capped") {
			o.Caps = anyCaps(rt)
		}
		limits := o.Caps
		var result engine.Result
		for process := range rapid.IntRange(1, 4).Draw(rt, "processes") {
			paid := spent{}
			if process > 0 {
				paid = spentIn(t, o.RunDir, o.Prices[0])
				limits = anyCaps(rt)
			}
			ctx, cancel := context.WithCancel(context.Background())
			o.Source = &tally{Source: plain.Source, after: rapid.IntRange(0, 25).Draw(rt, "stopped after"), stop: cancel}
			o.Concurrency = rapid.SampledFrom([]int{1, 4}).Draw(rt, "concurrency")
			var err error
			if process == 0 {
				result, err = engine.Run(ctx, o)
			} else {
				var open *engine.OpenTickError
				if result, err = tryUnder(ctx, o.RunDir, o, limits, false); errors.As(err, &open) {
					refused++
					result, err = tryUnder(ctx, o.RunDir, o, limits, true)
				}
			}
			cancel()
			if err != nil {
				rt.Fatal(err)
			}
			now := spentIn(t, o.RunDir, o.Prices[0])
			if passed := now.beyond(paid, limits); passed != "" {
				rt.Fatalf("process %d: %s", process, passed)
			}
		}
		text := readTrace(t, o.RunDir)
		changed += bytes.Count(text, []byte(`{"type":"caps"`))
		replayed, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{})
		if err != nil || !replayed.Equal || replayed.Ticks != result.TicksDone {
			rt.Fatalf("replay: %v, %+v", err, replayed)
		}
	}
	rapid.Check(t, play)
	draws.Until(func() bool { return changed >= int(ticksUpTo(2, 5)) && refused >= int(ticksUpTo(0, 1)) }, play)
}

// beyond says which cap of the run or of an agent was passed that had not been before.
func (s spent) beyond(before spent, c trace.Caps) string {
	for u, at := range []struct{ spent, before, limit int64 }{
		{s.run.Calls, before.run.Calls, c.Run.Calls}, {s.run.Tokens, before.run.Tokens, c.Run.Tokens}, {int64(s.run.Cost), int64(before.run.Cost), int64(c.Run.Cost)},
		{s.agent.Calls, before.agent.Calls, c.Agent.Calls}, {s.agent.Tokens, before.agent.Tokens, c.Agent.Tokens}, {int64(s.agent.Cost), int64(before.agent.Cost), int64(c.Agent.Cost)},
	} {
		if at.limit > 0 && at.spent > max(at.limit, at.before) {
			return fmt.Sprintf("%d: %d were spent, then %d of %d", u, at.before, at.spent, at.limit)
		}
	}
	return ""
}
