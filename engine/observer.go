package engine

import (
	"context"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Observer is notified of what a run does while it runs, for outside monitoring. It
// changes nothing: a run with one is the same as without.
//
// Begin is called when something begins, concurrently from several goroutines. The
// context it returns applies to everything within. The function it returns is called
// once, at the end.
//
// A resumed run and a fork derive ticks again from their records. Those are not reported,
// and neither are the reused answers of an unfinished tick: they were reported when they
// were made, and counting them twice would count calls that were never made. An answer
// from another run's recording is reported, with Recorded set, because the turn around it
// is new.
type Observer interface {
	Begin(ctx context.Context, s Span) (context.Context, func(Ending))
}

// SpanKind says what began.
type SpanKind string

// The kinds of spans. A tick is within a run, a turn and a change of a playbook within a tick,
// a call within a turn. A plan is within a turn and holds the model call that can only plan.
const (
	SpanRun        SpanKind = "run"
	SpanTick       SpanKind = "tick"
	SpanTurn       SpanKind = "turn"
	SpanPlan       SpanKind = "plan"
	SpanModelCall  SpanKind = "model_call"
	SpanModuleCall SpanKind = "module_call"
	SpanToolCall   SpanKind = "tool_call"
	SpanPlaybook   SpanKind = "playbook"
)

// Span is what began. It holds no text of a prompt, an answer or an agent.
type Span struct {
	Kind SpanKind
	// Scenario and Run, the name of the run, are set for a run, Tick for all but it.
	Scenario, Run string
	Tick          int64
	// Agent and what it uses are set for turns and what is within.
	Agent, Model, BaseURL string
	// Step and Stage are those of a model call.
	Step  int
	Stage trace.Stage
	// Sampling is how a model call asks.
	Sampling llmclient.Sampling
	// Reflecting says that a turn learns and does not decide.
	Reflecting bool
}

// Ending is how it went; only what belongs to the kind is set.
type Ending struct {
	// Answer ended a model call.
	Answer *llmclient.Answer
	// Module is the registered name of the module or tool called, empty for an unknown one.
	Module string
	// Error is a fixed word for what went wrong, empty for nothing: an error kind, a
	// wait reason, a run status.
	Error string
	// Action is what a turn decided to do, by name.
	Action string
	// Records is how many sources a module returned, or how many lessons changed.
	Records int
}

// begin notifies the observer, if there is one, and returns what ends the span. What is
// only derived again is not reported.
func (r *runner) begin(ctx context.Context, s Span) (context.Context, func(Ending)) {
	if r.Observer == nil || s.Kind != SpanRun && s.Tick <= r.past.derived {
		return ctx, func(Ending) {}
	}
	return r.Observer.Begin(ctx, s)
}

func (r *runner) beginRun(ctx context.Context, name string) (context.Context, func(Ending)) {
	return r.begin(ctx, Span{Kind: SpanRun, Run: name, Scenario: r.Scenario, Model: r.Model, BaseURL: r.BaseURL})
}

func (r *runner) beginTurn(ctx context.Context, tick int64, agent string, reflecting bool) (context.Context,
	func(Ending)) {
	used := r.endpoints.of(agent)
	return r.begin(ctx, Span{Kind: SpanTurn, Tick: tick, Agent: agent, Model: used.model, BaseURL: used.baseURL,
		Reflecting: reflecting})
}

// beginCall begins a call of the model, or of a module that the answer to a request led to.
func (r *runner) beginCall(ctx context.Context, key trace.CallKey, s Span) (context.Context, func(Ending)) {
	if r.past.holds(key) {
		return ctx, func(Ending) {}
	}
	s.Tick, s.Agent = key.Tick, key.Agent
	return r.begin(ctx, s)
}

// beginPlan begins a plan, if that is all that an answer may be: what may also decide is no
// planning by itself.
func (r *runner) beginPlan(ctx context.Context, key trace.CallKey, ask behavior.Ask) (context.Context, func(Ending)) {
	if ask.Stage != trace.StagePlan || len(ask.Request.Choice.Allowed) != 1 {
		return ctx, func(Ending) {}
	}
	return r.beginCall(ctx, key, Span{Kind: SpanPlan})
}

// turnEnding is how a turn ended.
func turnEnding(d behavior.Decision) Ending {
	e := Ending{Error: string(d.WaitReason)}
	if d.Executed != nil {
		e.Action = d.Executed.ActionName()
	}
	return e
}

// runEnding is how a run ended.
func runEnding(result Result, err error) Ending {
	switch {
	case err != nil:
		return Ending{Error: string(trace.RunInternalError)}
	case result.Status != trace.RunCompleted:
		return Ending{Error: string(result.Status)}
	}
	return Ending{}
}

// moved tells an observer the run's current endpoint: the settings hold the first one.
type moved struct {
	Observer
	from, to string
}

// Begin implements [Observer].
func (m moved) Begin(ctx context.Context, s Span) (context.Context, func(Ending)) {
	if s.Model != "" && s.BaseURL == m.from {
		s.BaseURL = m.to
	}
	return m.Observer.Begin(ctx, s)
}
