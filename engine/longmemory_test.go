package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"agentworld/engine"
	"agentworld/llmclient/openai"
	"agentworld/llmclient/scripted"
)

// handled carries requests to a handler in the same process, without a connection.
type handled struct{ http.Handler }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// heapMB is what is in use after a collection, in megabytes.
func heapMB() float64 {
	runtime.GC()
	runtime.GC() // what finalizers of the first one let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// TestLongRunsKeepTheirMemory runs 100,000 ticks and compares the heap at 10,000 with
// the heap at the end. AGENT_WORLD_LONG gives another number of ticks when it is one.
func TestLongRunsKeepTheirMemory(t *testing.T) {
	ticks, err := strconv.ParseInt(os.Getenv("AGENT_WORLD_LONG"), 10, 64)
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to run 100,000 ticks")
	}
	if err != nil || ticks < 100 {
		ticks = 100_000
	}
	for _, scenario := range []string{"minimal", "llm_bootstrap"} {
		t.Run(scenario, func(t *testing.T) { keepsItsMemory(t, scenario, ticks) })
		ticks /= 5 // five agents
	}
}

func keepsItsMemory(t *testing.T, scenario string, ticks int64) {
	o := options(t, scenario, ticks)
	client, err := openai.New(openai.Config{
		BaseURL: "http://in.process", ShownURL: o.BaseURL,
		HTTPClient: &http.Client{Transport: handled{scripted.NewHandler(scripted.Options{Seed: 1})}},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Source, o.Protocol, o.SegmentBytes, o.LearnEvery, o.PlaybookBullets = engine.Live(client), "lean", 64<<20, 50, 6
	started, early := time.Now(), 0.0
	o.Progress = func(p engine.Progress) {
		if p.Tick%(ticks/10) != 0 {
			return
		}
		heap := heapMB()
		if p.Tick == ticks/10 {
			early = heap
		}
		fmt.Printf("%s: tick %d, heap %.1f MB, %.0f s\n", scenario, p.Tick, heap, time.Since(started).Seconds())
		if p.Tick == ticks && heap > early*1.1+1 {
			t.Errorf("the heap grew from %.1f MB at tick %d to %.1f MB at tick %d", early, ticks/10, heap, ticks)
		}
	}
	run(t, o)
}
