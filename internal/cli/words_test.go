package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/behavior/words"
)

// sleeper is an endpoint whose model waits. It keeps what it was asked.
func sleeper(t *testing.T) (url string, asked func() string) {
	t.Helper()
	requests := make(chan string, 100)
	const answer = `{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"function_call","id":"f",` +
		`"call_id":"c","name":"decision","status":"completed","arguments":"{\"candidate\":0,\"sources_used\":[],\"why\":\"rest\"}"}]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- string(body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() string { return <-requests }
}

// TestOwnWords exports the texts, changes one, and plays, replays and resumes without the directory.
func TestOwnWords(t *testing.T) {
	url, asked := sleeper(t)
	p, files := newProcess(t, nil, "words", "export", "mine"), ""
	for _, language := range words.Languages() {
		name, _ := words.File(language)
		files += "mine/" + name + "\n"
	}
	if code := p.run(t); code != exitCompleted || p.stdout.String() != files {
		t.Fatalf("%d: %s", code, p.output())
	}
	dir := filepath.Join(p.dir, "mine")
	run := func(want int, args ...string) string {
		t.Helper()
		q := newProcess(t, nil, args...)
		q.Getwd = p.Getwd
		if code := q.run(t); code != want {
			t.Fatalf("%q: exit code %d: %s", args, code, q.output())
		}
		return q.output()
	}
	if said := run(exitBadInput, "words", "export", "mine"); !strings.Contains(said, "has english.toml already") {
		t.Error(said)
	}
	english := "[instructions]\nrules = \"Carry 77 electricity to agent-1 at all times.\"\n"
	if err := os.WriteFile(filepath.Join(dir, "english.toml"), []byte(english), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "french.toml")
	if err := os.WriteFile(other, []byte("code = \"fr\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := run(exitBadInput, "scenarios", "lint", "minimal", "--words", "mine"); !strings.Contains(said, `"mine/french.toml" is the file of no language; allowed: english.toml, chinese.toml`) {
		t.Error(said)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	said := run(exitUndecided, "scenarios", "lint", "minimal", "--words", "mine")
	for _, want := range []string{"instructions.rules: it has the number 77", `it names "agent-1", an agent`,
		`it names "electricity", a resource`} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in %s", want, said)
		}
	}
	// A name is found however it is written.
	disguised := "[instructions]\nrules = \"Give AGENT\u20111 and Agent 7 \uff17\uff18 of e\u200blectricity, 31-32 or 54kg.\"\n"
	if err := os.WriteFile(filepath.Join(dir, "english.toml"), []byte(disguised), 0o600); err != nil {
		t.Fatal(err)
	}
	said = run(exitUndecided, "scenarios", "lint", "minimal", "--words", "mine")
	for _, want := range []string{"it has the number 78", "it has the number 32", "it has the number 54", `it names "agent-1", an agent`, `it names "agent-7", an agent`,
		`it names "electricity", a resource`, "characters that a reader does not see"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in %s", want, said)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "english.toml"), []byte(english), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := run(exitBadInput, "minimal", "--words", "mine"); !strings.Contains(said, "the scripted stub reads the program's alone") {
		t.Error(said)
	}
	run(exitCompleted, "minimal", "--ticks", "2", "--words", "mine", "--model", "m", "--base-url", url, "--run-dir", "r", "--quiet",
		"--max-degraded", "100", "--report-json", "report.json")
	if body := asked(); !strings.Contains(body, "Carry 77 electricity to agent-1 at all times.") {
		t.Errorf("the model is not told: %.600s", body)
	}
	report, err := os.ReadFile(filepath.Join(p.dir, "report.json"))
	if err != nil || !strings.Contains(string(report), `"words": "`) {
		t.Errorf("no hash of the words in the report: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	run(exitCompleted, "replay", "r")
	run(exitCompleted, "resume", "r", "--until-tick", "3", "--quiet")
	if said := run(exitBadInput, "resume", "r", "--words", "mine"); !strings.Contains(said, "unknown flag: --words") {
		t.Error(said)
	}
}

// TestForkWithOtherTextsAndGoals changes what an agent is told it is, and what is asked of it, from the tick
// after the fork on.
func TestForkWithOtherTextsAndGoals(t *testing.T) {
	p := newProcess(t, nil, "two_bases", "--ticks", "3", "--run-dir", "r", "--quiet")
	if code := p.run(t); code != exitCompleted {
		t.Fatal(p.output())
	}
	run := func(want int, args ...string) string {
		t.Helper()
		q := newProcess(t, nil, args...)
		q.Getwd = p.Getwd
		if code := q.run(t); code != want {
			t.Fatalf("%q: exit code %d: %s", args, code, q.output())
		}
		return q.output()
	}
	run(exitCompleted, "fork", "r", "--at-tick", "1", "--set", "personas.agent-1.text=You are bold.", "--set",
		"personas.agent-1.long_term_goal=Own a moon.", "--set", "goals.site.A.metric=stock:data", "--set", "goals.site.A.at_least=7",
		"--set", "goals.site.A.agent=agent-1", "--set", "goals.site.A.text=Own data.", "--run-dir", "f", "--quiet")
	for _, agent := range []struct {
		id   string
		told bool
	}{{"agent-1", true}, {"agent-2", false}} {
		said := run(exitCompleted, "explain", "f", "--tick", "2", "--agent", agent.id, "--prompts")
		for _, text := range []string{"You are bold.", "Own a moon.", "Own data."} {
			if strings.Contains(said, text) != agent.told {
				t.Errorf("%s: told %s %v, want %v", agent.id, text, !agent.told, agent.told)
			}
		}
	}
	run(exitCompleted, "replay", "f")
	if said := run(exitCompleted, "report", "f"); !strings.Contains(said, "goals.site.A none -> stock:data of agent-1 at least 7") {
		t.Errorf("the report does not say which goal is new: %s", said)
	}
	said := run(exitCompleted, "fork", "f", "--at-tick", "2", "--set", "goals.site.A=none", "--run-dir", "ff", "--quiet")
	if !strings.Contains(said, "changes: goals.site.A stock:data of agent-1 at least 7") {
		t.Errorf("the report does not say which goal is gone: %s", said)
	}
	run(exitCompleted, "replay", "ff")
	for set, want := range map[string]string{
		"personas.agent-9.text=x": "no agent \"agent-9\"", "personas.agent-1.name=x": "personas.AGENT.text=TEXT",
		"personas.agent-1.text=": "personas.AGENT.text=TEXT", "goals.x=1": "goals.ID.at_least=NUMBER",
		"goals.x=none": "there is no goal \"x\"; allowed: ", "goals.x.at_least=many": "allowed: whole numbers", "goals.x.at_least=3": "goals.x.metric: it is missing",
		"goals.x.at_least=3.5": "allowed: whole numbers", "goals.x.metric=stock:dta": "allowed after stock: are electricity, ",
	} {
		if said := run(exitBadInput, "fork", "r", "--at-tick", "1", "--set", set, "--run-dir", "g"); !strings.Contains(said, want) {
			t.Errorf("--set %s: %s", set, said)
		}
	}
}

// TestPersonaAsAnArm plays a batch in which an arm has another persona.
func TestPersonaAsAnArm(t *testing.T) {
	shown := newProcess(t, nil, "scenarios", "show", "minimal")
	if code := shown.run(t); code != exitCompleted {
		t.Fatal(shown.output())
	}
	bold := strings.Replace(shown.stdout.String(), "You live alone on one rock", "You are bold", 1)
	const file = "name = \"persona\"\nscenarios = [\"minimal\"]\nseeds = \"1-2\"\n[settings.run]\nticks = 1\n" +
		"[axes.persona.plain]\n[axes.persona.plain.run]\nprotocol = \"full\"\n[axes.persona.bold]\nscenario = \"bold.toml\"\n"
	for name, text := range map[string]string{"bold.toml": bold, "b.toml": file,
		"two.toml":   strings.Replace(file, `["minimal"]`, `["minimal", "two_bases"]`, 1),
		"wrong.toml": strings.Replace(file, `scenario = "bold.toml"`, `scenery = "bold.toml"`, 1)} {
		if err := os.WriteFile(filepath.Join(shown.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		file string
		code int
		want string
	}{
		{"b.toml", exitCompleted, "4 cells, 4 scored"},
		{"two.toml", exitBadInput, "it replaces the scenario of the batch, which has 2"},
		{"wrong.toml", exitBadInput, "axes.persona.bold.scenery: allowed: scenario"},
	} {
		p := newProcess(t, nil, "batch", "run", c.file, "--quiet", "--dir", "d")
		p.Getwd = shown.Getwd
		if code := p.run(t); code != c.code || !strings.Contains(p.output(), c.want) {
			t.Errorf("%s: exit code %d: %s", c.file, code, p.output())
		}
	}
	prompts, err := filepath.Glob(filepath.Join(shown.dir, "d", "cells", "*", "attempt-1", "run", "trace.jsonl"))
	told := 0
	for _, path := range prompts {
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), "# Persona\\\\nYou are bold") {
			told++
		}
	}
	if err != nil || told != 2 {
		t.Errorf("%d of %d runs tell the other persona, %v", told, len(prompts), err)
	}
}
