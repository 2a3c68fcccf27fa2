package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ahead"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// sleepy answers like its source, each request after a time of its own of up to twenty milliseconds.
type sleepy struct{ engine.Source }

func (s sleepy) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	h := r.Hash()
	time.Sleep(time.Duration(h[0]%16*16+h[1]%16) * 20 * time.Millisecond / 256)
	return s.Source.Respond(ctx, key, r)
}

// belt are the options of a scripted run of a generated belt with so many agents.
func belt(t *testing.T, agents int, ticks int64) engine.Options {
	o := options(t, "asteroid_fragment_bootstrap", ticks)
	o.AgentsOverride = agents
	o.ChainSteps = trace.DefaultSettings().ChainSteps
	o.Source = sleepy{o.Source}
	return o
}

// aheadOf is what the last end in the trace of a run says was asked ahead, nil for nothing.
func aheadOf(t *testing.T, dir string) (got *trace.AheadTiming) {
	t.Helper()
	ended := false
	for record, err := range trace.NewReader(bytes.NewReader(readTrace(t, dir))).All() {
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := record.(trace.RunEnd); ok {
			got = end.Timing.Ahead
			ended = true
		}
	}
	if !ended {
		t.Fatal("the run has no end")
	}
	return got
}

// TestAheadIsNotInTheTrace: whatever is asked ahead, at any depth and concurrency and under faults, the trace
// is that of a run that waits.
func TestAheadIsNotInTheTrace(t *testing.T) {
	slow(t)
	worlds := []struct {
		name   string
		agents int
		ticks  int64
		faults string
	}{
		{"asteroid_fragment_bootstrap", 9, 12, ""},
		{"asteroid_fragment_bootstrap", 5, 10, "repairable=15%,http_500=5%,empty_body=3%"},
		{"llm_bootstrap", 0, 12, ""},
		{"triad_p2p_bootstrap", 0, 12, "unusable=10%"},
		{"two_bases", 0, 12, ""},
		{"isolated_five", 0, 10, "http_429=10%"},
	}
	used := int64(0)
	for i, w := range worlds {
		o := options(t, w.name, w.ticks)
		o.AgentsOverride = w.agents
		o.ChainSteps = trace.DefaultSettings().ChainSteps
		if i == 2 {
			o.LearnEvery = 4
			goal := "build two factories"
			o.PromptSwitches = []trace.Switch{{Tick: 6, ShortTermGoal: &goal}}
		}
		if w.faults != "" {
			o = spoilt(t, o, w.faults, openai.Config{})
		}
		o.FaultCounts = nil // the server counts what was asked in vain, too
		o.Source = sleepy{o.Source}
		run(t, o)
		want := canonical(t, o.RunDir)
		for _, with := range []struct{ depth, concurrency int }{{1, 8}, {2, 1}, {4, 8}, {8, 64}} {
			o.RunDir = t.TempDir()
			o.Concurrency = with.concurrency
			o.Ahead = engine.Ahead{Depth: with.depth, WastePermille: 50}
			run(t, o)
			if got := canonical(t, o.RunDir); !bytes.Equal(got, want) {
				t.Fatalf("%s, %+v: the trace is another one", w.name, with)
			}
			used += aheadOf(t, o.RunDir).Used
		}
	}
	if used == 0 {
		t.Error("no answer that was asked ahead was used")
	}
}

// TestExtendedRunsKeepWhatWasAskedAhead extends a finished run: what it used stays used, and it asks ahead again.
func TestExtendedRunsKeepWhatWasAskedAhead(t *testing.T) {
	slow(t)
	latency := func(key trace.CallKey) time.Duration {
		if key.Agent == fmt.Sprint("agent-", 1+key.Tick%5) {
			return 4 * time.Second
		}
		return 100 * time.Millisecond
	}
	o := options(t, "isolated_five", 7)
	o.Concurrency = 64
	o.Ahead = engine.Ahead{Depth: 4, WastePermille: 50}
	o.RunDir = onClock(t, o, 0, latency).dir
	before := *aheadOf(t, o.RunDir)
	playedOnClock(t, o, 0, latency, func(t *testing.T, o engine.Options) {
		resumeWith(t, o, engine.ResumeOptions{UntilTick: 14})
	})
	after := *aheadOf(t, o.RunDir)
	if before.Used == 0 || before.Used+before.Wasted != before.Asked || after.Used < before.Used || after.Asked <= before.Asked {
		t.Errorf("%+v\nand in the run as it was extended %+v", before, after)
	}
	if late := after.Wasted - before.Wasted; late > after.Asked-before.Asked {
		t.Errorf("%d more calls were in vain of %d more that were asked", late, after.Asked-before.Asked)
	}
}

