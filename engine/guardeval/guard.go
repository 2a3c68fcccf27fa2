package guardeval

import (
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/trace"
)

// Guard is the guard that cases are played with: all of it, or some layers less.
type Guard struct {
	// Off are the layers left out, in the order of [policy.Layers].
	Off []policy.Layer
}

// On is the guard with all its layers, GuardOff none of them.
var (
	On       = Guard{}
	GuardOff = Guard{Off: policy.Layers()}
)

// Without is the guard without one layer.
func Without(l policy.Layer) Guard { return Guard{Off: []policy.Layer{l}} }

// Name tells guards apart in tables and directories: on, off, or what is missing.
func (g Guard) Name() string {
	switch len(g.Off) {
	case 0:
		return "on"
	case len(policy.Layers()):
		return "off"
	}
	return "without " + strings.Join(g.Off, ", ")
}

// dir is the name as that of a directory.
func (g Guard) dir() string { return strings.NewReplacer(", ", "-", " ", "-").Replace(g.Name()) }

// apply sets the guard of a run.
func (g Guard) apply(s *trace.Settings) { s.GuardOff = g.Off }
