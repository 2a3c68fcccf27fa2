package dashboard_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"example.com/agentworld"
)

// The targets for long traces.
const (
	firstViewMax = 1500 * time.Millisecond
	anyTickMax   = 100 * time.Millisecond
	pageBytesMax = 200_000_000
)

// TestLongTraces opens a run of 10,000 ticks with 50 agents, and one whose trace takes 1 GB, in a
// browser. The runs stay under .tmp/long for the next time.
func TestLongTraces(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to play 31,000 ticks")
	}
	browserPath(t)
	for _, c := range []struct {
		name   string
		ticks  int64
		change func(*agentworld.Settings)
	}{
		{"gigabyte", 21_000, func(*agentworld.Settings) {}},
		{"fifty", 10_000, func(s *agentworld.Settings) { s.AgentsOverride, s.Protocol = 50, "lean" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join("..", ".tmp", "long")
			if !played(t, dir, c.name, c.ticks) {
				if err := os.RemoveAll(filepath.Join(dir, c.name)); err != nil {
					t.Fatal(err)
				}
				record(t, filepath.Join(dir, c.name), "llm_bootstrap", c.ticks, c.change)
			}
			b := firstViews(t, dir, c.name)
			for _, agent := range []string{"", "&agent=agent-1"} {
				anyTicks(t, b, c.name, agent, c.ticks)
			}
			pageMemory(t, b, c.name, c.ticks)
			b.check(t, c.name)
		})
	}
}

// played reports whether a directory holds the whole run already.
func played(t *testing.T, dir, name string, ticks int64) bool {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	type row struct {
		ID, Status string
		Ticks      int64
	}
	runs := read[struct{ Runs []row }](t, serve(t, dir)+"api/runs").Runs
	return slices.Contains(runs, row{name, "completed", ticks})
}

// firstViews opens the run with five servers that have not read it, and waits in the last one
// until it is read.
func firstViews(t *testing.T, dir, name string) (b *tab) {
	t.Helper()
	var took []time.Duration
	var began time.Time
	first := func(t *testing.T) {
		b = openTab(t, serve(t, dir))
		b.open(t, "", name)
		began = time.Now()
		b.open(t, "#/run?id="+name, "Agents after tick")
		took = append(took, time.Since(began))
	}
	for range 4 {
		t.Run("view", first) // and the server stops reading
	}
	first(t)
	t.Logf("first view of a world: %v", took)
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Minute)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool]("!document.body.innerText.includes('Reading the trace')", chromedp.WithPollingTimeout(10*time.Minute))); err != nil {
		t.Fatalf("the trace is not read to its end: %v", err)
	}
	whole := time.Since(began)
	t.Logf("the trace read to its end after %v", whole)
	if slices.Sort(took); took[len(took)/2] > firstViewMax {
		t.Errorf("the first view took %v, at most %v", took, firstViewMax)
	}
	return b
}

// anyTicks moves to ticks in random order.
func anyTicks(t *testing.T, b *tab, name, agent string, ticks int64) {
	t.Helper()
	random, asked := rand.New(rand.NewPCG(1, 2)), []string{}
	for range 200 {
		asked = append(asked, fmt.Sprint(random.Int64N(ticks)+1))
	}
	script := fmt.Sprintf(`(async () => {
		const took = [];
		for (const n of [%s]) {
			const began = performance.now();
			location.hash = '#/run?id=%s%s&tick=' + n;
			while (document.querySelector('.map').dataset.tick !== String(n)) await new Promise((r) => setTimeout(r, 1));
			took.push(performance.now() - began);
		}
		return took;
	})()`, strings.Join(asked, ","), url.QueryEscape(name), agent)
	before := b.cpuMS(t)
	took, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]float64](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("move in time: %v", err)
	}
	slices.Sort(took)
	p95 := time.Duration(took[len(took)*95/100] * float64(time.Millisecond))
	t.Logf("200 ticks%s: median %.0f ms, 95th percentile %v, most %.0f ms; CPU time of the page %.1f ms each", agent, took[len(took)/2], p95, took[len(took)-1], (b.cpuMS(t)-before)/200)
	if p95 > anyTickMax {
		t.Errorf("a tick took %v at the 95th percentile, at most %v", p95, anyTickMax)
	}
}

// cpuMS is the CPU time that the page took so far, in milliseconds, by what the browser says.
func (b *tab) cpuMS(t *testing.T) (ms float64) {
	t.Helper()
	of, err := chromedp.Run(b.ctx, func(ctx context.Context, to *chromedp.Target) (performance.GetMetricsResult, error) {
		if _, err := cdp.Call(ctx, to, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
			return performance.GetMetricsResult{}, err
		}
		return cdp.Call(ctx, to, performance.GetMetrics, cdp.Empty{})
	})
	if err != nil {
		t.Fatalf("ask for the time of the page: %v", err)
	}
	for _, m := range of.Metrics {
		if m.Name == "TaskDuration" {
			ms = 1000 * m.Value
		}
	}
	return ms
}

// pageMemory goes through the views and asks the browser what the page takes.
func pageMemory(t *testing.T, b *tab, name string, ticks int64) {
	t.Helper()
	most := 0.0
	for _, view := range [][2]string{
		{"", "Agents after tick"}, {"&agent=agent-2", "Charge and heat"}, {fmt.Sprintf("&agent=agent-1&open=1&tick=%d", ticks/2), "What it led to"},
		{"&panel=figures", "Latency of calls"}, {"&panel=log", "lines up to tick"}, {"&panel=about", "How it came about"}, {"", "Agents after tick"},
	} {
		began := time.Now()
		b.open(t, "#/run?id="+name+view[0], view[1])
		heap, err := chromedp.Run(b.ctx, func(ctx context.Context, to *chromedp.Target) (runtime.GetHeapUsageResult, error) {
			return cdp.Call(ctx, to, runtime.GetHeapUsage, cdp.Empty{})
		})
		if err != nil {
			t.Fatalf("ask for the memory of the page: %v", err)
		}
		bytes := heap.TotalSize + heap.EmbedderHeapUsedSize + heap.BackingStorageSize
		most = max(most, bytes)
		t.Logf("%q shown after %v: %.0f MB: heap %.0f, of elements %.0f, of buffers %.0f", view[0], time.Since(began), bytes/1e6, heap.TotalSize/1e6, heap.EmbedderHeapUsedSize/1e6, heap.BackingStorageSize/1e6)
	}
	if most > pageBytesMax {
		t.Errorf("the page took %.0f MB, at most %d", most/1e6, pageBytesMax/1_000_000)
	}
}
