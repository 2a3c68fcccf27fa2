package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/batch"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// small is a suite of two instances of a task of aw-1, so that a test can play it.
func small(t *testing.T) scenario.Suite {
	t.Helper()
	aw1, ok := scenario.SuiteNamed("aw-1")
	if !ok {
		t.Fatal("there is no suite aw-1")
	}
	aw1.Tasks = []string{"task_production_chips_40"}
	aw1.Seeds = aw1.Seeds[:2]
	return aw1
}

// played plays the small suite with the embedded model in a directory of its own.
func played(t *testing.T, suite scenario.Suite) batch.Dir {
	t.Helper()
	settings, err := agentworld.Defaults(suite.Tasks[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "entry")
	b := agentworld.Batch{Name: "entry", Seeds: suite.Seeds, Arms: []agentworld.Arm{{Name: "embedded"}}}
	s, _, err := agentworld.PlayBatch(context.Background(), agentworld.Options{Settings: settings, Dir: dir}, b)
	if err != nil || s.Scored != len(suite.Seeds) {
		t.Fatalf("%d runs have a score: %v", s.Scored, err)
	}
	return batch.Dir(dir)
}

// entry is the entry in a directory.
func entry(t *testing.T, dir batch.Dir, suite scenario.Suite) Entry {
	t.Helper()
	name, cells, err := dir.Cells()
	if err != nil {
		t.Fatal(err)
	}
	results, err := dir.Results(cells)
	if err != nil {
		t.Fatal(err)
	}
	list, err := entriesOf(dir, suite, *batch.MarkOf(suite), name, cells, results)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d entries: %v", len(list), err)
	}
	return list[0]
}

// tampering is an entry that somebody changes: one of its cells, and the directory of the cell's run.
type tampering struct {
	*testing.T
	dir  batch.Dir
	cell batch.Cell
	run  string
}

