package export

import (
	"slices"
	"strings"

	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// happened passes on what happened in the world in a whole tick.
func (w *walk) happened(end trace.TickEnd) error {
	w.run.Ticks = end.Tick
	for _, e := range w.in.Events {
		if w.scorer != nil && e.Tick == end.Tick {
			w.scorer.Observe(e)
		}
		if err := w.event(e); err != nil {
			return err
		}
	}
	tick := TickRow{Of: w.Of, Tick: end.Tick, Due: int64(end.Due), Continued: int64(end.Continued), Digest: end.Digest}
	if w.scorer != nil {
		now := w.scorer.Score(end.Tick)
		tick.Score, tick.Reward = new(now), new(now-w.score)
		w.score = now
		w.run.Score = new(now)
	}
	if err := w.row(tick); err != nil {
		return err
	}
	if w.states == nil {
		return nil
	}
	for r := range w.states.Played(&w.in) {
		err := w.row(StateRow{Of: w.Of, Tick: r.Tick, Agent: r.Agent, State: string(r.State), Place: r.Place,
			GoingTo: r.GoingTo, PowerState: r.PowerState, Heat: r.Heat, Electricity: r.Electricity, Stock: r.Stock})
		if err != nil {
			return err
		}
	}
	return nil
}

// event passes on an event, and the message, trade or goal that it is about.
func (w *walk) event(e world.Event) error {
	r := EventRow{Of: w.Of, Tick: e.Tick, Kind: e.Kind, Agent: e.Agent, Place: e.Place, Subject: e.Subject,
		Detail: e.Detail, From: e.From, Text: e.Text}
	if e.Rejection != nil {
		r.Code = string(e.Rejection.Code)
	}
	if e.Action != nil {
		r.Action = world.EncodeAction(e.Action)
	}
	if len(e.Postings) > 0 {
		r.Postings = llmclient.Marshal(e.Postings)
	}
	if err := w.row(r); err != nil {
		return err
	}
	switch e.Kind {
	case world.EventMessageSent, world.EventMessageDelivered, world.EventNotePosted:
		return w.row(w.message(e))
	case world.EventTrade:
		if t := e.Trade; t != nil {
			return w.row(TradeRow{Of: w.Of, Tick: e.Tick, Kind: "order", ID: e.Subject, Place: e.Place, Buyer: t.Buyer,
				Seller: t.Seller, Resource: world.Electricity, Amount: t.Amount, PaidResource: world.Data,
				Paid: t.Amount / world.PowerLot * t.Price, Price: new(t.Price)})
		}
	case world.EventOfferAccepted:
		return w.row(w.barter(e))
	case world.EventGoalMet:
		w.met = append(w.met, GoalRow{Of: w.Of, Goal: e.Subject, Agent: e.Agent, MetAt: new(e.Tick)})
	}
	return nil
}

// barter is the trade of an accepted offer: what the agent gained and what it gave.
func (w *walk) barter(e world.Event) TradeRow {
	r := TradeRow{Of: w.Of, Tick: e.Tick, Kind: "offer", ID: e.Subject, Place: e.Place, Buyer: e.Agent, Seller: e.From}
	for _, a := range e.Gains(e.Agent) {
		if a.Amount < 0 {
			r.PaidResource, r.Paid = a.Resource, r.Paid-a.Amount
		} else {
			r.Resource, r.Amount = a.Resource, r.Amount+a.Amount
		}
	}
	return r
}

// message is a message that was sent, delivered or posted.
func (w *walk) message(e world.Event) MessageRow {
	r := MessageRow{Of: w.Of, Tick: e.Tick, Event: e.Kind, ID: e.Subject, Kind: e.Detail, Place: e.Place, Text: e.Text,
		Trust: trace.TrustOtherAgent.String(), From: e.Agent}
	if e.Kind == world.EventMessageDelivered {
		r.From, r.To = writerOf(r.ID), e.Agent
		r.AuthorityBy = w.letters[r.ID]
		delete(w.letters, r.ID)
		return r
	}
	for _, d := range w.in.Decisions {
		if d.AgentID != e.Agent {
			continue
		}
		if d.Authority != nil {
			r.AuthorityBy = d.Authority.By
		}
		if e.Kind == world.EventMessageSent {
			r.To = receiver(d)
		}
	}
	if explain.CheckAgent(w.header, r.To) == nil { // a message to nobody never arrives
		w.letters[r.ID] = r.AuthorityBy
	}
	return r
}

// receiver is for whom the message of a decision is: whom the action names, or who wrote the terms that it names.
func receiver(d trace.Decision) (to string) {
	a, err := world.DecodeAction(d.Executed)
	if err != nil {
		return ""
	}
	for arg := range world.Arguments(a) {
		switch {
		case arg.Slot() == world.SlotTo:
			return arg.Text
		case arg.Slot() == world.SlotID:
			to = writerOf(arg.Text)
		}
	}
	return to
}

// writerOf is who wrote the message or terms with an id, KIND-TICK-AGENT-NUMBER; empty for another id.
func writerOf(id string) string {
	parts := strings.SplitN(id, "-", 3)
	if len(parts) < 3 {
		return ""
	}
	last := strings.LastIndexByte(parts[2], '-')
	if last < 0 {
		return ""
	}
	return parts[2][:last]
}

// goals passes on the goals at the end of the run, and those that were met and are no goals any more.
func (w *walk) goals() error {
	var list []GoalRow
	if w.end != nil {
		for _, g := range w.end.Goals {
			list = append(list, GoalRow{Of: w.Of, Goal: g.GoalID, Agent: g.AgentID, Text: g.Text, MetAt: g.MetAt,
				Now: new(g.Now), AtLeast: new(g.AtLeast)})
		}
	}
	for _, g := range w.met {
		same := func(other GoalRow) bool { return other.Agent == g.Agent && other.Goal == g.Goal && other.MetAt != nil }
		if !slices.ContainsFunc(list, same) {
			list = append(list, g)
		}
	}
	for _, g := range list {
		if err := w.row(g); err != nil {
			return err
		}
	}
	return nil
}
