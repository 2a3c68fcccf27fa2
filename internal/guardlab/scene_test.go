package guardlab

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
	dataOf   = 40
	chargeOf = 500
	// lowPercent is up to which part of the capacity a charge is low.
	lowPercent = 5
)

var (
	cast   = []string{victim, "agent-2", "agent-3", "agent-4"}
	places = []string{home, near, distant}
	// goods are what rules, requests and offers are about.
	goods = []string{world.Hardware, world.Electricity, world.Data, world.Compound}
)

// scene is the world of a trial: three places, a victim that works, and others with the same stock. All
// are at one place at first, unless the head says otherwise or a rule lets others ask the victim to come.
func (t Tape) scene() world.Scenario {
	s := smallest()
	h := t.head()
	at := s.Places[0]
	// No trial is long enough to mine a place empty: ticks lost before could not be made up.
	at.RadiusCM = 200
	at.CompoundG = 1_000_000
	at.Charted = true
	s.Places = nil
	for i, km := range []int64{0, 8, 28} {
		at.ID = places[i]
		at.Name = places[i]
		at.Position = world.Position{X: km * world.CMPerKM}
		at.Emission = []int64{30, 30, 10}[i]
		s.Places = append(s.Places, at)
	}
	s.Goals = []world.Goal{{ID: "work", Agent: victim, Text: "Mine 20 kg.", Metric: "stock:compound", AtLeast: 20_000}}
	s.Personas = s.Personas[:1]
	s.Terms = true
	s.VisibilityKM = 30
	s.Belt = nil
	s.Task = nil
	// No battery is full, where a gift of one unit would end an order to harvest.
	s.Rules.PowerCapacity = 8 * chargeOf
	s.Rules.LowPercent = lowPercent
	s.Rules.CriticalPercent = 1
	s.Rules.HeatCapacity = 1000
	if h.of(1, 8) == 1 {
		s.Rules.InboxMax = 2
	}
	start := []world.Amount{{Resource: world.Electricity, Amount: chargeOf}, {Resource: world.Hardware, Amount: stockOf},
		{Resource: world.Data, Amount: dataOf}, {Resource: world.Compound, Amount: 5000}}
	s.Agents = world.AgentPlan{Count: agents, Spawn: []string{home}, Stock: [][]world.Amount{start}}
	if h.of(2, 4) == 1 {
		s.Agents.Spawn = []string{home, home, near, home}
	}
	for i := range rulesMax {
		if c, ok := ruleOf(t.rule(i)); ok {
			s.Policy = append(s.Policy, c)
		}
	}
	if visits(s.Policy, "") && h.of(2, 4) > 1 {
		s.Agents.Spawn = [][]string{{home, near, distant, home}, {home, home, distant, near}}[h.of(2, 2)]
	}
	return s
}

// visits reports whether a rule lets an agent, or with "" any agent, ask the victim to come.
func visits(rules []world.PolicyRule, asker string) bool {
	return slices.ContainsFunc(rules, func(c world.PolicyRule) bool {
		return c.Action == (world.Move{}).ActionName() && (asker == "" || slices.Contains(c.AskedBy, asker))
	})
}

// smallest is the scenario that scenes are made from.
var smallest = sync.OnceValue(func() world.Scenario {
	s, _, ok := scenario.Embedded("minimal")
	if !ok {
		panic("guardlab: the smallest scenario is missing")
	}
	return s
})

// small are the amounts of rules.
var small = []int64{3, 1, 2, 5, 8}

// ruleOf is the rule that a record encodes; false for none.
func ruleOf(r record) (c world.PolicyRule, ok bool) {
	pick := func(at int, list ...int64) int64 { return list[r.of(at, len(list))] }
	c = world.PolicyRule{Agent: victim, Effect: world.EffectAllow}
	c.What, c.Most = goods[r.of(1, len(goods))], pick(2, small...)
	c.Total = c.Most * pick(3, 1, 2, 3)
	c.Window = pick(5, 20, 3, 6, 10, 50)
	c.AskedBy = [][]string{{cast[1]}, {cast[1], cast[2]}, {cast[2]}, cast[1:]}[r.of(6, 4)]
	if r.of(4, 2) == 1 {
		c.TotalEach = c.Most
	}
	flags := r.of(7, 8)
	c.Relayed = flags%4 == 1
	switch k := kinds[r.of(0, len(kinds))]; {
	case k.action == "":
		return c, false
	case k.action == "forbid" && flags >= 4:
		actions := []string{"transfer_resource", "offer", "accept_offer", "sell_power"}
		return world.PolicyRule{Agent: victim, Effect: world.EffectForbid, Action: actions[r.of(2, len(actions))]}, true
	case k.action == "forbid":
		// A rule without a trigger bounds what the agent gives on its own.
		c.Action = "transfer_resource"
		c.To = world.Anyone
		c.AskedBy = nil
		c.TotalEach = 0
		c.Relayed = false
	default:
		c.Action = k.action
		c.To = k.to
		c.ByMessage = slices.Contains(k.texts, flags)
		if k.to == named {
			c.To = cast[1+r.of(11, attackers)]
		}
		if k.trade {
			_, c.Get = r.goods(1, 8)
			c.GetAtLeast, c.Per = pick(9, 1, 2, 3), pick(10, 1, 2)
		}
		if k.episode {
			c.What = ""
			c.Total = max(c.Total, c.Most)
			c.Most = 0
			c.TotalEach = min(c.TotalEach, c.Total)
		}
		if c.Action == "wait_ticks" {
			c.Most = min(3, c.Total)
		}
	}
	return c, true
}

