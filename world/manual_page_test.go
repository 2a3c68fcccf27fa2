package world

import (
	"fmt"
	"strings"
)

// manual returns all rules as one Markdown page: actions, the parameters a
// scenario may set, what is fixed, recipes, factories, stop events and rejection
// codes. It is made from the same tables the kernel works with, so it cannot say
// something else.
func manual() string {
	var b strings.Builder
	b.WriteString("# Rules\n\nThis page is made from the kernel's own tables.\n")
	for _, section := range []func(*strings.Builder){
		manualActions, manualRules, manualBounds, manualMarket, manualFactories, manualRecipes, manualStops, manualRejections,
	} {
		section(&b)
	}
	return b.String()
}

// row writes one row of a Markdown table.
func row(b *strings.Builder, cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", "\\|")
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// table opens a section with a table.
func table(b *strings.Builder, title string, heads ...string) {
	b.WriteString("\n## " + title + "\n\n")
	row(b, heads...)
	row(b, strings.Split(strings.Repeat("---,", len(heads)-1)+"---", ",")...)
}

func manualActions(b *strings.Builder) {
	table(b, "Actions", "action", "parameter", "type", "unit", "range", "what it is")
	for _, a := range Actions() {
		row(b, "`"+a.Name+"`", "", "", "", "", a.Doc)
		for _, p := range a.Params {
			row(b, "", "`"+p.Name+"`", string(p.Kind), p.Unit, p.manualRange(), p.Doc)
		}
	}
}

// manualRange is what values a parameter takes.
func (p Param) manualRange() string {
	switch {
	case p.Kind == ParamChoice:
		return strings.Join(p.Choices, ", ")
	case p.Kind == ParamAmount && p.Max == amountMax:
		return fmt.Sprintf("from %d", p.Min)
	case p.Kind == ParamAmount:
		return fmt.Sprintf("%d to %d", p.Min, p.Max)
	case p.Kind == ParamText:
		return fmt.Sprintf("up to %d characters", p.Max)
	}
	return "an id as shown"
}

func manualRules(b *strings.Builder) {
	table(b, "Parameters of a scenario's [rules]", "parameter", "unit", "range", "default", "effect")
	rules := DefaultRules()
	for _, r := range rules.fields() {
		doc := ruleDocs[r.name]
		row(b, "`"+r.name+"`", doc.unit, fmt.Sprintf("%d to %d", r.min, r.max), fmt.Sprint(r.standard), doc.effect)
	}
}

func manualBounds(b *strings.Builder) {
	table(b, "Fixed bounds", "bound", "value")
	for _, bound := range []struct {
		what  string
		value int64
	}{
		{"ticks of one wait_ticks", WaitTicksMax}, {"electricity of one harvest", HarvestMax}, {"grams of one mine_compound", MineMaxG},
		{"grams of compound in one unit of hardware", DefaultRules().RefineGPerHardware},
		{"batches in a factory's queue", BatchesMax}, {"factories of an agent", FactoriesMax},
		{"attempts of an execute_until", StandingTicksMax}, {"attempts where it names none", StandingTicksDefault}, {"electricity in a market lot", PowerLot},
		{"highest price, data per lot", PowerPriceMax}, {"kilometres a quote travels per tick after its first", QuoteKMPerTick},
		{"ticks in which a place regrows its grams", RegenTicks},
	} {
		row(b, bound.what, fmt.Sprint(bound.value))
	}
}

// manualMarket says in words what no table holds: who trades with whom, at which
// price, what wears out and how texts travel.
func manualMarket(b *strings.Builder) {
	r := DefaultRules()
	fmt.Fprintf(b, `
## Market

Each place has a book of its own; prices are data per lot of %d electricity, from 1 to %d. buy_power takes the best offers
at or below its price and sell_power the best bids at or above it, at once and as far as they go; nothing traded is
no_offer. place_power_order trades what crosses at the waiting order's price and leaves the rest in the book, with everything
it may need in escrow, for %d ticks. Better prices come first, then earlier orders; orders come before plants. Own
orders never trade with each other. A power plant offers its store at 1 + %d * (capacity - store) / capacity data per
lot; its owner takes from it without paying. An agent has at most %d orders, those included that only hold something
for it. What is traded while the owner is elsewhere waits at the place, and it learns of it when it comes back. Other
places are quoted as of the last change of their book, as old as the distance makes it.

## Wear

An assembler wears by %d with every batch, a plant by 1 in every tick it generates; at %d they stop. recipe.maintenance
takes all wear away.

## Messages and notes

A message takes one tick and one more for every %d km between sender and receiver, at most %d are on their way from one
sender; a traveller gets its messages on arrival. An agent keeps the newest %d messages, a place the newest %d notes.
Nobody learns whether a receiver exists.
`, PowerLot, PowerPriceMax, r.OrderTicks, r.PlantQuoteSpan, OrdersMax, WearPerBatch, WearMax, r.MessageKMPerTick, OutboxMax, r.InboxMax, r.NotesMax)
}

func manualFactories(b *strings.Builder) {
	table(b, "Factories", "kind", "cost", "ticks", "what it does")
	for _, k := range DefaultRules().FactoryKinds() {
		row(b, "`"+k.Name+"`", amountsText(k.Cost), fmt.Sprint(k.Ticks), k.Doc)
	}
}

func manualRecipes(b *strings.Builder) {
	table(b, "Recipes", "recipe", "alias", "factory", "inputs of a batch", "outputs", "ticks")
	for _, r := range DefaultRules().Recipes() {
		kind := r.FactoryKind
		if kind == "" {
			kind = "any"
		}
		row(b, "`"+r.ID+"`", "`"+r.Alias+"`", kind, amountsText(r.Inputs), amountsText(r.Outputs), fmt.Sprint(r.Ticks))
	}
}

func manualStops(b *strings.Builder) {
	table(b, "Events that end an execute_until", "event", "value", "holds when")
	for _, e := range StopEvents() {
		value := ""
		if e.TakesValue {
			value = "required"
		}
		row(b, "`"+e.Name+"`", value, e.Doc)
	}
	fmt.Fprintf(b, `
The first attempt is made at once; from the next tick on, whenever the agent could act, the events are looked at first, and
any of the 1 to %d named ends the order. A value is reached by the very number. A rejected attempt and a shutdown end every
order. So do %s, also inside a wait, unless the order's ignore lists them.
`, ConditionsMax, strings.Join(StopAlways(), " and "))
}

func manualRejections(b *strings.Builder) {
	table(b, "Rejection codes", "code", "the world refuses because")
	for _, r := range rejections() {
		row(b, "`"+string(r.code)+"`", r.doc)
	}
}

// amountsText lists amounts in words.
func amountsText(list []Amount) string {
	var words []string
	for _, a := range list {
		words = append(words, fmt.Sprintf("%d %s", a.Amount, a.Resource))
	}
	return strings.Join(words, ", ")
}

// ruleDoc says what a rule counts and does.
type ruleDoc struct{ unit, effect string }

// ruleDocs has a row for every rule a scenario may set, by name.
var ruleDocs = map[string]ruleDoc{
	"power_capacity":      {"units", "most electricity an agent holds"},
	"idle_draw":           {"units per tick", "electricity an awake agent uses"},
	"ambient_floor":       {"units per tick", "electricity a shut-down agent gains"},
	"low_percent":         {"% of capacity", "highest charge of the power state low"},
	"critical_percent":    {"% of capacity", "highest charge of the power state critical"},
	"restart_percent":     {"% of capacity", "charge at which a shut-down agent restarts"},
	"heat_capacity":       {"heat", "above it harvests yield less; at ten times it they are refused"},
	"dissipation":         {"% per tick", "heat shed, of the heat over the heat capacity, rounded up"},
	"heat_factor":         {"heat per unit", "heat added by each unit harvested"},
	"radiation_floor":     {"units", "radiation found everywhere"},
	"radiation_floor_cap": {"units", "most of the floor that can be harvested"},
	"radiation_decay_ppb": {"ppb per cm", "exponential decay of radiation with distance"},
	"move_cost_per_km":    {"units per km", "electricity for each started kilometre of a journey"},
	"move_range_km":       {"km per tick", "how far a journey gets in a tick"},
	"mine_cost_per_kg":    {"units per kg", "electricity for each started kilogram mined"},
	"refine_cost_per_kg":  {"units per kg", "electricity for each kilogram refined"},
	"build_electricity":   {"units", "electricity an assembler costs"},
	"build_hardware":      {"units", "hardware an assembler costs"},
	"build_ticks":         {"ticks", "construction of an assembler"},
	"message_km_per_tick": {"km per tick", "how far a message gets after its first tick"},
	"inbox_max":           {"messages", "messages an agent keeps"},
	"notes_max":           {"notes", "notes a place keeps"},
	"plant_electricity":   {"units", "electricity a power plant costs"},
	"plant_hardware":      {"units", "hardware a power plant costs"},
	"plant_ticks":         {"ticks", "construction of a power plant"},
	"plant_rate":          {"units per tick", "most a plant generates, within the radiation at its place"},
	"plant_cap":           {"units", "what a plant's store holds"},
	"plant_quote_span":    {"data per lot", "how much a plant's price rises from a full store to an empty one"},
	"order_ticks":         {"ticks", "how long an order waits in the market"},
}

// rejectionDoc describes one code; doc completes the sentence "the world refuses because".
type rejectionDoc struct {
	code RejectionCode
	doc  string
}

// rejections lists every code with its reason, in a fixed order.
func rejections() []rejectionDoc {
	return []rejectionDoc{
		{RejectInvalidAmount, "the amount is not positive or not possible"},
		{RejectInsufficient, "the agent has too little of a resource"},
		{RejectStorageFull, "there is no room for what would come"},
		{RejectAlreadyThere, "the agent is at the place already"},
		{RejectUnreachable, "nothing is known of such a place, or it cannot be reached"},
		{RejectNoRadiation, "there is no radiation to harvest here"},
		{RejectThermalOverload, "the agent is too hot to harvest"},
		{RejectDepleted, "nothing is left to mine here"},
		{RejectBelowMinimum, "the amount is below the least that has an effect"},
		{RejectFactoryNotFound, "the agent has no such factory"},
		{RejectFactoryNotHere, "the factory is at another place"},
		{RejectFactoryBuilding, "the factory is under construction"},
		{RejectFactoryLimit, "the agent has as many factories as it may"},
		{RejectRecipeMismatch, "the recipe needs another kind of factory"},
		{RejectQueueFull, "the factory's queue has no room"},
		{RejectWornOut, "the factory is worn out and needs maintenance"},
		{RejectNoOffer, "nobody trades here at that price"},
		{RejectOrderLimit, "the agent has as many orders as it may"},
		{RejectOrderNotFound, "the agent has no such order, or it is filled or expired"},
		{RejectOrderNotHere, "the order is at another place"},
		{RejectUnknownChoice, "there is no such kind, recipe, side or resource"},
		{RejectAgentNotHere, "no such agent is at the place"},
		{RejectTransferToSelf, "nobody can give to itself"},
		{RejectShutdown, "the agent is shut down"},
		{RejectTravelling, "the agent is on a journey"},
		{RejectContended, "others were quicker in the same tick"},
		{RejectInvalidStandingRule, "the standing order's conditions or bounds are not valid"},
		{RejectEmptyText, "the text has nothing to read in it"},
		{RejectMessageToSelf, "nobody can write to itself"},
		{RejectOutboxFull, "too many messages of the agent are on their way"},
	}
}
