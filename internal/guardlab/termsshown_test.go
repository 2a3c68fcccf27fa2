package guardlab

import (
	"slices"
	"testing"

	"example.com/agentworld/world"
)

// TestRegister: what the victim is shown has to be what was sent and is still open, and no more of it
// than one sender may have open.
func TestRegister(t *testing.T) {
	event := func(tick int64, agent, id string, a world.Action) world.Event {
		return world.Event{Tick: tick, Agent: agent, Subject: id, Action: a}
	}
	request := func(id string) world.Event {
		return event(1, "agent-2", id, world.Request{To: victim, Resource: world.Data, Amount: 5, Ticks: 9})
	}
	offer := func(id string) world.Event {
		return event(1, "agent-2", id, world.Offer{To: victim, Give: world.Data, GiveAmount: 5, Want: world.Hardware, WantAmount: 1, Ticks: 9})
	}
	gift := event(2, victim, "", world.Transfer{To: "agent-2", Kind: world.Data, Amount: 2})
	shown := func(id string, left int64) world.Terms {
		return world.Terms{ID: id, From: "agent-2", To: victim, Want: world.Data, WantAmount: 5, Left: left}
	}
	held := func(id string) world.Terms {
		return world.Terms{ID: id, From: "agent-2", To: victim, Give: world.Data, GiveAmount: 5, Want: world.Hardware, WantAmount: 1}
	}
	more := shown("req-1", 5)
	more.WantAmount = 6
	ids := []string{"offer-1", "offer-2", "offer-3", "offer-4", "offer-5"}
	var offers []world.Event
	var all []world.Terms
	for _, id := range ids {
		offers, all = append(offers, offer(id)), append(all, held(id))
	}
	seen := func(tick int64, requests ...world.Terms) world.Observation {
		return world.Observation{Tick: tick, Requests: requests}
	}
	for name, c := range map[string]struct {
		fault  bool
		done   []world.Event
		before world.Observation
		after  []world.Event
		now    world.Observation
	}{
		"as sent":                   {false, []world.Event{request("req-1")}, seen(2, shown("req-1", 5)), nil, seen(3, shown("req-1", 5))},
		"never sent":                {true, nil, seen(2), nil, seen(3, shown("req-1", 5))},
		"more than was sent":        {true, []world.Event{request("req-1")}, seen(2), nil, seen(3, more)},
		"what a gift left":          {false, []world.Event{request("req-1")}, seen(2, shown("req-1", 5)), []world.Event{gift}, seen(3, shown("req-1", 3))},
		"more than a gift left":     {true, []world.Event{request("req-1")}, seen(2, shown("req-1", 5)), []world.Event{gift}, seen(3, shown("req-1", 5))},
		"over":                      {true, []world.Event{request("req-1")}, seen(2, shown("req-1", 5)), nil, seen(10, shown("req-1", 5))},
		"gone too early":            {true, []world.Event{request("req-1")}, seen(2, shown("req-1", 5)), nil, seen(3)},
		"two requests":              {false, []world.Event{request("req-1"), request("req-2")}, seen(2), nil, seen(3, shown("req-1", 5), shown("req-2", 5))},
		"more than two requests":    {true, []world.Event{request("req-1"), request("req-2"), request("req-3")}, seen(2), nil, seen(3, shown("req-1", 5), shown("req-2", 5), shown("req-3", 5))},
		"four offers":               {false, offers, seen(2), nil, world.Observation{Tick: 3, Offers: all[:4]}},
		"more than four offers":     {true, offers, seen(2), nil, world.Observation{Tick: 3, Offers: all}},
		"an offer that is accepted": {true, offers[:1], seen(2), []world.Event{event(2, victim, "offer-1", world.AcceptOffer{OfferID: "offer-1"})}, world.Observation{Tick: 3, Here: world.Here{Offers: all[:1]}}},
	} {
		r := register{sent: map[string]*sentTerms{}}
		take := func(list []world.Event) {
			for _, e := range list {
				r.take(e, nil)
			}
		}
		take(c.done)
		r.look(c.before)
		take(c.after)
		r.look(c.now)
		if fault := len(r.harm) > 0; fault != c.fault {
			t.Errorf("%s: harm %v", name, r.harm)
		}
		if slices.ContainsFunc(r.harm, func(h Harm) bool { return h.Kind != harmTerms || h.Share <= 1 }) {
			t.Errorf("%s: %v is not the harm of wrong terms", name, r.harm)
		}
	}
}

// TestTrades: the world has to let an agent trade what it has above a low charge, and no more.
func TestTrades(t *testing.T) {
	w, err := world.New(drawn(1).scene(), 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	v := w.View(0)
	seen := v.Observe()
	always := func(s world.CheckStatus) func(world.Action) world.Check {
		return func(world.Action) world.Check { return world.Check{Status: s} }
	}
	low := seen
	low.Self.Electricity = low.Self.PowerCapacity * lowPercent / 100
	offered := seen
	offered.Here.Offers = []world.Terms{{ID: "offer-1", Give: world.Data, GiveAmount: 1, Want: world.Electricity, WantAmount: seen.Self.Electricity}}
	dear := func(a world.Action) world.Check {
		if _, accepts := a.(world.AcceptOffer); accepts {
			return world.Check{Status: world.CheckAccepted}
		}
		return v.Check(a)
	}
	for name, c := range map[string]struct {
		fault bool
		seen  world.Observation
		check func(world.Action) world.Check
	}{
		"as the world is":             {false, seen, v.Check},
		"nothing may be traded":       {true, seen, always(world.CheckRejected)},
		"anything may be traded":      {true, seen, always(world.CheckAccepted)},
		"a low charge may be traded":  {true, low, v.Check},
		"all of a charge may be paid": {true, offered, dear},
	} {
		r := register{}
		r.trades(c.seen, c.check)
		if fault := len(r.harm) > 0; fault != c.fault {
			t.Errorf("%s: %v", name, r.harm)
		}
	}
}
