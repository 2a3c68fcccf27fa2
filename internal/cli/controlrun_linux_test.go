package cli

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/agentworld/run"
)

// postTo posts like the page of a server.
func postTo(t *testing.T, jar *cookiejar.Jar, at, path, body string) (status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", at)
	answer, err := (&http.Client{Jar: jar}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// TestAControlledRunIsKilledAndGoesOn begins a run paused, writes to an agent and plays one tick
// from its page, continues in another browser with the address in the run's directory, and kills the
// program. The resume asks no one, its page stays until Ctrl-C, and a
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
	var jar *cookiejar.Jar
	enter := func(token string) { // a browser that knows nothing of others
		t.Helper()
		var err error
		if jar, err = cookiejar.New(nil); err != nil {
			t.Fatal(err)
		}
		if status := postTo(t, jar, found[1], "/api/control/enter", `{"token":"`+token+`"}`); status != http.StatusOK {
			t.Fatalf("the token %s: status %d", token, status)
		}
	}
	post := func(path, body string) {
		t.Helper()
		if status := postTo(t, jar, found[1], path, body); status != http.StatusOK {
			t.Fatalf("POST %s %s: status %d", path, body, status)
		}
	}
	kept := filepath.Join(dir, "run", run.ControlFile)
	next := func() (token string) {
		t.Helper()
		info, err := os.Stat(kept)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("the file with the address for the next browser: %v, %v", info, err)
		}
		address, err := os.ReadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		at, token, _ := strings.Cut(strings.TrimSpace(string(address)), "/#/run?id=.&control=")
		if at != found[1] {
			t.Errorf("the file has the address %s of %s", address, at)
		}
		return token
	}
	if next() != found[2] {
		t.Error("at first the file has another address than the one that was printed")
	}
	enter(found[2])
	post("/api/control", `{"kind":"message","text":"Look at your charge."}`)
	post("/api/control", `{"kind":"step"}`)
	p.waitFor(t, `LINEpaused +tick 1/3`)
	lost := jar // the browser is closed
	token := next()
	if token == found[2] {
		t.Error("a token that was used is in the file")
	}
	enter(token)
	if status := postTo(t, lost, found[1], "/api/control", `{"kind":"resume"}`); status != http.StatusForbidden {
		t.Errorf("the browser before: status %d", status)
	}
	post("/api/control", `{"kind":"switch","short_term_goal":"Make a motor."}`)
	post("/api/control", `{"kind":"step"}`)
	p.waitFor(t, `LINEpaused +tick 2/3`)
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.end(t)
	if err := os.Remove(kept); err != nil {
		t.Errorf("a program that was killed leaves no address: %v", err)
	}
	outside := filepath.Join(dir, "outside")
	if err := os.Symlink(outside, kept); err != nil { // as a run from elsewhere may have
		t.Fatal(err)
	}
	refused := onTerminal(t, dir, 100, nil, "resume", "run", "--dashboard", "--control")
	if code, shown := refused.end(t); code != exitBadInput || !strings.Contains(shown, "it is a link") {
		t.Errorf("a link in the place of the address: exit code %d:\n%s", code, shown)
	}
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	again := onTerminal(t, dir, 100, nil, "resume", "run", "--dashboard", "--control")
	shown = again.waitFor(t, `its page stays until Ctrl-C`)
	if !strings.Contains(shown, "turns failed") || !regexp.MustCompile(`control +tick 1: paused; tick 1: message to all agents; tick 1: one tick`).MatchString(shown) {
		t.Errorf("the resume shows\n%s", shown)
	}
	again.press(t, ctrlC)
	if code, shown := again.end(t); code != exitCompleted {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
	for _, path := range []string{kept, outside} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after the run there is %s: %v", path, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "run", "trace.jsonl"))
	if err != nil || strings.Count(string(text), `{"type":"control"`) != 5 || strings.Contains(string(text), found[2]) || strings.Contains(string(text), token) {
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
