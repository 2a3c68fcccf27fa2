package openenv

import (
	"encoding/json"
)

// The tools by which an agent that speaks MCP plays. The names reset, step, state and close are the protocol's.
const (
	toolAct     = "act"
	toolObserve = "observe"
)

// tool is one of them as it is listed.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

// tools lists the tools.
func (s *Server) tools() []tool {
	return []tool{
		{toolAct, "Make the move of the agent, and see what came of it.", s.action},
		{toolObserve, "See the situation of the agent again.",
			json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)},
	}
}

// toolStep is a step that lists or calls tools.
type toolStep struct {
	Type      string          `json:"type"`
	Name      string          `json:"tool_name"`
	Arguments json.RawMessage `json:"arguments"`
}

func (t toolStep) isCall() bool { return t.Type == "list_tools" || t.Type == "call_tool" }

// toolResult is the observation of a call.
type toolResult struct {
	Name   string     `json:"tool_name"`
	Result any        `json:"result"`
	Error  *toolError `json:"error"`
}

// toolError says why a call has no result.
type toolError struct {
	Type    string `json:"error_type"`
	Message string `json:"message"`
	// ends says that no further call of the episode has a result.
	ends bool
}

// stepTool lists the tools, or calls one.
func (p *place) stepTool(t toolStep) (Step, *problem) {
	if t.Type == "list_tools" {
		return Step{Observation: map[string]any{"tools": p.server.tools()}}, nil
	}
	s, fault := p.call(t.Name, t.Arguments)
	if fault != nil && fault.ends {
		return Step{}, &problem{Code: codeExecution, Message: fault.Message}
	}
	if fault != nil {
		return Step{Observation: toolResult{Name: clip(t.Name), Error: fault}}, nil
	}
	s.Observation = toolResult{Name: t.Name, Result: s.Observation}
	return s, nil
}

// call calls a tool.
func (p *place) call(name string, arguments json.RawMessage) (Step, *toolError) {
	var s Step
	var wrong *problem
	switch name {
	case toolAct:
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.episode == nil {
			wrong = noEpisode
			break
		}
		s, wrong = p.told(p.episode.step(arguments))
	case toolObserve:
		s, wrong = p.observe()
	default:
		return Step{}, &toolError{Type: "tool_not_found",
			Message: "there is no tool " + clip(name) + "; allowed: act, observe"}
	}
	if wrong != nil {
		return Step{}, &toolError{Type: "execution_error", Message: wrong.Message, ends: wrong != noEpisode}
	}
	return s, nil
}
