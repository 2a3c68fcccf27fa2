package behavior_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// checkBreakpoints demands of a request's breakpoints that they begin with those of the request
// before, which a provider has kept, and are at items that can be marked.
func checkBreakpoints(t *testing.T, ask behavior.Ask, kept []int) {
	t.Helper()
	at, input := ask.Request.Breakpoints, ask.Request.Input
	if len(at) == 0 || at[0] != 0 {
		t.Errorf("request %d: the breakpoints %v lack the common message", ask.Number, at)
	}
	if len(at) < len(kept) || len(at) > len(kept)+2 || !slices.Equal(at[:len(kept)], kept) {
		t.Errorf("request %d: the breakpoints %v follow %v", ask.Number, at, kept)
	}
	for i, n := range at {
		markable := false
		if n < len(input) {
			it := input[n]
			markable = it.Kind == llmclient.KindFunctionOutput || it.Kind == llmclient.KindMessage && it.Role != "assistant"
		}
		if i > 0 && n <= at[i-1] || !markable {
			t.Errorf("request %d: breakpoint %d of %v cannot be marked", ask.Number, i, at)
		}
	}
	if last := at[len(at)-1]; last > 0 && ask.Stage == trace.StageDecision && last == len(input)-1 {
		t.Errorf("request %d: the prompt of a decision is kept: %v", ask.Number, at)
	}
}

// TestBreakpointsMoveWithTheTurn: a call that is likely to be followed keeps its prompt. One that ends
// the turn keeps nothing, and reads what the call before kept.
func TestBreakpointsMoveWithTheTurn(t *testing.T) {
	const search = `{"query":"compound","limit":3,"kind":null}`
	plan := func(steps ...string) string {
		return `{"goal":"g","missing":[],"steps":[` + strings.Join(steps, ",") + `],"actions":[]}`
	}
	for name, c := range map[string]struct {
		settings trace.Settings
		calls    []string
		afford   int
		want     string
	}{
		"a plan, a module, a draft": {calls: []string{"plan", plan(`{"kind":"call","what":"memory"}`), "memory_long_term_search", search}, want: "[0 1] [0 1 3] [0 1 3 5]"},
		"a plan of no calls":        {calls: []string{"plan", plan()}, want: "[0 1] [0 1]"},
		"a module before the plan":  {calls: []string{"memory_long_term_search", search}, want: "[0 1] [0 1]"},
		"all in one call":           {settings: trace.Settings{Protocol: behavior.ProtocolLean}, want: "[0]"},
		"the last call of a budget": {afford: 1, want: "[0]"},
	} {
		turn := turnIn(t, "llm_bootstrap", behavior.Config{Settings: c.settings}, 3)
		if c.afford > 0 {
			turn.Afford(c.afford)
		}
		got := []string{fmt.Sprint(firstAsk(t, turn).Request.Breakpoints)}
		for i := 0; i < len(c.calls); i += 2 {
			item := llmclient.FunctionCall(fmt.Sprint("c", i), c.calls[i], c.calls[i+1])
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{item}}})
			for {
				call, is := turn.Next().(behavior.Call)
				if !is {
					break
				}
				turn.Result(modules.New().Call(turn.Env(), call.CallID, call.Tool, call.Arguments))
			}
			got = append(got, fmt.Sprint(firstAsk(t, turn).Request.Breakpoints))
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%s: the breakpoints are %s, want %s", name, all, c.want)
		}
	}
}

// TestFewAgentsShareACacheKey: the key is that of the prefix; in a larger run a number says which
// agents share it.
func TestFewAgentsShareACacheKey(t *testing.T) {
	r := llmclient.Request{Model: "m", Instructions: "i"}
	for agents, want := range map[int]int{1: 1, 4: 1, 5: 2, 25: 7} {
		cfg := behavior.Config{}
		for n := range agents {
			cfg.Agents = append(cfg.Agents, fmt.Sprint("agent-", n))
		}
		shared := map[string]int{}
		for _, id := range cfg.Agents {
			key := cfg.CacheKey(id, r)
			shared[key]++
			if !strings.HasPrefix(key, r.Head().CacheKey()) || len(key) > 64 {
				t.Errorf("the key is %q", key)
			}
		}
		for key, n := range shared {
			if len(shared) != want || n > 4 {
				t.Errorf("%d agents have %d keys, want %d; %d of them have %s", agents, len(shared), want, n, key)
			}
		}
	}
}