// TestAHostilePredictorCostsCallsAlone lets the shadows show every agent what another one sees. No prediction
// is right then, and the trace is the same; what was in vain stays within its bound.
func TestAHostilePredictorCostsCallsAlone(t *testing.T) {
	slow(t)
	o := belt(t, 6, 14)
	run(t, o)
	want := canonical(t, o.RunDir)
	o.RunDir = t.TempDir()
	o.Ahead = engine.Ahead{Depth: 3, WastePermille: 50}
	r := rand.New(rand.NewPCG(1, 2))
	engine.Distort(&o.Ahead, func(b ahead.Base) ahead.Base {
		view := b.View
		b.View = func(w *world.World, n int) world.View {
			own, other := view(w, n), view(w, r.IntN(w.Agents()))
			_, goesOn := own.Standing()
			_, othersDoes := other.Standing()
			if goesOn || othersDoes || r.IntN(2) == 0 {
				return own
			}
			return other
		}
		return b
	})
	run(t, o)
	if got := canonical(t, o.RunDir); !bytes.Equal(got, want) {
		t.Error("the trace is another one")
	}
	got := aheadOf(t, o.RunDir)
	calls := fold(t, o.RunDir).TraceCounts.ModelCalls
	if got.Asked == 0 || 20*got.Wasted > calls+20*12 { // twelve may have been open when the bound was reached
		t.Errorf("%+v of %d calls", *got, calls)
	}
}

// repeating counts how often each request comes to the model.
type repeating struct {
	engine.Source
	mu    sync.Mutex
	asked map[string]int
	after func(n int)
}

func (c *repeating) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	c.mu.Lock()
	c.asked[fmt.Sprint(key, r.Hash())]++
	n := 0
	for _, times := range c.asked {
		n += times
	}
	c.mu.Unlock()
	if c.after != nil {
		c.after(n)
	}
	return c.Source.Respond(ctx, key, r)
}

// TestAnswersAskedAheadOutliveTheProcess breaks a run off where answers for coming ticks are there, as a kill
// would leave it, and resumes it three times: nothing that was answered is asked for again but what was under
// way, and the counts go on.
func TestAnswersAskedAheadOutliveTheProcess(t *testing.T) {
	slow(t)
	o := belt(t, 8, 16)
	run(t, o)
	want := canonical(t, o.RunDir)
	asked := &repeating{Source: o.Source, asked: map[string]int{}}
	o.Source = asked
	o.Ahead = engine.Ahead{Depth: 4, WastePermille: 50}
	o.RunDir = t.TempDir()
	var stops []int
	stop := func(at int) context.Context {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		var once atomic.Bool
		asked.after = func(n int) {
			if n >= at && once.CompareAndSwap(false, true) {
				stops = append(stops, n)
				cancel()
			}
		}
		return ctx
	}
	if _, err := engine.Run(stop(20), o); err != nil {
		t.Fatal(err)
	}
	before := aheadOf(t, o.RunDir)
	for _, at := range []int{45, 70, 1 << 30} {
		s, err := engine.PrepareResume(o.RunDir, engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(stop(at), o); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(stops) < 3 {
		t.Fatalf("the run was stopped %d times", len(stops))
	}
	again, under := 0, 3*(o.Concurrency*2)
	for _, times := range asked.asked {
		again += times - 1
	}
	if again > under {
		t.Errorf("%d requests came again, and at most %d were under way", again, under)
	}
	if r := fold(t, o.RunDir); r.RunStatus != trace.RunCompleted {
		t.Fatalf("the run ended %s", r.RunStatus)
	}
	if got := withoutResumes(t, canonical(t, o.RunDir)); !bytes.Equal(got, withoutResumes(t, want)) {
		t.Error("the trace is another one")
	}
	if before == nil {
		t.Error("the first process says nothing of what it asked ahead")
	}
}

// withoutResumes are the lines of a canonical trace that every process of a run would write.
func withoutResumes(t *testing.T, text []byte) []byte {
	t.Helper()
	var kept [][]byte
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(`{"type":"resume"`)) || bytes.HasPrefix(line, []byte(`{"type":"run_end"`)) {
			continue
		}
		kept = append(kept, line)
	}
	return bytes.Join(kept, nil)
}

// TestAheadOverHTTP plays over a server whose answers take their time, and asks at most as many calls as the
// run's plus what may be in vain.
func TestAheadOverHTTP(t *testing.T) {
	slow(t)
	o := options(t, "isolated_five", 10)
	o.ChainSteps = 0
	plan, err := stub.ParseFaults("latency=5ms..60ms")
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	handler := stub.NewHandler(stub.Options{Seed: 1, Faults: stub.NewInjector(plan, 1)})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := openai.New(openai.Config{BaseURL: server.URL, Steady: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	o.Source = engine.Live(client)
	o.Ahead = engine.Ahead{Depth: 2, WastePermille: 50}
	run(t, o)
	got, calls := aheadOf(t, o.RunDir), fold(t, o.RunDir).TraceCounts.ModelCalls
	if n := requests.Load(); n < calls || n > calls+got.Wasted || got.Open != 0 || got.Used == 0 {
		t.Errorf("%d requests for %d calls, %+v", requests.Load(), calls, *got)
	}
	of, err := rundir.Dir(o.RunDir).Identity()
	if err != nil {
		t.Fatal(err)
	}
	last, known, err := ahead.LastCounts(rundir.Dir(o.RunDir).OpenAhead, of)
	if err != nil || !known || last.SavedMS <= 0 || last.SavedMS > got.SavedMS {
		t.Errorf("the log says %+v, %v, %v; the trace %+v", last, known, err, *got)
	}
}
