package world

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// PolicyRule is one rule that the operator of a scenario gives to its agents: what an agent may
// do or must not do, and whose messages may cause it. The world itself does not enforce
// rules. They bind the deciding agent, whose decisions are checked before they are committed.
//
// An empty condition fits everything: a rule without conditions is about every action of
// its kind.
type PolicyRule struct {
	// Agent is whom it binds: an agent's id, or "*" for every agent.
	Agent string `toml:"agent" json:"agent"`
	// Effect is "allow" or "forbid"; allow where a file says nothing.
	Effect string `toml:"effect" json:"effect"`
	// Action is the name of an action, execute_until included, or "*" for all. A
	// plain wait is always allowed.
	Action string `toml:"action" json:"action"`
	// To is the agent or place that the action must be directed to: an id, or "*" for any. In
	// an allow, "asker" is the agent that asked; for move_agent it is the place where that
	// agent is seen. For accept_offer To is who made the offer. If askers may ask for an
	// action directed to an agent, a file may leave To out for "asker".
	To string `toml:"to" json:"to,omitempty"`
	// What is the resource, recipe, kind of factory or side that the action must name; of a
	// trade the resource given.
	What string `toml:"what" json:"what,omitempty"`
	// At is the id of the place where the agent must be.
	At string `toml:"at" json:"at,omitempty"`
	// Most is the highest amount of one action, of a trade the highest amount given; for
	// execute_until the most attempts. 0 sets no limit; a file leaves it out instead.
	Most int64 `toml:"most" json:"most,omitempty"`
	// Total is the highest sum of the amounts of an agent's actions that fit the rule, over
	// the window or the run. An action without an amount counts 1. 0 sets no limit; a file
	// leaves it out instead.
	Total int64 `toml:"total" json:"total,omitempty"`
	// AskedBy lists the agents that may cause the action, "*" for all agents; empty means
	// none. A rule with askers needs a total and a window.
	AskedBy []string `toml:"asked_by" json:"asked_by,omitempty"`
	// Window makes Total and TotalEach sums over the last so many ticks; 0 is the whole run.
	Window int64 `toml:"window" json:"window,omitempty"`
	// TotalEach is the highest sum for each agent that asks; 0 sets no limit.
	TotalEach int64 `toml:"total_each" json:"total_each,omitempty"`
	// ByMessage lets any message of an agent in AskedBy cause the action. Without it
	// only open requests and offers do.
	ByMessage bool `toml:"by_message" json:"by_message,omitempty"`
	// Relayed lets an agent in AskedBy pass on what others ask for. Without it the parents of
	// what it says must be in AskedBy too.
	Relayed bool `toml:"relayed" json:"relayed,omitempty"`
	// Get is the resource a trade must bring, at least GetAtLeast of it for each Per given; a
	// Per of 0 is 1.
	Get        string `toml:"get" json:"get,omitempty"`
	GetAtLeast int64  `toml:"get_at_least" json:"get_at_least,omitempty"`
	Per        int64  `toml:"per" json:"per,omitempty"`
}

// Binds reports whether the rule binds an agent.
func (c PolicyRule) Binds(agent string) bool { return c.Agent == Anyone || c.Agent == agent }

// Names reports whether the rule allows something directed to an agent, or something that the agent
// may ask for. A rule about all agents names none.
func (c PolicyRule) Names(agent string) bool {
	return c.Effect == EffectAllow && (c.To == agent || slices.Contains(c.AskedBy, agent))
}

// Lifts reports whether an allow is narrower than a forbid, so that it holds where both describe an
// action: it has more conditions, or as many and names an action where the forbid is about all.
func (c PolicyRule) Lifts(forbid PolicyRule) bool {
	own, other := c.conditions(), forbid.conditions()
	if more := bits.OnesCount(own) - bits.OnesCount(other); more != 0 {
		return more > 0
	}
	return own == other && forbid.Action == Anyone && c.Action != Anyone
}

// conditions is the set of conditions that narrow the rule: a bit each for agent, to, what and at.
func (c PolicyRule) conditions() (set uint) {
	for i, narrows := range [...]bool{c.Agent != Anyone, c.To != "" && c.To != Anyone, c.What != "", c.At != ""} {
		if narrows {
			set |= 1 << i
		}
	}
	return set
}

// RateMet reports whether a trade that gives an amount and brings got of [PolicyRule.Get] brings at
// least what the rule wants for it. It is false if one of them is negative.
func (c PolicyRule) RateMet(given, got int64) bool {
	return c.GetAtLeast == 0 || AtLeast(got, max(1, c.Per), c.GetAtLeast, given)
}

