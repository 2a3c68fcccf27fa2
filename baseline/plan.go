package baseline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/world"
)

// Plan is a way to play one instance of a task: the scripted agents with other tastes, and with
// orders that go before their own wishes for a while. Its agents see no more than others. But who
// made the plan may have tried the instance many times. The zero plan is the scripted agents. A plan
// with an order for every tick is a sequence of actions, and leaves no wish.
type Plan struct {
	tastes []agentTaste
	orders []order
}

// agentTaste is a taste of one agent, or of all ("*").
type agentTaste struct {
	agent, name string
	value       int64
}

// order tells an agent what to do, or not to do, wherever possible in some ticks.
type order struct {
	agent string
	// from and ticks are when it holds.
	from, ticks int64
	// not forbids the kind of action.
	not bool
	// what is the name of an action, then all its arguments, or those that are no amounts.
	what []string
}

// ParsePlan reads a plan in one line without commas:
//
//   - factories=8; agent-1 12+3 do mine_compound; agent-1 15+1 do mine_compound 3000; agent-2 40+5 not move_agent
//
// The error names the item that is not understood.
func ParsePlan(text string) (p Plan, err error) {
	for item := range strings.SplitSeq(text, ";") {
		words := strings.Fields(item)
		if len(words) == 0 {
			continue
		}
		if t, ok := parseTaste(words); ok {
			p.tastes = append(p.tastes, t)
		} else if o, ok := parseOrder(words); ok {
			p.orders = append(p.orders, o)
		} else {
			return Plan{}, fmt.Errorf("plan: %q is neither a taste nor an order", strings.TrimSpace(item))
		}
	}
	return p, nil
}

// parseTaste reads "AGENT NAME=VALUE".
func parseTaste(words []string) (t agentTaste, ok bool) {
	if len(words) != 2 {
		return t, false
	}
	name, number, _ := strings.Cut(words[1], "=")
	value, err := strconv.ParseInt(number, 10, 64)
	known := slices.IndexFunc(new(tastes).all(),
		func(t taste) bool { return t.name == name && t.min <= value && value <= t.max })
	return agentTaste{words[0], name, value}, err == nil && known >= 0
}

// parseOrder reads "AGENT FROM+TICKS do|not ACTION [ARGUMENT...]".
func parseOrder(words []string) (o order, ok bool) {
	if len(words) < 4 || words[2] != "do" && words[2] != "not" {
		return o, false
	}
	first, count, _ := strings.Cut(words[1], "+")
	from, err1 := strconv.ParseInt(first, 10, 64)
	ticks, err2 := strconv.ParseInt(count, 10, 64)
	return order{words[0], from, ticks, words[2] == "not", words[3:]}, err1 == nil && err2 == nil
}

// Policy plays the plan.
func (p Plan) Policy() Policy {
	return func(b Brief) Decider {
		agents := map[string]*player{}
		return func(v world.View) world.Action {
			m, ok := agents[v.AgentID()]
			if !ok {
				m = newPlayer(v.AgentID(), b, scriptedTastes)
				m.adopt(p.tastes)
				agents[v.AgentID()] = m
			}
			n := situationOf(v)
			wishes := m.wishes(n)
			for _, o := range slices.Backward(p.orders) {
				switch {
				case o.agent != v.AgentID() || n.Tick < o.from || n.Tick >= o.from+o.ticks:
				case o.not:
					wishes = slices.DeleteFunc(wishes, func(a world.Action) bool { return a.ActionName() == o.what[0] })
				default:
					wishes = append(n.obey(o.what), wishes...)
				}
			}
			return firstAccepted(v, wishes)
		}
	}
}

// adopt takes over the tastes that a plan has for the agent.
func (m *player) adopt(list []agentTaste) {
	for _, t := range list {
		if t.agent != "*" && t.agent != m.id {
			continue
		}
		for _, known := range m.tastes.all() {
			if known.name == t.name {
				*known.value = t.value
			}
		}
	}
}

// obey lists the actions that an order may mean, best first. An order that gives every argument is
// that action; one without amounts is as much as is possible, or half of the stock to give.
func (n Situation) obey(what []string) (list []world.Action) {
	if action, ok := exactAction(what); ok {
		return []world.Action{action}
	}
	argument := func(i int) string {
		if i < len(what) {
			return what[i]
		}
		return ""
	}
	switch what[0] {
	case "harvest_radiation":
		return []world.Action{world.Harvest{MaxAmount: world.HarvestMax}}
	case "mine_compound":
		return []world.Action{world.Mine{MassG: world.MineMaxG}}
	case "refine_compound":
		return []world.Action{world.Refine{MassG: world.RefineMaxG}}
	case "buy_power":
		return []world.Action{world.BuyPower{Amount: max(world.PowerLot, n.Self.PowerCapacity), Price: max(1, n.Self.Data)}}
	case "schedule_recipe":
		for _, f := range n.Factories {
			list = append(list, world.ScheduleRecipe{FactoryID: f.ID, RecipeID: argument(1), Batches: 1})
		}
		return list
	case "transfer_resource":
		return []world.Action{world.Transfer{To: argument(1), Kind: argument(2), Amount: max(1, n.stock(argument(2))/2)}}
	}
	return nil
}

// exactAction is the action of a name and all its arguments, in the order of its parameters. ok is
// false if some are missing.
func exactAction(what []string) (a world.Action, ok bool) {
	specs := world.Actions()
	i := slices.IndexFunc(specs, func(s world.ActionSpec) bool { return s.Name == what[0] })
	if i < 0 || len(what)-1 > len(specs[i].Params) {
		return nil, false
	}
	args := world.Args{}
	for k, p := range specs[i].Params {
		var value world.Value
		switch {
		case k+1 >= len(what):
			if !p.Optional {
				return nil, false
			}
		case p.Kind == world.ParamAmount:
			n, err := strconv.ParseInt(what[k+1], 10, 64)
			if err != nil {
				return nil, false
			}
			value.Int = n
		default:
			value.Text = what[k+1]
		}
		args[p.Name] = value
	}
	a, err := world.MakeAction(what[0], args)
	return a, err == nil
}
