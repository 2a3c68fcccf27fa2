package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/explain"
	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// sources writes the sources of a decision, those used first, each with its score and how to
// follow it: by its id, or to the tick it came from. Those used have the chain back to what they
// come from. Then comes what the decision named without having it in view.
//
//	Sources
//	  [mem-4-3] memory, outcome: "mine_compound 5000"
//	      score 812, used (self), trust self_observation, 58 characters; follow: --tick 4
//	      remembered in tick 4, agent-1: mine_compound 5000, accepted, compound +5000
//	  [msg-3-agent-2-1] message of agent-2 in tick 3: "Come."
//	      score 0, not used, trust other_agent, 20 characters; follow: --source msg-3-agent-2-1
//	  named and not in view: [nav-00007] unknown (text)
func (e *explainer) sources(d trace.Decision) {
	title := "Sources"
	if e.d.Order != nil && d.Tick == e.d.Order.Tick {
		title = fmt.Sprintf("Sources of the order, in tick %d", d.Tick)
	}
	plaintext.Fprintf(&e.b, "\n%s\n", title)
	list := slices.Clone(d.SourcesRetrieved)
	slices.SortStableFunc(list, func(a, b trace.Source) int {
		// An index of -1 is the greatest of all as an unsigned number.
		return cmp.Compare(uint(slices.Index(d.SourcesUsed, a.ID)), uint(slices.Index(d.SourcesUsed, b.ID)))
	})
	for _, s := range list {
		follow, used := "--source "+s.ID, slices.Contains(d.SourcesUsed, s.ID)
		if s.Kind == trace.KindMemory {
			follow = fmt.Sprintf("--tick %d", s.OriginTick)
		} else if owner := e.owner(s.Kind); owner != "" {
			follow += " --agent " + owner
		}
		plaintext.Fprintf(&e.b, "  [%s] %s\n", s.ID, sourceText(s, d.AgentID))
		plaintext.Fprintf(&e.b, "      score %d, %s, trust %s, %s; follow: %s\n", s.Score,
			useText(used, explain.ChannelOf(d, s.ID)), s.Trust, plaintext.Count(s.Chars, "character"), follow)
		if !used {
			continue
		}
		for _, line := range e.d.Provenance.Chain(s) {
			plaintext.Fprintf(&e.b, "      %s\n", line)
		}
	}
	for _, c := range d.SourcesCited {
		switch {
		case explain.IsWording(d, c.ID):
			plaintext.Fprintf(&e.b, "  named: [%s] the wording of the instructions (%s)\n", c.ID, c.Channel)
		case c.Status != trace.CitedUsed &&
			!slices.ContainsFunc(d.SourcesRetrieved, func(s trace.Source) bool { return s.ID == c.ID }):
			plaintext.Fprintf(&e.b, "  named and not in view: [%s] %s (%s)\n", c.ID, c.Status, c.Channel)
		}
	}
}

// owner is the agent that a source of a kind belongs to, empty if it is the same for all.
func (e *explainer) owner(kind trace.SourceKind) string {
	if explain.OwnSource(kind, e.d.Header) {
		return e.d.Agent
	}
	return ""
}

// useText says whether a decision used a source that it had in view, and through which channel it
// named it.
func useText(used bool, channel string) string {
	switch {
	case !used && channel != "":
		return "named (" + channel + ") before it was shown, not used"
	case !used:
		return "not used"
	case channel != "":
		return "used (" + channel + ")"
	}
	return "used"
}

// sourceText says what a source in view of an agent is and how it begins, such as
//
//	message of agent-2 in tick 2: "Lend me 40 electricity."
func sourceText(s trace.Source, agent string) string {
	text := string(s.Kind)
	if s.OriginAgent != "" && s.OriginAgent != agent {
		text += fmt.Sprintf(" of %s in tick %d", s.OriginAgent, s.OriginTick)
	}
	if s.Title != "" {
		text += ", " + plaintext.Line(s.Title)
	}
	if s.Preview != "" {
		text += ": " + memory.Quote(strings.Join(strings.Fields(s.Preview), " "))
	}
	return text
}
