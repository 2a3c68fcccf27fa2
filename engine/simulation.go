package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/agentworld/engine/ahead"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// SimulateOptions say how a recorded run is played again in simulated time.
type SimulateOptions struct {
	Limits ahead.Limits
	// Latency is how long an answer takes, given how long the recorded one took.
	Latency func(key trace.CallKey, recorded time.Duration) time.Duration
}

// ErrNotSimulated marks a run that cannot be simulated.
var ErrNotSimulated = errors.New("the run cannot be simulated")

// Simulate plays a recorded run again in simulated time, as if it asked ahead within limits. What the run
// never asked has no answer, and what would follow from it is not simulated. The error is a failure to read
// the run, that it has what no shadow knows, [ErrNotSimulated], or that of ctx.
func Simulate(ctx context.Context, of run.Source, o SimulateOptions) (got ahead.Simulated, err error) {
	of = of.Until(ctx)
	recorded, err := readRun(of, false)
	if err != nil {
		return got, err
	}
	h := recorded.Header
	switch {
	case len(h.Forks) > 0:
		err = errors.New("it is a fork")
	case len(h.Settings.Seats) > 0 || len(h.Settings.Tools) > 0:
		err = errors.New("seats or tools of the user's decide in it")
	case h.Settings.Learns() || len(h.Settings.PromptSwitches) > 0:
		err = errors.New("its agents learn, or prompts are switched in it")
	case recorded.Tick == 0:
		err = errors.New("it has no whole tick")
	}
	if err != nil {
		return got, fmt.Errorf("%w: %w", ErrNotSimulated, err)
	}
	p, err := Prepare(h.Settings)
	if err != nil {
		return got, err
	}
	answers, err := p.answers(of, recorded.Tick)
	if err != nil {
		return got, err
	}
	latencies := map[trace.CallKey]time.Duration{}
	for id, a := range answers {
		latencies[id.CallKey] = o.Latency(id.CallKey, time.Duration(a.LatencyMS)*time.Millisecond)
	}
	s := ahead.Simulation{
		Base: p.r.base(recorded.Tick), Limits: o.Limits, Every: ahead.Every,
		Stop: func() bool { return ctx.Err() != nil },
		Answer: func(id ahead.CallID) (llmclient.Answer, bool) {
			a, known := answers[id]
			return a, known
		},
		Latency: func(key trace.CallKey) time.Duration {
			if _, known := latencies[key]; !known {
				latencies[key] = o.Latency(key, 0)
			}
			return latencies[key]
		},
	}
	got = s.Run()
	if ctx.Err() != nil {
		return got, ctx.Err()
	}
	if got.Digest != recorded.Digest {
		return got, fmt.Errorf("%w: its answers lead to another world in tick %d, as after a cap, a failure or an operator",
			ErrNotSimulated, got.Tick)
	}
	return got, nil
}

// answers are all answers of a recorded run, by what was asked.
func (p *Prepared) answers(of run.Source, ticks int64) (map[ahead.CallID]llmclient.Answer, error) {
	a, err := of.Answers()
	if err != nil {
		return nil, err
	}
	defer a.Close()
	all := map[ahead.CallID]llmclient.Answer{}
	for tick := int64(1); tick <= ticks; tick++ {
		for n := range p.r.world.Agents() {
			for step := 1; ; step++ {
				key := trace.CallKey{Tick: tick, Agent: p.r.world.AgentID(n), Step: step}
				got, ok, err := a.ByKey(key)
				if err != nil {
					return nil, err
				}
				if !ok {
					break
				}
				got.Answer.LatencyMS = got.LatencyMS
				all[ahead.CallID{CallKey: key, Hash: got.RequestHash}] = got.Answer
			}
		}
	}
	return all, nil
}
