package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// Tools calls the tools of a run's user. CallTool returns a result within the limits of the tool, or, where a
// recording should have one and has none, a failure. It is called from several goroutines.
type Tools interface {
	CallTool(ctx context.Context, call trace.ToolCall) (trace.ToolResult, *llmclient.Failure)
}

// callTool makes a call of a turn and records it before its result is used. Without a recorded result, a run
// that takes its answers from a recording has a failure. A run that is about to end calls nothing.
func (r *runner) callTool(ctx context.Context, key trace.CallKey, step behavior.ToolCall) (trace.ToolResult,
	*llmclient.Failure, error) {
	call := trace.ToolCall{Tick: key.Tick, AgentID: key.Agent, Step: key.Step, CallID: step.CallID, Tool: step.Tool,
		Arguments: step.Arguments}
	interrupted := &llmclient.Failure{Kind: llmclient.ErrInterrupted, Message: "interrupted before the tool answered"}
	if r.draining() && !r.past.holds(key) {
		return trace.ToolResult{}, interrupted, nil
	}
	ctx, returned := r.beginCall(ctx, key, Span{Kind: SpanToolCall})
	began := time.Now()
	var failure *llmclient.Failure
	call.ToolResult, failure = r.Tools.CallTool(ctx, call)
	call.Timing = &trace.ToolTiming{LatencyMS: time.Since(began).Milliseconds()}
	returned(Ending{Module: call.Tool, Error: string(call.Code)})
	switch {
	case failure != nil:
		return call.ToolResult, failure, nil
	case errors.Is(ctx.Err(), context.Canceled): // the tick is abandoned, whatever the tool said
		return call.ToolResult, interrupted, nil
	}
	return call.ToolResult, nil, r.sink.toolCall(call)
}

// recordedTools gives the recorded results of calls up to the tick recorded. Calls after the tick live go to
// next if none is recorded; up to there a missing result is a failure.
type recordedTools struct {
	answers        *run.Answers
	recorded, live int64
	next           Tools
	// abandon says that the tick after live calls nothing more.
	abandon bool
}

// Tools gives the results of the recording, and has next make the calls that it does not hold; with nil that is
// a failure.
func (r *Recorded) Tools(next Tools) Tools {
	return recordedTools{answers: r.answers, recorded: math.MaxInt64, next: next}
}

// CallTool implements [Tools].
func (t recordedTools) CallTool(ctx context.Context, call trace.ToolCall) (trace.ToolResult, *llmclient.Failure) {
	if call.Tick <= t.recorded {
		recorded, ok, err := t.answers.ToolCall(call)
		if err != nil {
			return trace.ToolResult{}, &llmclient.Failure{Kind: llmclient.ErrRecordingDamaged, Message: err.Error()}
		}
		if ok {
			return recorded.ToolResult, nil
		}
	}
	switch {
	case call.Tick <= t.live || t.next == nil:
		return trace.ToolResult{}, &llmclient.Failure{Kind: llmclient.ErrNotRecorded, Message: fmt.Sprintf(
			"%s, tick %d, step %d: the result of tool %s is not recorded, and a tool is not asked again", call.AgentID,
			call.Tick, call.Step, call.Tool)}
	case t.abandon && call.Tick == t.live+1:
		return trace.ToolResult{Code: trace.ToolAbandoned}, nil
	}
	return t.next.CallTool(ctx, call)
}
