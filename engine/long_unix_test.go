//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
)

// TestLongRunStaysSmall runs 5 agents for 1,000 ticks as a user would, in a
// process of its own, and measures that process; then it replays the run.
func TestLongRunStaysSmall(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to run 1,000 ticks")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "demo")
	if out, err := exec.Command("go", "build", "-o", binary, "example.com/agentworld/cmd/world_llm_agent_demo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	runDir := filepath.Join(dir, "run")
	const ticks = 1000
	measure(t, "run", binary, "llm_bootstrap", "--ticks", strconv.Itoa(ticks), "--run-dir", runDir, "--quiet")
	measure(t, "replay", binary, "replay", runDir)
	if r := fold(t, runDir); r.WorldTime != ticks {
		t.Errorf("the run ended after %d ticks, want %d", r.WorldTime, ticks)
	}
	info, err := os.Stat(filepath.Join(runDir, rundir.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("trace: %d MB for %d ticks\n", info.Size()>>20, ticks)
}

// TestLongLifeReplays lets an agent live long enough for its memory to overflow and
// merge thousands of times, and derives every request again from the trace.
func TestLongLifeReplays(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to run 10,000 ticks")
	}
	const ticks = 10_000
	o := options(t, "minimal", ticks)
	o.Protocol = "lean"
	run(t, o)
	result, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{})
	if err != nil || !result.Equal || result.Exchanges < ticks/10 {
		t.Fatalf("replay of %d ticks: %+v %v", ticks, result, err)
	}
}

// TestLongReplayOutrunsLoopback alternates runs over loopback and replays of their
// recording, as a user would, and compares the medians: a replay is for trying a change
// many times.
func TestLongReplayOutrunsLoopback(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to compare five runs with their replays")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "demo")
	if out, err := exec.Command("go", "build", "-o", binary, "example.com/agentworld/cmd/world_llm_agent_demo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const rounds, ticks = 5, 200
	var times, perExchange []float64
	for i := range rounds {
		runDir := filepath.Join(dir, strconv.Itoa(i))
		live := measure(t, "run", binary, "llm_bootstrap", "--ticks", strconv.Itoa(ticks), "--run-dir", runDir, "--quiet")
		again := measure(t, "replay", binary, "replay", runDir)
		times = append(times, live.Seconds()/again.Seconds())
		perExchange = append(perExchange, again.Seconds()*1000/float64(fold(t, runDir).TraceCounts.ModelCalls))
	}
	slices.Sort(times)
	slices.Sort(perExchange)
	fmt.Printf("replay: %.2fx as fast as over loopback (%.2f to %.2f), %.3f ms an exchange\n", times[rounds/2], times[0], times[rounds-1], perExchange[rounds/2])
	if times[rounds/2] < 5 {
		t.Errorf("a replay is %.2f times as fast as its run over loopback, want 5", times[rounds/2])
	}
	if perExchange[rounds/2] > 1 {
		t.Errorf("a replay takes %.3f ms an exchange, want at most 1", perExchange[rounds/2])
	}
}

// measure runs a command and reports its peak memory, which has a limit, and its
// duration, which it returns.
func measure(t *testing.T, what, binary string, args ...string) time.Duration {
	t.Helper()
	command := exec.Command(binary, args...)
	command.Env = append(os.Environ(), "AGENT_WORLD_LLM_MODEL=", "OPENAI_API_KEY=")
	started := time.Now()
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", what, err, out)
	}
	took := time.Since(started)
	peak := command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	fmt.Printf("%s: peak %d MB, %.1f s\n", what, peak, took.Seconds())
	if peak > 300 {
		t.Errorf("%s took %d MB, want at most 300", what, peak)
	}
	return took
}

// BenchmarkDecisionOverLoopback is one full decision: prompt, about four calls
// over HTTP to the scripted server, modules, guard, trace, apply.
func BenchmarkDecisionOverLoopback(b *testing.B) {
	benchmarkDecisions(b, "full")
}

// BenchmarkLeanDecisionOverLoopback is the same in the lean protocol.
func BenchmarkLeanDecisionOverLoopback(b *testing.B) {
	benchmarkDecisions(b, "lean")
}

func benchmarkDecisions(b *testing.B, protocol string) {
	const ticks = 40
	o := options(b, "llm_bootstrap", ticks)
	o.Protocol = protocol
	var decisions int64
	o.Progress = func(p engine.Progress) { decisions = p.Decisions + p.Continued }
	var total int64
	for i := 0; b.Loop(); i++ {
		o.RunDir = filepath.Join(b.TempDir(), strconv.Itoa(i))
		if err := rundir.Dir(o.RunDir).Create(); err != nil {
			b.Fatal(err)
		}
		run(b, o)
		total += decisions
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(total), "us/decision")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkReplay measures a replay per tick of the same run, without a network.
func BenchmarkReplay(b *testing.B) {
	o := options(b, "llm_bootstrap", 40)
	run(b, o)
	var ticks int64
	for b.Loop() {
		result, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{})
		if err != nil || !result.Equal {
			b.Fatalf("%+v %v", result, err)
		}
		ticks += result.Exchanges
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(ticks), "us/exchange")
	b.ReportMetric(0, "ns/op")
}

func TestRunDirIsProvenBeforeUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := rundir.Dir(filepath.Join(file, "run")).Create(); err == nil {
		t.Error("a run directory below a file is accepted")
	}
	o := options(t, "minimal", 1)
	run(t, o)
	if err := rundir.Dir(o.RunDir).Create(); err == nil || !strings.Contains(err.Error(), "already holds a run") {
		t.Errorf("a directory with a run is accepted: %v", err)
	}
	left, err := os.ReadDir(o.RunDir)
	names := map[string]bool{}
	for _, f := range left {
		names[f.Name()] = true
	}
	if err != nil || !maps.Equal(names, map[string]bool{rundir.TraceFile: true, rundir.ClaimFile: true}) {
		t.Errorf("the probe left something behind: %v %v", left, err)
	}
}
