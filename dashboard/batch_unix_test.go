//go:build unix

package dashboard_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/agentworld/batch"
)

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
		client := http.Client{Timeout: 20 * time.Second} // a pipe would never answer
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
