package behavior

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// userTool is a tool of the run's user, ready to be offered. A call of one is an action for the guard: it may
// reach the operator of the tool. As long as no untrusted text is in view it is free. After that it must be in
// the plan, argument by argument, but for those that the user left open.
type userTool struct {
	trace.Tool
	// schema is that of the arguments, planned the same without the open ones.
	schema, planned *jsonschema.Schema
}

// newUserTool reads the schema of a tool. The error says why models cannot be offered it.
func newUserTool(t trace.Tool) (userTool, error) {
	u := userTool{Tool: t, schema: &jsonschema.Schema{}, planned: &jsonschema.Schema{}}
	for _, s := range []*jsonschema.Schema{u.schema, u.planned} {
		if err := json.Unmarshal(t.Parameters, s); err != nil {
			return u, fmt.Errorf("tool %s: read its parameters: %w", t.Name, err)
		}
	}
	if err := modules.CheckStrict(u.schema); err != nil {
		return u, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	for _, name := range t.Open {
		if u.planned.Properties[name] == nil {
			return u, fmt.Errorf("tool %s: the open argument %q is none of its arguments", t.Name, name)
		}
		delete(u.planned.Properties, name)
		u.planned.Required = slices.DeleteFunc(u.planned.Required, func(r string) bool { return r == name })
	}
	return u, nil
}

// bound are those arguments of a call that a plan must give, in one canonical form.
func (u *userTool) bound(arguments string) (string, []answer.Repair, *answer.ArgumentError) {
	fixed, used, fault := answer.Conform(u.planned, "", answer.WithoutFields(arguments, u.Open))
	return string(fixed), used, fault
}

// userTools reads the tools of the run's user. The error also names one that is called as something that
// models know already.
func (k *Runtime) userTools(list []trace.Tool) (tools []userTool, err error) {
	for _, t := range list {
		if k.vocabulary.Tool(t.Name) != answer.NoTool || slices.Contains(answer.ActionNames(), t.Name) {
			return nil, fmt.Errorf("tool %s: a tool or an action of the world has that name", t.Name)
		}
		u, err := newUserTool(t)
		if err != nil {
			return nil, err
		}
		tools = append(tools, u)
	}
	return tools, nil
}

// wireOf is a tool of the user's as it is offered.
func (w *wording) wireOf(t trace.Tool) llmclient.Tool {
	description := t.Description
	if description == "" {
		description = w.Tools.Undescribed
	}
	return llmclient.Tool{Name: t.Name, Description: description, Parameters: t.Parameters, Strict: true}
}

// userTool returns the tool of the user's that has a name on the wire, nil for none.
func (k *Runtime) userTool(name string) *userTool {
	at := slices.IndexFunc(k.users, func(u userTool) bool { return u.Name == name })
	if at < 0 {
		return nil
	}
	return &k.users[at]
}

// toolUse is what a turn did with tools of the user's, and may still do.
//
// Invariants:
//  1. planned only grows, and not once untrusted text was in view. A call uses up one entry.
//  2. called counts each call that was made or had wrong arguments.
type toolUse struct {
	planned []plannedCall
	called  map[string]int64
	// results counts the results, by which their sources are numbered.
	results int
}

// plannedCall is a call that a plan lists: the tool, and its arguments without the open ones.
type plannedCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	used      bool
}

// calls counts the calls of all tools.
func (u *toolUse) calls() (n int64) {
	for _, each := range u.called {
		n += each
	}
	return n
}

// listed returns the first planned call that is not used up, of this tool and with these bound arguments where
// they are given; nil for none.
func (u *toolUse) listed(tool, arguments string) *plannedCall {
	for i := range u.planned {
		p := &u.planned[i]
		if !p.used && (tool == "" || p.Tool == tool) && (arguments == "" || string(p.Arguments) == arguments) {
			return p
		}
	}
	return nil
}

// bindsTools reports whether calls of tools must be planned.
func (t *Turn) bindsTools() bool { return t.exposure.tainted() && t.agent.cfg.Guards(trace.CheckPlan) }

// toolRefusal is why a tool of the user's may not be called now, empty if it may.
func (t *Turn) toolRefusal(u *userTool) string {
	used := t.tools.called[u.Name] + t.agent.toolCalls[u.Name]
	switch {
	case !u.MayCall(t.agent.id):
		return CodeToolNotYours
	case t.tools.calls() >= trace.ToolCallsMax || used >= u.CallsMax:
		return CodeToolLimit
	case t.bindsTools() && t.tools.listed(u.Name, "") == nil:
		return CodeToolNotPlanned
	case t.protocol.cramped || !t.protocol.spares(0):
		return CodeNotAllowedNow
	}
	return ""
}

// callable are the names of the user's tools that may be called now.
func (t *Turn) callable() (names []string) {
	for i := range t.agent.users {
		u := &t.agent.users[i]
		if t.toolRefusal(u) == "" {
			names = append(names, u.Name)
		}
	}
	return names
}

