package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// sourceHistory gathers what the decisions of a run made of the source with an id.
type sourceHistory struct {
	id     string
	header trace.Header
	// agents are those of the run, or the one that was asked for.
	agents []*sourceReader
	// known are all ids that were in view of them, to help with one that was not.
	known map[string]bool
}

// sourceReader is an agent with its decisions that had the source in view or named it.
type sourceReader struct {
	*provenance
	decided []trace.Decision
	// held says that one of them had it in view.
	held bool
}

// history reads what agents made of a source, of all agents if agent is empty.
func (m *Main) history(runDir, id, agent string) (*sourceHistory, error) {
	h := &sourceHistory{id: strings.Trim(id, "[] "), known: map[string]bool{}}
	err := m.eachRecord(runDir, func(r trace.Record) {
		if header, ok := r.(trace.Header); ok {
			h.header = header
			for _, id := range headerAgents(header) {
				if agent == "" || agent == id {
					h.agents = append(h.agents, &sourceReader{provenance: newProvenance(id)})
				}
			}
		}
		for _, a := range h.agents {
			a.add(r)
			if d, ok := r.(trace.Decision); ok && d.AgentID == a.agent {
				h.see(a, d)
			}
		}
	})
	if err == nil && agent != "" && !isAgent(h.header, agent) {
		err = noAgent(h.header, agent)
	}
	return h, err
}

// see keeps a decision that had the source in view or named it.
func (h *sourceHistory) see(a *sourceReader, d trace.Decision) {
	held := false
	for s := range shownTo(d) {
		h.known[s.ID] = true
		held = held || s.ID == h.id
	}
	if held || channelOf(d, h.id) != "" {
		a.decided, a.held = append(a.decided, d), a.held || held
	}
}

// ownSource reports whether each agent gives ids of a kind to sources of its own. Lessons are
// their own in a run that learns.
func ownSource(kind trace.SourceKind, h trace.Header) bool {
	switch kind {
	case trace.KindMemory, trace.KindModule, trace.KindSaid:
		return true
	}
	return kind == trace.KindBullet && h.Settings.LearnEvery > 0
}

// different reports whether the id stands for a source of its own with each of some agents. A
// lesson is the same for all agents until one of them has changed it.
func (h *sourceHistory) different(holders []*sourceReader) bool {
	return len(holders) > 1 && slices.ContainsFunc(holders, func(a *sourceReader) bool {
		kind := a.sources[h.id].Kind
		return ownSource(kind, h.header) && kind != trace.KindBullet || len(a.learned[h.id]) > 0
	})
}

// sourceUses is what a run made of a source.
type sourceUses struct {
	ID string `json:"id"`
	// Source is how it was in view first, null if it never was.
	Source *trace.Source `json:"source"`
	// Origin leads back to where it comes from, a line a link.
	Origin []string    `json:"origin"`
	Agents []agentUses `json:"agents"`
}

// agentUses is what an agent made of it.
type agentUses struct {
	AgentID   string      `json:"agent_id"`
	Decisions []sourceUse `json:"decisions"`
	InView    int         `json:"in_view"`
	Used      int         `json:"used"`
	// NamedOnly counts the decisions that named it without having it in view.
	NamedOnly int `json:"named_out_of_view"`
	// AfterUse and AfterUnused are the actions of decisions that had it in view.
	AfterUse    acceptedShare `json:"after_use"`
	AfterUnused acceptedShare `json:"after_unused"`
}

// sourceUse is a decision that had the source in view or named it.
type sourceUse struct {
	Tick   int64 `json:"tick"`
	InView bool  `json:"in_view"`
	Score  int64 `json:"score"`
	Used   bool  `json:"used"`
	// Channel is how the decision named it, empty if it did not.
	Channel    string           `json:"channel,omitempty"`
	Executed   json.RawMessage  `json:"executed"`
	WaitReason trace.WaitReason `json:"wait_reason,omitempty"`
	Outcome    json.RawMessage  `json:"outcome"`
}

// acceptedShare counts the accepted among the actions that models chose, waits not counted, as the
// report does.
type acceptedShare struct {
	Accepted int `json:"accepted"`
	Actions  int `json:"actions"`
}

func (s *acceptedShare) add(d trace.Decision) {
	var action struct {
		Name string `json:"action"`
		Do   struct {
			Name string `json:"action"`
		} `json:"do"`
	}
	var outcome world.Outcome
	if d.DecidedBy != trace.ByModel || json.Unmarshal(d.Executed, &action) != nil || rawText(d.Outcome) == none ||
		json.Unmarshal(d.Outcome, &outcome) != nil {
		return
	}
	switch cmp.Or(action.Do.Name, action.Name) {
	case "wait", "wait_ticks":
		return
	}
	s.Actions++
	if outcome.Accepted {
		s.Accepted++
	}
}

