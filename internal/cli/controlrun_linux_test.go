package cli

import (
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAControlledRunIsKilledAndGoesOn begins a run paused, writes to an agent and plays one tick
// from its page, and kills the program. The resume asks nobody, its page stays until Ctrl-C, and a
// replay agrees with both.
func TestAControlledRunIsKilledAndGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := onTerminal(t, dir, 100, nil, "minimal", "--ticks", "3", "--dashboard", "--control", "--paused", "--run-dir", "run")
	shown := p.waitFor(t, `LINEpaused +tick 0/3`)
	found := regexp.MustCompile(`page: (http://[0-9.:]+)/#/run\?id=\.&control=([A-Z0-9]+) `).FindStringSubmatch(shown)
	if found == nil {
		t.Fatalf("no address to control the run:\n%q", shown)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	post := func(path, body string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, found[1]+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", found[1])
		answer, err := (&http.Client{Jar: jar}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != http.StatusOK {
			t.Fatalf("POST %s %s: %s", path, body, answer.Status)
		}
	}
	post("/api/control/enter", `{"token":"`+found[2]+`"}`)
	post("/api/control", `{"kind":"message","text":"Look at your charge."}`)
	post("/api/control", `{"kind":"step"}`)
	p.waitFor(t, `LINEpaused +tick 1/3`)
	post("/api/control", `{"kind":"switch","short_term_goal":"Make a motor."}`)
	post("/api/control", `{"kind":"step"}`)
	p.waitFor(t, `LINEpaused +tick 2/3`)
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.end(t)
	again := onTerminal(t, dir, 100, nil, "resume", "run", "--dashboard")
	shown = again.waitFor(t, `its page stays until Ctrl-C`)
	if !strings.Contains(shown, "completed") || !regexp.MustCompile(`operator +tick 1: paused; tick 1: message to all agents; tick 1: one tick`).MatchString(shown) {
		t.Errorf("the resume shows\n%s", shown)
	}
	again.press(t, ctrlC)
	if code, shown := again.end(t); code != exitCompleted {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
	text, err := os.ReadFile(filepath.Join(dir, "run", "trace.jsonl"))
	if err != nil || strings.Count(string(text), `{"type":"control"`) != 5 || strings.Contains(string(text), found[2]) {
		t.Errorf("the trace has %d controls, or the token; %v", strings.Count(string(text), `{"type":"control"`), err)
	}
	inspected := onTerminal(t, dir, 100, nil, "inspect", "run", "--tick", "1")
	if code, shown := inspected.end(t); code != exitCompleted || !strings.Contains(shown, `operator: message to all agents: "Look at your charge."`) {
		t.Errorf("inspect: exit code %d:\n%s", code, shown)
	}
	replay := onTerminal(t, dir, 100, nil, "replay", "run")
	if code, shown := replay.end(t); code != exitCompleted || !strings.Contains(shown, "replay agrees: 3 ticks") {
		t.Errorf("replay: exit code %d:\n%s", code, shown)
	}
}
