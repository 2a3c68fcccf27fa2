package explain

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/trace"
)

// SourceUses is what a run made of a source.
type SourceUses struct {
	Header trace.Header `json:"-"`
	ID     string       `json:"id"`
	// Source is how it was in view last, null if it never was.
	Source *trace.Source `json:"source"`
	// Origin leads back to where it comes from, a line a link.
	Origin []string    `json:"origin"`
	Agents []AgentUses `json:"agents"`
}

// AgentUses is what an agent made of a source.
type AgentUses struct {
	AgentID   string      `json:"agent_id"`
	Decisions []SourceUse `json:"decisions"`
	InView    int         `json:"in_view"`
	Used      int         `json:"used"`
	// NamedOnly counts the decisions that named it without having it in view.
	NamedOnly int `json:"named_out_of_view"`
	// AfterUse and AfterUnused are the actions of decisions that had it in view.
	AfterUse    AcceptedShare `json:"after_use"`
	AfterUnused AcceptedShare `json:"after_unused"`
}

// SourceUse is a decision that had the source in view or named it.
type SourceUse struct {
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

// AcceptedShare counts the accepted among the actions that models chose, waits not counted, as the
// report does.
type AcceptedShare struct {
	Accepted int `json:"accepted"`
	Actions  int `json:"actions"`
}

// add counts a decision.
func (s *AcceptedShare) add(d trace.Decision) {
	ruling, _ := d.Ruling()
	action, _ := d.Action()
	name := action.Repeats()
	acts := name != "" && name != "wait" && name != "wait_ticks"
	if d.DecidedBy != trace.ByModel || !ruling.Asked || !acts {
		return
	}
	s.Actions++
	if ruling.Accepted {
		s.Accepted++
	}
}

// add takes a decision, if it had the source in view or named it.
func (a *AgentUses) add(id string, d trace.Decision) {
	// Every decision made with a wording rests on it, as in the report.
	use := SourceUse{Tick: d.Tick, Used: slices.Contains(d.SourcesUsed, id) || IsWording(d, id),
		Channel: ChannelOf(d, id), Executed: d.Executed, WaitReason: d.WaitReason, Outcome: d.Outcome}
	for s := range inView(d) {
		if s.ID == id {
			use.InView, use.Score = true, s.Score
		}
	}
	switch {
	case !use.InView && use.Channel == "":
		return
	case !use.InView:
		a.NamedOnly++
	case use.Used:
		a.InView++
		a.Used++
		a.AfterUse.add(d)
	default:
		a.InView++
		a.AfterUnused.add(d)
	}
	a.Decisions = append(a.Decisions, use)
}

// sourceReader is an agent with its uses of a source.
type sourceReader struct {
	*Provenance
	uses AgentUses
}

// ReadSource reads what the decisions of a run made of the source with an id, those of one agent unless
// agent is empty. wordingHint is that of [Provenance]. The error is a [*NoAgentError], a
// [*NoSourceError], a [*ManySourcesError], or says where the trace cannot be read.
func ReadSource(of Run, id, agent, wordingHint string) (SourceUses, error) {
	all := SourceUses{ID: strings.Trim(id, "[] "), Origin: []string{}, Agents: []AgentUses{}}
	var readers []*sourceReader
	known := map[string]bool{}
	for record, err := range Records(of, nil, 0, trace.TypeHeader, trace.TypeEvent, trace.TypeStep, trace.TypeDecision) {
		if err != nil {
			return all, err
		}
		if h, begins := record.(trace.Header); begins {
			all.Header = h
			for _, id := range AgentIDs(h) {
				if agent == "" || agent == id {
					r := &sourceReader{NewProvenance(id), AgentUses{AgentID: id}}
					r.WordingHint = wordingHint
					readers = append(readers, r)
				}
			}
		}
		d, decided := record.(trace.Decision)
		for _, r := range readers {
			r.Add(record)
			if !decided || d.AgentID != r.agent {
				continue
			}
			r.uses.add(all.ID, d)
			for s := range inView(d) {
				known[s.ID] = true
			}
		}
	}
	if agent != "" {
		if err := CheckAgent(all.Header, agent); err != nil {
			return all, err
		}
	}
	if holders, many := different(all, readers); many {
		return all, &ManySourcesError{ID: all.ID, Agents: holders}
	}
	for _, r := range readers {
		if len(r.uses.Decisions) == 0 {
			continue
		}
		if s, held := r.sources[all.ID]; held && all.Source == nil {
			all.Source = &s
		}
		if len(all.Origin) == 0 {
			all.Origin = append(all.Origin, r.Chain(r.source(all.ID))...)
		}
		all.Agents = append(all.Agents, r.uses)
	}
	if len(all.Agents) == 0 {
		return all, &NoSourceError{ID: all.ID, Agent: agent, Known: slices.Sorted(maps.Keys(known))}
	}
	return all, nil
}

// different reports whether the id is that of a source of its own with each of the agents that had it in
// view, and who they are. A lesson is the same for all agents until one of them has changed it.
func different(all SourceUses, readers []*sourceReader) (holders []string, many bool) {
	for _, r := range readers {
		if r.uses.InView == 0 {
			continue
		}
		holders = append(holders, r.agent)
		kind := r.sources[all.ID].Kind
		own := OwnSource(kind, all.Header) && kind != trace.KindBullet
		many = many || own || len(r.learned[all.ID]) > 0
	}
	return holders, many && len(holders) > 1
}

// OwnSource reports whether each agent gives ids of a kind to sources of its own. Lessons are their own
// in a run that learns.
func OwnSource(kind trace.SourceKind, h trace.Header) bool {
	switch kind {
	case trace.KindMemory, trace.KindModule, trace.KindSaid:
		return true
	}
	return kind == trace.KindBullet && h.Settings.LearnEvery > 0
}