// uses sums the history up.
func (h *sourceHistory) uses() sourceUses {
	all := sourceUses{ID: h.id, Origin: []string{}, Agents: []agentUses{}}
	for _, a := range h.agents {
		if len(a.decided) == 0 {
			continue
		}
		if s, held := a.sources[h.id]; held && all.Source == nil {
			all.Source = &s
		}
		if len(all.Origin) == 0 {
			all.Origin = append(all.Origin, a.chain(h.id)...)
		}
		all.Agents = append(all.Agents, a.uses(h.id))
	}
	return all
}

func (a *sourceReader) uses(id string) agentUses {
	of := agentUses{AgentID: a.agent}
	for _, d := range a.decided {
		// Every decision made with a wording rests on it, as in the report.
		use := sourceUse{Tick: d.Tick, Used: slices.Contains(d.SourcesUsed, id) || isWording(d, id),
			Channel: channelOf(d, id), Executed: d.Executed, WaitReason: d.WaitReason, Outcome: d.Outcome}
		for s := range shownTo(d) {
			if s.ID == id {
				use.InView, use.Score = true, s.Score
			}
		}
		switch {
		case !use.InView:
			of.NamedOnly++
		case use.Used:
			of.InView, of.Used = of.InView+1, of.Used+1
			of.AfterUse.add(d)
		default:
			of.InView++
			of.AfterUnused.add(d)
		}
		of.Decisions = append(of.Decisions, use)
	}
	return of
}

// explainSource prints every decision that had a source in view or named it, with its outcome. If
// the id stands for several sources, or for none, the error says which there are.
func (m *Main) explainSource(runDir string, f explainFlags) error {
	h, err := m.history(runDir, f.source, f.agent)
	if err != nil {
		return err
	}
	holders := slices.DeleteFunc(slices.Clone(h.agents), func(a *sourceReader) bool { return !a.held })
	if h.different(holders) {
		var names []string
		for _, a := range holders {
			names = append(names, a.agent)
		}
		return advise(badInput("%s is another source for each of %s; allowed: one of them with --agent", shown(h.id),
			listed(names)),
			sourceAdvice(runDir, h.id, names[0]))
	}
	all := h.uses()
	switch {
	case len(all.Agents) == 0:
		return h.missing(f.agent)
	case f.json:
		return m.printJSON(all)
	}
	var b bytes.Buffer
	plaintext.Fprintf(&b, "[%s]  (%s)\n", h.id, runText(h.header.Settings))
	all.write(&b)
	_, err = m.Stdout.Write(b.Bytes())
	return err
}

// write writes the source, where it comes from, and the decisions of each agent.
func (all sourceUses) write(b *bytes.Buffer) {
	if all.Source != nil {
		plaintext.Fprintf(b, "%s\n", sourceText(*all.Source, ""))
	}
	if len(all.Origin) > 0 {
		plaintext.Fprintf(b, "\nOrigin\n")
		for _, line := range all.Origin {
			plaintext.Fprintf(b, "  %s\n", line)
		}
	}
	for _, of := range all.Agents {
		plaintext.Fprintf(b, "\nDecisions of %s\n", of.AgentID)
		for _, u := range of.Decisions {
			use := fmt.Sprintf("named (%s) and not in view", u.Channel)
			if u.InView {
				use = fmt.Sprintf("score %d, %s", u.Score, useText(u.Used, u.Channel))
			}
			plaintext.Fprintf(b, "  tick %d  %s: %s\n", u.Tick, use,
				decisionText(trace.Decision{Executed: u.Executed, WaitReason: u.WaitReason, Outcome: u.Outcome}))
		}
		plaintext.Fprintf(b, "  in view of %d, used by %d, named out of view by %d; accepted: %d of %s after use, %d of "+
			"%s in view and not used\n", of.InView, of.Used, of.NamedOnly,
			of.AfterUse.Accepted, plaintext.Count(of.AfterUse.Actions, "action"), of.AfterUnused.Accepted,
			plaintext.Count(of.AfterUnused.Actions, "action"))
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

// isAgent reports whether a run has an agent.
func isAgent(h trace.Header, id string) bool { return slices.Contains(headerAgents(h), id) }

// noAgent is the error of an agent that a run does not have.
func noAgent(h trace.Header, id string) error {
	return badInput("no agent %s in this run; %s", shown(id), offered(id, headerAgents(h)))
}

// missing explains that no decision had the source in view, and which id was most likely meant.
func (h *sourceHistory) missing(agent string) error {
	if len(h.known) == 0 {
		return badInput("no decision of %s had a source in view", cmp.Or(agent, "this run"))
	}
	return badInput("no decision of %s had the source %s in view or named it; %sallowed: an id in square brackets, as "+
		"explain shows with --tick and --agent",
		cmp.Or(agent, "this run"), shown(h.id), settings.DidYouMean(h.id, slices.Sorted(maps.Keys(h.known))))
}
