package engine

import (
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

func eventRecords(tick int64, events []world.Event) []trace.Record {
	records := make([]trace.Record, len(events))
	for i, e := range events {
		records[i] = trace.Event{Tick: tick, Event: e}
	}
	return records
}

// finalAgents and goalOutcomes describe the world at the end of a run.
func finalAgents(w *world.World) []trace.FinalAgent {
	agents := make([]trace.FinalAgent, w.Agents())
	for n := range agents {
		self := w.Self(n)
		agents[n] = trace.FinalAgent{
			AgentID: self.ID, Place: self.Place, PowerState: self.PowerState,
			Electricity: self.Electricity, Heat: self.Heat, Stock: []world.Amount{},
		}
		for _, a := range w.Stock(n) {
			if a.Resource != "electricity" {
				agents[n].Stock = append(agents[n].Stock, a)
			}
		}
	}
	return agents
}

func goalOutcomes(w *world.World) []trace.GoalOutcome {
	outcomes := []trace.GoalOutcome{}
	for _, g := range w.Goals() {
		o := trace.GoalOutcome{GoalID: g.Goal.ID, AgentID: g.AgentID, Text: g.Goal.Text, Now: g.Now, AtLeast: g.Goal.AtLeast}
		if g.MetAt >= 0 {
			met := g.MetAt
			o.MetAt = &met
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}
