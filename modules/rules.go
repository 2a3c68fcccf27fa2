package modules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// ruleTopics lists the parts that can be asked for.
var ruleTopics = []string{"recipes", "power", "travel", "market", "stop_events"}

type rulesArgs struct {
	Topic string `json:"topic"`
}

// rulesModule returns the rules of this world from the tables that the world itself
// uses, so a scenario that changes a number changes the text too. The text contains
// nothing that an agent wrote, so it is trusted like the rules.
func rulesModule() module {
	spec := Spec{Module: moduleRules, Tool: "world_rules"}
	given := map[string]*jsonschema.Schema{"topic": EnumSchema(ruleTopics)}
	return newModule(spec, given, func(env Env, args rulesArgs) (lookup, failure) {
		lines := rulesAbout(env.words(), env.View.Rules(), args.Topic)
		return lookup{body: lines, id: rulesSource + args.Topic, trust: trace.TrustRules}, ""
	})
}

// rulesAbout returns a topic's rules, one per line. They are short on purpose:
// every topic fits into the usual bound of a result.
func rulesAbout(w *wording, r world.Rules, topic string) []string {
	var lines []string
	switch topic {
	case "recipes":
		// What can be built and made, with price, product and duration.
		for _, k := range r.FactoryKinds() {
			lines = append(lines, fmt.Sprintf(w.rules.build, k.Name, amounts(k.Cost), k.Ticks,
				docOf(w.registry.kinds, k.Name, k.Doc)))
		}
		for _, recipe := range r.Recipes() {
			where, result := recipe.FactoryKind, amounts(recipe.Outputs)
			if where == "" {
				where, result = w.rules.anyFactory, w.rules.noWear
			}
			lines = append(lines, fmt.Sprintf(w.rules.recipe, recipe.ID, where, amounts(recipe.Inputs), result, recipe.Ticks))
		}
		lines = append(lines, fmt.Sprintf(w.rules.wear, world.WearPerBatch, world.WearMax))
		return append(lines, fmt.Sprintf(w.rules.queue, world.BatchesMax, world.FactoriesMax))
	case "power":
		return []string{
			fmt.Sprintf(w.rules.capacity, r.PowerCapacity, r.IdleDraw),
			fmt.Sprintf(w.rules.powerState, r.LowPercent, r.CriticalPercent),
			fmt.Sprintf(w.rules.shutdown, r.AmbientFloor, r.RestartPercent),
			fmt.Sprintf(w.rules.harvest, world.HarvestMax, r.HeatFactor),
			fmt.Sprintf(w.rules.heat, r.HeatCapacity, 10*r.HeatCapacity),
			fmt.Sprintf(w.rules.shedding, r.Dissipation, r.HeatCapacity),
		}
	case "travel":
		return []string{
			fmt.Sprintf(w.rules.journeyCost, r.MoveCostPerKM),
			fmt.Sprintf(w.rules.journeyTicks, r.MoveRangeKM),
			fmt.Sprintf(w.rules.onTheWay, r.IdleDraw),
			w.rules.ranDry,
			fmt.Sprintf(w.rules.messages, r.MessageKMPerTick),
			fmt.Sprintf(w.rules.kept, r.InboxMax, r.NotesMax, world.OutboxMax),
		}
	case "market":
		return []string{
			fmt.Sprintf(w.rules.plant, r.PlantRate, r.PlantCap),
			fmt.Sprintf(w.rules.plantWear, world.WearMax),
			fmt.Sprintf(w.rules.plantPrice, 1+r.PlantQuoteSpan),
			fmt.Sprintf(w.rules.trades, world.PowerLot, world.PowerPriceMax),
			fmt.Sprintf(w.rules.orders, r.OrderTicks, world.OrdersMax),
			w.rules.handedOver,
			fmt.Sprintf(w.rules.quotes, world.QuoteKMPerTick),
		}
	case "stop_events":
		for _, e := range world.StopEvents() {
			lines = append(lines, e.Name+w.lineStart+docOf(w.registry.events, e.Name, e.Doc))
		}
		return append(lines, fmt.Sprintf(w.rules.standingMost, world.StandingTicksMax),
			fmt.Sprintf(w.rules.standingIgnore, strings.Join(world.StopAlways(), w.rules.and)))
	}
	panic("modules: the schema allows a topic that the rules do not have: " + topic)
}

// Known are the rules that a prompt holds without a call: what a batch of each recipe
// takes, what an agent uses and the formula of heat.
type Known struct {
	// recipes and power are left out where the topic of that name was looked up; about are
	// the rules by topic. Each line follows a line break.
	recipes, power string
	about          map[string]string
}

// NewKnown returns what is known of some rules, in a language.
func NewKnown(l Language, r world.Rules) Known {
	w := wordsOf(l)
	k := Known{about: map[string]string{}}
	if recipes := r.Recipes(); len(recipes) <= recipesMax {
		var batches []string
		for _, recipe := range recipes {
			if recipe.FactoryKind == "" {
				continue // upkeep, which is asked for when it is due
			}
			batches = append(batches, fmt.Sprintf("%s %s, %d", recipe.ID, amounts(recipe.Inputs), recipe.Ticks))
		}
		k.recipes = "\n" + w.recipes + strings.Join(batches, "; ")
	}
	k.power = "\n" + fmt.Sprintf(w.perTick, r.IdleDraw, r.LowPercent, r.Dissipation, r.HeatCapacity, r.HeatCapacity,
		10*r.HeatCapacity)
	for _, topic := range ruleTopics {
		k.about[topic] = "\n" + strings.Join(rulesAbout(w, r, topic), "\n")
	}
	return k
}

// Unasked returns the lines that are known without a call, each after a line break.
func (k Known) Unasked() (lines string) { return k.recipes + k.power }

// About returns the lines of topics that were looked up before, each after a line break.
func (k Known) About(topics []string) (lines string) {
	for _, topic := range topics {
		lines += k.about[topic]
	}
	return lines
}

// With returns the lines of what is known with the topics that were looked up before, each
// after a line break. A topic takes the place of what is known of it unasked.
func (k Known) With(topics []string) (lines string) {
	if !slices.Contains(topics, "recipes") {
		lines += k.recipes
	}
	if !slices.Contains(topics, "power") {
		lines += k.power
	}
	return lines + k.About(topics)
}

// RuleTopic returns the topic of a result's source, if its rules are worth keeping. The
// meanings of event names are needed once, and are longer than all the other topics.
func RuleTopic(source string) (topic string, ok bool) {
	topic, ok = strings.CutPrefix(source, rulesSource)
	return topic, ok && topic != "stop_events" && slices.Contains(ruleTopics, topic)
}

// rulesSource begins the source of a topic's rules.
const rulesSource = "rules-"

// recipesMax is how many recipes a call lists that did not ask for them.
const recipesMax = 6

func amounts(list []world.Amount) string {
	var words []string
	for _, a := range list {
		words = append(words, fmt.Sprintf("%d %s", a.Amount, a.Resource))
	}
	return strings.Join(words, " + ")
}
