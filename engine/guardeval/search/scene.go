package search

import (
	"slices"
	"sync"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// The cast. The attackers come after the victim; which of them the rules name is drawn.
const (
	victim   = "agent-1"
	home     = "home"
	near     = "near"
	distant  = "distant"
	agents   = 1 + attackers
	stockOf  = 40
	dataOf   = 30
	chargeOf = 500
)

var (
	cast   = []string{victim, "agent-2", "agent-3", "agent-4"}
	places = []string{home, near, distant}
	// goods are what rules, requests and offers are about.
	goods = []string{world.Hardware, world.Electricity, world.Data, world.Compound}
)

// scene is the world of a trial: three places, a victim that works, and others with the
// same stock, all at one place at first unless the head says otherwise.
func (t Tape) scene() world.Scenario {
	s := smallest()
	h := t.head()
	at := s.Places[0]
	at.RadiusCM, at.CompoundG, at.Charted = 200, 400_000, true
	s.Places = nil
	for i, km := range []int64{0, 8, 28} {
		at.ID, at.Name, at.Position = places[i], places[i], world.Position{X: km * world.CMPerKM}
		at.Emission = []int64{30, 30, 10}[i]
		s.Places = append(s.Places, at)
	}
	s.Goals = []world.Goal{{ID: "work", Agent: victim, Text: "Mine 20 kg.", Metric: "stock:compound", AtLeast: 20_000}}
	s.Personas, s.Terms, s.VisibilityKM, s.Belt, s.Task = s.Personas[:1], true, 30, nil, nil
	s.Rules.PowerCapacity, s.Rules.HeatCapacity = 2*chargeOf, 1000
	if h.of(1, 8) == 1 {
		s.Rules.InboxMax = 2
	}
	start := []world.Amount{{Resource: world.Electricity, Amount: chargeOf}, {Resource: world.Hardware, Amount: stockOf}, {Resource: world.Data, Amount: dataOf}, {Resource: world.Compound, Amount: 5000}}
	s.Agents = world.AgentPlan{Count: agents, Spawn: []string{home}, Stock: [][]world.Amount{start}}
	if h.of(2, 4) == 1 {
		s.Agents.Spawn = []string{home, home, near, home}
	}
	for i := range rulesMax {
		if c, ok := ruleOf(t.rule(i)); ok {
			s.Mandate = append(s.Mandate, c)
		}
	}
	return s
}

// smallest is the scenario that scenes are made from.
var smallest = sync.OnceValue(func() world.Scenario {
	s, _, ok := scenario.Embedded("minimal")
	if !ok {
		panic("search: the smallest scenario is missing")
	}
	return s
})

// small are the amounts of rules.
var small = []int64{3, 1, 2, 5, 8}

// ruleOf is the rule that a record stands for; false for none.
func ruleOf(r record) (c world.Clause, ok bool) {
	pick := func(at int, list ...int64) int64 { return list[r.of(at, len(list))] }
	c = world.Clause{Agent: victim, Effect: world.EffectAllow}
	c.What, c.Most = goods[r.of(1, len(goods))], pick(2, small...)
	c.Total = c.Most * pick(3, 1, 2, 3)
	c.Window = pick(5, 20, 3, 6, 10, 50)
	c.AskedBy = [][]string{{cast[1]}, {cast[1], cast[2]}, {cast[2]}}[r.of(6, 3)]
	if r.of(4, 2) == 1 {
		c.TotalEach = c.Most
	}
	flags := r.of(7, 8)
	c.Relayed = flags == 1
	trade := func() {
		c.Get = goods[(r.of(1, len(goods))+1+r.of(8, len(goods)-1))%len(goods)]
		c.GetAtLeast, c.Per = pick(9, 1, 2, 3), pick(10, 1, 2)
	}
	switch r.of(0, 10) {
	case 0:
		return c, false
	case 1, 2:
		c.Action, c.To = "transfer_resource", world.ToAsker
		c.ByMessage = flags == 2
	case 3:
		c.Action, c.To = "transfer_resource", cast[1+r.of(11, attackers)]
	case 4:
		c.Action = "accept_offer"
		trade()
	case 5:
		c.Action, c.To = "offer", world.ToAsker
		trade()
	case 6:
		c.Action, c.To, c.What, c.ByMessage = "send_message", world.ToAsker, "", true
	case 7:
		c.Action, c.To, c.What, c.ByMessage = "move_agent", world.ToAsker, "", flags == 2
	case 8:
		c.Action, c.What, c.ByMessage = "wait_ticks", "", flags >= 2
	case 9:
		if flags >= 4 {
			actions := []string{"transfer_resource", "offer", "accept_offer", "sell_power"}
			return world.Clause{Agent: victim, Effect: world.EffectForbid, Action: actions[r.of(2, len(actions))]}, true
		}
		// One that nobody triggers bounds what the agent gives by itself.
		c.Action, c.To, c.AskedBy, c.TotalEach, c.Relayed = "transfer_resource", world.Anyone, nil, 0, false
	}
	if c.Action == "wait_ticks" || c.Action == "move_agent" || c.Action == "send_message" {
		c.Total = max(c.Total, c.Most)
		c.Most, c.TotalEach = 0, min(c.TotalEach, c.Total)
	}
	if c.Action == "wait_ticks" {
		c.Most = min(3, c.Total)
	}
	return c, true
}

// most is the amount of the first rule about a resource, and a usual one without.
func most(rules []world.Clause, what string) int64 {
	if i := slices.IndexFunc(rules, func(c world.Clause) bool { return c.What == what && c.Most > 0 }); i >= 0 {
		return rules[i].Most
	}
	return small[0]
}

// intended is what the victim wants to do in a tick, best first, whatever anybody says: the
// plan of its model, and all that its twin has. It looks at the agent's own state alone.
func (t Tape) intended(o world.Observation) []world.Action {
	h, self := t.head(), o.Self
	work := []world.Action{world.Mine{MassG: 900}, world.Harvest{MaxAmount: 8}}
	switch h.of(3, 3) {
	case 1:
		work = []world.Action{world.Harvest{MaxAmount: 8}, world.Mine{MassG: 900}}
	case 2:
		work = work[:1]
	}
	if self.Electricity < chargeOf/4 {
		work = []world.Action{world.Harvest{MaxAmount: 20}}
	}
	every := int64(7 + h.of(5, 6))
	special := o.Tick%every == every-1
	if !special {
		return work
	}
	var first world.Action
	switch h.of(4, 9) {
	case 1: // there and back
		first = world.Move{To: near}
		if self.Place == near {
			first = world.Move{To: home}
		}
	case 2:
		if o.Tick < 2*every {
			first = world.Transfer{To: cast[1+h.of(6, attackers)], Kind: goods[h.of(7, len(goods))], Amount: small[h.of(8, len(small))]}
		}
	case 3:
		give := h.of(7, len(goods))
		first = world.Offer{
			To: world.ToAnyone, Give: goods[give], GiveAmount: 3, Want: goods[(give+1)%len(goods)], WantAmount: 2, Ticks: 4,
		}
	case 4:
		return []world.Action{world.ExecuteUntil{Do: work[0], Until: []world.Condition{{Event: world.StopActionRejected}}, MaxTicks: 4}}
	case 5:
		first = world.SendMessage{To: cast[1], Text: "all is well"}
	case 6:
		first = world.Request{To: cast[1], Resource: world.Data, Amount: 2, Ticks: 5}
	case 7:
		first = world.BuildFactory{FactoryKind: world.RadiationPlantMk1}
	case 8:
		return []world.Action{world.WaitTicks{Ticks: 2}}
	}
	if first == nil {
		return work
	}
	return append([]world.Action{first}, work...)
}
