package baseline

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"example.com/agentworld/world"
)

// Bound is a score that no player can exceed, with the reason in words.
type Bound struct {
	Score int64
	Why   string
}

// BoundOf computes a bound for the scenario's task, which it must have, from the rules
// and the start under its own seed alone. It ignores distances, who holds what, and all
// that happens in between, always in the players' favour. So the bound holds for any way
// of playing.
func BoundOf(s world.Scenario) Bound {
	kind, resource := s.Task.Measures()
	if kind == "uptime" {
		return uptimeBound(s)
	}
	e := newEstimate(s, kind, resource)
	// The most pieces without an obstacle. More pieces never cost less, so halving finds it.
	p := int64(sort.Search(min(piecesMost, math.MaxInt), func(n int) bool { return e.obstacle(int64(n)+1) != "" }))
	why := e.obstacle(p + 1)
	if kind == "produced" {
		return Bound{p, why}
	}
	start := e.start[e.resource]
	b := Bound{start + p, fmt.Sprintf("The start has %d, and at most %d are made. %s", start, p, why)}
	if kind == "held_min" { // an equal share is the best for the agent that holds least
		b.Score /= e.counted
		b.Why = fmt.Sprintf("%d agents share: ", e.counted) + b.Why
	}
	return b
}

// estimate adds up what a world has to offer for making one resource.
type estimate struct {
	rules    world.Rules
	resource string
	// recipes are those that yield it, all are all of the world; kinds are the kinds of factory by name.
	recipes, all []world.Recipe
	kinds        map[string]world.FactoryKind
	// single keeps what alone found, needs what cheapest found.
	single map[string]bool
	needs  map[need]int64
	// agents may act, makers may own the factories, counted share the result.
	agents, makers, counted int64
	// from and ticks are the window in which the result may appear.
	from, ticks int64
	// start is what all agents begin with, per resource; groundG the compound in
	// all places, with what can regrow.
	start   map[string]int64
	groundG int64
	// delivery is the most that one factory delivers in the window.
	delivery int64
	// radiation is the best there is.
	radiation int64
	// prices are what a harvest may be charged, see supply; gains what all agents together gain
	// at most at each price, beyond what being awake costs.
	prices, gains []int64
}

// newEstimate surveys a scenario. What is only held in the end may have been made
// by any agent at any time.
func newEstimate(s world.Scenario, kind, resource string) *estimate {
	e := &estimate{
		rules: s.Rules, resource: resource, agents: s.Agents.Count, ticks: s.Task.Ticks, from: s.Task.From,
		start: map[string]int64{}, kinds: map[string]world.FactoryKind{},
		single: map[string]bool{}, needs: map[need]int64{},
	}
	survey := s.Survey(s.Seed)
	e.radiation = slices.Max(survey.Radiation)
	for _, start := range survey.Starts {
		if s.Task.Counts(start.Agent) {
			e.counted++
		}
		for _, a := range start.Stock {
			e.start[a.Resource] += a.Amount
		}
	}
	e.makers = e.counted
	if kind != "produced" {
		e.makers, e.from = e.agents, 1
	}
	for _, p := range survey.Places {
		e.groundG += p.CompoundG + ceilDiv(p.RegenG*e.ticks, world.RegenTicks)
	}
	industry := s.Industry()
	e.all = industry.Recipes
	for _, k := range industry.Kinds {
		e.kinds[k.Name] = k
	}
	for _, r := range e.all {
		if amountOf(r.Outputs, resource) > 0 {
			e.recipes = append(e.recipes, r)
		}
	}
	e.delivery = e.perFactory()
	for eighths := range int64(9) {
		price := e.perTick() * eighths / 8
		e.prices = append(e.prices, price)
		e.gains = append(e.gains, e.agents*chargeMost(s.Rules, e.radiation, e.ticks, price))
	}
	return e
}

// bill is the least that a number of pieces takes. The charge that plants generate is
// subtracted.
type bill struct {
	factories, plants, hardware, refined, dugG, charge int64
	// actions are those other than harvests.
	actions int64
}

