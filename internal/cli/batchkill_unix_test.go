//go:build !windows

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/stub"
)

// callCounter is a scripted server that counts requests, and answers after a while.
type callCounter struct {
	*httptest.Server
	asked atomic.Int64
}

func newCallCounter(t *testing.T, delay time.Duration) *callCounter {
	s := &callCounter{}
	handler := stub.NewHandler(stub.Options{Seed: 1})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			s.asked.Add(1)
		}
		time.Sleep(delay)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// batchText is a batch of so many cells of one agent each.
func (s *callCounter) batchText(cells int, more string) string {
	return fmt.Sprintf("name = \"kill\"\nscenarios = [\"task_production_chips_40\"]\nseeds = \"1-%d\"\n[settings.run]\nticks = 12\nchain_steps = 0\n[settings.llm]\nmodel = \"scripted\"\nbase_url = %q\n[axes.protocol.full.run]\nprotocol = \"full\"\n[axes.protocol.lean.run]\nprotocol = \"lean\"\n%s", cells/2, s.URL, more)
}

// batchProcess is a process that plays a batch.
func batchProcess(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	c, out := batchCommandIn(dir, args...)
	c.Env = append(c.Env, settings.EnvPrefix+"BATCH_LEASE_MS=800")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _, _ = c.Process.Wait() })
	return c, out
}

// batchCommandIn is a process that plays the batch b.toml of a directory, and what it says.
func batchCommandIn(dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	c := exec.Command(programName, append([]string{"batch", "run", "b.toml"}, args...)...)
	var out bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &out, &out
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	return c, &out
}

// ended waits for a process and returns its exit code.
func ended(t *testing.T, c *exec.Cmd, out *bytes.Buffer) int {
	t.Helper()
	err := c.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	} else if ok && exit.ExitCode() < 0 {
		t.Fatalf("%v was killed: %v\n%s", c.Args, err, out)
	}
	return c.ProcessState.ExitCode()
}

// batchResults are the results of a batch by cell; each cell has one.
func batchResults(t *testing.T, file string) map[batch.ID]batch.Result {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	results, err := batch.ReadResults(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	byID := map[batch.ID]batch.Result{}
	for _, r := range results {
		if _, twice := byID[r.ID]; twice {
			t.Errorf("cell %s has two results", r.ID)
		}
		byID[r.ID] = r
	}
	return byID
}

// sameResults compares the results of two batches, but for the clock and the attempts.
func sameResults(t *testing.T, got, want map[batch.ID]batch.Result) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d results, want %d", len(got), len(want))
	}
	for id, w := range want {
		g := got[id]
		g.WallMS, w.WallMS, g.Attempt, w.Attempt = 0, 0, 0, 0
		g.Head, w.Head = "", "" // of a trace with times in it
		g.InVain, w.InVain = nil, nil
		for _, r := range []*batch.Result{&g, &w} {
			figures := r.Metrics.Map()
			delete(figures, "model_p95_ms")
			r.Metrics = batch.MetricsOf(figures)
		}
		a, _ := json.Marshal(g)
		b, _ := json.Marshal(w)
		if string(a) != string(b) {
			t.Errorf("cell %s:\n%s\nwant\n%s", id, a, b)
		}
	}
}

