package report

import (
	"fmt"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// ToolRow is a tool of the run's user, and what its calls came to.
type ToolRow struct {
	// Name is that for models.
	Name string `json:"name"`
	// Version of the tool.
	Version string `json:"version"`
	// Server that has it, by the user's name; empty for a function.
	Server string `json:"server"`
	// Hash of what its owner says of it, a hex SHA-256.
	Hash string `json:"hash"`
	// Whether its results may decide what an agent does.
	Trusted bool `json:"trusted"`
	// Calls that were made, those without a result included.
	Calls int64 `json:"calls"`
	// Calls without a result, by code.
	FailedByCode Counts `json:"failed_by_code"`
	// Bytes of results, before they were cut.
	Bytes int64 `json:"bytes"`
}

// tools begins the rows of the tools of a run.
func (f *folder) tools(list []trace.Tool) {
	f.out.Tools = []ToolRow{}
	for _, t := range list {
		f.out.Tools = append(f.out.Tools, ToolRow{Name: t.Name, Version: t.Version, Server: t.Server, Hash: t.Hash,
			Trusted: t.Trusted, FailedByCode: Counts{}})
	}
}

// toolCall counts a call.
func (f *folder) toolCall(c trace.ToolCall) {
	for i := range f.out.Tools {
		row := &f.out.Tools[i]
		if row.Name != c.Tool {
			continue
		}
		row.Calls++
		row.Bytes += int64(c.BytesFull)
		if c.Code != "" {
			row.FailedByCode[string(c.Code)]++
		}
	}
}

// text is the row for people.
func (t ToolRow) text() string {
	text := strings.TrimSpace(plain(t.Name)+" "+plain(t.Version)) + ", " + plaintext.Count(t.Calls, "call")
	if failed := t.FailedByCode.sum(); failed > 0 {
		text += fmt.Sprintf(", %d without a result%s", failed, t.FailedByCode.most())
	}
	if t.Trusted {
		text += ", trusted"
	}
	return text
}