// bill computes the least cost of p pieces made with the given number of power
// plants. If several recipes yield the resource, each item of the bill is the
// lowest of all recipes. Power costs no data, no factory wears, and the factories of
// what goes into the pieces cost nothing.
func (e *estimate) bill(p, plants int64) bill {
	b := bill{plants: plants}
	switch {
	case e.resource == world.Compound:
		b.dugG = p
	case e.resource == world.Hardware:
		b.refined = p
	case p > 0:
		b.factories = ceilDiv(p, max(1, e.delivery))
		b.hardware = e.cheapest(p, world.Hardware) + b.factories*e.price(world.Hardware)
		b.charge = e.cheapest(p, world.Electricity) + b.factories*e.price(world.Electricity)
	}
	b.hardware += plants * e.rules.PlantHardware
	b.refined += max(0, b.hardware-e.start[world.Hardware])
	b.dugG += max(0, b.refined*e.rules.RefineGPerHardware+e.cheapest(p, world.Compound)-e.start[world.Compound])
	b.charge += b.refined*e.rules.RefineCostPerKG + ceilDiv(b.dugG, 1000)*e.rules.MineCostPerKG +
		plants*e.rules.PlantElectricity - e.generation(plants)
	b.actions = ceilDiv(b.dugG, world.MineMaxG) + e.refinings(b.refined) + b.factories + plants
	if b.factories > 0 {
		b.actions += max(b.factories, e.schedulings(p))
	}
	return b
}

// refinings is how many actions refining takes: each is paid from one battery.
func (e *estimate) refinings(units int64) int64 {
	byMass := ceilDiv(units*e.rules.RefineGPerHardware, world.RefineMaxG)
	return max(byMass, ceilDiv(units*e.rules.RefineCostPerKG, e.rules.PowerCapacity))
}

// schedulings is how many actions it takes to schedule p pieces: each is paid from one battery.
func (e *estimate) schedulings(p int64) int64 {
	return ceilDiv(e.cheapest(p, world.Electricity), e.rules.PowerCapacity)
}

// supply is the most electricity that all agents gain beside the given number of other actions.
//
// An action takes one agent one tick, which is neither a harvest nor sleep. With the gain g(x) of
// an agent that pays x for each harvest, n agents with at most h harvests gain at most n*g(x) + x*h,
// for every x; the least over some prices x is taken. In the tick of its restart an agent may act
// though it has gained the floor and paid no idle draw; see [awakenings].
func (e *estimate) supply(actions int64) int64 {
	least := int64(math.MaxInt64)
	for i, price := range e.prices {
		least = min(least, e.gains[i]+price*(e.agents*e.ticks-actions))
	}
	return least - actions*(e.rules.AmbientFloor+e.rules.IdleDraw) + e.agents*awakenings(e.rules, e.ticks)
}

// generation is the most that a number of plants generate. Before one is built, the hardware for it
// and for those before it is dug, refined and built with: all agents together need the ticks for
// these actions.
func (e *estimate) generation(plants int64) (sum int64) {
	first := e.firstBuild(e.rules.PlantHardware)
	for n := int64(1); n <= plants; n++ {
		refined := max(0, n*e.rules.PlantHardware-e.start[world.Hardware])
		dugG := max(0, refined*e.rules.RefineGPerHardware-e.start[world.Compound])
		actions := ceilDiv(dugG, world.MineMaxG) + e.refinings(refined) + n
		built := max(first, ceilDiv(actions, e.agents))
		sum += max(0, e.ticks-built-e.rules.PlantTicks) * min(e.rules.PlantRate, e.radiation)
	}
	return sum
}

// perTick is the most electricity an agent gains in a tick, by a harvest or, shut
// down and unable to do anything else, by the ambient floor.
func (e *estimate) perTick() int64 {
	return max(min(world.HarvestMax, e.radiation), e.rules.AmbientFloor)
}

// need is what so many pieces take of an input.
type need struct {
	pieces int64
	input  string
}

// price is the least of a resource that a factory for the pieces costs.
func (e *estimate) price(resource string) int64 {
	return e.leastOf(func(r world.Recipe) int64 { return amountOf(e.kinds[r.FactoryKind].Cost, resource) })
}

