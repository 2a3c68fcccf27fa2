package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// largeFile is a batch of two arms with so many instances.
func largeFile(instances int) string {
	return fmt.Sprintf("name = \"large\"\nscenarios = [\"task_production_chips_40\"]\nseeds = \"1-%d\"\n"+
		"[axes.protocol.full.run]\nprotocol = \"full\"\n[axes.protocol.lean.run]\nprotocol = \"lean\"\n[compare]\neffect = 1.0\nmetrics = [\"calls\", \"tokens\"]\n", instances)
}

// writeLarge makes a finished batch with made-up results of as many metrics as runs have.
func writeLarge(t *testing.T, dir string, instances int) {
	t.Helper()
	text := largeFile(instances)
	f, err := batch.Parse([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var planned batch.Planned
	templates := map[string]*batch.Template{}
	for c := range f.Combinations() {
		arm := c.Cell.Label("protocol")
		if templates[arm] == nil {
			s := trace.DefaultSettings()
			s.Protocol = arm
			templates[arm] = batch.TemplateOf(s, trace.Limit{})
		}
		planned.Add(c.Cell, templates[arm], batch.Seeds{World: c.Cell.Seed})
	}
	d := batch.Dir(dir)
	if err := errors.Join(d.Create(f.Name, planned.Cells), d.KeepFile([]byte(text))); err != nil {
		t.Fatal(err)
	}
	var results []batch.Result
	for i, c := range planned.Cells {
		figures := map[string]float64{"score": float64(10 + i*7919%13), "tokens": float64(40000 + i*104729%9999), "calls": float64(10 + i*31%17), "score_share": float64(i%29) / 29}
		for _, name := range []string{"accepted.build_factory", "accepted.harvest_radiation", "accepted.mine_compound", "accepted.refine_compound", "accepted.schedule_recipe",
			"accepted_share", "action_kinds", "active_ticks", "calls_per_decision", "decisions", "degraded_share", "fallbacks", "goals_met", "goals_share", "guard_waits", "llm_errors",
			"model_p95_ms", "parse_errors", "parse_repaired", "repair_rounds", "repair_rounds_max", "tokens_input", "tokens_output"} {
			figures[name] = float64(i % 41)
		}
		results = append(results, batch.Result{Cell: c, Attempt: 1, Status: trace.RunCompleted, Model: "m", ModelSource: trace.SourceLive, Metrics: batch.MetricsOf(figures), Ticks: 40,
			Versions: batch.Versions{Engine: "7", Rules: "5", Prompt: "21"}, Calls: 17, Tokens: 45000, Digest: fmt.Sprintf("%064x", i), Head: trace.Chain(fmt.Sprintf("%016x", i))})
		cell := filepath.Join(dir, "cells", string(c.ID))
		err := errors.Join(os.MkdirAll(filepath.Join(cell, "attempt-1"), 0o700), os.WriteFile(filepath.Join(cell, "result.json"), append(llmclient.Marshal(results[i]), '\n'), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond) // the list is younger than the results by the clock of any file system
	if err := d.WriteResults(results); err != nil {
		t.Fatal(err)
	}
}

// allocated is what f allocates in all, in bytes.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestALargeBatchIsReadInLittleMemory judges a sample of 2,000 cells by what reading allocates: 100,000 of them fit
// into 200 MB then. AGENT_WORLD_LONG reads all of them, and plans 4,000, in processes of their own.
func TestALargeBatchIsReadInLittleMemory(t *testing.T) {
	d := batch.Dir(t.TempDir())
	writeLarge(t, string(d), 1000)
	report := allocated(func() {
		f, cells, results, err := d.File(nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := batch.Summarize(f, cells, results)
		if err != nil || s.Scored != 2000 || !strings.Contains(s.Text(100), "1000") {
			t.Errorf("%d cells have a score, %v", s.Scored, err)
		}
	})
	status := allocated(func() {
		if s, err := d.Status(time.Minute); err != nil || s.Done != 2000 {
			t.Errorf("%d cells are done, %v", s.Done, err)
		}
	})
	for what, bytes := range map[string]float64{"a report": report, "a status": status} {
		t.Logf("%s allocates %.0f bytes a cell", what, bytes/2000)
		if bytes > 2000*8<<10 {
			t.Errorf("%s allocates %.0f bytes a cell, more than 8 KB", what, bytes/2000)
		}
	}
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		return
	}
	dir := t.TempDir()
	writeLarge(t, filepath.Join(dir, "large"), 50_000)
	program := filepath.Join(dir, programName) // not the program of these tests, which is three times as large
	if out, err := exec.Command("go", "build", "-o", program, "example.com/agentworld/cmd/"+programName).CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "four.toml"), []byte(largeFile(2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		args     string
		most     time.Duration
		mostRSS  int64 // in MB
		contains string
	}{
		{"batch status large", 5 * time.Second, 200, "100000 done"}, {"batch report large", 5 * time.Second, 200, "lean  full     score*"},
		{"runs list large", 5 * time.Second, 200, "0 runs"}, {"batch plan four.toml", time.Second, 60, "in all:"},
	} {
		// A process that this one started would count the memory of this one as its own.
		c := exec.Command("/usr/bin/time", append([]string{"-f", "rss %M", program}, strings.Fields(of.args)...)...)
		c.Dir = dir
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), of.contains) {
			t.Fatalf("%s: %v\n%.2000s", of.args, err, out)
		}
		took := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		_, told, _ := strings.Cut(string(out), "rss ")
		rss, err := strconv.ParseInt(strings.TrimSpace(told), 10, 64)
		rss >>= 10
		if err != nil {
			t.Fatalf("%s: %v", of.args, err)
		}
		t.Logf("%s: %v of CPU, %d MB", of.args, took.Round(10*time.Millisecond), rss)
		if took > of.most || rss > of.mostRSS {
			t.Errorf("%s takes %v of CPU and %d MB, more than %v and %d MB", of.args, took, rss, of.most, of.mostRSS)
		}
	}
}

// TestAPlanIsMadeForEachArmOnce: what planning allocates hardly grows with the instances.
func TestAPlanIsMadeForEachArmOnce(t *testing.T) {
	plan := func(instances int) float64 {
		m := &Main{environment: environment{LookupEnv: func(string) (string, bool) { return "", false }}}
		file := filepath.Join(t.TempDir(), "b.toml")
		if err := os.WriteFile(file, []byte(largeFile(instances)), 0o600); err != nil {
			t.Fatal(err)
		}
		return allocated(func() {
			b, err := readBatch(m, file, true, pflag.NewFlagSet("", pflag.ContinueOnError), 0)
			if err != nil || len(b.planned.Cells) != 2*instances {
				t.Fatalf("%v", err)
			}
		})
	}
	plan(1)
	few := plan(2)
	many := plan(200)
	if many > 1.5*few {
		t.Errorf("400 cells are planned with %.0f bytes, and 4 with %.0f", many, few)
	}
}