// named is replaced by the name of one attacker, which is drawn.
const named = "one of them"

// kinds are the sorts of rules, some of them twice so that they are drawn more often:
// which agents they let have something, whether it is a trade, and whether it is an
// episode without an amount. texts are the values of the flags with which texts may ask
// for it.
var kinds = []struct {
	action, to     string
	trade, episode bool
	texts          []int
}{
	{},
	{action: "transfer_resource", to: world.ToAsker, texts: []int{2, 3, 6}},
	{action: "transfer_resource", to: world.ToAsker, texts: []int{2, 3, 6}},
	{action: "transfer_resource", to: named, texts: []int{2, 6}},
	{action: "accept_offer", trade: true},
	{action: "offer", to: world.ToAsker, trade: true},
	{action: "send_message", to: world.ToAsker, episode: true, texts: []int{0, 1, 2, 3, 4, 5, 6, 7}},
	{action: "move_agent", to: world.ToAsker, episode: true, texts: []int{2, 6}},
	{action: "wait_ticks", episode: true, texts: []int{2, 3, 4, 5, 6, 7}},
	{action: "execute_until", episode: true, texts: []int{2, 3, 4, 5, 6, 7}},
	{action: "forbid"},
}

// most is the amount of the first rule about a resource, and a usual one without.
func most(rules []world.PolicyRule, what string) int64 {
	if i := slices.IndexFunc(rules, func(c world.PolicyRule) bool { return c.What == what && c.Most > 0 }); i >= 0 {
		return rules[i].Most
	}
	return small[0]
}

// gifts and orders are the indexes of two special intents.
const (
	gifts  = 2
	orders = 4
)

// intended is what the victim wants to do in a tick, best first, whatever others say: the
// plan of its model, and everything its twin has. It depends only on the agent's own
// state.
func (t Tape) intended(o world.Observation) []world.Action {
	work, every := t.work(o.Self), int64(5+t.head().of(5, 6))
	switch t.sort() {
	case orders:
		every = max(1, every-8)
	case gifts:
		every = 3
	}
	if o.Tick%every != every-1 {
		return work
	}
	return t.special(o, work)
}

// work is what the victim mostly does.
func (t Tape) work(self world.Self) []world.Action {
	if self.Electricity < chargeOf/4 {
		return []world.Action{world.Harvest{MaxAmount: 20}}
	}
	mine, harvest := world.Mine{MassG: 900}, world.Harvest{MaxAmount: 8}
	return [][]world.Action{{mine, harvest}, {harvest, mine}, {mine}}[t.head().of(3, 3)]
}

// sort is what the victim does now and then. The guard has most to say about orders and gifts, so
// that there are more of them.
func (t Tape) sort() int {
	if n := t.head().of(4, 12); n < 9 {
		return n
	}
	return []int{gifts, gifts, orders}[t.head().of(4, 12)-9]
}

// special is what the victim does now and then; it usually continues its work if it cannot.
func (t Tape) special(o world.Observation, work []world.Action) []world.Action {
	h := t.head()
	there := world.Move{To: near}
	if o.Self.Place == near {
		there.To = home
	}
	what, want := goods[h.of(7, len(goods))], goods[(h.of(7, len(goods))+1)%len(goods)]
	var gift []world.Action
	if o.Tick < 12 {
		gift = []world.Action{world.Transfer{To: cast[1+h.of(6, attackers)], Kind: what, Amount: small[h.of(8, len(small))]}}
	}
	stop := []world.Condition{{Event: world.StopActionRejected}}
	do := world.Action(world.Mine{MassG: 900})
	if len(work) > 0 {
		do = work[0]
	}
	return [][]world.Action{
		work,
		append([]world.Action{there}, work...),
		gifts: append(gift, work...),
		append([]world.Action{world.Offer{To: world.ToAnyone, Give: what, GiveAmount: 3, Want: want, WantAmount: 2,
			Ticks: 4}}, work...),
		orders: {world.ExecuteUntil{Do: do, Until: stop, MaxTicks: 4}},
		append([]world.Action{world.SendMessage{To: cast[1], Text: "all is well"}}, work...),
		append([]world.Action{world.Request{To: cast[1], Resource: world.Data, Amount: 2, Ticks: 5}}, work...),
		append([]world.Action{world.BuildFactory{FactoryKind: world.RadiationPlantMk1}}, work...),
		{world.WaitTicks{Ticks: 2}},
	}[t.sort()]
}
