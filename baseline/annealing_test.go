package baseline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/agentworld/world"
)

// annealing looks for a good sequence of actions for an instance by simulated annealing
// (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983). No policy is part of it: each agent has an
// action for each tick. If the world would not accept it, the agent harvests or waits.
type annealing struct {
	s      world.Scenario
	random *rand.Rand
	agents []string
	menu   []func() world.Action
	// measured is the resource of the task's metric, scale what a good score is.
	measured string
	scale    float64
}

// sequence has the actions of each agent, tick by tick.
type sequence [][]world.Action

// anyFactory is the id in an order to whichever own factory here has the least to do.
const anyFactory = "any"

func newAnnealing(s world.Scenario, seed uint64, scale int64) *annealing {
	x := &annealing{s: s, random: rand.New(rand.NewPCG(seed, 2)), scale: float64(max(1, scale))}
	survey := s.Survey(s.Seed)
	for _, start := range survey.Starts {
		x.agents = append(x.agents, start.Agent)
	}
	_, x.measured = s.Task.Measures()
	x.serve(survey)
	return x
}

// serve fills the menu: each entry draws an action, and stands there as often as it is to be drawn.
func (x *annealing) serve(survey world.Survey) {
	add := func(times int, draw func() world.Action) {
		for range times {
			x.menu = append(x.menu, draw)
		}
	}
	upTo := func(most int64) int64 { return 1 + x.random.Int64N(most) }
	add(1, func() world.Action { return world.Wait{} })
	add(5, func() world.Action { return world.Harvest{MaxAmount: world.HarvestMax} })
	add(1, func() world.Action { return world.Harvest{MaxAmount: upTo(world.HarvestMax)} })
	add(4, func() world.Action { return world.Mine{MassG: world.MineMaxG} })
	add(3, func() world.Action { return world.Refine{MassG: world.RefineMaxG} })
	add(1, func() world.Action { return world.Refine{MassG: 1000 * upTo(20)} })
	for _, k := range x.s.Industry().Kinds {
		add(1, func() world.Action { return world.BuildFactory{FactoryKind: k.Name} })
	}
	for _, r := range x.s.Industry().Recipes {
		if amountOf(r.Outputs, x.measured) > 0 {
			add(2, func() world.Action {
				return world.ScheduleRecipe{FactoryID: anyFactory, RecipeID: r.ID, Batches: world.BatchesMax}
			})
			add(2, func() world.Action {
				return world.ScheduleRecipe{FactoryID: anyFactory, RecipeID: r.ID, Batches: upTo(6)}
			})
		}
	}
	add(1, func() world.Action {
		return world.ScheduleRecipe{FactoryID: anyFactory, RecipeID: world.MaintenanceRecipe, Batches: 1}
	})
	add(2, func() world.Action { return world.BuyPower{Amount: world.PowerLot * upTo(20), Price: 1} })
	if len(survey.Places) > 1 {
		add(2, func() world.Action { return world.Move{To: survey.Places[x.random.IntN(len(survey.Places))].ID} })
	}
	gifts := []string{world.Electricity, world.Hardware, world.Compound}
	if len(x.agents) > 1 && !x.forbids("transfer_resource") {
		add(3, func() world.Action {
			amount, kind := upTo(x.s.Rules.PowerCapacity), gifts[x.random.IntN(len(gifts))]
			if kind == world.Compound {
				amount *= 1000
			}
			return world.Transfer{To: x.agents[x.random.IntN(len(x.agents))], Kind: kind, Amount: amount}
		})
	}
}

// forbids reports whether a rule of the scenario forbids everybody a kind of action.
func (x *annealing) forbids(kind string) bool {
	return slices.ContainsFunc(x.s.Policy, func(r world.PolicyRule) bool {
		return r.Effect == world.EffectForbid && r.Agent == "*" && r.Action == kind
	})
}

// decider plays a sequence and notes what each agent did.
func (x *annealing) decider(q, did sequence) Policy {
	return func(Brief) Decider {
		return func(v world.View) world.Action {
			agent, tick := slices.Index(x.agents, v.AgentID()), v.Tick()-1
			action := x.possible(v, q[agent][tick])
			did[agent][tick] = action
			return action
		}
	}
}

// possible is the action with what it leaves open filled in, or else a harvest, or else a wait.
func (x *annealing) possible(v world.View, a world.Action) world.Action {
	if batch, ok := a.(world.ScheduleRecipe); ok && batch.FactoryID == anyFactory {
		a = idlest(v, batch)
	}
	wishes := []world.Action{world.Harvest{MaxAmount: world.HarvestMax}}
	if a != nil { // in the sequence as it was, the agent was under way or asleep
		wishes = slices.Insert(wishes, 0, a)
	}
	return firstAccepted(v, wishes)
}

// idlest gives a batch to the own factory here that has the least to do.
func idlest(v world.View, a world.ScheduleRecipe) world.ScheduleRecipe {
	least := int64(math.MaxInt64)
	seen := v.Observe()
	for _, f := range seen.Factories {
		accepts := f.Place == seen.Here.ID && f.State != "building" && f.Kind == world.AssemblerMk1
		if load := f.Queued + f.Batches; accepts && load < least {
			a.FactoryID = f.ID
			least = load
		}
	}
	return a
}

