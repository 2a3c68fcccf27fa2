package baseline

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"example.com/agentworld/world"
)

var searchPlays = flag.Int("search", 0, "with -update, look for better plans than those recorded, with so many plays for each task")

// search looks for a good plan for an instance by late-acceptance hill climbing (Burke and Bykov,
// European Journal of Operational Research 258, 2017): a change of the plan is kept if it is no
// worse than the plan some changes ago, or than the present one. Between plans of equal score the
// one wins that scored earlier.
type search struct {
	s      world.Scenario
	random *rand.Rand
	// whats are the orders that make sense in the scenario, nots the kinds of actions to forbid.
	whats, nots [][]string
	agents      []string
}

// lateness is how many changes ago the plan was that a change must not be worse than.
const lateness = 60

// itemsMost bounds the length of a plan.
const itemsMost = 60

func newSearch(s world.Scenario, seed uint64) *search {
	x := &search{s: s, random: rand.New(rand.NewPCG(seed, 1)), agents: nil}
	survey := s.Survey(s.Seed)
	for _, start := range survey.Starts {
		x.agents = append(x.agents, start.Agent)
	}
	add := func(times int, what ...string) {
		for range times {
			x.whats = append(x.whats, what)
		}
	}
	add(4, "harvest_radiation")
	add(3, "mine_compound")
	add(3, "refine_compound")
	add(2, "wait")
	for _, k := range s.Industry().Kinds {
		add(1, "build_factory", k.Name)
	}
	add(1, "buy_power")
	_, measured := s.Task.Measures()
	for _, r := range s.Industry().Recipes {
		if amountOf(r.Outputs, measured) > 0 {
			add(4, "schedule_recipe", r.ID)
		}
	}
	if len(survey.Places) > 1 {
		for _, p := range survey.Places[:min(len(survey.Places), 8)] {
			add(1, "move_agent", p.ID)
		}
	}
	if len(x.agents) > 1 {
		for _, a := range x.agents {
			for _, r := range []string{world.Electricity, world.Hardware, world.Compound} {
				add(1, "transfer_resource", a, r)
			}
		}
	}
	for _, kind := range []string{"harvest_radiation", "mine_compound", "refine_compound", "build_factory", "schedule_recipe", "move_agent", "transfer_resource"} {
		x.nots = append(x.nots, []string{kind})
	}
	if s.Terms {
		for _, kind := range world.TypedActions() {
			x.nots = append(x.nots, []string{kind})
		}
	}
	return x
}

// worth is the score of a plan with, in the lower digits, how early it came.
func (x *search) worth(t testing.TB, p Plan) (worth, score int64) {
	t.Helper()
	early := int64(0)
	_, score, err := playWatched(x.s, x.s.Seed, x.s.Task.Ticks, p.Policy(), func(score int64) { early += score })
	if err != nil {
		t.Fatal(err)
	}
	return score<<24 + min(early, 1<<24-1), score
}

// pick draws one of a list.
func pick[T any](x *search, list []T) T { return list[x.random.IntN(len(list))] }

// newTaste draws a taste of one agent or of all.
func (x *search) newTaste() agentTaste {
	var own tastes
	t := pick(x, own.all())
	agent := "*"
	if x.random.IntN(2) == 0 {
		agent = pick(x, x.agents)
	}
	return agentTaste{agent, t.name, t.min + x.random.Int64N(t.max-t.min+1)}
}

// newOrder draws an order.
func (x *search) newOrder() order {
	o := order{agent: pick(x, x.agents), from: 1 + x.random.Int64N(x.s.Task.Ticks), ticks: 1 + x.random.Int64N(3), what: pick(x, x.whats)}
	if x.random.IntN(4) == 0 {
		o.not, o.what, o.ticks = true, pick(x, x.nots), 1+x.random.Int64N(x.s.Task.Ticks)
	}
	if x.random.IntN(6) == 0 {
		o.ticks = 1 + x.random.Int64N(20)
	}
	return o
}

