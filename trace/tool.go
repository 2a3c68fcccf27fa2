package trace

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"example.com/agentworld/llmclient"
)

// Tool is a tool of the user's that agents of a run may call: a function of the program, or a tool of a
// server. A run records what it needs to be read, replayed and resumed without the code of the tool. It has
// no command, address or header of a server.
type Tool struct {
	// Name is its name for models, and Version says which tool of that name it is.
	Name    string `json:"name"`
	Version string `json:"version"`
	// Server is the user's name of the server that has it, empty for a function.
	Server string `json:"server,omitempty"`
	// Hash is the hex SHA-256 of what its owner says of it: name, description and parameters. A pinned
	// description counts only as long as the hash is that one.
	Hash string `json:"hash"`
	// Description and Parameters are what a model reads. Parameters is a strict JSON Schema.
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	// Agents are the ids of those that may call it, nil for all.
	Agents []string `json:"agents"`
	// Open are the arguments that a plan need not give once texts of others are in view.
	Open []string `json:"open,omitempty"`
	// Trusted says that its results may decide what an agent does. The user says so, and it holds only for
	// a tool that one agent has alone.
	Trusted bool `json:"trusted,omitempty"`
	ToolLimits
}

// ToolLimits bound what one tool may take. Zero means the default.
type ToolLimits struct {
	// TimeoutMS is the longest call in milliseconds, up to [ToolTimeoutMSMax]; the default is 10,000.
	TimeoutMS int64 `json:"timeout_ms"`
	// BytesMax is the longest result in bytes; the default is 4,000.
	BytesMax int `json:"bytes_max"`
	// CallsMax bounds the calls of one agent in a run; the default is 1,000.
	CallsMax int64 `json:"calls_max"`
}

// Bounds of the tools of a run.
const (
	// ToolsMax bounds the tools of a run.
	ToolsMax = 32
	// ToolCallsMax bounds the calls of tools in one turn.
	ToolCallsMax = 3
	// ToolTimeoutMSMax bounds [ToolLimits.TimeoutMS], ToolBytesMin and ToolBytesMax bound
	// [ToolLimits.BytesMax].
	ToolTimeoutMSMax = 600_000
	ToolBytesMin     = 100
	ToolBytesMax     = 64_000
)

// WithDefaults returns the limits with every default.
func (l ToolLimits) WithDefaults() ToolLimits {
	if l.TimeoutMS == 0 {
		l.TimeoutMS = 10_000
	}
	if l.BytesMax == 0 {
		l.BytesMax = 4_000
	}
	if l.CallsMax == 0 {
		l.CallsMax = 1_000
	}
	return l
}

// toolName is the form of names of tools.
var toolName = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// ToolName reports whether a text can be the name of a tool.
func ToolName(name string) bool { return toolName.MatchString(name) }

// MayCall reports whether an agent may call the tool.
func (t Tool) MayCall(agent string) bool { return t.Agents == nil || slices.Contains(t.Agents, agent) }

// checkTools reports the first tool that no run can have.
func checkTools(list []Tool) error {
	if len(list) > ToolsMax {
		return fmt.Errorf("%d tools; allowed are %d; the setting tools names those of a run", len(list), ToolsMax)
	}
	for i, t := range list {
		switch {
		case !ToolName(t.Name):
			return fmt.Errorf("tool %d: %q is no name; allowed are 1 to 64 of a-z, 0-9 and _", i+1, t.Name)
		case slices.ContainsFunc(list[:i], func(other Tool) bool { return other.Name == t.Name }):
			return fmt.Errorf("tool %s is there twice", t.Name)
		case t.TimeoutMS < 1 || t.TimeoutMS > ToolTimeoutMSMax:
			return fmt.Errorf("tool %s: timeout_ms %d; allowed are 1 to %d", t.Name, t.TimeoutMS, ToolTimeoutMSMax)
		case t.BytesMax < ToolBytesMin || t.BytesMax > ToolBytesMax:
			return fmt.Errorf("tool %s: bytes_max %d; allowed are %d to %d", t.Name, t.BytesMax, ToolBytesMin, ToolBytesMax)
		case t.CallsMax < 1:
			return fmt.Errorf("tool %s: calls_max %d; allowed are numbers from 1", t.Name, t.CallsMax)
		}
	}
	return nil
}

// toolsText replaces tools in a change by what names them.
func toolsText(list []Tool) string {
	if len(list) == 0 {
		return "none"
	}
	text := ""
	for i, t := range list {
		if i > 0 {
			text += ", "
		}
		text += t.Name + " " + t.Version
	}
	return text + ": " + digestText(llmclient.Marshal(list))
}

// ToolCall is one call of a [Tool] and its result. A replay takes the result from here.
type ToolCall struct {
	Tick    int64  `json:"tick"`
	AgentID string `json:"agent_id"`
	// Step is the step of the [ModelCall] whose answer made the call, CallID its function call.
	Step   int    `json:"step"`
	CallID string `json:"call_id"`
	Tool   string `json:"tool"`
	// Arguments are as the tool got them: they fit its parameters.
	Arguments json.RawMessage `json:"arguments"`
	ToolResult
	// Timing is nil in the canonical form.
	Timing *ToolTiming `json:"timing,omitempty"`
}

// Key identifies the model call whose answer made the call.
func (c ToolCall) Key() CallKey { return CallKey{c.Tick, c.AgentID, c.Step} }

// Same reports whether two records are of the same call, with any result.
func (c ToolCall) Same(other ToolCall) bool {
	return c.Key() == other.Key() && c.CallID == other.CallID && c.Tool == other.Tool &&
		string(c.Arguments) == string(other.Arguments)
}

// ToolResult is the result of a call. It is data: a tool may return anything.
type ToolResult struct {
	// Code says why there is no result, empty if there is one.
	Code ToolCode `json:"code,omitempty"`
	// Result is a JSON value, within [ToolLimits.BytesMax]: what the tool returned, or what it said of its
	// error. A longer one is the beginning of its text.
	Result json.RawMessage `json:"result,omitempty"`
	// BytesFull is the length of the result before it was cut.
	BytesFull int `json:"bytes_full"`
}

// ToolCode says why a call of a tool has no result.
type ToolCode string

// The codes.
const (
	// ToolFailed: the tool returned an error.
	ToolFailed ToolCode = "TOOL_FAILED"
	// ToolPanicked: the function of the tool panicked.
	ToolPanicked ToolCode = "TOOL_PANICKED"
	// ToolTimeout: no result came in time. One that comes later is dropped.
	ToolTimeout ToolCode = "TOOL_TIMEOUT"
	// ToolUnavailable: the server of the tool cannot be reached, or the run continues without the tool.
	ToolUnavailable ToolCode = "TOOL_UNAVAILABLE"
	// ToolChanged: the server offers another tool under this name than at the beginning of the run.
	ToolChanged ToolCode = "TOOL_CHANGED"
	// ToolAbandoned: the tick of the call was ended by an operator.
	ToolAbandoned ToolCode = "TOOL_ABANDONED"
	// ToolNotCalled: the turn commits nothing, so that no tool is called for it. It is never recorded.
	ToolNotCalled ToolCode = "TOOL_NOT_CALLED"
)

// ToolTiming is what of a call depends on the clock.
type ToolTiming struct {
	LatencyMS int64 `json:"latency_ms"`
}
