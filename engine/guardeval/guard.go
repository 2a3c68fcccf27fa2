package guardeval

import (
	"strings"

	"agentworld/engine"
)

// Guard is the guard that cases are played with: all of it, or some layers less.
type Guard struct {
	// Off are the layers switched off, by name; "all" for every one.
	Off []string
}

// Name tells guards apart in tables and directories: on, off, or the layers that are
// missing.
func (g Guard) Name() string {
	switch {
	case len(g.Off) == 0:
		return "on"
	case len(g.Off) == 1 && g.Off[0] == "all":
		return "off"
	}
	return "without-" + strings.Join(g.Off, "-")
}

// apply sets the guard of a run.
func (g Guard) apply(s *engine.Settings) {
	_ = s
}
