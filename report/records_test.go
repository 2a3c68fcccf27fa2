package report

import (
	"encoding/json"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

const (
	accepted = `{"accepted":true}`
	rejected = `{"accepted":false,"rejection":{"code":"storage_full"}}`
)

func step(agent string, call int, kind trace.StepKind, code string) trace.Step {
	s := trace.Step{Tick: 1, AgentID: agent, Step: call, Kind: kind, Status: trace.StatusOK, Code: code}
	if code != "" {
		s.Status = trace.StatusError
	}
	return s
}

// nextTick is the step one tick later.
func nextTick(s trace.Step) trace.Step {
	s.Tick++
	return s
}

func lenient(agent string, call int, names ...string) trace.Step {
	s := step(agent, call, trace.StepDecision, "")
	s.Repairs = names
	return s
}

// advised is a prompt's remark on a repetition.
func advised(agent, kind string) trace.Step {
	s := step(agent, 0, trace.StepAdvice, "")
	s.Name = kind
	return s
}

func minted(agent, callID string) trace.Step {
	s := step(agent, 1, trace.StepModuleCall, "")
	s.Minted, s.CallID, s.Name = true, callID, "world.rules"
	return s
}

func degraded(agent string, reason trace.WaitReason) trace.Decision {
	d := act(1, agent, `{"action":"wait"}`, accepted)
	d.DecidedBy, d.WaitReason, d.Proposed, d.Adjusted = trace.ByEngine, reason, nil, nil
	return d
}

func standing(tick int64, agent, action, outcome string) trace.Decision {
	d := act(tick, agent, action, outcome)
	d.DecidedBy, d.Calls, d.Proposed = trace.ByStanding, 0, nil
	return d
}

func withSources(d trace.Decision, retrieved []trace.Source, used ...string) trace.Decision {
	d.SourcesRetrieved, d.SourcesUsed = retrieved, used
	return d
}

// call is a sent model call of the given latency.
func call(agent string, latency int64) trace.ModelCall {
	return trace.ModelCall{Tick: 1, AgentID: agent, Step: 1, Timing: &trace.CallTiming{LatencyMS: latency, Attempts: 1}}
}

// attempted is a model call whose last request was answered, after others that failed.
func attempted(agent string, kinds ...llmclient.ErrorKind) trace.ModelCall {
	c := call(agent, 1)
	c.Timing.Attempts, c.Timing.FailedAttempts = len(kinds)+1, kinds
	return c
}

// given is a call that was answered from a recording instead.
func given(c trace.ModelCall) trace.ModelCall {
	c.Timing.Recorded = true
	return c
}

// reflecting is a call of a turn that reflects instead.
func reflecting(c trace.ModelCall) trace.ModelCall {
	c.Stage = trace.StageReflect
	return c
}

func failed(agent string, kind llmclient.ErrorKind) trace.ModelCall {
	return trace.ModelCall{Tick: 1, AgentID: agent, Step: 1, Answer: trace.Answer{Failure: &llmclient.Failure{Kind: kind}}}
}

func refused(agent string) trace.Refusal {
	return trace.Refusal{Tick: 1, AgentID: agent, Step: 1, Cap: "run_calls"}
}

// answered is a model call with an answer of the given kind.
func answered(kind llmclient.AnswerKind) trace.ModelCall {
	c := call("a", 1)
	c.Answer.Kind = kind
	return c
}

func sized(input, tools int, sections ...trace.Section) trace.ModelCall {
	c := call("a", 1)
	c.InputChars, c.ToolChars, c.Sections = input, tools, sections
	return c
}

func tokens(agent string, u llmclient.Usage) trace.ModelCall {
	c := call(agent, 1)
	c.Answer.Usage = u
	return c
}

const (
	mine     = `{"action":"mine_compound","compound_mass_g":5}`
	mineOn   = `{"action":"execute_until","do":{"action":"mine_compound"},"until":[],"max_ticks":3}`
	waitOne  = `{"action":"wait"}`
	waitMany = `{"action":"wait_ticks","ticks":3}`
)

func goalMet(agent, goal string) trace.Event {
	return trace.Event{Tick: 1, Event: world.Event{Tick: 1, Kind: world.EventGoalMet, Agent: agent, Subject: goal}}
}

// act is a decision of a model that the world answered.
func act(tick int64, agent, action, outcome string) trace.Decision {
	raw := json.RawMessage(action)
	return trace.Decision{
		Tick: tick, AgentID: agent, DecidedBy: trace.ByModel, Proposed: raw, Adjusted: raw, Executed: raw,
		Calls: 1, Outcome: json.RawMessage(outcome),
	}
}

var used = llmclient.Usage{Input: 1, Cached: 2, Output: 3, Reasoning: 4, Total: 5}
