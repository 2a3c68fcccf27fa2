package engine

import (
	"encoding/json"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// stepRecords are the notes of a turn as trace records.
func stepRecords(tick int64, agent string, notes []behavior.Note) []trace.Record {
	records := make([]trace.Record, len(notes))
	for i, n := range notes {
		s := trace.Step{
			Tick: tick, AgentID: agent, Step: n.Number, Kind: trace.StepKind(n.Kind), Status: trace.StepStatus(n.Status),
			Code: n.Code, CallID: n.CallID, Minted: n.Minted, Name: n.Name, Leniencies: n.Leniencies, Level: trace.StepLevel(n.Level),
		}
		if n.Detail != nil {
			s.Detail = llmclient.Marshal(n.Detail)
		}
		records[i] = s
	}
	return records
}

// decisionRecord is a decision with its outcome; outcome is nil when the world
// was not asked.
func decisionRecord(tick int64, d behavior.Decision, outcome *world.Outcome) trace.Decision {
	record := trace.Decision{
		Tick: tick, AgentID: d.AgentID, DecidedBy: trace.DecidedBy(d.By),
		Proposed: actionJSON(d.Proposed), Adjusted: actionJSON(d.Adjusted), Executed: actionJSON(d.Executed),
		Adjustments: d.Adjustments, WaitReason: string(d.Wait), ErrorClass: errorClass(d.Wait),
		SourcesRetrieved: append([]trace.Source{}, d.Retrieved...), SourcesUsed: append([]string{}, d.Used...),
		Calls: d.ModelCalls, Commit: string(d.Commit), CallsSaved: d.CallsSaved, Outcome: json.RawMessage("null"),
	}
	for _, a := range d.ArgumentsTrust {
		record.ArgumentsTrust = append(record.ArgumentsTrust, trace.ArgumentTrust{Argument: a.Name, Trust: a.Trust})
	}
	for _, c := range d.Cited {
		record.SourcesCited = append(record.SourcesCited, trace.Citation{ID: c.ID, Channel: string(c.Channel), Status: string(c.Standing)})
		switch c.Standing {
		case behavior.CitedUnknown:
			record.SourcesUnknown++
		case behavior.CitedInvented:
			record.SourcesInvented++
		}
	}
	if outcome != nil {
		record.Outcome = llmclient.Marshal(outcome)
	}
	return record
}

func actionJSON(a world.Action) json.RawMessage {
	if a == nil {
		return json.RawMessage("null")
	}
	return world.EncodeAction(a)
}

// errorClass sorts a wait reason by who is to blame.
func errorClass(reason behavior.WaitReason) string {
	switch {
	case reason == "":
		return ""
	case strings.HasPrefix(string(reason), behavior.WaitModelPrefix):
		return "llm"
	case strings.HasPrefix(string(reason), behavior.WaitParsePrefix), reason == behavior.WaitReasoning:
		return "parse"
	case reason == behavior.WaitGuardRejected:
		return "guard"
	case reason == behavior.WaitWindow:
		return "limit"
	}
	panic("engine: wait reason " + string(reason) + " has no error class")
}

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
