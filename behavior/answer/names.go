package answer

import "example.com/agentworld/world"

// Names are the names of what an agent knows, by which a model may call it in place of
// its id.
type Names struct{ places, agents, factories []named }

type named struct{ id, name string }

// NamesIn collects what an observation names. A factory has no name of its own; it goes
// by its kind, as long as the agent has no other of that kind.
func NamesIn(o world.Observation) Names {
	n := Names{places: []named{{o.Here.ID, o.Here.Name}}, agents: []named{{o.Self.ID, o.Self.Name}}}
	for _, p := range o.Places {
		n.places = append(n.places, named{p.ID, p.Name})
	}
	for _, a := range o.Agents {
		n.agents = append(n.agents, named{a.ID, a.Name})
	}
	for _, f := range o.Factories {
		n.factories = append(n.factories, named{f.ID, f.Kind})
	}
	return n
}

// Place, Agent and Factory return the id that a text stands for. A text that is a known
// id stays, and so does a name that two things share or nothing bears: what such a text
// means is for the world to say, which knows no names.
func (n Names) Place(text string) string { return idOf(n.places, text) }

// Agent is like Place.
func (n Names) Agent(text string) string { return idOf(n.agents, text) }

// Factory is like Place.
func (n Names) Factory(text string) string { return idOf(n.factories, text) }

func idOf(known []named, text string) (id string) {
	bearers := 0
	for _, k := range known {
		if k.id == text {
			return text
		}
		if k.name != "" && k.name == text {
			id = k.id
			bearers++
		}
	}
	if bearers != 1 {
		return text
	}
	return id
}

// resolve replaces the names in an action by the ids of what bears them.
func (n Names) resolve(a world.Action) (resolved world.Action, used []Repair) {
	put := func(known []named, id *string) {
		if found := idOf(known, *id); found != *id {
			*id, used = found, []Repair{NameResolved}
		}
	}
	switch a := a.(type) {
	case world.ExecuteUntil:
		a.Do, used = n.resolve(a.Do)
		return a, used
	case world.Move:
		put(n.places, &a.To)
		return a, used
	case world.Transfer:
		put(n.agents, &a.To)
		return a, used
	case world.SendMessage:
		put(n.agents, &a.To)
		return a, used
	case world.ScheduleRecipe:
		put(n.factories, &a.FactoryID)
		return a, used
	}
	return a, nil
}