// rewrite changes a file of JSON.
func rewrite[T any](t tampering, path string, change func(*T)) {
	t.Helper()
	var v T
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err == nil {
		change(&v)
		text, err = json.Marshal(v)
	}
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (t tampering) file(name string) string {
	return filepath.Join(string(t.dir), "cells", string(t.cell.ID), name)
}

// result changes the result of the cell.
func (t tampering) result(change func(*batch.Result)) { rewrite(t, t.file("result.json"), change) }

// trace replaces a text in the trace of the run, at its first place. With sealed the chain is made again, the
// result gets its head, and there is no report.
func (t tampering) trace(old, next string, sealed bool) {
	t.Helper()
	path := filepath.Join(t.run, "trace.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(text, []byte(old), []byte(next), 1)
	if bytes.Equal(changed, text) {
		t.Fatalf("the trace has no %s", old)
	}
	if sealed {
		var chain trace.Chain
		var out []byte
		for line := range bytes.Lines(changed) {
			body, _, ok := trace.Unseal(bytes.TrimSuffix(line, []byte("\n")))
			if !ok {
				t.Fatal("a line has no chain")
			}
			line, chain = trace.Seal(append(slices.Clone(body), '}'), chain)
			out = append(append(out, line...), '\n')
		}
		changed = out
		t.result(func(r *batch.Result) { r.Head = chain })
		_ = os.Remove(filepath.Join(t.run, "report.json"))
	}
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyNamesWhatIsWrong: what was played is valid, and each way to change it is named with the cell that it is
// about.
func TestVerifyNamesWhatIsWrong(t *testing.T) {
	suite := small(t)
	dir := played(t, suite)
	verify := func(dir batch.Dir) Verification {
		v, err := entry(t, dir, suite).Verify(context.Background(), 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := verify(dir); !v.Valid() || v.Runs != 2 || v.Scored != 2 || v.Replayed != 2 {
		t.Fatalf("what was played is not valid: %+v", v)
	}
	for _, c := range []struct {
		name string
		kind Kind
		// says is in the text of a finding.
		says   string
		change func(tampering)
	}{
		{"no result", Missing, "has no result", func(t tampering) { _ = os.Remove(t.file("result.json")) }},
		{"no score", Missing, "no score", func(t tampering) { t.result(func(r *batch.Result) { r.Metrics = batch.Metrics{} }) }},
		{"no run", Trace, "", func(t tampering) { _ = os.RemoveAll(t.run) }},
		{"score", Result, "score of", func(t tampering) { t.result(func(r *batch.Result) { r.Metrics = r.Metrics.With("score", 1e6) }) }},
		{"calls", Result, "calls", func(t tampering) { t.result(func(r *batch.Result) { r.Calls-- }) }},
		{"trace", Trace, "not as it was written", func(t tampering) { t.trace(`"type":"tick_end"`, `"type": "tick_end"`, false) }},
		{"sealed digest", Replay, "does not follow", func(t tampering) { t.trace(`"digest":"`, `"digest":"0`, true) }},
		{"shorter trace", Trace, "ends here", func(t tampering) {
			path := filepath.Join(t.run, "trace.jsonl")
			text, _ := os.ReadFile(path)
			text = text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1]
			_ = os.WriteFile(path, text, 0o600)
		}},
		{"other world", World, "its world is", func(t tampering) { t.trace("compound_g = ", "compound_g = 1", true) }},
		{"other rules", Rules, "it has rules 0", func(t tampering) { t.result(func(r *batch.Result) { r.Versions.Rules = "0" }) }},
		{"fixed setting", Settings, "chain_steps is 1, not 3", func(t tampering) {
			t.trace(`"chain_steps":3`, `"chain_steps":1`, true)
		}},
		{"shorter task", Settings, "30 ticks", func(t tampering) { t.trace(`"ticks":40`, `"ticks":30`, true) }},
		{"two profiles", Mixed, `not "rich", which other runs have`, func(t tampering) {
			t.trace(`"prompt_profile":"balanced"`, `"prompt_profile":"rich"`, true)
		}},
		{"other prompts", Mixed, "prompts are of version", func(t tampering) {
			t.result(func(r *batch.Result) { r.Versions.Prompt = "1-0" })
		}},
		{"other engine", Mixed, "it is of engine", func(t tampering) {
			t.result(func(r *batch.Result) { r.Versions.Engine = "0" })
		}},
		{"other seed", Foreign, "with the seed 2000007", func(t tampering) {
			t.trace(`"seed":2000000`, `"seed":2000007`, true)
		}},
		{"run of another", Trace, "its run is that of", func(t tampering) {
			_, cells, _ := t.dir.Cells()
			t.result(func(r *batch.Result) {
				other := t
				other.cell = cells[1]
				rewrite(other, other.file("result.json"), func(theirs *batch.Result) { r.Head = theirs.Head })
			})
		}},
		{"fallbacks", Fallbacks, "in the player's place", func(t tampering) {
			t.result(func(r *batch.Result) { r.Metrics = r.Metrics.With("fallbacks", 20) })
		}},
		{"failures", Failures, "without a reply", func(t tampering) {
			t.result(func(r *batch.Result) { r.Metrics = r.Metrics.With("llm_errors", 20) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			copied := batch.Dir(filepath.Join(t.TempDir(), "entry"))
			if err := os.CopyFS(string(copied), os.DirFS(string(dir))); err != nil {
				t.Fatal(err)
			}
			_, cells, err := copied.Cells()
			if err != nil {
				t.Fatal(err)
			}
			c.change(tampering{t, copied, cells[0], copied.Run(cells[0].ID, 1)})
			v := verify(copied)
			if !slices.ContainsFunc(v.Findings, func(f Finding) bool {
				about := f.Cell == cells[0].ID || f.Kind == Mixed || c.name == "run of another" || f.Kind == Fallbacks || f.Kind == Failures
				return f.Kind == c.kind && about && strings.Contains(f.Text, c.says)
			}) {
				t.Errorf("found %+v, want %s with %q", v.Findings, c.kind, c.says)
			}
		})
	}
}

// TestVerifyFindsInterventions: a run that somebody forked is none of an entry, whatever its result says.
func TestVerifyFindsInterventions(t *testing.T) {
	suite := small(t)
	dir := played(t, suite)
	_, cells, err := dir.Cells()
	if err != nil {
		t.Fatal(err)
	}
	of := dir.Run(cells[0].ID, 1)
	settings, err := agentworld.ForkSettings(of, 20)
	if err != nil {
		t.Fatal(err)
	}
	forked := filepath.Join(t.TempDir(), "fork")
	s, err := agentworld.Fork(context.Background(), agentworld.Options{Settings: settings, Dir: forked},
		agentworld.Left{Parent: of, AtTick: 20})
	if err != nil {
		t.Fatal(err)
	}
	err = os.RemoveAll(of)
	if err == nil {
		err = os.CopyFS(of, os.DirFS(forked))
	}
	if err != nil {
		t.Fatal(err)
	}
	tampering{t, dir, cells[0], of}.result(func(r *batch.Result) { r.Head = s.Head })
	v, err := entry(t, dir, suite).Verify(context.Background(), 1, nil)
	if err != nil || !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == Intervention }) {
		t.Errorf("found %+v, %v; want an intervention", v.Findings, err)
	}
}

// TestForeignAndMissingCells: an entry has all instances of its suite, and no others.
func TestForeignAndMissingCells(t *testing.T) {
	suite := small(t)
	e := entry(t, played(t, suite), suite)
	e.Suite.Seeds = []uint64{suite.Seeds[0], suite.Seeds[1] + 1}
	v := e.Check()
	kinds := map[Kind]int{}
	for _, f := range v.Findings {
		kinds[f.Kind]++
	}
	if kinds[Foreign] != 1 || kinds[Missing] != 1 || len(v.Findings) != 2 {
		t.Errorf("found %+v, want a foreign cell and a missing one", v.Findings)
	}
}
