package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/engine/guardeval/search"
)

// TestGuardSearchGoesOn: a search that continues from its result keeps counting, a result of
// another seed is refused, and a trial is reported.
func TestGuardSearchGoesOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "search.json")
	call := func(want int, args ...string) string {
		t.Helper()
		p := newProcess(t, nil, append([]string{"guard-eval"}, args...)...)
		if code := p.run(t); code != want {
			t.Fatalf("%v: exit %d, want %d: %s", args, code, want, p.output())
		}
		return p.output()
	}
	call(0, "--search", "3", "--seed", "4", "--json", file)
	call(0, "--search", "5", "--continue", file, "--json", file)
	var s search.Search
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil || s.Next != 5 || s.Seed != 4 {
		t.Errorf("went on to %+v, %v", s, err)
	}
	call(2, "--search", "6", "--seed", "5", "--continue", file)
	call(2, "--trial", "1=x")
	if text := call(0, "--trial", "4=1"); !strings.Contains(text, "tick 1: agent-1") {
		t.Errorf("a trial is told as %s", text)
	}
}
