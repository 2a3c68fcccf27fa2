package cli

import (
	"fmt"

	"example.com/agentworld/trace"
)

// sourceList writes the sources of a decision, each with its score, whether it was
// used, and the chain back to what it comes from; then what the decision named
// without having it in view.
//
//	Sources
//	  [mem-4-3] memory, score 812, used (self), trust self_observation, 58 characters
//	      remembered in tick 4, agent-1: {"action":"mine_compound",...}, accepted, compound +5000
//	  named and not in view: [nav-00007] unknown (text)
func (e *explainer) sourceList() {
	d := e.t.decision
	if d == nil || len(d.SourcesRetrieved)+len(d.SourcesCited) == 0 {
		return
	}
	fmt.Fprintln(e.b, "\nSources")
	for _, s := range d.SourcesRetrieved {
		fmt.Fprintf(e.b, "  [%s] %s, score %d, %s, trust %s, %d characters\n", oneLine(s.ID), oneLine(string(s.Kind)), s.Score, useOf(*d, s.ID), s.Trust, s.Chars)
		for _, line := range e.trail.chain(s.ID) {
			fmt.Fprintf(e.b, "      %s\n", line)
		}
	}
	for _, c := range d.SourcesCited {
		if c.Status != "used" {
			fmt.Fprintf(e.b, "  named and not in view: [%s] %s (%s)\n", oneLine(c.ID), oneLine(string(c.Status)), oneLine(string(c.Channel)))
		}
	}
}

// loadTrail reads where the sources of an agent come from.
func (m *Main) loadTrail(runDir, agent string) (*trail, error) {
	t := newTrail(agent)
	return t, m.eachRecord(runDir, func(r trace.Record) { t.add(r) })
}