// Unheard says why nothing that others send can ask for what the rule allows; "" if something can.
// Messages do under a rule with ByMessage; else, with typed, in a scenario with requests and offers,
// those terms. They ask for gifts, trades, answers and journeys only.
func (c PolicyRule) Unheard(typed bool) string {
	if c.ByMessage {
		return ""
	}
	switch c.Action {
	case Anyone, "transfer_resource", "offer", "accept_offer", "decline", "send_message", "move_agent", "execute_until":
		if typed {
			return ""
		}
		return "without terms = true there are no requests and offers, and without by_message no message counts"
	}
	return "no request or offer asks for " + c.Action + ", and without by_message no message counts"
}

// The effects of a rule, and the receiver that is the agent that asked.
const (
	EffectAllow  = "allow"
	EffectForbid = "forbid"
	ToAsker      = "asker"
)

// Anyone is every agent, every action or any receiver in a [PolicyRule].
const Anyone = "*"

// The bounds of rules.
const (
	// policyRulesMax bounds the rules of a scenario: each decision is checked against all of them.
	policyRulesMax = 200
	windowMax      = 1000
	// rateMax bounds both sides of a rate, so that amounts times them stay in 64 bits.
	rateMax = 1_000_000
)

// trades are the actions that give one resource for another. The market trades data and
// electricity; in offers any two may be traded.
var trades = map[string]struct{ give, get string }{
	(Offer{}).ActionName():       {},
	(AcceptOffer{}).ActionName(): {},
	(BuyPower{}).ActionName():    {Data, Electricity},
	(SellPower{}).ActionName():   {Electricity, Data},
}

// Unit is what Most, Total and TotalEach count: the unit of the resource given or of the
// amount, attempts of an order, else actions. It is empty for a rule about all actions.
func (c PolicyRule) Unit() string {
	spec, known := specNamed(c.Action)
	trade, traded := trades[c.Action]
	what := cmp.Or(c.What, trade.give)
	switch {
	case !known:
		return ""
	case c.Action == (ExecuteUntil{}).ActionName():
		return "attempts"
	case what == Compound && (traded || spec.lists(ListsResources)):
		return compound.unit()
	case what != "" && traded:
		return unitsUnit
	case spec.has(ParamAmount):
		return spec.amount().Unit
	}
	return "actions"
}

// WithDefaults fills in what a file may leave out: the effect, and whom an action that others
// may ask for is directed to.
func (c PolicyRule) WithDefaults() PolicyRule {
	c.Effect = cmp.Or(c.Effect, EffectAllow)
	if spec, _ := specNamed(c.Action); c.Effect == EffectAllow && len(c.AskedBy) > 0 && spec.has(ParamAgent) {
		c.To = cmp.Or(c.To, ToAsker)
	}
	return c
}

// PolicyRules lists copies of the rules that bind agent n, in the order of the file. If
// [Scenario.WithAgents] changed the number of agents, rules of single agents repeat like
// personas. Agents named elsewhere in a rule are always those with these ids.
func (w *World) PolicyRules(n int) []PolicyRule {
	own := agentID(n % int(w.scenario.planned()))
	var list []PolicyRule
	for _, c := range w.scenario.Policy {
		if c.Binds(own) {
			c.AskedBy = slices.Clone(c.AskedBy)
			list = append(list, c)
		}
	}
	return list
}

// names reports whether a rule of agent n names agent m, see [PolicyRule.Names].
func (w *World) names(n, m int32) bool {
	if len(w.scenario.Policy) == 0 {
		return false
	}
	own, other := agentID(int(n)%int(w.scenario.planned())), w.agents[m].id
	return slices.ContainsFunc(w.scenario.Policy, func(c PolicyRule) bool {
		return c.Binds(own) && c.Names(other)
	})
}

// planned is the number of agents that the scenario was written for. PolicyRules depend on it
// alone, so that none changes its meaning with the number of agents in a run.
func (s Scenario) planned() int64 { return cmp.Or(s.PlannedAgents, s.Agents.Count) }

// checkPolicy resolves every name in the rules. A rule with a wrong name would never
// apply, and its author would not notice the missing protection.
func (s Scenario) checkPolicy() error {
	if len(s.Policy) > policyRulesMax {
		return fmt.Errorf("policy: %d rules, want at most %d", len(s.Policy), policyRulesMax)
	}
	var all []error
	in := s.Industry()
	for i, c := range s.Policy {
		wrong := s.checkNames(c)
		if len(wrong) == 0 { // else the rest may be wrong for the same reason
			wrong = slices.Concat(s.checkReceiver(in, c), c.checkLimits(), c.checkTrade(in), c.checkAskers())
		}
		for _, err := range wrong {
			all = append(all, fmt.Errorf("policy[%d].%w", i, err))
		}
	}
	return errors.Join(all...)
}

