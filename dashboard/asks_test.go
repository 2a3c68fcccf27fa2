package dashboard_test

import (
	"context"
	"errors"
	"net/http"
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
		if q.Text == "refuse" {
			return errors.New("the model is out of <b>order</b>")
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
