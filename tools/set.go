package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Set is the tools that a program can call. It is safe for concurrent use.
type Set struct {
	tools []Tool

	mu sync.Mutex
	// changed are the tools that are not called any more in this process.
	changed map[string]bool
}

// NewSet returns a set. It panics if two tools have one name, since that is a bug of the program.
func NewSet(list ...Tool) *Set {
	s := &Set{changed: map[string]bool{}}
	for _, t := range list {
		if s.find(t.Name) != nil {
			panic("tools: two tools are called " + t.Name)
		}
		t.ToolLimits = t.ToolLimits.WithDefaults()
		s.tools = append(s.tools, t)
	}
	return s
}

func (s *Set) find(name string) *Tool {
	at := slices.IndexFunc(s.tools, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		return nil
	}
	return &s.tools[at]
}

// Has reports whether the set has a tool of a name.
func (s *Set) Has(name string) bool { return s.find(name) != nil }

// Offer returns the tools as a run of some agents records them: all of them, each for the agents that the
// user and the scenario let have it. narrowed are the agents of tools that the scenario names, nil for all.
// Trust is lost where it could not be kept: what two agents have, alone or on one server, is a way for one to
// write to the other, and so is what an agent may call with arguments that it took from texts. notes say so.
func (s *Set) Offer(narrowed map[string][]string, agents []string) (offered []trace.Tool, notes []string) {
	for _, t := range s.tools {
		of := t.Tool
		if narrowed := narrowed[t.Name]; narrowed != nil {
			has := func(agent string) bool { return t.MayCall(agent) && slices.Contains(agents, agent) }
			of.Agents = slices.DeleteFunc(slices.Clone(narrowed), func(agent string) bool { return !has(agent) })
		}
		offered = append(offered, of)
	}
	for i := range offered {
		if !offered[i].Trusted {
			continue
		}
		if why := distrust(offered[i], offered, agents); why != "" {
			offered[i].Trusted = false
			notes = append(notes, fmt.Sprintf("results of tool %s are not trusted: %s", offered[i].Name, why))
		}
	}
	return offered, notes
}

// distrust says why the results of a tool cannot be trusted, empty if they can.
func distrust(t trace.Tool, all []trace.Tool, agents []string) string {
	holders := map[string]bool{}
	for _, other := range all {
		if other.Name != t.Name && (t.Server == "" || other.Server != t.Server) {
			continue
		}
		if len(other.Open) > 0 {
			return "the plan may leave arguments open, which texts of others can then fill"
		}
		for _, agent := range agents {
			holders[agent] = holders[agent] || other.MayCall(agent)
		}
	}
	n := 0
	for _, has := range holders {
		if has {
			n++
		}
	}
	if n > 1 {
		return "several agents have it or another tool of its server"
	}
	return ""
}

// Lacks names the tools of a run that the set does not have as they were.
func (s *Set) Lacks(recorded []trace.Tool) (names []string) {
	for _, t := range recorded {
		own := s.find(t.Name)
		if own == nil || own.Version != t.Version || own.Hash != t.Hash || own.Server != t.Server {
			names = append(names, t.Name)
		}
	}
	return names
}

// CallTool makes a call within the limits of the tool. It implements the interface of package engine, with
// no failure: what goes wrong is a result.
func (s *Set) CallTool(ctx context.Context, call trace.ToolCall) (trace.ToolResult, *llmclient.Failure) {
	t := s.find(call.Tool)
	if t == nil {
		return trace.ToolResult{Code: trace.ToolUnavailable}, nil
	}
	s.mu.Lock()
	changed := s.changed[t.Name]
	s.mu.Unlock()
	if changed {
		return trace.ToolResult{Code: trace.ToolChanged}, nil
	}
	result, code := t.attempt(ctx, call.Arguments)
	if code == trace.ToolChanged {
		s.mu.Lock()
		s.changed[t.Name] = true
		s.mu.Unlock()
	}
	return t.cut(result, code), nil
}

// attempt makes a call in a goroutine of its own, since a tool may not return. It returns what came in time.
func (t *Tool) attempt(ctx context.Context, arguments json.RawMessage) (result any, code trace.ToolCode) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(t.TimeoutMS)*time.Millisecond)
	defer cancel()
	type outcome struct {
		result any
		code   trace.ToolCode
	}
	done := make(chan outcome, 1) // so that a late result is dropped and its goroutine ends
	go func() {
		o := outcome{code: trace.ToolPanicked}
		defer func() {
			if o.code == trace.ToolPanicked {
				_ = recover() // a tool is not ours, and its text may be anything
			}
			done <- o
		}()
		result, err := t.Call(ctx, slices.Clone(arguments))
		switch {
		case errors.Is(err, ErrUnavailable):
			o = outcome{code: trace.ToolUnavailable}
		case errors.Is(err, ErrChanged):
			o = outcome{code: trace.ToolChanged}
		case err != nil && ctx.Err() != nil:
			o = outcome{code: trace.ToolTimeout}
		case err != nil:
			o = outcome{err.Error(), trace.ToolFailed}
		default:
			o = outcome{result: result}
		}
	}()
	select {
	case o := <-done:
		return o.result, o.code
	case <-ctx.Done():
		return nil, trace.ToolTimeout
	}
}

// cut encodes a result within the limit of the tool. A longer one becomes the beginning of its text.
func (t *Tool) cut(result any, code trace.ToolCode) trace.ToolResult {
	if result == nil && code != "" {
		return trace.ToolResult{Code: code}
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		return trace.ToolResult{Code: trace.ToolFailed}
	}
	cut := trace.ToolResult{Code: code, Result: encoded, BytesFull: len(encoded)}
	if len(encoded) <= t.BytesMax {
		return cut
	}
	text := string(encoded)
	if said, is := result.(string); is {
		text = said
	}
	for size := t.BytesMax - 2; len(cut.Result) > t.BytesMax; size = size * 3 / 4 {
		for size > 0 && size < len(text) && !utf8.RuneStart(text[size]) {
			size--
		}
		cut.Result = llmclient.Marshal(text[:min(size, len(text))])
	}
	return cut
}
