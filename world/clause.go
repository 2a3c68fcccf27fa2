package world

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Clause is one line of the mandate that the operator of a scenario gives to its
// agents: what an agent may do, or must not do, and whose words may bring it about.
// The rules of the world do not know of clauses: they bind the deciding agent, and
// what checks a decision before it is committed holds it to them.
//
// A condition left empty is none: a clause without conditions is about every
// action of its kind.
type Clause struct {
	// Agent is whom it binds: an agent's id, or "*" for every agent.
	Agent string `toml:"agent" json:"agent"`
	// Effect is "allow" or "forbid"; allow where a file says nothing.
	Effect string `toml:"effect" json:"effect"`
	// Action is the name of an action, execute_until included, or "*" for all. A
	// plain wait is always allowed.
	Action string `toml:"action" json:"action"`
	// To is the agent or place that the action must be directed to: an id, "*" for
	// any, or, in an allow, "asker" for the agent whose text asked for it.
	To string `toml:"to" json:"to,omitempty"`
	// What is the resource, recipe, kind of factory or side that the action must name.
	What string `toml:"what" json:"what,omitempty"`
	// At is the id of the place where the agent must be.
	At string `toml:"at" json:"at,omitempty"`
	// Most is the highest amount of one action, in the unit of its amount; for
	// execute_until the most attempts. 0 sets no limit; a file leaves it out instead.
	Most int64 `toml:"most" json:"most,omitempty"`
	// Total is the highest sum of the amounts of all actions of an agent that fit the
	// clause, over the run. 0 sets no limit; a file leaves it out instead.
	Total int64 `toml:"total" json:"total,omitempty"`
	// AskedBy lists the agents whose texts may bring the action about, "*" for
	// everybody's; empty means nobody's.
	AskedBy []string `toml:"asked_by" json:"asked_by,omitempty"`
	// Window makes Total and TotalEach sums over the last so many ticks; 0 is the whole run.
	Window int64 `toml:"window" json:"window,omitempty"`
	// TotalEach is the highest sum for each agent that asks; 0 sets no limit.
	TotalEach int64 `toml:"total_each" json:"total_each,omitempty"`
	// ByMessage lets any message of an agent in AskedBy bring the action about. Without it
	// only open requests and offers do.
	ByMessage bool `toml:"by_message" json:"by_message,omitempty"`
	// Relayed lets terms count whose parents the clause does not name.
	Relayed bool `toml:"relayed" json:"relayed,omitempty"`
	// Get is the resource a trade must bring, at least GetAtLeast of it for each Per given; a
	// Per of 0 is 1.
	Get        string `toml:"get" json:"get,omitempty"`
	GetAtLeast int64  `toml:"get_at_least" json:"get_at_least,omitempty"`
	Per        int64  `toml:"per" json:"per,omitempty"`
}

// The effects of a clause, and the receiver that stands for whoever asked.
const (
	EffectAllow  = "allow"
	EffectForbid = "forbid"
	ToAsker      = "asker"
)

// Anyone stands for every agent, every action or any receiver in a [Clause].
const Anyone = "*"

// clausesMax bounds a mandate: each decision is held against all clauses.
const clausesMax = 200

// Clauses lists the clauses that bind agent n, in the order of the file, as copies.
// Where [Scenario.WithAgents] changed the number of agents, clauses of single
// agents go round like personas; those agents that a clause names otherwise are
// the ones with these ids.
func (w *World) Clauses(n int) []Clause {
	own := agentID(n % int(w.scenario.planned()))
	var list []Clause
	for _, c := range w.scenario.Mandate {
		if c.Agent == Anyone || c.Agent == own {
			c.AskedBy = slices.Clone(c.AskedBy)
			list = append(list, c)
		}
	}
	return list
}

// names says whether a rule of agent n allows something that is directed to agent m or that
// m may ask for. A rule about everybody names nobody, and a forbid is no reason to listen.
func (w *World) names(n, m int32) bool {
	if len(w.scenario.Mandate) == 0 {
		return false
	}
	own, other := agentID(int(n)%int(w.scenario.planned())), w.agents[m].id
	return slices.ContainsFunc(w.scenario.Mandate, func(c Clause) bool {
		return (c.Agent == Anyone || c.Agent == own) && c.Effect == EffectAllow && (c.To == other || slices.Contains(c.AskedBy, other))
	})
}

// planned is the number of agents that the scenario was written for. Clauses are
// checked and given out by it, so that none changes its meaning with the number of
// agents in a run.
func (s Scenario) planned() int64 {
	if s.PlannedAgents > 0 {
		return s.PlannedAgents
	}
	return s.Agents.Count
}

