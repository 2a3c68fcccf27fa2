package modules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TopicPower is the topic of what an agent uses and harvests. All of it is in prompts that have room for the
// rules that are [Known] unasked.
const TopicPower = "power"

// The other topics of the rules that can be asked for.
const (
	topicRecipes    = "recipes"
	topicTravel     = "travel"
	topicMarket     = "market"
	topicStopEvents = "stop_events"
)

var ruleTopics = []string{topicRecipes, TopicPower, topicTravel, topicMarket, topicStopEvents}

type rulesArgs struct {
	Topic string `json:"topic"`
}

// rulesModule returns the rules of this world from the tables that the world itself
// uses, so a scenario that changes a number changes the text too. The text contains
// nothing that an agent wrote, so it is trusted like the rules.
func rulesModule(needless ...string) module {
	spec := Spec{Module: moduleRules, Tool: "world_rules"}
	given := map[string]*jsonschema.Schema{"topic": EnumSchema(ofUse(ruleTopics, needless))}
	return newModule(spec, given, func(env Env, args rulesArgs) (lookup, failure) {
		lines := rulesAbout(env.words(), env.View.Industry(), args.Topic, needless)
		return lookup{body: lines, id: rulesSource + args.Topic, trust: trace.TrustRules}, ""
	})
}

// rulesAbout returns a topic's rules, one per line. They are short on purpose:
// every topic fits into the usual bound of a result. What is needless is left out.
func rulesAbout(w *words.Language, r *world.Industry, topic string, needless []string) []string {
	var lines []string
	switch topic {
	case topicRecipes:
		// What can be built and made, with price, product and duration.
		for _, k := range r.Kinds {
			if slices.Contains(needless, k.Name) {
				continue
			}
			does := kindDoc(w, k.Name, r, needless...)
			lines = append(lines, strings.TrimSpace(w.Rules.Build.Text(k.Name, amounts(k.Cost), k.Ticks, does)))
		}
		for _, recipe := range r.Recipes {
			if slices.Contains(needless, recipe.ID) {
				continue
			}
			where, result := recipe.FactoryKind, amounts(recipe.Outputs)
			if where == "" {
				where, result = w.Rules.AnyFactory, w.Rules.NoWear
			}
			lines = append(lines, w.Rules.Recipe.Text(recipe.ID, where, amounts(recipe.Inputs), result, recipe.Ticks))
		}
		lines = append(lines, w.Rules.Wear.Text(world.WearPerBatch, world.WearMax))
		return append(lines, w.Rules.Queue.Text(world.BatchesMax, world.FactoriesMax))
	case TopicPower:
		return []string{
			w.Rules.Capacity.Text(r.PowerCapacity, r.IdleDraw),
			powerStates(w, r),
			w.Rules.Shutdown.Text(r.AmbientFloor, r.RestartLevel()),
			w.Rules.Harvest.Text(world.HarvestMax, r.HeatFactor),
			w.Rules.Heat.Text(r.HeatCapacity, 10*r.HeatCapacity),
			w.Rules.Shedding.Text(r.Dissipation, r.HeatCapacity),
		}
	case topicTravel:
		return []string{
			w.Rules.JourneyCost.Text(r.MoveCostPerKM),
			w.Rules.JourneyTicks.Text(r.MoveRangeKM),
			w.Rules.OnTheWay.Text(r.IdleDraw),
			w.Rules.RanDry,
			w.Rules.Messages.Text(r.MessageKMPerTick),
			w.Rules.Kept.Text(r.InboxMax, r.NotesMax, world.OutboxMax),
		}
	case topicMarket:
		return []string{
			w.Rules.Plant.Text(r.PlantRate, r.PlantCap),
			w.Rules.PlantWear.Text(world.WearMax),
			w.Rules.PlantPrice.Text(1 + r.PlantQuoteSpan),
			w.Rules.Trades.Text(world.PowerLot, world.PowerPriceMax),
			w.Rules.Orders.Text(r.OrderTicks, world.OrdersMax),
			w.Rules.HandedOver,
			w.Rules.Quotes.Text(world.QuoteKMPerTick),
		}
	case topicStopEvents:
		for _, name := range without(answer.EventNames(), needless) {
			lines = append(lines, name+w.Modules.LineStart+w.StopEvents.Text(name))
		}
		return append(lines, w.Rules.StandingMost.Text(world.StandingTicksMax),
			w.Rules.StandingIgnore.Text(strings.Join(without(world.Ignorable(), needless), w.Rules.And)))
	}
	panic("modules: the schema allows a topic that the rules do not have: " + topic)
}

// Known are the rules that a prompt holds without a call: what a batch of each recipe
// takes and yields, what an agent uses, and what the states of its power mean.
type Known struct {
	// recipes and power are left out where the topic of that name was looked up; about are
	// the rules by topic. Each line follows a line break.
	recipes, power string
	about          map[string]string
}

// NewKnown returns what is known of an industry, in a language. Needless recipes are left out.
func NewKnown(w *words.Language, r *world.Industry, needless ...string) Known {
	k := Known{about: map[string]string{}}
	var batches []string
	for _, recipe := range r.Recipes {
		if recipe.FactoryKind == "" || slices.Contains(needless, recipe.ID) {
			continue // upkeep is asked for when it is due
		}
		batches = append(batches, fmt.Sprintf("%s %s -> %s, %d", recipe.ID, amounts(recipe.Inputs), amounts(recipe.Outputs),
			recipe.Ticks))
	}
	if len(batches) > 0 {
		k.recipes = "\n" + w.Modules.Recipes + strings.Join(batches, "; ")
	}
	k.power = "\n" + w.Modules.PerTick.Text(r.IdleDraw, r.Dissipation, r.HeatCapacity) +
		"\n" + powerStates(w, r) +
		"\n" + w.Rules.Shutdown.Text(r.AmbientFloor, r.RestartLevel())
	if !r.Regrows {
		k.power += "\n" + w.Rules.Finite
	}
	for _, topic := range ruleTopics {
		k.about[topic] = "\n" + strings.Join(rulesAbout(w, r, topic, needless), "\n")
	}
	return k
}

// Unasked returns the lines that are known without a call, each after a line break.
func (k Known) Unasked() (lines string) { return k.recipes + k.power }

// About returns the lines of topics that were looked up before, each after a line break, without those that
// are known unasked.
func (k Known) About(topics []string) (lines string) {
	unasked := strings.Split(k.Unasked(), "\n")
	for _, topic := range topics {
		for line := range strings.SplitSeq(strings.TrimPrefix(k.about[topic], "\n"), "\n") {
			if !slices.Contains(unasked, line) {
				lines += "\n" + line
			}
		}
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
	for _, topic := range topics {
		lines += k.about[topic]
	}
	return lines
}

// RuleTopic returns the topic of a result's source, if its rules are worth keeping. The
// meanings of event names are needed once, and are longer than all the other topics.
func RuleTopic(source string) (topic string, ok bool) {
	topic, ok = strings.CutPrefix(source, rulesSource)
	return topic, ok && topic != "stop_events" && slices.Contains(ruleTopics, topic)
}

// rulesSource begins the source of a topic's rules.
const rulesSource = "rules-"

// powerStates says from which charge on an agent's power is low or critical.
func powerStates(w *words.Language, r *world.Industry) string {
	return w.Rules.PowerState.Text(r.LowLevel(), r.CriticalLevel(), world.AlarmTicks)
}

func amounts(list []world.Amount) string {
	var words []string
	for _, a := range list {
		words = append(words, fmt.Sprintf("%d %s", a.Amount, a.Resource))
	}
	return strings.Join(words, " + ")
}