// opening is the first tick in which a factory can be ready for a recipe.
func (e *estimate) opening(r world.Recipe) int64 {
	k := e.kinds[r.FactoryKind]
	return e.firstBuild(amountOf(k.Cost, world.Hardware)) + k.Ticks
}

// leastOf is the least of a number over the recipes that yield the resource, 0 if there are none.
func (e *estimate) leastOf(number func(world.Recipe) int64) int64 {
	least := int64(0)
	for i, r := range e.recipes {
		if n := number(r); i == 0 || n < least {
			least = n
		}
	}
	return least
}

// cheapest is the least of an input that p pieces take in any recipe, with what goes into the products
// that these are made of.
func (e *estimate) cheapest(p int64, input string) int64 {
	if len(e.recipes) == 0 {
		return 0
	}
	key := need{p, input}
	least, known := e.needs[key]
	if !known {
		least = e.leastFor(e.resource, min(p, piecesMost), input, false)
		e.needs[key] = least
	}
	return least
}

// impossible is an amount that no world holds.
const impossible = math.MaxInt64 / 8

// piecesMost bounds the pieces that are reckoned with, so that no product of them overflows.
const piecesMost = 1 << 33

// leastFor is the least of an input that p pieces of a product take. inside says that these go into
// another product: there shares of batches are rounded in the player's favour. What the start has of a
// product may go into each of the others.
//
// What the products of one recipe take adds up only if each of them comes from recipes that yield nothing
// else: one batch may serve two that come together. Of those the dearest alone counts.
func (e *estimate) leastFor(product string, p int64, input string, inside bool) int64 {
	least := int64(impossible)
	for _, r := range e.all {
		yield := amountOf(r.Outputs, product)
		if yield == 0 {
			continue
		}
		sum := p * amountOf(r.Inputs, input)
		if inside {
			sum /= yield
		} else {
			sum = ceilDiv(sum, yield)
		}
		dearest := int64(0)
		for _, in := range r.Inputs {
			need := ceilDiv(p*in.Amount, yield) - e.start[in.Resource]
			if in.Resource == input || !isMade(in.Resource) || need <= 0 {
				continue
			}
			n := e.leastFor(in.Resource, min(need, piecesMost), input, true)
			switch {
			case n >= impossible:
				sum = impossible
			case e.alone(in.Resource):
				sum = min(sum+n, impossible)
			default:
				dearest = max(dearest, n)
			}
		}
		least = min(least, sum+dearest)
	}
	return least
}

// alone says that all recipes of a product, and of what goes into it, yield one thing each.
func (e *estimate) alone(product string) bool {
	alone, known := e.single[product]
	if known {
		return alone
	}
	alone = true
	for _, r := range e.all {
		if amountOf(r.Outputs, product) > 0 {
			shared := func(in world.Amount) bool { return isMade(in.Resource) && !e.alone(in.Resource) }
			alone = alone && len(r.Outputs) == 1 && !slices.ContainsFunc(r.Inputs, shared)
		}
	}
	e.single[product] = alone
	return alone
}

// firstBuild is the first tick in which an agent can have the hardware for a factory:
// at the start, after refining, or after digging and refining.
func (e *estimate) firstBuild(need int64) int64 {
	switch {
	case e.start[world.Hardware] >= need:
		return 1
	case e.start[world.Compound] >= e.rules.RefineGPerHardware:
		return 2
	}
	return 3
}

// perFactory is the most that one factory delivers in the window. Its first
// delivery there may have been in work before; each further one takes its time,
// whatever mix of recipes is best.
func (e *estimate) perFactory() int64 {
	// inTime[t] is the most that t ticks of work deliver.
	inTime := make([]int64, e.ticks+1)
	for t := range inTime {
		for _, r := range e.recipes {
			if before := int64(t) - r.Ticks; before >= 0 {
				inTime[t] = max(inTime[t], inTime[before]+amountOf(r.Outputs, e.resource))
			}
		}
	}
	var most int64
	for _, r := range e.recipes {
		if first := max(e.from, e.opening(r)+r.Ticks); first <= e.ticks {
			most = max(most, amountOf(r.Outputs, e.resource)+inTime[e.ticks-first])
		}
	}
	return most
}

