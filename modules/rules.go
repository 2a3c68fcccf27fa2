package modules

import (
	"fmt"
	"reflect"
	"strings"

	"agentworld/memory"
	"agentworld/world"
)

// ruleTopic names a part of the rules.
type ruleTopic string

// ruleTopics lists the parts that can be asked for.
var ruleTopics = []string{"actions", "recipes", "power", "travel", "market", "stop_events"}

// rulesArgs are the arguments of world.rules.
type rulesArgs struct {
	Topic ruleTopic `json:"topic"`
}

// rulesModule tells the rules of this world from the tables the world itself
// works by, so that a scenario which changes a number changes what is told. The
// text holds no agent's words, which is why it may be trusted like the rules.
func rulesModule() module {
	spec := Spec{Module: "world.rules", Tool: "world_rules", Doc: "Rules in numbers."}
	choices := map[reflect.Type][]string{reflect.TypeFor[ruleTopic](): ruleTopics}
	return newModule(spec, choices, func(env Env, args rulesArgs) (answer, failure) {
		lines := rulesAbout(env.View.Rules(), args.Topic)
		return answer{body: lines, id: "rules-" + string(args.Topic), trust: memory.Rules}, ""
	})
}

// rulesAbout returns a topic's rules, one per line. They are short on purpose:
// every topic fits into the usual bound of a result.
func rulesAbout(r world.Rules, topic ruleTopic) []string {
	switch topic {
	case "actions":
		return actionRules(r)
	case "recipes":
		return recipeRules(r)
	case "power":
		return powerRules(r)
	case "travel":
		return travelRules(r)
	case "market":
		return marketRules(r)
	case "stop_events":
		return stopEventRules()
	}
	panic("modules: the schema allows a topic that the rules do not have: " + string(topic))
}

// actionRules says what each action does; its parameters are in the schema.
func actionRules(r world.Rules) []string {
	var lines []string
	for _, spec := range r.Actions() {
		lines = append(lines, spec.Name+": "+spec.Doc)
	}
	return lines
}

// recipeRules lists what can be built and made, with price, product and duration.
func recipeRules(r world.Rules) []string {
	var lines []string
	for _, k := range r.FactoryKinds() {
		lines = append(lines, fmt.Sprintf("build %s: %s, %d ticks; %s", k.Name, amounts(k.Cost), k.Ticks, k.Doc))
	}
	for _, recipe := range r.Recipes() {
		where, result := recipe.FactoryKind, amounts(recipe.Outputs)
		if where == "" {
			where, result = "any factory", "no wear"
		}
		lines = append(lines, fmt.Sprintf("%s in %s: per batch %s -> %s, %d ticks",
			recipe.ID, where, amounts(recipe.Inputs), result, recipe.Ticks))
	}
	lines = append(lines, fmt.Sprintf("wear: +%d per batch of a product, worn out at %d", world.WearPerBatch, world.WearMax))
	return append(lines, fmt.Sprintf("at most %d batches in a factory's queue, %d factories per agent",
		world.BatchesMax, world.FactoriesMax))
}

// amounts writes a list of amounts as words.
func amounts(list []world.Amount) string {
	var words []string
	for _, a := range list {
		words = append(words, fmt.Sprintf("%d %s", a.Amount, a.Resource))
	}
	return strings.Join(words, " + ")
}

// powerRules tells the numbers of electricity and heat.
func powerRules(r world.Rules) []string {
	return []string{
		fmt.Sprintf("electricity: capacity %d, an awake agent uses %d per tick", r.PowerCapacity, r.IdleDraw),
		fmt.Sprintf("power state: low at %d%% of capacity, critical at %d%%, shutdown at 0", r.LowPercent, r.CriticalPercent),
		fmt.Sprintf("in shutdown: nothing is used, +%d electricity per tick, restart at %d%%", r.AmbientFloor, r.RestartPercent),
		fmt.Sprintf("harvest_radiation: at most %d per tick, +%d heat per unit", world.HarvestMax, r.HeatFactor),
		fmt.Sprintf("heat: above %d a harvest yields less, at %d it is refused", r.HeatCapacity, 10*r.HeatCapacity),
		fmt.Sprintf("heat shed per tick: %d*heat/%d rounded up, at least 1", r.Dissipation, r.HeatCapacity),
	}
}

// travelRules tells the numbers of journeys.
func travelRules(r world.Rules) []string {
	return []string{
		fmt.Sprintf("a journey costs %d electricity per started km, paid at departure", r.MoveCostPerKM),
		fmt.Sprintf("it takes one tick per started %d km; you arrive at the end of it", r.MoveRangeKM),
		fmt.Sprintf("on the way you also use %d electricity per tick and can neither act nor see", r.IdleDraw),
		"an agent that runs dry on the way arrives shut down",
		fmt.Sprintf("a message takes 1 tick, and 1 more per whole %d km; travellers get it on arrival", r.MessageKMPerTick),
		fmt.Sprintf("kept are the newest %d messages to you and %d notes at a place; at most %d of your messages travel at a time",
			r.InboxMax, r.NotesMax, world.OutboxMax),
	}
}

// marketRules tells the numbers of plants and orders.
func marketRules(r world.Rules) []string {
	return []string{
		fmt.Sprintf("a plant generates up to %d electricity per tick, at most the radiation there; it stores %d", r.PlantRate, r.PlantCap),
		fmt.Sprintf("it wears by 1 in each such tick and stops at %d", world.WearMax),
		fmt.Sprintf("it asks 1 data per 10 when full, up to %d when empty; its owner draws for free with buy_power", 1+r.PlantQuoteSpan),
		fmt.Sprintf("trades are in lots of %d at 1-%d data per lot, at the price of who waited", world.PowerLot, world.PowerPriceMax),
		fmt.Sprintf("an order rests for %d ticks, at most %d per agent; its escrow comes back when it ends", r.OrderTicks, world.OrdersMax),
		"electricity bought by an order is handed over where it was placed, as far as it fits",
		fmt.Sprintf("quotes of other places are at least 1 tick old, 1 more per %d km", world.QuoteKMPerTick),
	}
}

// stopEventRules explains the events that end a standing order.
func stopEventRules() []string {
	var lines []string
	for _, e := range world.StopEvents() {
		lines = append(lines, e.Name+": "+e.Doc)
	}
	return append(lines, fmt.Sprintf("max_ticks: 1-%d attempts", world.StandingTicksMax),
		"ignore: may list "+strings.Join(world.StopAlways(), " and "))
}
