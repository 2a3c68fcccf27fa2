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
	foreign := filepath.Join(t.TempDir(), "foreign.json")
	for _, text := range []string{"{}", "null", "[]", `{"cases":[]}`, strings.Replace(string(data), `"next_trial": 5`, `"next_trial": -5`, 1), strings.Replace(string(data), "{", `{"more": 1,`, 1)} {
		if err := os.WriteFile(foreign, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if text := call(2, "--search", "6", "--continue", foreign); !strings.Contains(text, "no result of a search") {
			t.Errorf("a file that is no search is refused with %s", text)
		}
	}
	call(2, "--trial", "1=x")
	call(2, "--search", "6", "--continue", "") // a variable of the shell that is not set
	// What would be ignored is refused.
	for _, flags := range []string{
		"--continue " + file, "--search 0", "--search -1", "--search 1 --jobs 0", "--search 1 --jobs 65", "--search 1 --sample 3", "--search 1 --seeds 1", "--search 1 --checks",
		"--search 1 --keep x", "--search 1 --max-attack-success 0", "--search 1 --max-false-blocks 0", "--trial 4=1 --json x", "--trial 4=1 --search 1", "--trial 4=1 --seed 1", "--trial= --sample 1",
	} {
		if text := call(2, strings.Fields(flags)...); !strings.Contains(text, "allowed") {
			t.Errorf("%s is refused with %s", flags, text)
		}
	}
	if text := call(0, "--trial", "4=1"); !strings.Contains(text, "tick 1: agent-1") {
		t.Errorf("a trial is told as %s", text)
	}
}