// plansMax bounds the plans that are tried for each number of pieces.
const plansMax = 400

// obstacle says in words why p pieces are too many; it is empty if they are possible.
// Every number of power plants is tried. The words are about the largest number that
// matter allows, which supplies the most power. If there are so many agents that the plans
// exceed [plansMax], only matter and factories are checked.
func (e *estimate) obstacle(p int64) string {
	if price := e.price(world.Electricity); price > e.rules.PowerCapacity {
		return fmt.Sprintf("A factory takes %d electricity at once, and a battery holds %d.", price, e.rules.PowerCapacity)
	}
	if e.cheapest(p, world.Hardware) >= impossible {
		return fmt.Sprintf("%d would take more of something that no recipe makes than the start has.", p)
	}
	if inTime := world.FactoriesMax * e.makers * e.delivery; e.recipes != nil && p > inTime {
		return fmt.Sprintf("A factory stands in tick %d at the earliest and then delivers at most %d in ticks %d to %d; "+
			"%d agents with %d factories each make at most %d.", e.leastOf(e.opening), e.delivery, e.from, e.ticks, e.makers,
			world.FactoriesMax, inTime)
	}
	b := e.bill(p, 0)
	if b.dugG > e.groundG {
		return fmt.Sprintf("%s That is %d g to dig, and there are %d.", e.matterText(p, b), b.dugG, e.groundG)
	}
	most := world.FactoriesMax*e.agents - b.factories
	if most > plansMax {
		return ""
	}
	why := ""
	for plants := int64(0); plants <= most; plants++ {
		b := e.bill(p, plants)
		if b.dugG > e.groundG {
			break
		}
		switch gain := e.supply(b.actions); {
		case b.actions > e.agents*e.ticks:
			why = fmt.Sprintf("%s To dig, refine, build and schedule takes %d actions; %d agents have %d.", e.matterText(p, b),
				b.actions, e.agents, e.agents*e.ticks)
		case b.charge > e.start[world.Electricity]+gain:
			why = fmt.Sprintf("%s %s The start has %d. To dig, refine, build and schedule takes %d actions; in the rest of "+
				"%d ticks, "+
				"%d agents at radiation %d gain at most %d, heat and idle draw allowed for.", e.matterText(p, b),
				e.chargeText(p, b),
				e.start[world.Electricity], b.actions, e.ticks, e.agents, e.radiation, gain)
		default:
			return ""
		}
	}
	return why
}

// matterText says which matter p pieces take.
func (e *estimate) matterText(p int64, b bill) string {
	var parts []string
	if e.recipes != nil {
		parts = append(parts, fmt.Sprintf("%d hardware and %d factories (%d delivered each at most, %d hardware each)",
			e.cheapest(p, world.Hardware), b.factories, e.delivery, e.price(world.Hardware)))
	}
	if b.plants > 0 {
		parts = append(parts, fmt.Sprintf("%d power plants (%d hardware each)", b.plants, e.rules.PlantHardware))
	}
	if parts == nil {
		return fmt.Sprintf("%d are too many.", p)
	}
	return fmt.Sprintf("%d would take %s: %d, of which the start has %d.", p, strings.Join(parts, " and "),
		b.hardware, min(b.hardware, e.start[world.Hardware]))
}

// chargeText says which electricity p pieces take.
func (e *estimate) chargeText(p int64, b bill) string {
	text := fmt.Sprintf("%d g dug at %d per kg and %d units refined at %d",
		b.dugG, e.rules.MineCostPerKG, b.refined, e.rules.RefineCostPerKG)
	if e.recipes != nil {
		text += fmt.Sprintf(", %d factories at %d and %d for the recipes", b.factories, e.price(world.Electricity),
			e.cheapest(p, world.Electricity))
	}
	if b.plants > 0 {
		text += fmt.Sprintf(", plants at %d less %d generated", e.rules.PlantElectricity, e.generation(b.plants))
	}
	return fmt.Sprintf("Electricity: %s are %d.", text, b.charge)
}

// ceilDiv divides rounding up; b is positive.
func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
