package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/internal/settings"
)

// tree lists everything below dir.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	names := []string{}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPrepareOutputLeavesOnlyDirectories(t *testing.T) {
	dir := t.TempDir()
	out, err := prepareOutput(filepath.Join(dir, "a", "b", "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "a/b"}, tree(t, dir)); diff != "" {
		t.Errorf("after the check (-want +got):\n%s", diff)
	}
	if err := atomicfile.Write(out.path, []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(out.path, []byte("22")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "a/b", "a/b/r.json"}, tree(t, dir)); diff != "" {
		t.Errorf("after writing twice (-want +got):\n%s", diff)
	}
	if data, err := os.ReadFile(out.path); err != nil || string(data) != "22" {
		t.Errorf("content %q, %v", data, err)
	}
	if info, err := os.Stat(out.path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v, want a readable file", info.Mode(), err)
	}
	out.made.discard()
	if len(tree(t, dir)) != 3 {
		t.Errorf("discard removed directories that hold a file: %v", tree(t, dir))
	}
}

func TestPrepareOutputRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "file/r.json", "file/deeper/r.json", "NUL", "con.json", "r.json.", "aux/r.json"} {
		if _, err := prepareOutput(filepath.Join(dir, name)); err == nil {
			t.Errorf("prepareOutput(%s) accepted it", name)
		}
	}
	if _, err := prepareOutput(os.DevNull); err == nil {
		t.Error("a device was accepted; renaming over it would replace it")
	}
	if diff := cmp.Diff([]string{"file"}, tree(t, dir)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
}

func TestMadeDirsAreDiscarded(t *testing.T) {
	dir := t.TempDir()
	out, err := prepareOutput(filepath.Join(dir, "a", "b", "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	out.made.discard()
	if left := tree(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPrepareOutputKeepsWhatItMust(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "run", "trace.jsonl")
	if err := os.MkdirAll(filepath.Dir(trace), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trace, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(trace, link); err != nil {
		t.Fatal(err)
	}
	kept := keptPath{what: "the run's trace", path: trace}
	coming := keptPath{what: "the run directory", path: filepath.Join(dir, "new", "run")}
	for _, path := range []string{trace, filepath.Join(dir, "run", "..", "run", "trace.jsonl"), link, filepath.Join(dir, "new"), filepath.Join(dir, "new", "run")} {
		if _, err := prepareOutput(path, kept, coming); err == nil {
			t.Errorf("prepareOutput(%s) would replace a trace or a run directory", path)
		}
	}
	for _, path := range []string{filepath.Join(dir, "run", "report.json"), filepath.Join(dir, "new", "report.json"), filepath.Join(dir, "new", "run", "report.json")} {
		if _, err := prepareOutput(path, kept, coming, keptPath{}); err != nil {
			t.Errorf("prepareOutput(%s): %v", path, err)
		}
	}
}

// TestPrepareOutputKeepsRecords: of any run and any cell of a batch, also of one that the command does not read.
func TestPrepareOutputKeepsRecords(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"run/trace.jsonl": "{}\n", "cells/one/result.json": `{"cell":"one"}`} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, kept := range map[string]bool{
		"run/trace.jsonl": true, "run/trace.index": true, "run/run.claim": true, "run/asks.jsonl": true,
		"cells/one/result.json": true, "run/report.json": false, "run/table.csv": false, "result.json": false,
	} {
		if _, err := prepareOutput(filepath.Join(dir, name)); (err != nil) != kept {
			t.Errorf("prepareOutput(%s): %v", name, err)
		}
	}
}

// TestAReportThatCouldNotBeWrittenIsNotNamed: the summary is printed all the same.
func TestAReportThatCouldNotBeWrittenIsNotNamed(t *testing.T) {
	p := newProcess(t, nil, "minimal", "--ticks", "1", "--run-dir", "RUN", "--quiet")
	if code := p.run(t); code != 0 || !strings.Contains(p.stdout.String(), "\nreport  RUN") {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	r, err := p.foldTrace("RUN")
	if err != nil {
		t.Fatal(err)
	}
	p.stdout.Reset()
	gone := plan{config: config{Config: settings.Config{Process: settings.Process{RunDir: "GONE"}}}}
	if err := finishReport(p.Main, gone, outputFile{}, &r); err == nil || !strings.Contains(p.stdout.String(), "\nhead    ") || strings.Contains(p.stdout.String(), "\nreport  ") {
		t.Errorf("error %v:\n%s", err, p.stdout.String())
	}
}
