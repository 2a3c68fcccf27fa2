package explain

import (
	"slices"

	"example.com/agentworld/trace"
)

// Decision is one decision of an agent with its reasons: the records as they are in the trace, each call
// with its parts in place of their hashes.
type Decision struct {
	Header trace.Header `json:"-"`
	Tick   int64        `json:"-"`
	Agent  string       `json:"-"`
	// Decision is null when the run ended within the tick, and in a tick without one, which has a State.
	Decision *trace.Decision `json:"decision"`
	State    *Row            `json:"state,omitempty"`
	// Order is the decision that gave the standing order which the tick continued.
	Order *trace.Decision `json:"order,omitempty"`
	// Parent is, in a fork, what the agent did in that tick of the run it left. Whoever finds that run
	// sets it.
	Parent *trace.Decision `json:"parent,omitempty"`
	Steps  []trace.Step    `json:"steps"`
	// Tools are the calls of users' tools with their results, empty without any.
	Tools []UsedTool `json:"tools"`
	// Calls are known after [Decision.ReadCalls].
	Calls []Prompt `json:"calls"`
	// Turn has the calls and refusals as they are recorded. Idle says more of a tick without a decision.
	Turn *Turn `json:"-"`
	Idle *Idle `json:"-"`
	// Provenance says where the decision's sources come from.
	Provenance *Provenance `json:"-"`
}

// ReadDecision reads what an agent decided in a tick, and why. The error is a [*NoAgentError], a
// [*NoDecisionError], or says where the trace cannot be read.
func ReadDecision(of Run, tick int64, agent string) (*Decision, error) {
	d := &Decision{Tick: tick, Agent: agent, Calls: []Prompt{}, Provenance: NewProvenance(agent)}
	missing := &NoDecisionError{Tick: tick, Agent: agent}
	var in Tick
	for record, err := range Records(of, nil, 0, append([]trace.Type{trace.TypeHeader}, tickTypes...)...) {
		if err != nil {
			return nil, err
		}
		d.Provenance.Add(record)
		at := trace.TickOf(record)
		switch r := record.(type) {
		case trace.Header:
			d.Header = r
		case trace.Resume:
			at++ // the tick that is derived again
		case trace.Decision:
			if missing.First == 0 {
				missing.First = r.Tick
			}
			missing.Last = max(missing.Last, r.Tick)
		}
		if at == tick {
			in.Add(record)
		}
	}
	d.Turn = in.Turn(agent)
	d.Decision, d.Steps = d.Turn.Decision, append([]trace.Step{}, d.Turn.Steps...)
	d.Tools = UsedTools(d.Header.SettingsAt(tick-1), d.Turn.Tools)
	if d.Decision == nil && len(d.Turn.Steps)+len(d.Turn.Calls) == 0 {
		if err := CheckAgent(d.Header, agent); err != nil && missing.Last > 0 {
			return nil, err
		}
		d.Idle = readIdle(of, tick, agent)
		if d.Idle == nil {
			for _, other := range in.Decisions {
				missing.Decided = append(missing.Decided, other.AgentID)
			}
			return nil, missing
		}
		d.State = &d.Idle.Row
	}
	d.Order = d.Provenance.OrderAt(tick)
	return d, nil
}

// Left is where the run left another, ok in a tick after that.
func (d *Decision) Left() (f trace.Fork, ok bool) {
	forks := d.Header.Forks
	if len(forks) == 0 || d.Tick < forks[len(forks)-1].Tick {
		return f, false
	}
	return forks[len(forks)-1], true
}

// Only leaves one step of the turn, with its call. Steps are numbered from 1, and what one answer led to
// has the step of its call. The error is a [*NoStepError].
func (d *Decision) Only(step int) error {
	last := 0
	d.Turn.Calls = slices.DeleteFunc(d.Turn.Calls,
		func(c trace.ModelCall) bool { last = max(last, c.Step); return c.Step != step })
	d.Tools = slices.DeleteFunc(d.Tools, func(u UsedTool) bool { return u.Step != step })
	d.Steps = slices.DeleteFunc(d.Steps, func(s trace.Step) bool { last = max(last, s.Step); return s.Step != step })
	if len(d.Turn.Calls)+len(d.Steps) == 0 {
		return &NoStepError{Step: step, Last: last}
	}
	return nil
}

// ReadCalls reads the calls of the turn with what was sent and received. The error says where the trace
// cannot be read, or is a [*PartError].
func (d *Decision) ReadCalls(of Run) error {
	err := readBodies(of, nil, d.Tick, []*Turn{d.Turn})
	if err != nil {
		return err
	}
	for _, c := range d.Turn.Calls {
		p, err := d.Turn.Prompt(c)
		if err != nil {
			return &PartError{err}
		}
		d.Calls = append(d.Calls, p)
	}
	return nil
}
