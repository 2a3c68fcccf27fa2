package reflect

import (
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Result is what a finished turn proposes.
type Result struct {
	Agent string
	// Deltas are the proposed changes, tags first; empty with a Failure.
	Deltas []playbook.Delta
	// Input is what they are based on.
	Input playbook.ConsolidationInput
	// Failure says why nothing is proposed, such as "parse_error:truncated" or
	// "llm_error:timeout"; empty when the turn went well.
	Failure string
	// Calls counts the requests, Rounds the reflections taken.
	Calls, Rounds int
	// LastStep is the step of the last request.
	LastStep int
	// Steps are what the turn recorded, oldest first.
	Steps []trace.Step
}

// Result returns what the turn came to. It panics before the turn's end.
func (t *Turn) Result() Result {
	if !t.done {
		panic("learn: the result of an unfinished turn")
	}
	r := Result{Agent: t.agent, Input: t.input, Failure: t.failure, Calls: t.conversation.Step() - t.conversation.Before,
		Rounds: t.rounds, LastStep: t.conversation.Step(), Steps: t.conversation.Steps}
	if t.failure != "" {
		return r
	}
	for _, v := range t.reflected.Tags {
		for _, tick := range v.Decision {
			r.Deltas = append(r.Deltas, playbook.Delta{
				Op: playbook.OpTag, ID: id(v.ID), Tag: playbook.Tag(word(v.Verdict)), Reason: "reflection",
				Evidence: []playbook.Evidence{t.evidence(tick)}, Trust: trace.TrustSelfObservation,
			})
		}
	}
	// The model has no say in the trust of what it proposes, nor in the parents:
	// they are whatever foreign its evidence rests on.
	for _, d := range t.deltas {
		p := playbook.Delta{
			Op: playbook.Op(word(d.Op)), ID: id(d.ID), Section: playbook.Section(word(d.Section)), Content: d.Content,
			Reason: d.Reason,
			Trust:  trace.TrustSelfObservation,
		}
		for _, tick := range d.Decisions {
			p.Evidence = append(p.Evidence, t.evidence(tick))
			for _, j := range t.shown.decisions {
				if j.Tick != tick || !t.runtime.guarded {
					continue
				}
				for _, suspect := range j.Suspect {
					if !slices.Contains(p.Parents, suspect) {
						p.Parents = append(p.Parents, suspect)
					}
				}
			}
		}
		r.Deltas = append(r.Deltas, p)
	}
	return r
}

// word is a word of a closed set as a model may write it.
func word(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// id is the id of a bullet as a model may copy it from the prompt.
func id(s string) string { return strings.ToLower(strings.Trim(s, "[]() \t\n")) }

// Consolidated is what a playbook came to by a result.
type Consolidated struct {
	// Playbook is the next playbook; the one before when nothing changed.
	Playbook *playbook.Playbook
	Applied  []playbook.Applied
	Rejected []playbook.Rejected
	// Steps are those of the turn and one per delta, and one for the whole.
	Steps []trace.Step
}

// The codes of a consolidation that changed nothing. Another code is the result's
// failure.
const (
	CodeUnchanged = "unchanged"
	CodeCollapse  = string(playbook.Collapse)
)

// Apply carries the result out on book as far as the rules of playbooks allow.
func (r Result) Apply(book *playbook.Playbook, limits playbook.Limits) Consolidated {
	c := Consolidated{Playbook: book, Steps: slices.Clone(r.Steps)}
	end := r.step(trace.StepConsolidation, trace.StatusOK)
	if r.Failure != "" {
		end.Status, end.Code = trace.StatusError, r.Failure
	} else {
		c.Playbook, c.Applied, c.Rejected = playbook.Apply(book, r.Deltas, r.Input, limits)
		for _, a := range c.Applied {
			d := detailOf(a.Delta)
			d.Displaced, d.Twin = a.Displaced, a.Twin
			if a.After != nil {
				d.ID, d.Section = a.After.ID, a.After.Section
			}
			c.Steps = append(c.Steps, r.deltaStep(trace.StatusOK, a.Delta.Op, "", d))
		}
		for _, x := range c.Rejected {
			d := detailOf(x.Delta)
			d.Other = x.Other
			d.Value = x.Value
			d.Limit = x.Limit
			c.Steps = append(c.Steps, r.deltaStep(trace.StatusError, x.Delta.Op, string(x.Code), d))
		}
		switch {
		case slices.ContainsFunc(c.Rejected, func(x playbook.Rejected) bool { return x.Code == playbook.Collapse }):
			end.Status, end.Code = trace.StatusError, CodeCollapse
		case c.Playbook == book:
			end.Code = CodeUnchanged
		}
	}
	stats := c.Playbook.Stats()
	end.Detail = llmclient.Marshal(consolidationDetail{len(r.Input.Decisions), r.Rounds, stats.Version, stats.Bullets,
		stats.Chars})
	c.Steps = append(c.Steps, end)
	return c
}

// consolidationDetail is what a consolidation looked at and the size of the playbook after it.
type consolidationDetail struct {
	Decisions int `json:"decisions"`
	Rounds    int `json:"rounds"`
	Version   int `json:"version"`
	Bullets   int `json:"bullets"`
	Chars     int `json:"chars"`
}

// deltaDetail is a delta as a trace keeps it.
type deltaDetail struct {
	ID        string           `json:"id,omitempty"`
	Section   playbook.Section `json:"section,omitempty"`
	Content   string           `json:"content,omitempty"`
	Tag       playbook.Tag     `json:"tag,omitempty"`
	Reason    string           `json:"reason,omitempty"`
	Decisions []int64          `json:"decisions"`
	Displaced []string         `json:"displaced,omitempty"`
	Twin      string           `json:"twin,omitempty"`
	// Other, Value and Limit are the numbers of a rejection.
	Other string `json:"other,omitempty"`
	Value int64  `json:"value,omitempty"`
	Limit int64  `json:"limit,omitempty"`
}

// step is a step that belongs to the last request.
func (r Result) step(kind trace.StepKind, status trace.StepStatus) trace.Step {
	return trace.Step{Tick: r.Input.Tick, AgentID: r.Agent, Step: r.LastStep, Kind: kind, Status: status}
}

// deltaStep is the step of one delta. It is named after an operation that there is, so
// that model text does not become the name of a counter.
func (r Result) deltaStep(status trace.StepStatus, op playbook.Op, code string, d deltaDetail) trace.Step {
	s := r.step(trace.StepDelta, status)
	s.Name = "unknown"
	s.Code = code
	s.Detail = llmclient.Marshal(d)
	switch op {
	case playbook.OpTag, playbook.OpAdd, playbook.OpUpdate, playbook.OpRemove, playbook.OpDisplace:
		s.Name = string(op)
	}
	return s
}

func detailOf(d playbook.Delta) deltaDetail {
	out := deltaDetail{
		ID: short(d.ID), Section: playbook.Section(short(string(d.Section))), Content: short(d.Content),
		Tag: playbook.Tag(short(string(d.Tag))), Reason: short(d.Reason), Decisions: []int64{},
	}
	for _, e := range d.Evidence {
		out.Decisions = append(out.Decisions, e.Tick)
	}
	return out
}

// short bounds a model's words in a trace.
func short(s string) string { return plaintext.Head(plaintext.Line(s), playbook.ContentMax) }
