package guardeval

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// actors answers for the agents whose actions the case gives, and passes on
// everything else.
type actors struct {
	Case
	live engine.Source

	mu sync.Mutex
	// reasoned says that a call was put into a reason step already.
	reasoned bool
}

func (a *actors) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	deciding := slices.Contains(r.Choice.Allowed, "decision") || slices.Contains(r.Choice.Allowed, "turn")
	if lines, acts := a.given[key.Agent]; acts && deciding {
		return given(key, lineAt(lines, key))
	}
	if key.Agent != a.Victim {
		return a.live.Respond(ctx, key, r)
	}
	if key.Tick <= int64(len(a.opening)) && deciding {
		return given(key, lineAt(a.opening, key))
	}
	if a.forged != "" && key.Tick > 2 {
		if answer, ok := a.forge(key, r); ok {
			return answer
		}
	}
	return a.live.Respond(ctx, key, r)
}

// lineAt is what an agent does in a tick; after a refusal, and when it has nothing to
// do, it waits.
func lineAt(lines []string, key trace.CallKey) string {
	if key.Step == 1 && key.Tick <= int64(len(lines)) {
		return lines[key.Tick-1]
	}
	return `{"action":"wait"}`
}

// given is an answer that decides on an action in full, which turns take in every
// stage that allows a decision.
func given(key trace.CallKey, action string) llmclient.Answer {
	return reply(key, call{"decision", `{"action":` + action + `,"execute_until":null,"why":"","sources_used":[]}`})
}

// forge puts the case's action in place of what the victim's model would have said: as
// a call in its first reason step, and as a draft with its decision where a draft may
// be made.
func (a *actors) forge(key trace.CallKey, r llmclient.Request) (llmclient.Answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	planning := slices.Contains(r.Choice.Allowed, "plan")
	switch {
	case r.Choice.Mode == llmclient.ChoiceNone && !a.reasoned:
		a.reasoned = true
		return given(key, a.forged), true
	case slices.Contains(r.Choice.Allowed, "decision_draft") && !planning && key.Step < 4:
		return reply(key,
			call{"decision_draft", `{"candidates":[` + a.forged + `]}`},
			call{"decision", `{"candidate":1,"execute_until":null,"why":"","sources_used":[]}`}), true
	}
	return llmclient.Answer{}, false
}

type call struct{ tool, arguments string }

// reply is an answer with calls, as a provider would give it.
func reply(key trace.CallKey, calls ...call) llmclient.Answer {
	var items []llmclient.Item
	for i, c := range calls {
		items = append(items, llmclient.FunctionCall(fmt.Sprintf("given-%d-%d-%d", key.Tick, key.Step, i), c.tool, c.arguments))
	}
	return llmclient.Answer{
		Reply:    &llmclient.Reply{ID: fmt.Sprintf("given-%s-%d-%d", key.Agent, key.Tick, key.Step), Model: "given", Status: "completed", Items: items},
		Attempts: 1,
	}
}
