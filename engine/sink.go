package engine

import (
	"fmt"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// sink takes what a run records: appending writes it into a trace, verifying compares it
// with one, discarding keeps nothing. The methods are called from several goroutines; an
// error ends the run.
type sink interface {
	write(records ...trace.Record) error
	// exchange takes a request and its answer before the answer is used, and what was
	// counted of them.
	exchange(key trace.CallKey, ask behavior.Ask, a llmclient.Answer, m metered) error
	// toolCall takes a call of a tool and its result before the result is used.
	toolCall(call trace.ToolCall) error
}

// metered is what was counted of an exchange.
type metered struct {
	// charge is what it counted against the caps, nil without caps.
	charge *trace.Charge
	// counted is our own count, nil if the usage agrees with it.
	counted *trace.Counted
}

// appending writes into a log.
type appending struct{ *run.Log }

func (l appending) write(records ...trace.Record) error { return l.Write(records...) }

func (l appending) exchange(key trace.CallKey, ask behavior.Ask, a llmclient.Answer, m metered) error {
	request, sections := ask.Request, ask.Sections
	if sections == nil {
		sections = []trace.Section{}
	}
	return l.Exchange(trace.ModelCall{
		Tick: key.Tick, AgentID: key.Agent, Step: key.Step, Stage: ask.Stage, Model: request.Model,
		ToolChoice: request.Choice.Wire(), MaxOutputTokens: request.Sampling.MaxOutputTokens,
		Sections: sections, Charge: m.charge, Counted: m.counted,
		Timing: &trace.CallTiming{LatencyMS: a.LatencyMS, Attempts: a.Attempts, FailedAttempts: a.FailedAttempts,
			Recorded: a.Recorded},
	}, request, a)
}

func (l appending) toolCall(call trace.ToolCall) error { return l.ToolCall(call) }

// discarding keeps nothing.
type discarding struct{}

func (discarding) write(...trace.Record) error { return nil }

func (discarding) exchange(trace.CallKey, behavior.Ask, llmclient.Answer, metered) error {
	return nil
}

func (discarding) toolCall(trace.ToolCall) error { return nil }

// checking appends, and holds the digests of a fork's ticks up to one against those of its
// parent.
type checking struct {
	appending
	parent *run.Answers
	last   int64
}

func (c checking) write(records ...trace.Record) error {
	if err := c.appending.write(records...); err != nil {
		return err
	}
	for _, r := range records {
		end, ok := r.(trace.TickEnd)
		if !ok || end.Tick > c.last {
			continue
		}
		recorded, err := c.parent.Digest(end.Tick)
		if err != nil {
			return err
		}
		if recorded != end.Digest {
			return fmt.Errorf("%w: after tick %d the digest is %s, recorded %s", ErrForkDiffers, end.Tick, end.Digest, recorded)
		}
	}
	return nil
}