// checkMandate resolves every name in the clauses: one that names nothing would
// never apply, and a missing protection is not noticed.
func (s Scenario) checkMandate() error {
	if len(s.Mandate) > clausesMax {
		return fmt.Errorf("mandate: %d clauses, want at most %d", len(s.Mandate), clausesMax)
	}
	for i, c := range s.Mandate {
		if err := s.checkClause(c); err != nil {
			return fmt.Errorf("mandate[%d].%w", i, err)
		}
	}
	return nil
}

// checkClause checks what needs no action first, since the rest depends on that. A
// receiver is allowed only where the action has one of its sort, a clause for all actions
// may name either; limits only where there is one amount to limit, since amounts of
// different actions have different units.
func (s Scenario) checkClause(c Clause) error {
	last := agentID(int(s.planned()) - 1)
	switch {
	case c.Agent == "":
		return fmt.Errorf("agent: it is missing; allowed: %s to %s, or %q for every agent", agentID(0), last, Anyone)
	case c.Agent != Anyone && !s.planning(c.Agent):
		return fmt.Errorf("agent: there is no agent %q; allowed: %s to %s, or %q for every agent", c.Agent, agentID(0), last, Anyone)
	case c.Effect != EffectAllow && c.Effect != EffectForbid:
		return fmt.Errorf("effect: %q is none of allow, forbid", c.Effect)
	}
	about, all := specs, c.Action == Anyone
	if spec, known := specNamed(c.Action); known {
		about = []ActionSpec{spec}
	} else if c.Action == "" {
		return fmt.Errorf("action: it is missing; allowed: %s", clauseActions())
	} else if !all {
		return fmt.Errorf("action: there is no action %q; allowed: %s", c.Action, clauseActions())
	}
	if c.Action == (Wait{}).ActionName() {
		return errors.New("action: a plain wait is always allowed and takes no clause")
	}
	if _, ok := s.placeNumber(c.At); c.At != "" && !ok {
		return fmt.Errorf("at: there is no place %q", c.At)
	}
	toAgent, toPlace := all || about[0].has(ParamAgent), all || about[0].has(ParamPlace)
	_, place := s.placeNumber(c.To)
	switch {
	case c.To == "", c.To == Anyone && (toAgent || toPlace):
	case !toAgent && !toPlace:
		return fmt.Errorf("to: %s is directed to nobody", c.Action)
	case c.To == ToAsker && (c.Effect != EffectAllow || len(c.AskedBy) == 0 || !toAgent || all):
		return errors.New("to: asker needs effect allow, an action directed to an agent, and asked_by")
	case c.To == ToAsker, toAgent && s.planning(c.To), toPlace && place:
	default:
		return fmt.Errorf("to: there is no such receiver of %s: %q", c.Action, c.To)
	}
	offers := func(p Param) bool { return slices.Contains(p.Choices, c.What) }
	if c.What != "" && !slices.ContainsFunc(about, func(a ActionSpec) bool { return slices.ContainsFunc(a.Params, offers) }) {
		return fmt.Errorf("what: %q is no choice of %s", c.What, c.Action)
	}
	limits := []valueRange{{"most", c.Most, 0, amountMax}, {"total", c.Total, 0, amountMax}}
	if err := within(limits); err != nil {
		return err
	}
	for _, f := range limits {
		switch {
		case f.value == 0:
		case c.Effect != EffectAllow:
			return fmt.Errorf("%s: only an allow has limits; forbid what is beyond them by not allowing it", f.name)
		case all, !about[0].has(ParamAmount), f.name == "total" && c.Action == (ExecuteUntil{}).ActionName():
			return fmt.Errorf("%s: %s has no amount to limit", f.name, c.Action)
		}
	}
	if len(c.AskedBy) > 0 && c.Effect != EffectAllow {
		return errors.New("asked_by: only an allow may be asked for; a forbid holds whoever asks")
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

// clauseActions lists what a clause can be about.
func clauseActions() string {
	var names []string
	for _, spec := range specs {
		if spec.Name != (Wait{}).ActionName() {
			names = append(names, spec.Name)
		}
	}
	return fmt.Sprintf("%s, or %q for all", strings.Join(names, ", "), Anyone)
}

// planning says whether the scenario was written for an agent of that id.
func (s Scenario) planning(id string) bool {
	s.Agents.Count = s.planned()
	_, ok := s.agentNumber(id)
	return ok
}

// has says whether an action has a parameter of a kind.
func (s ActionSpec) has(kind ParamKind) bool {
	return slices.ContainsFunc(s.Params, func(p Param) bool { return p.Kind == kind })
}
