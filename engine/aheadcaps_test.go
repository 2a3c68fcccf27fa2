package engine_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// TestACapBindsAcrossResumesAhead stops a run at its cap and resumes it three times with a higher one, over HTTP. At
// each of these boundaries the trace is that of a run that waits, so that the cap counts the calls that the run used;
// the server was asked these and those in vain, and these are within their bound.
func TestACapBindsAcrossResumesAhead(t *testing.T) {
	slow(t)
	// The bound on waste is wide, so that something is used however the answers are spread over time.
	const concurrency, wastePermille = 8, 200
	plan, err := stub.ParseFaults("latency=1ms..40ms")
	if err != nil {
		t.Fatal(err)
	}
	caps := []int64{40, 75, 110, 145}
	// play returns the trace at each boundary, and what was asked of the server until then.
	play := func(ahead engine.Ahead) (traces [][]byte, requests []int64, dirs []string) {
		var asked atomic.Int64
		handler := stub.NewHandler(stub.Options{Seed: 1, Faults: stub.NewInjector(plan, 1)})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			handler.ServeHTTP(w, r)
		}))
		defer server.Close()
		client, err := openai.New(openai.Config{BaseURL: server.URL, Steady: true})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		o := belt(t, 8, 30)
		o.BaseURL = "embedded"
		o.Concurrency = concurrency
		o.Source = engine.Live(client)
		o.Ahead = ahead
		for i, most := range caps {
			o.Caps.Run.Calls = most
			if i == 0 {
				run(t, o)
			} else {
				resumeWithCap(t, o, most)
			}
			traces = append(traces, canonical(t, o.RunDir))
			requests = append(requests, asked.Load())
			dirs = append(dirs, copied(t, o.RunDir))
		}
		return traces, requests, dirs
	}
	want, _, _ := play(engine.Ahead{})
	got, requests, dirs := play(engine.Ahead{Depth: 4, WastePermille: wastePermille})
	used := int64(0)
	for i, most := range caps {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("at a cap of %d calls the trace is another one", most)
		}
		r := fold(t, dirs[i])
		calls, a := r.TraceCounts.ModelCalls, r.Timing.Ahead
		used = a.Used
		t.Logf("cap %d: %d calls, %d requests, %+v", most, calls, requests[i], a)
		if r.RunStatus != trace.RunBudgetReached || calls > most {
			t.Errorf("at a cap of %d calls the run ended %s with %d", most, r.RunStatus, calls)
		}
		if requests[i] < calls || requests[i] > calls+a.Wasted+a.Open {
			t.Errorf("at a cap of %d calls %d requests for %d calls, %d in vain and %d open", most, requests[i], calls,
				a.Wasted, a.Open)
		}
		if 1000*a.Wasted > wastePermille*calls+1000*concurrency { // those that were under way when the bound was reached may be above it
			t.Errorf("at a cap of %d calls %d of %d were in vain", most, a.Wasted, calls)
		}
	}
	if used == 0 {
		t.Error("nothing that was asked ahead was used")
	}
}

// resumeWithCap continues a run that ended at the cap of its calls with another one.
func resumeWithCap(t *testing.T, o engine.Options, most int64) {
	t.Helper()
	resumeWith(t, o, engine.ResumeOptions{AbandonTick: true, Caps: func(c trace.Caps) trace.Caps {
		c.Run.Calls = most
		return c
	}})
}

// resumeWith resumes a run with the model of its options.
func resumeWith(t *testing.T, o engine.Options, how engine.ResumeOptions) {
	t.Helper()
	how.Model, how.ModelSource = o.Model, o.ModelSource
	how.BaseURL = o.BaseURL
	s, err := engine.PrepareResume(o.RunDir, how)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
