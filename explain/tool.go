package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/trace"
)

// UsedTool is a call of a tool of the run's user, with its result and its trust.
type UsedTool struct {
	trace.ToolCall
	Version string `json:"version"`
	Server  string `json:"server,omitempty"`
	Trusted bool   `json:"trusted"`
}

// UsedTools are calls of a run with these settings.
func UsedTools(s trace.Settings, calls []trace.ToolCall) []UsedTool {
	list := make([]UsedTool, len(calls))
	for i, c := range calls {
		list[i] = UsedTool{ToolCall: c}
		if at := slices.IndexFunc(s.Tools, func(t trace.Tool) bool { return t.Name == c.Tool }); at >= 0 {
			t := s.Tools[at]
			list[i] = UsedTool{ToolCall: c, Version: t.Version, Server: t.Server, Trusted: t.Trusted}
		}
	}
	return list
}

// Of names the tool, its version and its server.
func (u UsedTool) Of() string {
	text := strings.TrimSpace(u.Tool + " " + u.Version)
	if u.Server != "" {
		text += " of " + u.Server
	}
	return text
}

// TrustText says what its result may do.
func (u UsedTool) TrustText() string {
	if u.Trusted {
		return "trusted by the user"
	}
	return "untrusted, of an unknown author"
}

// ResultText is the result for people: a text as it is, anything else as JSON, and how much was cut.
func (u UsedTool) ResultText() string {
	text := string(u.Result)
	var said string
	if json.Unmarshal(u.Result, &said) == nil {
		text = said
	}
	if u.BytesFull > len(u.Result) {
		text += fmt.Sprintf(" (the beginning of %d bytes)", u.BytesFull)
	}
	return text
}
