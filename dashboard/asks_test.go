package dashboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ask"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// asks puts questions to the embedded model over HTTP.
func asks(t *testing.T) func(context.Context, dashboard.Question) error {
	t.Helper()
	server, err := stub.Start(t.Context(), stub.DefaultAddr, stub.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	client, err := openai.New(openai.Config{BaseURL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return func(ctx context.Context, q dashboard.Question) error {
		switch q.Text {
		case "refuse":
			return errors.New("the model is out of <b>order</b>")
		case "again": // as if it had been answered before
			return nil
		}
		x, _, err := run.Dir(q.Dir).Index(false)
		if err != nil {
			return err
		}
		agent, err := ask.Agent(run.Dir(q.Dir), x, q.Tick, q.Agent)
		if err != nil {
			return err
		}
		r, err := ask.Ask(ctx, agent, q.Text, ask.Options{
			Source: engine.Live(client), ModelSource: trace.SourceScripted, CountTokens: tokens.Count, Meter: engine.NewMeter(agent.Settings), Now: time.Now,
		})
		if err != nil {
			return err
		}
		return ask.Keep(run.Dir(q.Dir), r)
	}
}

// TestAskFromThePage: the browser that was let in asks, and the answer is shown with the decision;
// others are refused, and what is wrong is said.
func TestAskFromThePage(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "llm_bootstrap", 6, nil)
	s := begin(t, dashboard.Options{Dir: dir, Ask: asks(t)})
	view, entrance := "#/run?id=hub&tick=4&agent=agent-1&open=1", s.ControlURL()

	b := openTab(t, s.URL())
	b.open(t, strings.TrimPrefix(entrance, s.URL()), "llm_bootstrap")
	b.open(t, view, "Ask agent-1 as it was after tick 4")
	b.fill(t, "textarea", "Why <b>this</b>?")
	b.click(t, "form button", "Ask")
	b.wait(t, "I decided so because")
	b.wait(t, "Why <b>this</b>?")
	b.check(t, "asked")
	b.shoot(t, "asked.png")
	b.fill(t, "textarea", "refuse")
	b.click(t, "form button", "Ask")
	b.wait(t, "the model is out of <b>order</b>")
	b.fill(t, "textarea", "again")
	b.click(t, "form button", "Ask")
	b.wait(t, "It was asked this before: the answer below cost nothing.")

	token := tokenOf(t, entrance)
	other := &poster{at: s.URL(), origin: strings.TrimSuffix(s.URL(), "/")}
	if status, _ := other.post(t, "api/control/enter", `{"token":"`+token+`"}`, nil); status != http.StatusForbidden {
		t.Errorf("a token that was used lets in: %d", status)
	}
	if status, _ := other.post(t, "api/ask", `{"run":"hub","agent":"agent-1","tick":4,"text":"Why?"}`, nil); status != http.StatusForbidden {
		t.Errorf("anybody can ask: %d", status)
	}
	if status, _ := other.post(t, "api/control", `{"kind":"pause"}`, nil); status != http.StatusMethodNotAllowed {
		t.Errorf("a page that only asks is controlled: %d", status)
	}
}

// TestErrorsNameNoPathOfTheMachine lets questions fail in ways that know where the run is.
func TestErrorsNameNoPathOfTheMachine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "minimal", 2, nil)
	file := filepath.Join(dir, "hub", run.AsksFile)
	var failure error
	s := begin(t, dashboard.Options{Dir: dir, Ask: func(context.Context, dashboard.Question) error { return failure }})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	page := &poster{http.Client{Jar: jar}, s.URL(), strings.TrimSuffix(s.URL(), "/")}
	if status, _ := page.post(t, "api/control/enter", `{"token":"`+tokenOf(t, s.ControlURL())+`"}`, nil); status != http.StatusOK {
		t.Fatalf("the token: status %d", status)
	}
	said := func() string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"api/ask", strings.NewReader(`{"run":"hub","agent":"agent-1","tick":1,"text":"Why?"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", page.origin)
		answer, err := page.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var of struct{ Error string }
		if err := json.NewDecoder(answer.Body).Decode(&of); err != nil {
			t.Fatal(err)
		}
		return of.Error
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: file, Err: fs.ErrPermission}, "open asks.jsonl: permission denied"},
		{fmt.Errorf("lock %s: held", filepath.Join(dir, "hub")), "lock the run: held"},
		{errors.New(`the table "/home/ann lee/prices.toml" is missing`), `the table "…/prices.toml" is missing`},
		{errors.New("flag --x=/home/ann/y: open /etc/z: no; C:\\Users\\ann"), "flag --x=…/y: open …/z: no; …/ann"},
		{errors.New("http://127.0.0.1:80/v1 has no model a/b, 3/4"), "http://127.0.0.1:80/v1 has no model a/b, 3/4"},
	} {
		if failure = c.err; said() != c.want {
			t.Errorf("%v: the page says %q, want %q", c.err, said(), c.want)
		}
	}
	failure = nil
	if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := said(); !strings.HasPrefix(got, "asks.jsonl, line 1: ") {
		t.Errorf("of a damaged file the page says %q", got)
	}
}
