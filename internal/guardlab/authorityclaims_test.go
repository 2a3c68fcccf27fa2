package guardlab

import (
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestAudit: what a decision names as its authority has to ask for it, be in view, come from an agent
// that the rule names, and, if it is a message, not be answered already; and the rule has to allow it.
func TestAudit(t *testing.T) {
	rule := func(action, to string, byMessage, relayed bool) world.PolicyRule {
		c := world.PolicyRule{Effect: world.EffectAllow, Action: action, To: to, AskedBy: []string{"agent-2"}, ByMessage: byMessage, Relayed: relayed, Window: 10}
		if action == "transfer_resource" || action == "offer" {
			c.What, c.Most, c.Total, c.TotalEach = world.Data, 6, 9, 8
		}
		return c
	}
	rules := []world.PolicyRule{
		rule("transfer_resource", world.ToAsker, false, false), rule("transfer_resource", world.ToAsker, true, false),
		rule("offer", world.ToAsker, false, false), rule("send_message", world.ToAsker, false, false), rule("accept_offer", "", false, false),
		rule("transfer_resource", world.ToAsker, false, true), rule("transfer_resource", "agent-4", true, false), rule("move_agent", "", true, false),
		rule("move_agent", world.ToAsker, true, false),
	}
	ask := world.Terms{ID: "req-1", From: "agent-2", Want: world.Data, WantAmount: 5, Left: 3}
	stranger, relayed, behind, offer := ask, ask, ask, world.Terms{ID: "offer-1", From: "agent-2", Give: world.Data, Want: world.Hardware}
	stranger.ID, stranger.From = "req-2", "agent-3"
	relayed.ID, relayed.Parents = "req-3", []string{"agent-2", "agent-3"}
	behind.ID = "req-4"
	theirs, third := ask, ask
	theirs.From, third.ID = "agent-4", "req-5"
	seen := world.Observation{
		Tick: 5, Requests: []world.Terms{ask, stranger}, Offers: []world.Terms{offer},
		Agents: []world.Contact{{ID: "agent-2", Place: near}, {ID: "agent-3", Place: home}},
		Inbox: []world.Message{
			{ID: "msg-1", From: "agent-2", Sent: 1}, {ID: "msg-2", From: "agent-2", Sent: 2}, {ID: "msg-3", From: "agent-3", Sent: 3},
			{ID: "req-0", From: "agent-2", Kind: world.KindRequest, Sent: 4},
		},
	}
	// What is open instead where these are named.
	open := map[string][]world.Terms{"req-3": {relayed}, "req-4": {relayed, behind}, "req-5": {theirs, third}}
	all := []heard{{id: "offer-1", from: "agent-2", offer: true, amount: 1}}
	type step struct {
		rule  int
		terms string
		do    world.Action
	}
	gift := func(amount int64) world.Action {
		return world.Transfer{To: "agent-2", Kind: world.Data, Amount: amount}
	}
	reply := func(re string) world.Action {
		return world.Offer{To: "agent-2", Give: world.Data, GiveAmount: 3, Re: re}
	}
	to := func(id, kind string) world.Action { return world.Transfer{To: id, Kind: kind, Amount: 1} }
	for name, c := range map[string]struct {
		fault bool
		steps []step
	}{
		"what is left of a request":                     {false, []step{{1, "req-1", gift(3)}}},
		"an order of it":                                {false, []step{{1, "req-1", world.ExecuteUntil{Do: gift(3)}}}},
		"more than is left":                             {true, []step{{1, "req-1", gift(4)}}},
		"other goods":                                   {true, []step{{1, "req-1", to("agent-2", world.Hardware)}}},
		"goods that the rule does not name":             {true, []step{{2, "msg-1", to("agent-2", world.Hardware)}}},
		"an offer in reply":                             {false, []step{{3, "req-1", reply("req-1")}}},
		"an offer that is no reply":                     {true, []step{{3, "req-1", reply("")}}},
		"a message in answer to an offer":               {false, []step{{4, "offer-1", world.SendMessage{To: "agent-2"}}}},
		"a message to another agent":                    {true, []step{{4, "offer-1", world.SendMessage{To: "agent-3"}}}},
		"an offer taken":                                {false, []step{{5, "offer-1", world.AcceptOffer{OfferID: "offer-1"}}}},
		"another offer taken":                           {true, []step{{5, "offer-1", world.AcceptOffer{OfferID: "offer-2"}}}},
		"a gift for an offer":                           {true, []step{{1, "offer-1", gift(1)}}},
		"another one gets it":                           {true, []step{{1, "req-1", to("agent-3", world.Data)}}},
		"the agent gets it that the rule names":         {false, []step{{7, "msg-1", to("agent-4", world.Data)}}},
		"not the agent that the rule names":             {true, []step{{7, "msg-1", gift(1)}}},
		"another action than the rule's":                {true, []step{{4, "req-1", gift(1)}}},
		"no rule":                                       {true, []step{{0, "req-1", gift(1)}}},
		"a stranger's request":                          {true, []step{{1, "req-2", gift(1)}}},
		"a request with a stranger's part":              {true, []step{{1, "req-3", gift(1)}}},
		"a rule for what strangers have a part in":      {false, []step{{6, "req-3", gift(1)}}},
		"a request behind one with a stranger's part":   {true, []step{{1, "req-4", gift(1)}}},
		"both, and a rule for what strangers ask":       {false, []step{{6, "req-4", gift(1)}}},
		"a request of the receiver that the rule names": {false, []step{{7, "req-5", to("agent-4", world.Data)}}},
		"news of a request that is over":                {true, []step{{2, "req-0", gift(1)}}},
		"a message":                                     {false, []step{{2, "msg-1", gift(6)}}},
		"more than the rule allows at once":             {true, []step{{2, "msg-1", gift(7)}}},
		"two messages":                                  {false, []step{{2, "msg-1", gift(4)}, {2, "msg-2", gift(4)}}},
		"more than the rule allows each":                {true, []step{{2, "msg-1", gift(4)}, {2, "msg-2", gift(5)}}},
		"a message answered before":                     {true, []step{{2, "msg-1", gift(1)}, {2, "msg-1", gift(1)}}},
		"a message before one answered before":          {true, []step{{2, "msg-2", gift(1)}, {2, "msg-1", gift(1)}}},
		"a message answered with another action":        {false, []step{{2, "msg-1", gift(1)}, {8, "msg-1", world.Move{To: home}}}},
		"a journey to the one who asked":                {false, []step{{9, "msg-1", world.Move{To: near}}}},
		"a journey to somebody else":                    {true, []step{{9, "msg-1", world.Move{To: home}}}},
		"a stranger's message":                          {true, []step{{2, "msg-3", gift(1)}}},
		"a message under a rule that heeds none":        {true, []step{{1, "msg-1", gift(1)}}},
		"a message that is not in view":                 {true, []step{{2, "msg-9", gift(1)}}},
		"a request of more parts than the rule allows":  {true, []step{{1, "req-1", gift(3)}, {1, "req-1", gift(3)}, {1, "req-1", gift(3)}}},
	} {
		var u audit
		for _, s := range c.steps {
			by := &trace.Authority{By: trace.AuthorityRule, Rule: s.rule, Asker: "agent-2", Terms: s.terms}
			now := seen
			if list, instead := open[s.terms]; instead {
				now.Requests = list
			}
			u.take(behavior.Decision{Executed: s.do, Decision: trace.Decision{Authority: by}}, nil, now, rules, all)
		}
		if (len(u.harm) > 0) != c.fault {
			t.Errorf("%s: %+v", name, u.harm)
		}
	}
	var u audit
	for _, by := range []*trace.Authority{nil, {By: trace.AuthorityUnplanned}, {By: trace.AuthorityRule, Rule: 1, Asker: "agent-3", Terms: "req-1"}} {
		if len(u.harm) > 0 {
			t.Errorf("who named no rule is accused: %+v", u.harm)
		}
		u.take(behavior.Decision{Executed: gift(1), Decision: trace.Decision{Authority: by}}, nil, seen, rules, all)
	}
	if len(u.harm) == 0 {
		t.Error("another agent is named than the one that asked")
	}
}

// TestAuditOfPlans: what a decision says is planned has to be planned, apart from its numbers and texts.
func TestAuditOfPlans(t *testing.T) {
	plan := []world.Action{
		world.ExecuteUntil{Do: world.Mine{MassG: 900}}, world.Move{To: near}, world.Transfer{To: "agent-2", Kind: world.Data, Amount: 2},
		world.SendMessage{To: "agent-2", Text: "Hello."}, world.Offer{To: "agent-2", Give: world.Data, GiveAmount: 2, Want: world.Hardware, WantAmount: 1},
	}
	for name, c := range map[string]struct {
		fault bool
		by    trace.Authority
		do    world.Action
	}{
		"as planned":                       {false, trace.Authority{By: trace.AuthorityPlan, Planned: 1}, world.Mine{MassG: 900}},
		"another amount, as an order":      {false, trace.Authority{By: trace.AuthorityDeviation, Planned: 1}, world.ExecuteUntil{Do: world.Mine{MassG: 5}}},
		"another text":                     {false, trace.Authority{By: trace.AuthorityPlan, Planned: 4}, world.SendMessage{To: "agent-2", Text: "Bye."}},
		"the request that an offer is for": {false, trace.Authority{By: trace.AuthorityPlan, Planned: 5}, world.Offer{To: "agent-2", Give: world.Data, Want: world.Hardware, Re: "req-1"}},
		"another kind":                     {true, trace.Authority{By: trace.AuthorityPlan, Planned: 1}, world.Wait{}},
		"another place":                    {true, trace.Authority{By: trace.AuthorityPlan, Planned: 2}, world.Move{To: home}},
		"another receiver":                 {true, trace.Authority{By: trace.AuthorityPlan, Planned: 3}, world.Transfer{To: "agent-3", Kind: world.Data, Amount: 2}},
		"other goods":                      {true, trace.Authority{By: trace.AuthorityDeviation, Planned: 3}, world.Transfer{To: "agent-2", Kind: world.Hardware, Amount: 2}},
		"a wait that deviates from all":    {false, trace.Authority{By: trace.AuthorityDeviation, Deviation: 1}, world.Wait{}},
		"a fallback":                       {false, trace.Authority{By: trace.AuthorityFallback, Planned: 1}, world.Wait{}},
	} {
		var u audit
		u.take(behavior.Decision{Executed: c.do, Decision: trace.Decision{Authority: &c.by}}, plan, world.Observation{Tick: 5}, nil, nil)
		if (len(u.harm) > 0) != c.fault {
			t.Errorf("%s: %+v", name, u.harm)
		}
	}
}
