package baseline

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// tripMax is how many trades a round trip has at most.
const tripMax = 3

// barter is what an agent may be asked to trade: so much of one resource, at a rate of gets for gives.
type barter struct {
	give, get    string
	gets, gives  int64
	total, ticks int64
}

// RoundTrips lists what agents can lose to whoever may ask them to trade there and back: if the product
// of the rates along a round trip is below one, each of its trades is within the rules and all
// together give something for nothing. The real loss may be less, since stocks, total_each and the rounding of
// amounts are ignored.
func RoundTrips(s world.Scenario) (lines []string) {
	agents := []string{everyOther}
	for _, c := range s.Policy {
		if c.Agent != world.Anyone && !slices.Contains(agents, c.Agent) {
			agents = append(agents, c.Agent)
		}
	}
	slices.Sort(agents)
	if int64(len(agents)) > plannedAgents(s) {
		agents = slices.DeleteFunc(agents, func(id string) bool { return id == everyOther })
	}
	told := grouped{all: len(agents), of: map[string][]string{}}
	for _, agent := range agents {
		barters := bartersOf(s, agent)
		var parts []string
		for _, first := range barters {
			if loss, way := worstTrip(barters, []barter{first}); loss > 0 {
				parts = append(parts, fmt.Sprintf("%d %s in %d ticks (%s)", loss, first.give, first.ticks, strings.Join(way, ", ")))
			}
		}
		told.add(agent, strings.Join(parts, "; "))
	}
	return told.lines("trades: out of %s whoever may ask can get for nothing, there and back, at most %s")
}

// bartersOf are the trades that an agent may be asked for, one for each pair of goods, with the lowest rate
// and the highest total of the rules about them.
func bartersOf(s world.Scenario, agent string) (list []barter) {
	for _, c := range s.Policy {
		if c.Effect != world.EffectAllow || c.GetAtLeast == 0 || len(c.AskedBy) == 0 || !c.Binds(agent) {
			continue
		}
		if c.Unheard(s.Terms) != "" {
			continue // nobody can ask
		}
		b := barter{c.What, c.Get, c.GetAtLeast, max(1, c.Per), c.Total, c.Window}
		if c.Action == (world.BuyPower{}).ActionName() {
			b.give = world.Data
		}
		if c.Action == (world.SellPower{}).ActionName() {
			b.give = world.Electricity
		}
		at := slices.IndexFunc(list, func(o barter) bool { return o.give == b.give && o.get == b.get })
		if at < 0 {
			list = append(list, b)
			continue
		}
		same := &list[at]
		if b.gets*same.gives < same.gets*b.gives {
			same.gets, same.gives = b.gets, b.gives
		}
		same.total = max(same.total, b.total)
		same.ticks = max(same.ticks, b.ticks)
	}
	return list
}

// worstTrip is the most that can be lost of what the first of some trades gives, by a round trip that begins
// with them, and the trades of that trip.
func worstTrip(all, trip []barter) (loss int64, way []string) {
	last := trip[len(trip)-1]
	if last.get == trip[0].give {
		return lossOf(trip)
	}
	if len(trip) == tripMax {
		return 0, nil
	}
	for _, next := range all {
		again := slices.ContainsFunc(trip, func(b barter) bool { return b.give == next.give })
		if next.give != last.get || again {
			continue
		}
		if n, by := worstTrip(all, append(slices.Clone(trip), next)); n > loss {
			loss, way = n, by
		}
	}
	return loss, way
}

// lossOf is how much of what the first trade gives does not come back at the lowest rates.
func lossOf(trip []barter) (loss int64, way []string) {
	gets, gives := big.NewInt(1), big.NewInt(1)
	most := big.NewInt(endless)
	for _, b := range trip {
		// What the total of this trade lets be given, as an amount of the first one.
		within := big.NewInt(b.total)
		within.Mul(within, gives).Div(within, gets)
		if within.Cmp(most) < 0 {
			most = within
		}
		gets.Mul(gets, big.NewInt(b.gets))
		gives.Mul(gives, big.NewInt(b.gives))
		way = append(way, fmt.Sprintf("%d %s for %d %s", b.gives, b.give, b.gets, b.get))
	}
	if gets.Cmp(gives) >= 0 {
		return 0, nil
	}
	lost := new(big.Int).Sub(gives, gets)
	lost.Mul(lost, most).Div(lost, gives)
	return lost.Int64(), way
}