// changed is the plan with one or two random changes.
func (x *search) changed(p Plan) Plan {
	p = Plan{slices.Clone(p.tastes), slices.Clone(p.orders)}
	for range 1 + x.random.IntN(2) {
		x.change(&p)
	}
	return p
}

func (x *search) change(p *Plan) {
	switch n := x.random.IntN(10); {
	case n < 2:
		t := x.newTaste()
		p.tastes = slices.DeleteFunc(p.tastes, func(old agentTaste) bool { return old.agent == t.agent && old.name == t.name })
		p.tastes = append(p.tastes, t)
	case n < 3 && len(p.tastes) > 0:
		i := x.random.IntN(len(p.tastes))
		p.tastes = slices.Delete(p.tastes, i, i+1)
	case n < 5 && len(p.orders) > 0:
		i := x.random.IntN(len(p.orders))
		p.orders = slices.Delete(p.orders, i, i+1)
	case n < 7 && len(p.orders) > 0:
		o := &p.orders[x.random.IntN(len(p.orders))]
		if x.random.IntN(2) == 0 {
			o.from = min(max(1, o.from+x.random.Int64N(7)-3), x.s.Task.Ticks)
		} else {
			o.ticks = max(1, o.ticks+x.random.Int64N(5)-2)
		}
	case len(p.orders)+len(p.tastes) < itemsMost:
		p.orders = slices.Insert(p.orders, x.random.IntN(len(p.orders)+1), x.newOrder())
	}
}

// climb improves a plan with a number of plays, and takes out of the result what makes no
// difference.
func (x *search) climb(t testing.TB, from Plan, plays int) (Plan, int64) {
	worth, _ := x.worth(t, from)
	for range plays / 6 {
		var tasted Plan
		for range 1 + x.random.IntN(6) {
			tasted.tastes = append(tasted.tastes, x.newTaste())
		}
		if got, _ := x.worth(t, tasted); got > worth {
			from, worth = tasted, got
		}
	}
	best, bestWorth := from, worth
	now := from
	history := slices.Repeat([]int64{worth}, lateness)
	for n := range plays {
		next := x.changed(now)
		got, _ := x.worth(t, next)
		if got >= worth || got >= history[n%lateness] {
			now, worth = next, got
		}
		if worth > bestWorth {
			best, bestWorth = now, worth
		}
		history[n%lateness] = worth
	}
	return x.pruned(t, best, bestWorth>>24)
}

// pruned takes out what a plan scores as much without.
func (x *search) pruned(t testing.TB, p Plan, score int64) (Plan, int64) {
	for i := 0; i < len(p.orders); {
		less := Plan{p.tastes, slices.Delete(slices.Clone(p.orders), i, i+1)}
		if _, got := x.worth(t, less); got >= score {
			p, score = less, got
			continue
		}
		i++
	}
	for i := 0; i < len(p.tastes); {
		less := Plan{slices.Delete(slices.Clone(p.tastes), i, i+1), p.orders}
		if _, got := x.worth(t, less); got >= score {
			p, score = less, got
			continue
		}
		i++
	}
	return p, score
}

// TestRandomPlansKeepTheBound draws plans for ten small instances: ten plans each, at full size
// 10,000. None scores more than the bound.
func TestRandomPlansKeepTheBound(t *testing.T) {
	small, plans := tasks(t), 10
	slices.SortStableFunc(small, func(a, b world.Scenario) int {
		return cmp.Compare(a.Agents.Count*a.Task.Ticks, b.Agents.Count*b.Task.Ticks)
	})
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		plans = 10_000
	}
	for i, s := range small[:10] {
		s = s.Instance(100 + uint64(i))
		x, bound, most := newSearch(s, uint64(i)), BoundOf(s).Score, int64(0)
		for n := range plans {
			var p Plan
			for range x.random.IntN(itemsMost) {
				x.change(&p)
			}
			_, score := x.worth(t, p)
			if most = max(most, score); score > bound {
				t.Fatalf("%s, seed %d, plan %d: the score is %d, the bound %d: %s", s.ID, s.Seed, n, score, bound, p)
			}
		}
		t.Logf("%s, seed %d: at most %d of %d", s.ID, s.Seed, most, bound)
	}
}
