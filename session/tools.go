package session

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/engine"
	"example.com/agentworld/plaintext"
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
	chosen, err := s.chosenTools(named)
	if err != nil {
		return err
	}
	offered, notes, err := offer(chosen, named, s.agents)
	if err != nil {
		return err
	}
	of.Tools = offered
	of.OfferTools = ""
	for _, note := range notes {
		s.remark(note)
	}
	return nil
}

// chosenTools are the tools that the settings name, all if they name none. The error is about a name that no
// tool has, or about a tool that the scenario needs.
func (s *Session) chosenTools(needed []world.ToolAccess) (*tools.Set, error) {
	const key = "run.tools"
	text := strings.TrimSpace(s.config.OfferTools)
	if text == "" {
		return s.tools, nil
	}
	names := strings.Split(text, ",")
	if text == offersNone {
		names = nil
	}
	named := func(t tools.Tool) bool { return slices.Contains(names, t.Name) || slices.Contains(names, t.Server) }
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		is := func(t tools.Tool) bool { return name != "" && (t.Name == names[i] || t.Server == names[i]) }
		if !slices.ContainsFunc(s.config.Tools, is) {
			var known []string
			for _, t := range s.config.Tools {
				known = append(known, t.Name)
			}
			return nil, access.Refuse(key, "no tool or server is called %q here; allowed: %s", plaintext.Line(names[i]),
				strings.Join(append(known, offersNone), ", "))
		}
	}
	left := func(t tools.Tool) bool { return !named(t) }
	chosen := tools.NewSet(slices.DeleteFunc(slices.Clone(s.config.Tools), left)...)
	for _, t := range needed {
		if s.tools.Has(t.Name) && !chosen.Has(t.Name) {
			return nil, access.Refuse(key, "tool %s is left out, and the scenario needs it; allowed: it, or another scenario",
				t.Name)
		}
	}
	return chosen, nil
}

// offersNone is the word for no tools in [trace.Settings.OfferTools].
const offersNone = "none"

// checkTools refuses tools that are not as they were recorded.
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
