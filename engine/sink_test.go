package engine

import (
	"context"
	"fmt"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/modules"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// RunUnrecorded is [Run] without a trace, for what a run costs beside its recording.
func RunUnrecorded(ctx context.Context, o Options) (Result, error) {
	p, err := Prepare(o.Settings)
	if err != nil {
		return Result{}, err
	}
	r := p.r
	r.carry(o)
	r.sink = discarding{}
	return r.run(ctx)
}

// BenchmarkRecordExchange is what recording adds to an exchange beside the sync that
// ends a tick: hashes, encoding and the write into a file.
func BenchmarkRecordExchange(b *testing.B) {
	record := recordsExchanges(b)
	b.ReportAllocs()
	for b.Loop() {
		record()
	}
}

// recordsExchanges returns a function that records an exchange. Each opens a turn, so that its
// prompt is new; the calls that follow in a turn record less.
func recordsExchanges(b testing.TB) func() {
	b.Helper()
	s, _, _ := scenario.Embedded("llm_bootstrap")
	w, err := world.New(s, s.Seed)
	if err != nil {
		b.Fatal(err)
	}
	runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Model: "m"}, CountTokens: tokens.Count}, s.Industry(), modules.New())
	if err != nil {
		b.Fatal(err)
	}
	w.Advance()
	ask, ok := runtime.Agent(w.AgentID(0), w.Persona(0)).Begin(w.View(0)).Next().(behavior.Ask)
	if !ok {
		b.Fatal("a turn does not begin with a request")
	}
	opening := ask.Request.Input[1]
	log, err := run.Dir(b.TempDir()).CreateLog()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	answer := llmclient.Answer{Reply: &llmclient.Reply{ID: "resp_1", Status: "completed", Items: []llmclient.Item{opening}}}
	n := 0
	return func() {
		n++
		ask.Request.Input = []llmclient.Item{llmclient.Message("user", fmt.Sprintf("tick %d\n%s", n, opening.Text))}
		answer.Reply.Items = []llmclient.Item{llmclient.FunctionCall(fmt.Sprintf("call_%d", n), "plan", `{"goal":"Keep powered.","missing":[],"steps":[]}`)}
		if err := (appending{log}).exchange(trace.CallKey{Tick: int64(n), Agent: "agent-1", Step: 1}, ask, answer, metered{}); err != nil {
			b.Fatal(err)
		}
	}
}
