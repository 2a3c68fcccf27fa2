package export

import (
	"strings"

	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// turns passes on what turns of the tick did.
func (w *walk) turns() error {
	spent := map[string]*turn{}
	for _, c := range w.in.Calls {
		of := Tokens{}
		if c.Stage != trace.StageSeat {
			of = w.tokens(c)
			if !learns(c.Stage) {
				t := spent[c.AgentID]
				if t == nil {
					t = &turn{}
					spent[c.AgentID] = t
				}
				t.calls++
				t.add(of)
			}
		}
		if err := w.row(w.call(c, of)); err != nil {
			return err
		}
	}
	for _, u := range explain.UsedTools(trace.Settings{Tools: w.tools}, w.in.Tools) {
		if err := w.row(w.toolCall(u)); err != nil {
			return err
		}
	}
	for _, r := range w.in.Refusals {
		err := w.row(RefusalRow{Of: w.Of, Tick: r.Tick, Agent: r.AgentID, Step: int64(r.Step), Stage: r.Stage, Cap: r.Cap,
			Limit: r.Limit, Available: r.Available, Requested: r.Requested})
		if err != nil {
			return err
		}
	}
	for _, s := range w.in.Steps {
		err := w.row(StepRow{Of: w.Of, Tick: s.Tick, Agent: s.AgentID, Step: int64(s.Step), Kind: s.Kind, Status: s.Status,
			Code: s.Code, Name: s.Name, Repairs: strings.Join(s.Repairs, " "), Detail: given(s.Detail)})
		if err != nil {
			return err
		}
	}
	for _, d := range w.in.Decisions {
		t := spent[d.AgentID]
		if t == nil {
			t = &turn{}
		}
		if err := w.row(w.decision(d, *t)); err != nil {
			return err
		}
	}
	return nil
}

// turn is what the calls of a turn took.
type turn struct {
	calls int64
	Tokens
}

// add adds what a call took.
func (t *turn) add(of Tokens) {
	t.Input += of.Input
	t.Cached += of.Cached
	t.Written += of.Written
	t.Output += of.Output
	t.Reasoning += of.Reasoning
	t.Cost = t.Cost.Plus(of.Cost)
}

// learns reports whether a stage is one of a turn that reflects, which belongs to no decision.
func learns(stage trace.Stage) bool {
	return stage == trace.StageReflect || stage == trace.StageConsolidate
}

// given is JSON that is there, nil for none and for null.
func given(raw []byte) []byte {
	if !llmclient.Given(raw) {
		return nil
	}
	return raw
}

// tokens are those of a call.
func (w *walk) tokens(c trace.ModelCall) Tokens {
	u := c.Answer.Usage
	return Tokens{Input: u.Input, Cached: u.Cached, Written: u.Written, Output: u.Output, Reasoning: u.Reasoning,
		Cost: w.prices[c.Model].Cost(u)}
}

func (w *walk) call(c trace.ModelCall, spent Tokens) CallRow {
	r := CallRow{Of: w.Of, Tick: c.Tick, Agent: c.AgentID, Step: int64(c.Step), Stage: c.Stage, Model: c.Model,
		Answered: c.Answer.Model, Kind: string(c.Answer.Kind), Status: c.Answer.Status, Tokens: spent,
		ServiceTier: c.Answer.Usage.ServiceTier, InputChars: int64(c.InputChars), ToolChars: int64(c.ToolChars),
		RequestHash: c.RequestHash}
	if f := c.Answer.Failure; f != nil {
		r.Failure, r.FailureCode = string(f.Kind), f.Code
	}
	for _, s := range c.Sections {
		if s.Clipped {
			r.Clipped++
		}
	}
	if t := c.Timing; t != nil {
		r.LatencyMS = new(t.LatencyMS)
		r.Attempts = int64(t.Attempts)
		r.Recorded = t.Recorded
	}
	return r
}

func (w *walk) toolCall(u explain.UsedTool) ToolCallRow {
	r := ToolCallRow{Of: w.Of, Tick: u.Tick, Agent: u.AgentID, Step: int64(u.Step), CallID: u.CallID, Tool: u.Tool,
		Trusted: u.Trusted, Arguments: given(u.Arguments), Code: u.Code, Result: given(u.Result),
		BytesFull: int64(u.BytesFull)}
	if u.Timing != nil {
		r.LatencyMS = new(u.Timing.LatencyMS)
	}
	return r
}

func (w *walk) decision(d trace.Decision, t turn) DecisionRow {
	action, _ := d.Action() // what cannot be read is shown as nothing
	ruling, _ := d.Ruling()
	r := DecisionRow{Of: w.Of, Tick: d.Tick, Agent: d.AgentID, DecidedBy: d.DecidedBy, By: d.By, FailedBy: d.FailedBy,
		Action: action.Repeats(), ChainStep: int64(d.ChainStep), Proposed: given(d.Proposed), Executed: given(d.Executed),
		Adjustments: int64(len(d.Adjustments)), Code: ruling.Code, RefusedBefore: ruling.RefusedBefore,
		WaitReason: d.WaitReason, ErrorClass: d.ErrorClass, Why: d.Why, SourcesInView: int64(len(d.SourcesRetrieved)),
		SourcesUsed: int64(len(d.SourcesUsed)), Trust: trustOf(d), Commit: d.Commit, CallsSaved: int64(d.CallsSaved),
		Calls: t.calls, Tokens: t.Tokens}
	if ruling.Asked {
		r.Accepted = new(ruling.Accepted)
	}
	if a := d.Authority; a != nil {
		r.AuthorityBy = a.By
		r.AuthorityPlanned = int64(a.Planned)
		r.AuthorityRule = int64(a.Rule)
		r.AuthorityAsker = a.Asker
		r.AuthorityTerms = a.Terms
		r.Deviation = a.Deviation
	}
	if d.Timing != nil {
		r.LatencyMS = new(d.Timing.DurationMS)
	}
	return r
}

// trustOf is the least trust of a source in view of a decision, empty without one.
func trustOf(d trace.Decision) string {
	if len(d.SourcesRetrieved) == 0 {
		return ""
	}
	least := trace.TrustRules
	for _, s := range d.SourcesRetrieved {
		least = min(least, s.Trust)
	}
	return least.String()
}
