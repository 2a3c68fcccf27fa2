package modules

import (
	"fmt"
	"reflect"
	"strings"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
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
	spec := Spec{Module: moduleRules, Tool: "world_rules"}
	choices := map[reflect.Type][]string{reflect.TypeFor[ruleTopic](): ruleTopics}
	return newModule(spec, choices, func(env Env, args rulesArgs) (lookup, failure) {
		lines := rulesAbout(env.words(), env.View.Rules(), args.Topic)
		return lookup{body: lines, id: "rules-" + string(args.Topic), trust: trace.TrustRules}, ""
	})
}

// rulesAbout returns a topic's rules, one per line. They are short on purpose:
// every topic fits into the usual bound of a result.
func rulesAbout(w *wording, r world.Rules, topic ruleTopic) []string {
	switch topic {
	case "actions":
		return actionRules(w, r)
	case "recipes":
		return recipeRules(w, r)
	case "power":
		return powerRules(w.rules, r)
	case "travel":
		return travelRules(w.rules, r)
	case "market":
		return marketRules(w.rules, r)
	case "stop_events":
		return stopEventRules(w)
	}
	panic("modules: the schema allows a topic that the rules do not have: " + string(topic))
}

// actionRules says what each action does; its parameters are in the schema.
func actionRules(w *wording, r world.Rules) []string {
	var lines []string
	for _, spec := range r.Actions() {
		lines = append(lines, spec.Name+w.lineStart+w.actionDoc(spec, r))
	}
	return lines
}

// recipeRules lists what can be built and made, with price, product and duration.
func recipeRules(w *wording, r world.Rules) []string {
	var lines []string
	for _, k := range r.FactoryKinds() {
		lines = append(lines, fmt.Sprintf(w.rules.build, k.Name, amounts(k.Cost), k.Ticks, w.kindDoc(k)))
	}
	for _, recipe := range r.Recipes() {
		where, result := recipe.FactoryKind, amounts(recipe.Outputs)
		if where == "" {
			where, result = w.rules.anyFactory, w.rules.noWear
		}
		lines = append(lines, fmt.Sprintf(w.rules.recipe,
			recipe.ID, where, amounts(recipe.Inputs), result, recipe.Ticks))
	}
	lines = append(lines, fmt.Sprintf(w.rules.wear, world.WearPerBatch, world.WearMax))
	return append(lines, fmt.Sprintf(w.rules.queue,
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
func powerRules(w ruleWording, r world.Rules) []string {
	return []string{
		fmt.Sprintf(w.capacity, r.PowerCapacity, r.IdleDraw),
		fmt.Sprintf(w.powerState, r.LowPercent, r.CriticalPercent),
		fmt.Sprintf(w.shutdown, r.AmbientFloor, r.RestartPercent),
		fmt.Sprintf(w.harvest, world.HarvestMax, r.HeatFactor),
		fmt.Sprintf(w.heat, r.HeatCapacity, 10*r.HeatCapacity),
		fmt.Sprintf(w.shedding, r.Dissipation, r.HeatCapacity),
	}
}

// travelRules tells the numbers of journeys.
func travelRules(w ruleWording, r world.Rules) []string {
	return []string{
		fmt.Sprintf(w.journeyCost, r.MoveCostPerKM),
		fmt.Sprintf(w.journeyTicks, r.MoveRangeKM),
		fmt.Sprintf(w.onTheWay, r.IdleDraw),
		w.ranDry,
		fmt.Sprintf(w.messages, r.MessageKMPerTick),
		fmt.Sprintf(w.kept,
			r.InboxMax, r.NotesMax, world.OutboxMax),
	}
}

// marketRules tells the numbers of plants and orders.
func marketRules(w ruleWording, r world.Rules) []string {
	return []string{
		fmt.Sprintf(w.plant, r.PlantRate, r.PlantCap),
		fmt.Sprintf(w.plantWear, world.WearMax),
		fmt.Sprintf(w.plantPrice, 1+r.PlantQuoteSpan),
		fmt.Sprintf(w.trades, world.PowerLot, world.PowerPriceMax),
		fmt.Sprintf(w.orders, r.OrderTicks, world.OrdersMax),
		w.handedOver,
		fmt.Sprintf(w.quotes, world.QuoteKMPerTick),
	}
}

// stopEventRules explains the events that end a standing order.
func stopEventRules(w *wording) []string {
	var lines []string
	for _, e := range world.StopEvents() {
		lines = append(lines, e.Name+w.lineStart+w.eventDoc(e))
	}
	return append(lines, fmt.Sprintf(w.rules.standingMost, world.StandingTicksMax),
		fmt.Sprintf(w.rules.standingIgnore, strings.Join(world.StopAlways(), w.rules.and)))
}