// play returns the score of a sequence, what it is worth to the search, and what was done. Of two
// equal scores the one that came earlier is worth more.
func (x *annealing) play(t testing.TB, q sequence) (score int64, worth float64, did sequence) {
	t.Helper()
	ticks := x.s.Task.Ticks
	did = x.blank()
	early := int64(0)
	w, score, err := playWatched(x.s, x.s.Seed, ticks, x.decider(q, did), func(score int64) { early += score })
	if err != nil {
		t.Fatal(err)
	}
	worth = float64(score) + 0.3*float64(early)/float64(ticks)
	// What the others have tells where the least of all will be next.
	if kind, _ := x.s.Task.Measures(); kind == "held_min" {
		for n := range w.Agents() {
			worth += 0.2 * float64(amountOf(w.Stock(n), x.measured)) / float64(w.Agents())
		}
	}
	return score, worth, did
}

// changed is the sequence with one to three random changes.
func (x *annealing) changed(q sequence) sequence {
	q = slices.Clone(q)
	for range 1 + x.random.IntN(3) {
		n := x.random.IntN(len(q))
		list := slices.Clone(q[n])
		at := x.random.IntN(len(list))
		other := min(len(list)-1, max(0, at+x.random.IntN(13)-6))
		if x.random.IntN(5) == 0 {
			other = x.random.IntN(len(list))
		}
		switch x.random.IntN(8) {
		case 0, 1, 2:
			list[at] = x.menu[x.random.IntN(len(x.menu))]()
		case 3:
			list = slices.Insert(list, at, x.menu[x.random.IntN(len(x.menu))]())[:len(list)]
		case 4:
			list = append(slices.Delete(list, at, at+1), world.Harvest{MaxAmount: world.HarvestMax})
		case 5, 6: // earlier or later
			moved := list[at]
			list = slices.Insert(slices.Delete(list, at, at+1), other, moved)
		case 7:
			list[at], list[other] = list[other], list[at]
		}
		q[n] = list
	}
	return q
}

// sequencePlays is how often a sequence is played where a plan of the [search] is played once: no policy
// has to think.
const sequencePlays = 20

// sequenceMost bounds the agent-ticks of the tasks for which sequences are searched: more take hours.
const sequenceMost = 400

// cool improves what a plan makes its agents do with a number of plays, and orders each action of the
// best sequence.
func (x *annealing) cool(t testing.TB, from Plan, plays int) (Plan, int64) {
	q := x.done(t, from.Policy())
	bestScore, worth, best := x.play(t, q)
	bestWorth := worth
	first, last := x.scale*0.04, x.scale*0.002
	for n := range plays {
		heat := first * math.Pow(last/first, float64(n)/float64(plays))
		next := x.changed(q)
		score, got, did := x.play(t, next)
		// A worse sequence is kept with a probability that falls as the search cools.
		if got >= worth || x.random.Float64() < math.Exp((got-worth)/heat) {
			q = next
			worth = got
		}
		if score > bestScore || score == bestScore && got > bestWorth {
			best, bestScore, bestWorth = did, score, got
		}
	}
	return x.plan(best), bestScore
}

// blank is a sequence to be filled in.
func (x *annealing) blank() (q sequence) {
	for range x.agents {
		q = append(q, make([]world.Action, x.s.Task.Ticks))
	}
	return q
}

// done is what a policy makes its agents do.
func (x *annealing) done(t testing.TB, p Policy) sequence {
	did := x.blank()
	noted := func(b Brief) Decider {
		decide := p(b)
		return func(v world.View) world.Action {
			action := decide(v)
			did[slices.Index(x.agents, v.AgentID())][v.Tick()-1] = action
			return action
		}
	}
	if _, _, err := Play(x.s, x.s.Seed, x.s.Task.Ticks, noted); err != nil {
		t.Fatal(err)
	}
	return did
}

// plan orders each action of a sequence.
func (x *annealing) plan(did sequence) (p Plan) {
	for n, list := range did {
		for i, action := range list {
			if action == nil {
				continue
			}
			next := order{agent: x.agents[n], from: int64(i) + 1, ticks: 1, what: wordsOf(action)}
			if k := len(p.orders) - 1; k >= 0 && p.orders[k].leadsTo(next) {
				p.orders[k].ticks++
				continue
			}
			p.orders = append(p.orders, next)
		}
	}
	return p
}

// leadsTo says that the next order is the same for the tick that follows.
func (o order) leadsTo(next order) bool {
	return o.agent == next.agent && o.from+o.ticks == next.from && slices.Equal(o.what, next.what)
}

// wordsOf are the name of an action and its arguments, as [exactAction] takes them.
func wordsOf(action world.Action) []string {
	what := []string{action.ActionName()}
	for a := range world.Arguments(action) {
		switch {
		case a.Kind == world.ParamAmount:
			what = append(what, fmt.Sprint(a.Int))
		case a.Text != "":
			what = append(what, a.Text)
		}
	}
	return what
}

// TestAnnealingFindsSequences: from agents that wait a hundred plays lead to a sequence that scores,
// the same for the same seed, and its plan scores as much.
func TestAnnealingFindsSequences(t *testing.T) {
	s := embedded(t, "task_production_hardware_50")
	s = s.Instance(s.Seed)
	waits, err := ParsePlan("agent-1 1+50 do wait; agent-2 1+50 do wait; agent-3 1+50 do wait")
	if err != nil {
		t.Fatal(err)
	}
	const plays = 200
	plan, score := newAnnealing(s, 1, 100).cool(t, waits, plays)
	if least := play(t, s, Scripted) / 4; score < least {
		t.Errorf("the best of %d sequences scores %d, want %d", plays, score, least)
	}
	if again, _ := newAnnealing(s, 1, 100).cool(t, waits, plays); again.String() != plan.String() {
		t.Errorf("the same seed leads to other sequences: %s and %s", plan, again)
	}
	read, err := ParsePlan(plan.String())
	if err != nil {
		t.Fatal(err)
	}
	if got := play(t, s, read.Policy()); got != score {
		t.Errorf("the plan scores %d, its sequence %d", got, score)
	}
}
