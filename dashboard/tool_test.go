package dashboard_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
)

// TestATurnShowsItsTools: whose tool was called, with what, what came of it and how far the user trusts it. A
// long result is cut.
func TestATurnShowsItsTools(t *testing.T) {
	dir := t.TempDir()
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = 1
	hostile := "<script>alert(1)</script>" + strings.Repeat("x", 9000)
	tool := agentworld.NewTool("oracle", "3", "Knows.", func(context.Context, struct{}) (any, error) { return hostile, nil })
	tool.Server = "far"
	tool.BytesMax = 20_000
	answers := answering(func(step int) llmclient.Item {
		if step == 1 {
			return llmclient.FunctionCall("c-1", "oracle", "{}")
		}
		return llmclient.FunctionCall("c-2", "decision", `{"action":"wait"}`)
	})
	s, err := session.New(session.Config{Settings: settings, Dir: filepath.Join(dir, "r"), Source: answers,
		Tools: []agentworld.Tool{tool}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create(); err != nil {
		t.Fatal(err)
	}
	if err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	turn := read[struct {
		Calls []struct {
			ToolCalls []struct {
				Name, Arguments string
				Tool            *struct{ Of, Trust, Code, Returned string }
			} `json:"tool_calls"`
		}
	}](t, serve(t, dir)+"api/turn?run=r&tick=1&agent=agent-1")
	if len(turn.Calls) < 2 || len(turn.Calls[0].ToolCalls) != 1 {
		t.Fatalf("the turn is %+v", turn)
	}
	call := turn.Calls[0].ToolCalls[0]
	if of := call.Tool; of == nil || of.Of != "oracle 3 of far" || !strings.HasPrefix(of.Trust, "untrusted") || of.Code != "" ||
		!strings.HasPrefix(of.Returned, "<script>") || len(of.Returned) > 4010 || call.Arguments != "{}" {
		t.Errorf("the call is %+v of %+v", call, of)
	}
	for _, c := range turn.Calls[1].ToolCalls {
		if c.Tool != nil {
			t.Errorf("%s is no tool of the user's: %+v", c.Name, c.Tool)
		}
	}
}

// answering is a model that answers each step with one item.
type answering func(step int) llmclient.Item

// Respond implements [engine.Source].
func (a answering) Respond(_ context.Context, key trace.CallKey, _ llmclient.Request) llmclient.Answer {
	return llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{a(key.Step)}}}
}
