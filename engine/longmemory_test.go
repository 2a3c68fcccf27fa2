package engine_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
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

// TestLongRunsKeepTheirMemory runs 100,000 ticks, compares the heap at 10,000 with the
// heap at the end, and reads the resulting trace, over all its files. AGENT_WORLD_LONG
// gives another number of ticks when it is one.
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
		HTTPClient: &http.Client{Transport: handled{stub.NewHandler(stub.Options{Seed: 1})}},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Source, o.Protocol, o.SegmentBytes, o.LearnEvery, o.PlaybookBullets = engine.Live(client), "lean", 64<<20, 50, 6
	started, early := time.Now(), 0.0
	o.Progress = func(p engine.Progress) {
		if p.Tick%(ticks/20) != 0 {
			return
		}
		heap := heapMB()
		if p.Tick == ticks/10 {
			early = heap // what fills up to a bound has done so
		}
		fmt.Printf("%s: tick %d, heap %.1f MB, %.0f s\n", scenario, p.Tick, heap, time.Since(started).Seconds())
		if p.Tick == ticks && heap > early*1.1+1 {
			t.Errorf("the heap grew from %.1f MB at tick %d to %.1f MB at tick %d", early, ticks/10, heap, ticks)
		}
	}
	run(t, o)
	requireWholeTrace(t, o.RunDir, ticks, o.SegmentBytes)
}

// TestAskingAheadKeepsItsMemory asks ahead of five agents over many ticks, 100,000 at full size, and compares the heap
// at the end with that at half the way.
func TestAskingAheadKeepsItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	ticks := ticksUpTo(60, 100_000)
	o := options(t, "isolated_five", ticks)
	client := inProcess(t, stub.Options{Seed: 1}, openai.Config{Steady: true})
	defer client.Close()
	live := engine.Live(client)
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		if key.Tick%5 == int64(key.Agent[len(key.Agent)-1]-'1') { // who is waited for
			time.Sleep(30 * time.Millisecond)
		}
		return live.Respond(ctx, key, r)
	})
	o.Protocol = "lean"
	o.SegmentBytes = 64 << 20
	o.Ahead = engine.Ahead{Depth: 4, WastePermille: 50}
	early := 0.0
	o.Progress = func(p engine.Progress) {
		if p.Tick != ticks/2 && p.Tick != ticks {
			return
		}
		heap := heapMB()
		if p.Tick == ticks/2 {
			early = heap
		}
		t.Logf("tick %d, heap %.1f MB, %+v", p.Tick, heap, p.Ahead)
		if p.Tick == ticks && heap > early*1.1+1 {
			t.Errorf("the heap grew from %.1f MB at tick %d to %.1f MB at tick %d", early, ticks/2, heap, ticks)
		}
	}
	run(t, o)
	if got := aheadOf(t, o.RunDir); got.Used == 0 {
		t.Errorf("nothing that was asked ahead was used: %+v", *got)
	}
}

// requireWholeTrace reads a trace to its end. Every tick has its end, in order, and the
// trace was spread over compressed files as it grew.
func requireWholeTrace(t *testing.T, dir string, ticks, segmentBytes int64) {
	t.Helper()
	f, err := rundir.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counted := &counter{from: f}
	last := int64(0)
	for record, err := range trace.NewReader(counted).All() {
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := record.(trace.TickEnd); ok {
			if last++; end.Tick != last {
				t.Fatalf("tick %d ends where tick %d should", end.Tick, last)
			}
		}
	}
	closed, err := filepath.Glob(filepath.Join(dir, "trace-*.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, name := range closed {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	fmt.Printf("trace of %d MB, %d closed files of %d MB together\n", counted.bytes>>20, len(closed), size>>20)
	if last != ticks {
		t.Errorf("the trace has %d whole ticks, want %d", last, ticks)
	}
	// A file is closed at the end of the tick in which it reaches its size, so that it
	// can be a tick larger.
	if n := int64(len(closed)); n > counted.bytes/segmentBytes || n < counted.bytes*9/10/segmentBytes || size*5 > n*segmentBytes {
		t.Errorf("%d closed files of %d bytes for a trace of %d", n, size, counted.bytes)
	}
}

// counter counts the bytes that are read through it.
type counter struct {
	from  io.Reader
	bytes int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += int64(n)
	return n, err
}
