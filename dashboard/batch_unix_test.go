//go:build unix

package dashboard_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"example.com/agentworld/batch"
	"example.com/agentworld/run"
)

// TestAPipeIsNoTrace lists a directory whose trace is a pipe, to which no one writes.
func TestAPipeIsNoTrace(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "own"), "minimal", 2, nil)
	if err := os.Mkdir(filepath.Join(dir, "pipe"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe", run.TraceFile), 0o600); err != nil {
		t.Fatal(err)
	}
	at := serve(t, dir) + "api/"
	if rows := list(t, at); rows["pipe"] != (listed{"pipe", "damaged", "trace.jsonl is not a regular file"}) || len(rows) != 2 {
		t.Errorf("the list has %+v", rows)
	}
	if status, _, body := request(t, at+"run?run=pipe", nil); status != http.StatusNotFound {
		t.Errorf("status %d: %s", status, body)
	}
	// One that takes the place of a trace that is looked at.
	read[struct{}](t, at+"run?run=own")
	path := filepath.Join(dir, "own", run.TraceFile)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if v := read[struct{ Row listed }](t, at+"run?run=own"); v.Row.Status != "gone" {
		t.Errorf("the run is %+v", v)
	}
}

// TestNothingOutsideABatchIsRead puts a link, and then a pipe, in the place of each directory and
// file of a cell.
func TestNothingOutsideABatchIsRead(t *testing.T) {
	top := t.TempDir()
	outside, dir := filepath.Join(top, "outside"), filepath.Join(top, "runs")
	playBatch(t, outside, "outside", func(r *batch.Result) { r.Reason = "secret" })
	runs := playBatch(t, filepath.Join(dir, "own"), "own", func(*batch.Result) {})
	at := serve(t, dir) + "api/batch?batch=own"
	look := func(want int, what string) {
		t.Helper()
		client := http.Client{Timeout: patience} // a pipe would never answer
		answer, err := client.Get(at)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		defer answer.Body.Close()
		var body bytes.Buffer
		if _, err := body.ReadFrom(answer.Body); err != nil || answer.StatusCode != want || bytes.Contains(body.Bytes(), []byte(top)) || bytes.Contains(body.Bytes(), []byte("secret")) {
			t.Errorf("%s: status %d, want %d: %s %v", what, answer.StatusCode, want, body.Bytes(), err)
		}
	}
	look(http.StatusOK, "the batch")
	attempt := filepath.Dir(runs[0])
	cell := filepath.Dir(attempt)
	for _, name := range []string{"batch.json", "batch.toml", "cells", cell, filepath.Join(cell, "result.json"), filepath.Join(cell, "failure.json"), attempt, filepath.Join(attempt, "owner"), "budget"} {
		path := filepath.Join(dir, "own", name)
		for what, put := range map[string]func() error{
			"a link": func() error { return os.Symlink(filepath.Join(outside, name), path) },
			"a pipe": func() error { return syscall.Mkfifo(path, 0o600) },
		} {
			kept := os.Rename(path, path+".kept")
			if err := put(); err != nil {
				t.Fatal(err)
			}
			look(http.StatusNotFound, name+" as "+what)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if kept == nil {
				if err := os.Rename(path+".kept", path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	look(http.StatusOK, "the batch again")
}