// planCalls takes the calls of users' tools that a plan lists. It returns the faults of those that cannot be
// made.
func (t *Turn) planCalls(written []string) (faults []*answer.ArgumentError) {
	if len(t.agent.users) == 0 || t.plan.closed {
		return nil
	}
	schema := modules.PlannedCallSchema(t.agent.userNames())
	for i, text := range written {
		at := fmt.Sprintf("%s[%d]", answer.CallsField, i)
		if len(t.tools.planned) == plannedCallsMax {
			return append(faults, t.inLanguage(answer.TooMany(answer.CallsField, plannedCallsMax, len(written)))...)
		}
		call, _, fault := answer.Conform(schema, "arguments", text)
		var read struct{ Tool, Arguments string }
		if fault == nil {
			if err := json.Unmarshal(call, &read); err != nil {
				panic("behavior: a planned call that matches its schema does not decode: " + err.Error())
			}
			read.Arguments, _, fault = t.agent.userTool(read.Tool).bound(read.Arguments)
			if fault != nil {
				fault = fault.Inside("arguments")
			}
		}
		if fault != nil {
			faults = append(faults, t.inLanguage(fault.Inside(at))...)
			continue
		}
		t.tools.planned = append(t.tools.planned, plannedCall{Tool: read.Tool, Arguments: json.RawMessage(read.Arguments)})
		t.plan.requests++
	}
	return faults
}

// plannedCallsMax bounds the calls of tools that the plans of one turn list.
const plannedCallsMax = 2 * trace.ToolCallsMax

// userNames are the names of the tools that the agent may call.
func (m *Agent) userNames() (names []string) {
	for _, u := range m.users {
		if u.MayCall(m.id) {
			names = append(names, u.Name)
		}
	}
	return names
}

// takeToolCall makes the call of a tool of the user's one that the caller of the turn carries out, unless it
// does not fit the tool's parameters or, under texts, the plan.
func (t *Turn) takeToolCall(i int) answer.Problem {
	call := &t.conversation.Calls[i]
	u := t.agent.userTool(call.Tool)
	arguments, used, fault := answer.Conform(u.schema, "", call.Arguments)
	var listed *plannedCall
	if fault == nil && t.bindsTools() {
		bound, _, _ := u.bound(call.Arguments)
		listed = t.tools.listed(u.Name, bound)
		if listed == nil {
			return t.refuseUserTool(i, CodeToolNotPlanned)
		}
	}
	if t.tools.called == nil {
		t.tools.called = map[string]int64{}
	}
	t.tools.called[u.Name]++
	if fault != nil {
		code := t.conversation.RefuseArguments(i, fault, func(json.RawMessage) bool { return false })
		t.conversation.Note(trace.Step{Kind: trace.StepToolCall, Status: trace.StatusError, Code: code, CallID: call.ID,
			Name: u.Name, Detail: llmclient.Marshal(fault)})
		return ""
	}
	if listed != nil {
		listed.used = true
	}
	if !t.exposure.tainted() {
		t.protocol.gotFurther()
	}
	call.tool = true
	call.Arguments = string(arguments)
	call.Repairs = append(call.Repairs, used...)
	return ""
}

// refuseUserTool answers a call of a tool of the user's that is not made.
func (t *Turn) refuseUserTool(i int, code string) answer.Problem {
	call := &t.conversation.Calls[i]
	t.conversation.Refuse(i, code, t.offered())
	t.conversation.Note(trace.Step{Kind: trace.StepToolRefused, Status: trace.StatusError, Code: code, CallID: call.ID,
		Name: call.Tool})
	return answer.NotAllowedNow
}

// ToolResult feeds back the result of the ToolCall that Next returned.
func (t *Turn) ToolResult(came trace.ToolResult) {
	at := slices.IndexFunc(t.conversation.Calls, func(s PendingCall) bool { return !s.done })
	s := &t.conversation.Calls[at]
	u := t.agent.userTool(s.Tool)
	t.tools.results++
	env := t.Env()
	env.ResultCharsMax = max(modules.ResultCharsMin, min(u.BytesMax, t.resultRoom()))
	id := fmt.Sprintf("tool-%d-%d", t.view.Tick(), t.tools.results)
	t.takeResult(s, trace.StepToolCall, t.agent.registry.ToolResult(env, u.Tool, s.ID, id, came))
	t.settleCalls()
}

// countTools adds what a turn called to what the agent called in the run.
func (m *Agent) countTools(called map[string]int64) {
	if len(called) == 0 {
		return
	}
	all := maps.Clone(m.toolCalls)
	if all == nil {
		all = map[string]int64{}
	}
	for name, n := range called {
		all[name] += n
	}
	m.toolCalls = all
}