// awaited waits until a condition holds.
func awaited(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// TestShardsSurvive plays a batch by three processes on one directory, of which one is killed, and
// one is stopped past its lease and continues. Every cell must have its one result, equal to that of
// an undisturbed batch, and no call may be paid twice but those that were under way.
func TestShardsSurvive(t *testing.T) {
	slow(t)
	cells := 6
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		cells = 100
	}
	server := newCallCounter(t, 3*time.Millisecond)
	plain, shared := t.TempDir(), t.TempDir()
	for _, dir := range []string{plain, shared} {
		if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(server.batchText(cells, "[budget]\ncalls = 100000\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, out := batchProcess(t, plain, "--jobs", "4", "--dir", "d")
	if code := ended(t, c, out); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	want := batchResults(t, filepath.Join(plain, "d", batch.ResultsFile))
	whole := server.asked.Swap(0)
	if whole < int64(cells) {
		t.Fatalf("%d calls for %d cells", whole, cells)
	}

	first, _ := batchProcess(t, shared, "--shard", "1/3", "--dir", "d")
	second, secondOut := batchProcess(t, shared, "--shard", "2/3", "--dir", "d")
	third, thirdOut := batchProcess(t, shared, "--shard", "3/3", "--dir", "d")
	awaited(t, "a third of the calls", func() bool { return server.asked.Load() > whole/3 })
	_ = first.Process.Kill()
	_, _ = first.Process.Wait()
	if err := second.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ended(t, third, thirdOut) // it plays what the others left
	if err := second.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	ended(t, second, secondOut)
	again, againOut := batchProcess(t, shared, "--shard", "1/3", "--dir", "d")
	ended(t, again, againOut)
	if err := os.Remove(filepath.Join(shared, "d", batch.ResultsFile)); err != nil {
		t.Fatal(err)
	}
	last, lastOut := batchProcess(t, shared, "--dir", "d")
	if code := ended(t, last, lastOut); code != 0 {
		t.Errorf("exit code %d\n%s", code, lastOut)
	}
	sameResults(t, batchResults(t, filepath.Join(shared, "d", batch.ResultsFile)), want)
	// One call of the process that was killed and one of the process that was stopped were under way.
	if asked := server.asked.Load(); asked > whole+2 {
		t.Errorf("%d calls, %d undisturbed: more than the two under way were paid twice", asked, whole)
	}
	t.Logf("%d calls, %d undisturbed", server.asked.Load(), whole)
}

// TestBudgetOfABatchHolds lets three processes share a cap on calls, one of which is killed.
func TestBudgetOfABatchHolds(t *testing.T) {
	slow(t)
	server := newCallCounter(t, 2*time.Millisecond)
	dir := t.TempDir()
	const budget = 90
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(server.batchText(12, fmt.Sprintf("[budget]\ncalls = %d\n", budget))), 0o600); err != nil {
		t.Fatal(err)
	}
	first, _ := batchProcess(t, dir, "--dir", "d", "--jobs", "2")
	second, secondOut := batchProcess(t, dir, "--dir", "d", "--jobs", "2")
	third, thirdOut := batchProcess(t, dir, "--dir", "d", "--jobs", "2")
	awaited(t, "some calls", func() bool { return server.asked.Load() > budget/3 })
	_ = first.Process.Kill()
	_, _ = first.Process.Wait()
	for _, p := range []struct {
		c   *exec.Cmd
		out *bytes.Buffer
	}{{second, secondOut}, {third, thirdOut}} {
		if code := ended(t, p.c, p.out); code != exitBudget {
			t.Errorf("exit code %d, want %d\n%s", code, exitBudget, p.out)
		}
	}
	last, lastOut := batchProcess(t, dir, "--dir", "d")
	if code := ended(t, last, lastOut); code != exitBudget || !strings.Contains(lastOut.String(), "used up") {
		t.Errorf("exit code %d, want %d\n%s", code, exitBudget, lastOut)
	}
	if asked := server.asked.Load(); asked > budget || asked < budget-20 {
		t.Errorf("%d calls with a budget of %d", asked, budget)
	}
}

// TestInterruptedBatchGoesOn interrupts a batch; the same command continues and asks nothing twice.
func TestInterruptedBatchGoesOn(t *testing.T) {
	slow(t)
	server := newCallCounter(t, 2*time.Millisecond)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(server.batchText(6, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	c, out := batchProcess(t, dir, "--dir", "whole")
	if code := ended(t, c, out); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	whole := server.asked.Swap(0)
	c, out = batchProcess(t, dir, "--dir", "d", "--jobs", "2")
	awaited(t, "half of the calls", func() bool { return server.asked.Load() > whole/2 })
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, c, out); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, out)
	}
	c, out = batchProcess(t, dir, "--dir", "d")
	if code := ended(t, c, out); code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	sameResults(t, batchResults(t, filepath.Join(dir, "d", batch.ResultsFile)), batchResults(t, filepath.Join(dir, "whole", batch.ResultsFile)))
	if asked := server.asked.Load(); asked > whole+2 {
		t.Errorf("%d calls, %d undisturbed: an interrupt loses the calls under way and no others", asked, whole)
	}
}

// TestJobsOverlap plays a batch of slow answers one cell after the other and eight at once, and
// compares the CPU time of a batch with that of the same runs by themselves.
func TestJobsOverlap(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("takes a minute; set AGENT_WORLD_LONG=1")
	}
	const cells = 16
	dir := t.TempDir()
	play := func(server *callCounter, name string, jobs int) (took, cpu time.Duration) {
		if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(server.batchText(cells, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		c, out := batchProcess(t, dir, "--dir", name, "--jobs", fmt.Sprint(jobs))
		if code := ended(t, c, out); code != 0 {
			t.Fatalf("exit code %d\n%s", code, out)
		}
		return time.Since(began), c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	slow := newCallCounter(t, 20*time.Millisecond)
	alone, _ := play(slow, "one", 1)
	together, _ := play(slow, "eight", 8)
	t.Logf("16 cells with answers after 20 ms: %.2f s by 8 jobs, %.2f s by one, %.3f", together.Seconds(), alone.Seconds(), together.Seconds()/alone.Seconds())
	if together > alone/5 {
		t.Errorf("8 jobs take %.3f of the time of one, want at most 0.2", together.Seconds()/alone.Seconds())
	}
	quick := newCallCounter(t, 0)
	_, inBatch := play(quick, "cpu", 1)
	var byThemselves time.Duration
	for seed := 1; seed <= cells/2; seed++ {
		for _, protocol := range []string{"full", "lean"} {
			c := exec.Command(programName, "task_production_chips_40", "--ticks", "12", "--seed", fmt.Sprint(seed), "--protocol", protocol, "--model", "scripted", "--base-url", quick.URL, "--run-dir", fmt.Sprintf("%d-%s", seed, protocol), "--quiet")
			c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			byThemselves += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		}
	}
	t.Logf("CPU time of a cell: %.1f ms in a batch, %.1f ms by itself, %.3f", inBatch.Seconds()*1000/cells, byThemselves.Seconds()*1000/cells, inBatch.Seconds()/byThemselves.Seconds())
	if inBatch > byThemselves*105/100 {
		t.Errorf("a cell takes %.3f of the CPU time of a run by itself, want at most 1.05", inBatch.Seconds()/byThemselves.Seconds())
	}
}
