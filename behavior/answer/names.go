package answer

import (
	"cmp"
	"slices"

	"example.com/agentworld/world"
)

// Names are the names of what an agent knows, by which a model may call it in place of
// its id. The zero value knows nothing.
type Names struct {
	seen     *world.Observation
	industry *world.Industry
}

// untold are the actions that no error names: without requests and offers those about them.
func (n Names) untold() []string {
	if n.seen != nil && n.seen.Trades() {
		return nil
	}
	return world.TypedActions()
}

// builtIn is what can be made where nothing is known of the world.
var builtIn = world.DefaultRules().Industry()

// resources are those of the agent's world.
func (n Names) resources() []string { return cmp.Or(n.industry, builtIn).Resources }

// params are the parameters of an action with the choices of the agent's world.
func (n Names) params(spec world.ActionSpec) []world.Param {
	listed := func(p world.Param) bool { return p.Lists != "" }
	if n.industry == nil || !slices.ContainsFunc(spec.Params, listed) {
		return spec.Params
	}
	params := slices.Clone(spec.Params)
	for i, p := range params {
		params[i].Choices = n.industry.Choices(p)
	}
	return params
}

// NamesIn are the names in an observation, which must not change any more, of a world with an
// industry. A factory has no
// name of its own; it goes by its kind, as long as the agent has no other of that kind.
func NamesIn(o *world.Observation, industry *world.Industry) Names { return Names{o, industry} }

// named is something that the agent knows.
type named struct{ id, name string }

// of lists what the agent knows of a kind; its own place and itself come first.
func (n Names) of(kind world.ParamKind) (list []named) {
	o := n.seen
	if o == nil {
		return nil
	}
	switch kind {
	case world.ParamPlace:
		list = append(list, named{o.Here.ID, o.Here.Name})
		for i := range o.Places {
			list = append(list, named{o.Places[i].ID, o.Places[i].Name})
		}
	case world.ParamAgent:
		list = append(list, named{o.Self.ID, o.Self.Name})
		for i := range o.Agents {
			list = append(list, named{o.Agents[i].ID, o.Agents[i].Name})
		}
	case world.ParamFactory:
		for _, f := range o.Factories {
			list = append(list, named{f.ID, f.Kind})
		}
	case world.ParamOrder:
		if o.Market != nil {
			for _, order := range o.Market.Orders {
				list = append(list, named{id: order.ID})
			}
		}
	case world.ParamRequest, world.ParamOffer, world.ParamTerms:
		for _, t := range slices.Concat(o.Requests, o.Offers, o.Here.Offers) {
			if kind == world.ParamTerms || (kind == world.ParamRequest) == (t.Give == "") {
				list = append(list, named{id: t.ID})
			}
		}
		if kind == world.ParamOffer {
			for _, t := range o.OwnOffers {
				list = append(list, named{id: t.ID})
			}
		}
	}
	return list
}

// idsTold bounds the ids that an error names.
const idsTold = 6

// ids are those that an argument of an action may have: those with which the action is
// possible now, or else all of the kind that the agent sees.
func (n Names) ids(action string, kind world.ParamKind) (ids []string) {
	known := n.of(kind)
	if kind == world.ParamPlace || kind == world.ParamAgent {
		known = known[min(1, len(known)):]
	}
	if len(known) == 0 {
		return nil
	}
	for _, k := range known {
		ids = append(ids, k.id)
	}
	// The options of an action may be about another of its slots.
	var possible []string
	for _, a := range n.seen.Can {
		for _, option := range a.Options {
			if a.Action == action && slices.Contains(ids, option.Target) && !slices.Contains(possible, option.Target) {
				possible = append(possible, option.Target)
			}
		}
	}
	if len(possible) > 0 {
		ids = possible
	}
	return ids[:min(len(ids), idsTold)]
}

// can reports whether an action is possible now with some argument, as far as the agent knows.
func (n Names) can(action string) bool {
	return !slices.ContainsFunc(n.seen.Can, func(a world.Affordance) bool { return a.Action == action && !a.OK })
}

// expected describes what a parameter of an action accepts, an id by those there are.
func (n Names) expected(action string, p world.Param) Phrase {
	if ids := n.ids(action, p.Kind); len(ids) > 0 {
		return oneOf(ids)
	}
	return expectedOf(p)
}

// Possible are the ids with which an action is possible now, if the world refuses its own id, or if the
// result is unknown because the agent sees nothing of that id. It is nil if the id is not what is wrong, or
// if no id would do.
func (n Names) Possible(a world.Action, check world.Check) []string {
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	for arg := range world.Arguments(a) {
		refused := check.Rejection != nil && check.Rejection.Field == arg.Name
		if !refused && !(check.Status == world.CheckUnknown && n.unseen(arg)) {
			continue
		}
		if others := n.others(a, arg); len(others) > 0 && n.can(a.ActionName()) {
			return others
		}
	}
	return nil
}

// Unseen reports whether the result of an action is unknown because the agent sees nothing of an id in it,
// and sees others of its kind.
func (n Names) Unseen(a world.Action, check world.Check) bool {
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	for arg := range world.Arguments(a) {
		if check.Status == world.CheckUnknown && n.unseen(arg) && len(n.others(a, arg)) > 0 {
			return true
		}
	}
	return false
}

func (n Names) unseen(arg world.Argument) bool {
	return !slices.ContainsFunc(n.of(arg.Kind), func(k named) bool { return k.id == arg.Text })
}

// others are the ids that an argument of an action may have in place of its own.
func (n Names) others(a world.Action, arg world.Argument) []string {
	return slices.DeleteFunc(n.ids(a.ActionName(), arg.Kind), func(id string) bool { return id == arg.Text })
}

// bear reports whether something bears a name.
func (n Names) bear(name string) bool {
	return slices.ContainsFunc([]world.ParamKind{world.ParamPlace, world.ParamAgent, world.ParamFactory},
		func(kind world.ParamKind) bool {
			return slices.ContainsFunc(n.of(kind), func(k named) bool { return k.name == name })
		})
}

// idOf returns the id of a kind that a text means. A text that is a known id stays. So does a
// name that two things share or that none has: the world, which knows no names, decides what
// such a text means.
func (n Names) idOf(kind world.ParamKind, text string) (id string) {
	bearers := 0
	for _, k := range n.of(kind) {
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

// Resolve replaces the names in an action by the ids of what bears them.
func (n Names) Resolve(a world.Action) (resolved world.Action, used []Repair) {
	if order, ok := a.(world.ExecuteUntil); ok {
		order.Do, used = n.Resolve(order.Do)
		order.Then = slices.Clone(order.Then)
		for i, step := range order.Then {
			do, more := n.Resolve(step.Do)
			order.Then[i].Do, used = do, append(used, more...)
		}
		return order, used
	}
	var args world.Args
	for arg := range world.Arguments(a) {
		if id := n.idOf(arg.Kind, arg.Text); id != arg.Text {
			if args == nil {
				args, used = world.ActionArgs(a), []Repair{NameResolved}
			}
			args[arg.Name] = world.Value{Text: id}
		}
	}
	if used == nil {
		return a, nil
	}
	resolved, err := world.MakeAction(a.ActionName(), args)
	if err != nil {
		panic("answer: an action with the id of what it names is none: " + err.Error())
	}
	return resolved, used
}
