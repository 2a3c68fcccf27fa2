package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

func TestFailureNotesAreBounded(t *testing.T) {
	var out bytes.Buffer
	notes := failureNotes{printer: &terminal.Printer{Screen: terminal.NewScreen(&out, programName)}}
	see := func(kind llmclient.ErrorKind, times int) {
		for range times {
			notes.see(engine.Exchange{Key: trace.CallKey{Tick: 2, Agent: "agent-1"}, Answer: llmclient.Failed(kind, "wait\na bit")})
		}
	}
	see(llmclient.ErrServer, 10)
	see(llmclient.ErrTimeout, 1)
	see(llmclient.ErrInterrupted, 5)
	notes.see(engine.Exchange{Answer: llmclient.Answer{Reply: &llmclient.Reply{}}})
	const line = "tick 2, agent-1: model call failed: server_error, wait a bit"
	want := line + "\n" + line + "\n" + line + " (more of this kind are only counted)\n" +
		"tick 2, agent-1: model call failed: timeout, wait a bit\n"
	if out.String() != want {
		t.Errorf("printed:\n%swant:\n%s", out.String(), want)
	}
}

// TestDoubtfulUsageIsSaidOnce: what is wrong about a provider's counts, and a tier that is full, is noted
// once for a model, however many answers show it.
func TestDoubtfulUsageIsSaidOnce(t *testing.T) {
	var out bytes.Buffer
	notes := failureNotes{printer: &terminal.Printer{Screen: terminal.NewScreen(&out, programName)}}
	answer := func(u llmclient.Usage, counted *trace.Counted, repairs ...string) engine.Exchange {
		return engine.Exchange{
			Request: llmclient.Request{Model: "m", Sampling: llmclient.Sampling{ServiceTier: "flex"}},
			Answer:  llmclient.Answer{Reply: &llmclient.Reply{Model: "m", Usage: u, Repairs: repairs}}, Counted: counted,
		}
	}
	for n := range int64(5) {
		notes.see(answer(llmclient.Usage{Input: 9000 + n, Output: 2, Total: 9002 + n}, &trace.Counted{Input: 90}))
		notes.see(answer(llmclient.Usage{Input: 660 + n, Output: 2}, &trace.Counted{Input: 140_000, Output: 9}))
		notes.see(answer(llmclient.Usage{Input: 10, Output: 2, Total: 99 + n}, nil, llmclient.RepairTierFallback))
	}
	want := []string{
		"note: the usage of m is doubtful: it says 9000 input tokens where 90 were counted here; caps count what it says",
		"note: the usage of m is doubtful: it says 660 input tokens where 140000 were counted here; caps count those",
		"note: the usage of m is doubtful: it says 2 output tokens where 9 were counted here; caps count those",
		"note: the usage of m is doubtful: it says 10 input and 2 output tokens, and a total of 99",
		"note: tier flex of m is full; calls go to the default tier and try it again from time to time, counted as tier_fallback",
	}
	if got := strings.Split(strings.TrimSpace(out.String()), "\n"); !slices.Equal(got, want) {
		t.Errorf("printed:\n%s\nwant:\n%s", out.String(), strings.Join(want, "\n"))
	}
}

func TestExchangePrinterIsBoundedAndEscaped(t *testing.T) {
	var out bytes.Buffer
	p := exchangePrinter{w: &out, charsMax: 20}
	p.show(engine.Exchange{
		Key: trace.CallKey{Tick: 4, Agent: "agent-2", Step: 3}, Stage: "plan",
		Request: llmclient.Request{Input: []llmclient.Item{llmclient.Message("user", "not shown"), llmclient.Message("user", strings.Repeat("x", 100)+"the end\x1b[2J")}},
		Answer: llmclient.Answer{LatencyMS: 7, Reply: &llmclient.Reply{
			Status: "completed", Usage: llmclient.Usage{Input: 11, Output: 12},
			Items: []llmclient.Item{llmclient.FunctionCall("c1", "plan", `{"goal":"a long one that is cut"}`)},
		}},
	})
	p.show(engine.Exchange{Key: trace.CallKey{Tick: 4, Agent: "agent-2", Step: 4}, Stage: "decision", Answer: llmclient.Failed(llmclient.ErrServer, "busy")})
	want := `>>> tick 4 agent-2 call 3 plan: 2 input items, 215 characters
[message user]
| …xxxxxxxxthe end\u001b[2J
<<< tick 4 agent-2 call 3: completed, 11 tokens in, 12 out, 7 ms
[function_call plan c1]
| {"goal":"a long one…
>>> tick 4 agent-2 call 4 decision: 0 input items, 0 characters
<<< tick 4 agent-2 call 4: failed, server_error, busy
`
	if out.String() != want {
		t.Errorf("printed:\n%swant:\n%s", out.String(), want)
	}
}
