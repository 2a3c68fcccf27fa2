package behavior

import (
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/world"
)

// lenNameResolved: a place, an agent or a factory was called by its name instead of
// its id, and exactly one thing the agent knows has that name.
const lenNameResolved = "name_resolved"

// resolveNames replaces names by the ids of what bears them. A text that is an id the
// agent knows stays, and so does a name that two things share or nothing bears: what
// such a text means is for the world to say, which knows no names.
func resolveNames(o world.Observation, a world.Action) (world.Action, []string) {
	if order, ok := a.(world.ExecuteUntil); ok {
		inner, leniencies := resolveNames(o, order.Do)
		order.Do = inner
		return order, leniencies
	}
	seen := namesIn(o)
	switch a := a.(type) {
	case world.Move:
		id, leniencies := seen.places.resolve(a.To)
		return world.Move{To: id}, leniencies
	case world.Transfer:
		id, leniencies := seen.agents.resolve(a.To)
		a.To = id
		return a, leniencies
	case world.SendMessage:
		id, leniencies := seen.agents.resolve(a.To)
		a.To = id
		return a, leniencies
	case world.ScheduleRecipe:
		id, leniencies := seen.factories.resolve(a.FactoryID)
		a.FactoryID = id
		return a, leniencies
	}
	return a, nil
}

// register lists what the agent knows of one kind, by id, with the names that there
// are.
type register []named

type named struct{ id, name string }

// resolve returns the id that text stands for.
func (r register) resolve(text string) (id string, leniencies []string) {
	bearers := 0
	for _, n := range r {
		if n.id == text {
			return text, nil
		}
		if n.name != "" && n.name == text {
			id = n.id
			bearers++
		}
	}
	if bearers != 1 {
		return text, nil
	}
	return id, []string{lenNameResolved}
}

// registers are the registers of one observation.
type registers struct{ places, agents, factories register }

// namesIn collects what an observation names. A factory has no name of its own; it
// goes by its kind, as long as the agent has no other of that kind.
func namesIn(o world.Observation) (r registers) {
	r.places = register{{o.Here.ID, o.Here.Name}}
	for _, p := range o.Places {
		r.places = append(r.places, named{p.ID, p.Name})
	}
	r.agents = register{{o.Self.ID, o.Self.Name}}
	for _, a := range o.Agents {
		r.agents = append(r.agents, named{a.ID, a.Name})
	}
	for _, f := range o.Factories {
		r.factories = append(r.factories, named{f.ID, f.Kind})
	}
	return r
}

// resolveIntent replaces names in a planned action by the ids of what bears them, as
// [resolveNames] does in an action.
func (t *Turn) resolveIntent(i policy.Intent) policy.Intent {
	seen := namesIn(t.opening.seen)
	if i.Action == (world.Move{}).ActionName() {
		i.To, _ = seen.places.resolve(i.To)
	} else {
		i.To, _ = seen.agents.resolve(i.To)
	}
	i.ID, _ = seen.factories.resolve(i.ID)
	return i
}
