package session

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/engine"
	"example.com/agentworld/session/access"
	"example.com/agentworld/tools"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// MissingToolError says that a run or its scenario is about tools that this program does not have, or has in
// another version.
type MissingToolError struct {
	// Tools are those of the run, or have names alone if the scenario names them.
	Tools []trace.Tool
	// Recorded says that the run was played with them before. It can then go on without them.
	Recorded bool
}

// Error names them.
func (e *MissingToolError) Error() string {
	names := make([]string, len(e.Tools))
	for i, t := range e.Tools {
		names[i] = strings.TrimSpace(t.Name + " " + t.Version)
		if t.Server != "" {
			names[i] += " of server " + t.Server
		}
	}
	return fmt.Sprintf("tools are missing, or are not what they were: %s", strings.Join(names, ", "))
}

// chooseTools completes the settings by the tools of the run, or checks those that they have: of the run that
// is left or resumed, or of a planned cell.
func (s *Session) chooseTools(named []world.ToolAccess) error {
	of := &s.config.Settings
	s.tools = tools.NewSet(s.config.Tools...)
	if s.config.WithoutTools {
		s.tools = tools.NewSet()
		return nil
	}
	if of.Tools != nil || of.ModelSource != "" {
		return s.checkTools(of.Tools)
	}
	offered, notes, err := offer(s.tools, named, s.agents)
	if err != nil {
		return err
	}
	of.Tools = offered
	for _, note := range notes {
		s.remark(note)
	}
	return nil
}

// checkTools refuses to go on with tools that are not as they were recorded.
func (s *Session) checkTools(recorded []trace.Tool) error {
	lacks := s.tools.Lacks(recorded)
	if len(lacks) == 0 {
		return nil
	}
	e := &MissingToolError{Recorded: true}
	for _, t := range recorded {
		if slices.Contains(lacks, t.Name) {
			e.Tools = append(e.Tools, t)
		}
	}
	return e
}

// offer returns the tools of a set as a run of a scenario has them.
func offer(set *tools.Set, named []world.ToolAccess, agents []string) (offered []trace.Tool, notes []string,
	err error) {
	narrowed := map[string][]string{}
	e := &MissingToolError{}
	for _, t := range named {
		narrowed[t.Name] = t.Agents
		if !set.Has(t.Name) {
			e.Tools = append(e.Tools, trace.Tool{Name: t.Name})
		}
	}
	if len(e.Tools) > 0 {
		return nil, nil, e
	}
	offered, notes = set.Offer(narrowed, agents)
	return offered, notes, nil
}

// remark tells the user of the session something.
func (s *Session) remark(text string) {
	if s.config.Listener != nil {
		s.config.Listener.Notice(access.Remark{Text: text})
	}
}

// toolSource makes the calls of the run's tools, given what its recording holds.
func (s *Session) toolSource() engine.Tools {
	switch {
	case s.given == nil:
		return s.tools
	case s.Strict():
		return s.given.Tools(nil)
	}
	return s.given.Tools(s.tools)
}
