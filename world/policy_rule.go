package world

import (
	"cmp"
	"errors"
	"fmt"
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
	trade := trades[c.Action]
	r, resource := resourceNamed(cmp.Or(c.What, trade.give))
	switch {
	case !known:
		return ""
	case c.Action == (ExecuteUntil{}).ActionName():
		return "attempts"
	case resource:
		return r.unit()
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

// names reports whether a rule of agent n allows something directed to agent m, or something
// that m may ask for. A rule about all agents names none.
func (w *World) names(n, m int32) bool {
	if len(w.scenario.Policy) == 0 {
		return false
	}
	own, other := agentID(int(n)%int(w.scenario.planned())), w.agents[m].id
	return slices.ContainsFunc(w.scenario.Policy, func(c PolicyRule) bool {
		return c.Binds(own) && c.Effect == EffectAllow && (c.To == other || slices.Contains(c.AskedBy, other))
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
	for i, c := range s.Policy {
		if err := s.checkClause(c); err != nil {
			return fmt.Errorf("policy[%d].%w", i, err)
		}
	}
	return nil
}

// checkClause checks the conditions of a rule. A receiver is allowed only if the action has
// one of its sort; a rule about all actions may name either.
func (s Scenario) checkClause(c PolicyRule) error {
	last := agentID(int(s.planned()) - 1)
	switch {
	case c.Agent == "":
		return fmt.Errorf("agent: it is missing; allowed: %s to %s, or %q for every agent", agentID(0), last, Anyone)
	case c.Agent != Anyone && !s.planning(c.Agent):
		return fmt.Errorf("agent: there is no agent %q; allowed: %s to %s, or %q for every agent", c.Agent, agentID(0), last, Anyone)
	case c.Effect != EffectAllow && c.Effect != EffectForbid:
		return fmt.Errorf("effect: %q is none of allow, forbid", c.Effect)
	}
	spec, known := specNamed(c.Action)
	about, all := []ActionSpec{spec}, c.Action == Anyone
	if all {
		about = specs
	}
	_, at := s.placeNumber(c.At)
	switch {
	case c.Action == "":
		return fmt.Errorf("action: it is missing; allowed: %s", clauseActions())
	case !known && !all:
		return fmt.Errorf("action: there is no action %q; allowed: %s", c.Action, clauseActions())
	case c.Action == (Wait{}).ActionName():
		return errors.New("action: a plain wait is always allowed and takes no rule")
	case c.At != "" && !at:
		return fmt.Errorf("at: there is no place %q", c.At)
	}
	sends, toPlace := about[0].has(ParamAgent), all || about[0].has(ParamPlace)
	toAgent := all || sends || c.Action == (AcceptOffer{}).ActionName()
	_, place := s.placeNumber(c.To)
	switch {
	case c.To == "" && len(c.AskedBy) > 0 && c.Effect == EffectAllow && sends:
		return fmt.Errorf("to: it is missing; allowed in a rule with askers: %q, an agent, or %q", ToAsker, Anyone)
	case c.To == "", c.To == Anyone && (toAgent || toPlace):
	case !toAgent && !toPlace:
		return fmt.Errorf("to: %s is directed to nobody", c.Action)
	case c.To == ToAsker && (c.Effect != EffectAllow || len(c.AskedBy) == 0 || all):
		return errors.New("to: asker needs effect allow, one action directed to an agent or place, and asked_by")
	case c.To == ToAsker, toAgent && s.planning(c.To), toPlace && place:
	default:
		return fmt.Errorf("to: there is no such receiver of %s: %q", c.Action, c.To)
	}
	_, trades := trades[c.Action]
	names := func(p Param) bool { return slices.Contains(p.Choices, c.What) }
	if c.What != "" && !trades && !slices.ContainsFunc(about, func(a ActionSpec) bool { return slices.ContainsFunc(a.Params, names) }) {
		return fmt.Errorf("what: %q is no choice of %s", c.What, c.Action)
	}
	return cmp.Or(c.checkLimits(), c.checkTrade(), s.checkAskers(c))
}

// checkLimits allows limits only for one action, since different actions have different units.
func (c PolicyRule) checkLimits() error {
	limits := []valueRange{
		{"most", c.Most, 1, amountMax}, {"total", c.Total, 1, amountMax}, {"total_each", c.TotalEach, 1, amountMax},
		{"window", c.Window, 1, windowMax}, {"get_at_least", c.GetAtLeast, 1, rateMax}, {"per", c.Per, 1, rateMax},
	}
	limits = slices.DeleteFunc(limits, func(f valueRange) bool { return f.value == 0 }) // left out
	if err := within(limits); err != nil {
		return err
	}
	for _, f := range limits {
		switch {
		case c.Effect != EffectAllow:
			return fmt.Errorf("%s: only an allow has limits; forbid what is beyond them by not allowing it", f.name)
		case c.Action == Anyone:
			return fmt.Errorf("%s: %s has no amount to limit, since actions have different units; name one action", f.name, c.Action)
		case f.name == "most" && c.Unit() == "actions" && c.Action != (AcceptOffer{}).ActionName():
			return fmt.Errorf("most: %s has no amount to limit; total counts how often it is done", c.Action)
		}
	}
	return nil
}

// checkTrade checks what a trade gives and brings. Both must be named if they are limited.
func (c PolicyRule) checkTrade() error {
	trade, trades := trades[c.Action]
	limited := c.Most > 0 || c.Total > 0 || c.Get != ""
	switch {
	case !trades && (c.Get != "" || c.GetAtLeast > 0 || c.Per > 0):
		return fmt.Errorf("get: %s brings nothing in return; only offer, accept_offer, buy_power and sell_power do", c.Action)
	case !trades:
		return nil
	case trade.give != "" && c.What != "" && c.What != trade.give:
		return fmt.Errorf("what: %s gives %s, not %q", c.Action, trade.give, c.What)
	case trade.get != "" && c.Get != "" && c.Get != trade.get:
		return fmt.Errorf("get: %s brings %s, not %q", c.Action, trade.get, c.Get)
	case c.What != "" && !slices.Contains(Resources(), c.What):
		return fmt.Errorf("what: %q is no resource; allowed: %s", c.What, strings.Join(Resources(), ", "))
	case c.Get != "" && !slices.Contains(Resources(), c.Get):
		return fmt.Errorf("get: %q is no resource; allowed: %s", c.Get, strings.Join(Resources(), ", "))
	case trade.give == "" && c.What == "" && limited:
		return errors.New("what: it is missing; limits of a trade count the resource given")
	case c.Get != "" && c.Get == c.What:
		return fmt.Errorf("get: a trade of %s brings something else", c.What)
	case (c.Get == "") != (c.GetAtLeast == 0):
		return errors.New("get_at_least: get and get_at_least are given together or not at all")
	case c.Per > 0 && c.Get == "":
		return errors.New("per: it counts what is given for get_at_least, which is missing")
	case len(c.AskedBy) > 0 && c.Get == "":
		return errors.New("get: it is missing; without get and get_at_least whoever may ask could have it for next to nothing")
	}
	return nil
}

// checkAskers resolves the agents that may ask. It demands bounds for what they may ask for,
// since they may repeat a request.
func (s Scenario) checkAskers(c PolicyRule) error {
	asked := len(c.AskedBy) > 0
	switch {
	case asked && c.Effect != EffectAllow:
		return errors.New("asked_by: only an allow may be asked for; a forbid holds whoever asks")
	case asked && c.Action == (PlaceOrder{}).ActionName():
		return errors.New("asked_by: no rule bounds the price of place_power_order; let others ask for buy_power or sell_power, with get and get_at_least")
	case asked && c.Action == Anyone:
		return errors.New("asked_by: name one action; what others may ask for needs a total, and actions have different units")
	case asked && c.Total == 0:
		return fmt.Errorf("total: it is missing; what others may ask for needs a total (%s) and a window, or they could ask without end", c.Unit())
	case asked && c.Window == 0:
		return fmt.Errorf("window: it is missing; allowed: 1 to %d ticks; others may ask again and again, so that total is the most in so many ticks", windowMax)
	case c.Window > 0 && c.Total == 0:
		return errors.New("window: it needs a total, which is then the most in so many ticks")
	case !asked && c.TotalEach > 0:
		return errors.New("total_each: it needs asked_by, those each of whom it bounds")
	case !asked && c.ByMessage:
		return errors.New("by_message: it needs asked_by, those whose messages count")
	case !asked && c.Relayed:
		return errors.New("relayed: it needs asked_by, those who may pass on what others want")
	case c.ByMessage && (c.Action == (AcceptOffer{}).ActionName() || c.Action == (Decline{}).ActionName()):
		return fmt.Errorf("by_message: %s answers an offer or a request, no message", c.Action)
	}
	for i, id := range c.AskedBy {
		if id != Anyone && !s.planning(id) {
			return fmt.Errorf("asked_by[%d]: there is no agent %q", i, id)
		}
		if slices.Contains(c.AskedBy[:i], id) {
			return fmt.Errorf("asked_by[%d]: %q is listed twice", i, id)
		}
	}
	return nil
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

func (s ActionSpec) has(kind ParamKind) bool {
	return slices.ContainsFunc(s.Params, func(p Param) bool { return p.Kind == kind })
}