// checkNames checks what a rule is about.
func (s Scenario) checkNames(c PolicyRule) (all wrongs) {
	agents := fmt.Sprintf("%s to %s, or %q for every agent", agentID(0), agentID(int(s.planned())-1), Anyone)
	all.when(c.Agent == "", "agent: it is missing; allowed: %s", agents)
	all.when(c.Agent != "" && c.Agent != Anyone && !s.planning(c.Agent), "agent: there is no agent %q; allowed: %s",
		c.Agent, agents)
	all.when(c.Effect != EffectAllow && c.Effect != EffectForbid, "effect: %q is none of allow, forbid", c.Effect)
	_, known := specNamed(c.Action)
	all.when(c.Action == "", "action: it is missing; allowed: %s", clauseActions())
	all.when(c.Action != "" && !known && c.Action != Anyone, "action: there is no action %q; allowed: %s", c.Action,
		clauseActions())
	all.when(c.Action == (Wait{}).ActionName(), "action: a plain wait is always allowed and takes no rule")
	_, at := s.placeNumber(c.At)
	all.when(c.At != "" && !at, "at: there is no place %q", c.At)
	for i, id := range c.AskedBy {
		all.when(id != Anyone && !s.planning(id), "asked_by[%d]: there is no agent %q", i, id)
		all.when(slices.Contains(c.AskedBy[:i], id), "asked_by[%d]: %q is listed twice", i, id)
	}
	return all
}

// checkReceiver checks whom or what an action of a rule may be directed to, and with what. A
// receiver is allowed only if the action has one of its sort; a rule about all actions may name
// either.
func (s Scenario) checkReceiver(in *Industry, c PolicyRule) (wrong wrongs) {
	spec, _ := specNamed(c.Action)
	about, all := []ActionSpec{spec}, c.Action == Anyone
	if all {
		about = specs
	}
	sends, toPlace := about[0].has(ParamAgent), all || about[0].has(ParamPlace)
	toAgent := all || sends || c.Action == (AcceptOffer{}).ActionName()
	_, place := s.placeNumber(c.To)
	switch {
	case c.To == "" && len(c.AskedBy) > 0 && c.Effect == EffectAllow && sends:
		wrong.when(true, "to: it is missing; allowed in a rule with askers: %q, an agent, or %q", ToAsker, Anyone)
	case c.To == "", c.To == Anyone && (toAgent || toPlace):
	case !toAgent && !toPlace:
		wrong.when(true, "to: %s is directed to nobody", c.Action)
	case c.To == ToAsker && (c.Effect != EffectAllow || len(c.AskedBy) == 0 || all):
		wrong.when(true, "to: asker needs effect allow, one action directed to an agent or place, and asked_by")
	case c.To == ToAsker, toAgent && s.planning(c.To), toPlace && place:
	default:
		wrong.when(true, "to: there is no such receiver of %s: %q", c.Action, c.To)
	}
	_, trades := trades[c.Action]
	names := func(p Param) bool { return slices.Contains(in.Choices(p), c.What) }
	choice := slices.ContainsFunc(about, func(a ActionSpec) bool { return slices.ContainsFunc(a.Params, names) })
	wrong.when(c.What != "" && !trades && !choice, "what: %q is no choice of %s", c.What, c.Action)
	return wrong
}

// checkLimits allows limits only for one action, since different actions have different units.
func (c PolicyRule) checkLimits() (all wrongs) {
	limits := []valueRange{
		{"most", c.Most, 1, amountMax}, {"total", c.Total, 1, amountMax}, {"total_each", c.TotalEach, 1, amountMax},
		{"window", c.Window, 1, windowMax}, {"get_at_least", c.GetAtLeast, 1, rateMax}, {"per", c.Per, 1, rateMax},
	}
	limits = slices.DeleteFunc(limits, func(f valueRange) bool { return f.value == 0 }) // left out
	for _, f := range limits {
		if err := within([]valueRange{f}); err != nil {
			all = append(all, err)
		}
		all.when(c.Effect != EffectAllow, "%s: only an allow has limits; forbid what is beyond them by not allowing it",
			f.name)
		all.when(c.Effect == EffectAllow && c.Action == Anyone,
			"%s: %s has no amount to limit, since actions have different units; name one action", f.name, c.Action)
		all.when(c.Effect == EffectAllow && f.name == "most" && c.Unit() == "actions" &&
			c.Action != (AcceptOffer{}).ActionName() && c.Action != Anyone,
			"most: %s has no amount to limit; total counts how often it is done", c.Action)
	}
	return all
}

