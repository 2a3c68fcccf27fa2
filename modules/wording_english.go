package modules

import "example.com/agentworld/memory"

// english is the wording of English prompts.
var english = wording{
	docs: map[string]string{
		moduleList:        "List these tools.",
		moduleObservation: "Your observation, or one section.",
		moduleRecent:      "Your newest memories.",
		moduleSearch:      "Search your memories.",
		moduleRules:       "Rules in numbers.",
		moduleRoute:       "A journey's cost and ticks.",
		moduleDryRun:      "Dry run of a candidate, as JSON text.",
		moduleDocuments:   "Search the documents.",
	},
	lineStart: ": ",

	notJSON: "The arguments cannot be read as JSON; the module did not run. Send one object that fits the tool's " +
		"parameters.",
	notObject: "The arguments are JSON, but no object; the module did not run. Send one object.",
	invalid:   "The arguments do not fit; the module did not run. Correct them and call again.",
	unknown:   "There is no such module; nothing ran.",
	execution: "The module ran and could not answer; nothing changed.",
	reason:    " Reason: ",
	adjusted:  "%s %d, not %d",

	recipes: "recipes (inputs and ticks for one product): ",
	perTick: "each tick, asleep too, takes %d electricity (low power: %d%% left) and sheds %d*heat/%d heat, rounded " +
		"up; harvests yield less above %d heat, nothing at %d",

	rules: ruleWording{
		build:      "build %s: %s, %d ticks; %s",
		recipe:     "%s in %s: per batch %s -> %s, %d ticks",
		anyFactory: "any factory",
		noWear:     "no wear",
		wear:       "wear: +%d per batch of a product, worn out at %d",
		queue:      "at most %d batches in a factory's queue, one after another; %d factories per agent",

		capacity:   "electricity: capacity %d, each tick takes %d, asleep too",
		powerState: "power state: low at %d%% of capacity, critical at %d%%, shutdown at 0",
		shutdown:   "in shutdown: nothing is used, +%d electricity per tick, restart at %d%%",
		harvest:    "harvest_radiation: at most %d per tick, +%d heat per unit",
		heat:       "heat: above %d a harvest yields less, at %d it is refused",
		shedding:   "heat shed per tick: %d*heat/%d rounded up, at least 1",

		journeyCost:  "a journey costs %d electricity per started km, paid at departure",
		journeyTicks: "it takes one tick per started %d km; you arrive at the end of it",
		onTheWay:     "on the way you also use %d electricity per tick and can neither act nor see",
		ranDry:       "an agent that runs dry on the way arrives shut down",
		messages:     "a message takes 1 tick, and 1 more per whole %d km; travellers get it on arrival",
		kept: "kept are the newest %d messages to you and %d notes at a place; at most %d of your messages travel " +
			"at a time",

		plant:          "a plant generates up to %d electricity per tick, at most the radiation there; it stores %d",
		plantWear:      "it wears by 1 in each such tick and stops at %d",
		plantPrice:     "it asks 1 data per 10 when full, up to %d when empty; its owner draws for free with buy_power",
		trades:         "trades are in lots of %d at 1-%d data per lot, at the price of who waited",
		orders:         "an order rests for %d ticks, at most %d per agent; its escrow comes back when it ends",
		handedOver:     "electricity bought by an order is handed over where it was placed, as far as it fits",
		quotes:         "quotes of other places are at least 1 tick old, 1 more per %d km",
		standingMost:   "max_ticks: 1-%d attempts",
		standingIgnore: "ignore: may list %s",
		and:            " and ",
	},
	memory: memory.English,
	score:  " (relevance %d)",
}
