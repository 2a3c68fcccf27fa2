//go:build !windows

package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/agentworld/llmclient/stub"
)

// TestOutageIsNoScore plays a cell whose endpoint fails for a while: the run that was spoilt by it is
// no result, and the next attempt starts over and has the result of an undisturbed run.
func TestOutageIsNoScore(t *testing.T) {
	slow(t)
	var asked, down atomic.Int64 // requests, and how many more of them fail
	handler := stub.NewHandler(stub.Options{Seed: 1})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 4 && down.Add(-1) >= 0 {
			http.Error(w, "down", http.StatusInternalServerError)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer s.Close()
	dir := t.TempDir()
	text := fmt.Sprintf("name = \"o\"\nscenarios = [\"task_production_chips_40\"]\nseeds = \"1\"\n[settings.run]\nticks = 12\nchain_steps = 0\n[settings.llm]\nmodel = \"m\"\nbase_url = %q\nretry_backoff_ms = 1\n", s.URL)
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	play := func(where string, retries, want int) {
		t.Helper()
		p := newProcess(t, nil, "batch", "run", "b.toml", "--dir", where, "--quiet", "--retries", fmt.Sprint(retries))
		p.dir, p.Getwd = dir, func() (string, error) { return dir, nil }
		if code := p.run(t); code != want {
			t.Fatalf("%s: exit code %d, want %d: %s", where, code, want, p.output())
		}
	}
	play("clean", 0, 0)
	for fails, retries := range map[int64]int{60: 2, 8: 1} {
		asked.Store(0)
		down.Store(fails)
		where := fmt.Sprint("spoilt", fails)
		play(where, 0, exitProvider)
		play(where, retries, 0)
		clean := batchResults(t, filepath.Join(dir, "clean", "results.jsonl"))
		sameResults(t, batchResults(t, filepath.Join(dir, where, "results.jsonl")), clean)
		for id := range clean { // cells can be compared tick by tick
			p := newProcess(t, nil, "compare", filepath.Join(dir, "clean", "cells", string(id)), filepath.Join(dir, where, "cells", string(id)))
			if code := p.run(t); code != 0 || !strings.Contains(p.output(), "one pair of runs is too few") {
				t.Errorf("exit code %d: %s", code, p.output())
			}
		}
	}
}