// checkTrade checks what a trade gives and brings. Both must be named if they are limited.
func (c PolicyRule) checkTrade(in *Industry) (all wrongs) {
	trade, trades := trades[c.Action]
	if !trades {
		all.when(c.Get != "" || c.GetAtLeast > 0 || c.Per > 0,
			"get: %s brings nothing in return; only offer, accept_offer, buy_power and sell_power do", c.Action)
		return all
	}
	limited, resources := c.Most > 0 || c.Total > 0 || c.Get != "", strings.Join(in.Resources, ", ")
	switch {
	case c.What == "":
		all.when(trade.give == "" && limited, "what: it is missing; limits of a trade count the resource given")
	case trade.give != "":
		all.when(c.What != trade.give, "what: %s gives %s, not %q", c.Action, trade.give, c.What)
	default:
		all.when(!slices.Contains(in.Resources, c.What), "what: %q is no resource; allowed: %s", c.What, resources)
	}
	switch {
	case c.Get == "":
		all.when(len(c.AskedBy) > 0, "get: it is missing; without get and get_at_least whoever may ask could have it for "+
			"next to nothing")
		all.when(c.Per > 0, "per: it counts what is given for get_at_least, which is missing")
	case trade.get != "" && c.Get != trade.get:
		all.when(true, "get: %s brings %s, not %q", c.Action, trade.get, c.Get)
	case !slices.Contains(in.Resources, c.Get):
		all.when(true, "get: %q is no resource; allowed: %s", c.Get, resources)
	default:
		all.when(c.Get == c.What, "get: a trade of %s brings something else", c.What)
	}
	all.when((c.Get == "") != (c.GetAtLeast == 0), "get_at_least: get and get_at_least are given together or not at all")
	return all
}

// checkAskers demands bounds for what others may ask for, since they may repeat a request.
func (c PolicyRule) checkAskers() (all wrongs) {
	asked := len(c.AskedBy) > 0
	switch {
	case !asked:
		all.when(c.TotalEach > 0, "total_each: it needs asked_by, those each of whom it bounds")
		all.when(c.ByMessage, "by_message: it needs asked_by, those whose messages count")
		all.when(c.Relayed, "relayed: it needs asked_by, those who may pass on what others want")
	case c.Effect != EffectAllow:
		all.when(true, "asked_by: only an allow may be asked for; a forbid holds whoever asks")
	case c.Action == (PlaceOrder{}).ActionName():
		all.when(true, "asked_by: no rule bounds the price of place_power_order; let others ask for buy_power or "+
			"sell_power, with get and get_at_least")
	case c.Action == Anyone:
		all.when(true, "asked_by: name one action; what others may ask for needs a total, and actions have different units")
	default:
		all.when(c.Total == 0, "total: it is missing; what others may ask for needs a total (%s) and a window, or they "+
			"could ask without end", c.Unit())
		all.when(c.Window == 0, "window: it is missing; allowed: 1 to %d ticks; others may ask again and again, so that "+
			"total is the most in so many ticks", windowMax)
	}
	all.when(!asked && c.Window > 0 && c.Total == 0, "window: it needs a total, which is then the most in so many ticks")
	all.when(c.ByMessage && (c.Action == (AcceptOffer{}).ActionName() || c.Action == (Decline{}).ActionName()),
		"by_message: %s answers an offer or a request, no message", c.Action)
	return all
}

func clauseActions() string {
	var names []string
	for _, spec := range specs {
		if spec.Name != (Wait{}).ActionName() {
			names = append(names, spec.Name)
		}
	}
	return fmt.Sprintf("%s, or %q for all", strings.Join(names, ", "), Anyone)
}

// planning reports whether the scenario was written for an agent with an id.
func (s Scenario) planning(id string) bool {
	s.Agents.Count = s.planned()
	_, ok := s.agentNumber(id)
	return ok
}

// lists reports whether an action has a parameter with such choices.
func (s ActionSpec) lists(of ChoicesOf) bool {
	return slices.ContainsFunc(s.Params, func(p Param) bool { return p.Lists == of })
}

func (s ActionSpec) has(kind ParamKind) bool {
	return slices.ContainsFunc(s.Params, func(p Param) bool { return p.Kind == kind })
}
