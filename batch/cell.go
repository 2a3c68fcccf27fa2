package batch

import (
	"slices"
	"strings"

	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// ID names a cell: 16 hexadecimal digits of the hash of everything that shapes its run.
type ID string

// Label is one value of an axis of the matrix, such as model=small.
type Label struct {
	// Axis and Value are the names in the batch file.
	Axis  string `json:"axis"`
	Value string `json:"value"`
}

// Cell is one run of a batch.
type Cell struct {
	// ID is the identity of the cell.
	ID ID `json:"cell"`
	// Scenario is the name of the scenario, as in the batch file.
	Scenario string `json:"scenario"`
	// Seed is the seed of the instance.
	Seed uint64 `json:"seed"`
	// Repeat counts the runs of the same instance with the same labels, from 1.
	Repeat int64 `json:"repeat"`
	// Labels are the values of all axes, in the order of the file.
	Labels []Label `json:"labels"`
}

// Arm is the labels of a cell as text, such as "model=small protocol=lean"; "all" without axes.
func (c Cell) Arm() string {
	if len(c.Labels) == 0 {
		return "all"
	}
	var parts []string
	for _, l := range c.Labels {
		parts = append(parts, l.Axis+"="+l.Value)
	}
	return strings.Join(parts, " ")
}

// Label is the value of an axis; empty if there is no such axis.
func (c Cell) Label(axis string) string {
	if i := slices.IndexFunc(c.Labels, func(l Label) bool { return l.Axis == axis }); i >= 0 {
		return c.Labels[i].Value
	}
	return ""
}

// Versions are what shapes runs beside their settings.
type Versions struct {
	Engine string `json:"engine"`
	Rules  string `json:"rules"`
	Prompt string `json:"prompt"`
	// Program is the SHA-256 of the file of the program that played, in hexadecimal; empty if that was this one.
	Program string `json:"program,omitempty"`
}

// IDOf returns the identity of a cell: two cells with the same settings, versions and repeat
// are the same run. Names of scenarios, axes and directories do not count.
func IDOf(s trace.Settings, v Versions, repeat int64) ID {
	return newTemplate(s, v).id(SeedsOf(s), repeat)
}

// VersionsOf are those of this program for a run.
func VersionsOf(s trace.Settings) Versions {
	return Versions{Engine: engine.Version, Rules: world.RulesVersion, Prompt: engine.PromptVersion(s)}
}
