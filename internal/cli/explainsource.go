package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// sourceHistory is every decision of a run that had a source in view or named it.
type sourceHistory struct {
	id string
	// agent limits it to one agent, empty for all.
	agent  string
	header trace.Header
	// offers are the decisions with the source in view, named those that only
	// named it, both in the order of the trace.
	offers, named []trace.Decision
	// known are all ids in view in the run, to help with one that is not.
	known map[string]bool
	// provenances tell for each agent where its sources come from.
	provenances []*provenance
}

// add keeps a decision that has the source in view or names it.
func (h *sourceHistory) add(r trace.Record) {
	if header, ok := r.(trace.Header); ok {
		for _, agent := range headerAgents(header) {
			h.provenances = append(h.provenances, newProvenance(agent))
		}
	}
	for _, t := range h.provenances {
		t.add(r)
	}
	switch r := r.(type) {
	case trace.Header:
		h.header = r
	case trace.Decision:
		if h.agent != "" && r.AgentID != h.agent {
			return
		}
		inView := false
		for _, s := range r.SourcesRetrieved {
			h.known[s.ID] = true
			inView = inView || s.ID == h.id
		}
		switch {
		case inView:
			h.offers = append(h.offers, r)
		case channelOf(r, h.id) != "":
			h.named = append(h.named, r)
		}
	}
}

// explainSource prints every decision that was offered a source or used it, with its
// outcome. If no decision had the id in view, the error lists similar ids.
func (m *Main) explainSource(runDir string, f explainFlags) error {
	h := &sourceHistory{id: strings.Trim(f.source, "[] "), agent: f.agent, known: map[string]bool{}}
	if err := m.eachRecord(runDir, h.add); err != nil {
		return err
	}
	if len(h.offers)+len(h.named) == 0 {
		return h.missing()
	}
	var b bytes.Buffer
	plaintext.Fprintf(&b, "[%s]  (%s)\n", h.id, runText(h.header.Settings))
	h.origins(&b)
	plaintext.Fprintf(&b, "\nDecisions with it in view\n")
	var used, unused share
	for _, d := range h.offers {
		at := slices.IndexFunc(d.SourcesRetrieved, func(s trace.Source) bool { return s.ID == h.id })
		plaintext.Fprintf(&b, "  tick %d, %s  score %d, %s: %s\n", d.Tick, d.AgentID, d.SourcesRetrieved[at].Score, useOf(d, h.id), decisionText(d))
		if slices.Contains(d.SourcesUsed, h.id) {
			used.add(d)
		} else {
			unused.add(d)
		}
	}
	for _, d := range h.named {
		plaintext.Fprintf(&b, "  tick %d, %s  named (%s) and not in view: %s\n", d.Tick, d.AgentID, channelOf(d, h.id), decisionText(d))
	}
	plaintext.Fprintf(&b, "\nIn view of %d, used by %d, named out of view by %d\n", len(h.offers), used.decisions, len(h.named))
	plaintext.Fprintf(&b, "Accepted actions: %d of %d after use, %d of %d in view and not used; the report has the interval\n",
		used.accepted, used.actions, unused.accepted, unused.actions)
	_, err := m.Stdout.Write(b.Bytes())
	return err
}

// originsMax bounds the number of agents for which the origin is shown.
const originsMax = 8

// origins writes where the source comes from, for the agents that had it in view or
// named it. Agents number their memories and their lessons themselves, so one id can have
// several origins. Each different origin is shown once.
func (h *sourceHistory) origins(b *bytes.Buffer) {
	var last []string
	agents := 0
	for _, t := range h.provenances {
		if !slices.ContainsFunc(slices.Concat(h.offers, h.named), func(d trace.Decision) bool { return d.AgentID == t.agent }) {
			continue
		}
		if agents++; agents > originsMax {
			return
		}
		chain := t.chain(h.id)
		if len(chain) == 0 || slices.Equal(chain, last) {
			continue
		}
		last = chain
		plaintext.Fprintf(b, "\nOrigin for %s\n", t.agent)
		for _, line := range chain {
			plaintext.Fprintf(b, "  %s\n", line)
		}
	}
}

// share counts the accepted among the actions that models chose, waits not counted,
// as the report does.
type share struct{ decisions, actions, accepted int }

func (s *share) add(d trace.Decision) {
	s.decisions++
	var action struct {
		Name string `json:"action"`
		Do   struct {
			Name string `json:"action"`
		} `json:"do"`
	}
	var outcome world.Outcome
	if d.DecidedBy != trace.ByModel || json.Unmarshal(d.Executed, &action) != nil || rawText(d.Outcome) == none || json.Unmarshal(d.Outcome, &outcome) != nil {
		return
	}
	switch cmp.Or(action.Do.Name, action.Name) {
	case "wait", "wait_ticks":
		return
	}
	s.actions++
	if outcome.Accepted {
		s.accepted++
	}
}

// headerAgents are the ids of a run's agents.
func headerAgents(h trace.Header) []string {
	var ids []string
	for _, a := range h.Agents {
		ids = append(ids, a.ID)
	}
	return ids
}

// nearMax bounds how many ids an error suggests.
const nearMax = 5

// missing explains that nothing had the source in view and which ids are like it: those
// of the fewest edits.
func (h *sourceHistory) missing() error {
	ids, where := headerAgents(h.header), "this run"
	if h.agent != "" && !slices.Contains(ids, h.agent) {
		return badInput("no agent %s in this run; allowed: %s", shown(h.agent), listed(ids))
	}
	if len(h.known) == 0 {
		return badInput("no decision of this run had a source in view")
	}
	if h.agent != "" {
		where = h.agent
	}
	near := slices.SortedFunc(maps.Keys(h.known), func(a, b string) int {
		return cmp.Or(cmp.Compare(levenshtein.ComputeDistance(h.id, a), levenshtein.ComputeDistance(h.id, b)), cmp.Compare(a, b))
	})
	return badInput("no decision of %s had the source %s in view or named it; like it: %s", where, shown(h.id), listed(near[:min(len(near), nearMax)]))
}
