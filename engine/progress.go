package engine

import (
	"slices"
	"time"

	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Progress is the state of a run after a tick. Counts are since its start.
type Progress struct {
	Tick, Ticks            int64
	Decisions, Continued   int64
	ModelCalls, Errors     int64
	Rejected, Degraded     int64
	Digest                 string
	InputTokens, OutTokens int64
	// Cost is what the answers cost at the run's prices; Currency is empty where no
	// model has a price.
	Cost     price.Money
	Currency string
	// Charged is what counts against the caps, the reserved amount for a call whose bill is
	// unknown. Cap bounds it over the run.
	Charged, Cap trace.Limit
	// Ahead is what was asked ahead so far, nil where nothing is.
	Ahead *trace.AheadTiming
	// Resuming says that the tick was derived again from its records.
	Resuming bool
	// Paused says that the run waits for its operator before the next tick.
	Paused bool
}

// spend adds what a turn cost.
func (p *Progress) spend(b budget.Bill) {
	p.InputTokens += b.Usage.Input
	p.OutTokens += b.Usage.Output
	p.Cost = p.Cost.Plus(b.Cost)
}

// reached is the state of a run after its last whole tick. In an abandoned tick the world is further.
type reached struct {
	Progress
	started time.Time
	agents  []trace.FinalAgent
	goals   []trace.GoalOutcome
}

// noteWorld describes the world as it is for the end of the run.
func (r *runner) noteWorld() {
	agents, goals := make([]trace.FinalAgent, r.world.Agents()), []trace.GoalOutcome{}
	for n := range agents {
		self := r.world.Self(n)
		agents[n] = trace.FinalAgent{
			AgentID: self.ID, Place: self.Place, PowerState: self.PowerState, Electricity: self.Electricity, Heat: self.Heat,
			Stock: slices.DeleteFunc(r.world.Stock(n), func(a world.Amount) bool { return a.Resource == "electricity" }),
		}
	}
	for _, g := range r.world.Goals() {
		o := trace.GoalOutcome{GoalID: g.Goal.ID, AgentID: g.AgentID, Text: g.Goal.Text, Now: g.Now, AtLeast: g.Goal.AtLeast}
		if g.MetAt >= 0 {
			o.MetAt = &g.MetAt
		}
		goals = append(goals, o)
	}
	r.reached.agents, r.reached.goals = agents, goals
}

// report updates the running counts and shows them.
func (r *runner) report(turns []deliberation, outcomes []world.Outcome, continued int) {
	p := &r.reached.Progress
	p.Tick = r.world.Tick()
	p.Continued += int64(continued)
	p.Decisions += int64(len(turns) - continued)
	for i, t := range turns {
		p.ModelCalls += t.bill.Calls
		p.spend(t.bill)
		if t.failure != nil && t.failure.Kind != llmclient.ErrCap {
			p.Errors++
		}
		if t.decision.WaitReason != "" {
			p.Degraded++
		}
		if !outcomes[i].Accepted {
			p.Rejected++
		}
	}
	spent := r.spending.budget.Spent()
	p.Charged, p.Cap = trace.Limit{Calls: spent[budget.Calls], Tokens: spent[budget.Tokens],
		Cost: price.Money(spent[budget.Cost])}, r.Caps.Run
	p.Ahead = r.lookout.became(r.Options.Ahead)
	if r.Progress != nil {
		r.Progress(*p)
	}
}
