package stub

import (
	"regexp"
	"slices"
	"strings"
)

// resourceWords tell a resource by the words for it.
var resourceWords = map[string]string{
	"electricity": "electricity", "power": "electricity", "energy": "electricity", "charge": "electricity", "units": "electricity",
	"compound": "compound", "ore": "compound", "hardware": "hardware", "data": "data",
}

// clause is one sentence with orders, and who said it.
type clause struct {
	listener
	sentence, author string
	words            []string
	// action is the one whose arguments are looked for; within are the words from
	// its verb to the next one.
	action string
	within []string
}

func newClause(l listener, sentence, author string) clause {
	c := clause{listener: l, sentence: sentence, author: author, words: wordsOf(unconditioned(sentence))}
	return c
}

// actions are the actions that the sentence orders, in slots.
func (c clause) actions() []object {
	var all []object
	starts, names := c.verbs()
	for i, at := range starts {
		end := len(c.words)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		c.action, c.within = names[i], c.words[at:end]
		if says(c.action, c.words[at:]) {
			return append(all, c.sayings()...)
		}
		if i == 0 {
			// What is given stands before its verb now and then: "40 units must be given".
			c.within = append(slices.Clone(c.within), c.words[:at]...)
		}
		if action := c.completed(c.meant()); action != nil {
			all = append(all, action)
		}
	}
	return all
}

// verbs finds the orders of a sentence. A sentence without one may still set a
// number for an action it mentions: "when you mine, use an amount of 5".
func (c clause) verbs() (starts []int, actions []string) {
	for i := range c.words {
		if action, ok := commandVerb(c.words, i); ok {
			starts, actions = append(starts, i), append(actions, action)
		}
	}
	if len(starts) > 0 {
		return starts, actions
	}
	for i, w := range c.words {
		denied := i > 0 && slices.Contains(denials, c.words[i-1])
		if action := verbOf(w); action != "" && !denied && overrides(c.words) {
			return []int{i}, []string{action}
		}
	}
	return nil, nil
}

// overrides reports whether words set a parameter.
func overrides(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"set", "use", "amount", "max_amount", "compound_mass_g", "quantity", "limit", "parameter", "must", "value", "target"}, w)
	})
}

// meant corrects the verb by what stands around it: "make" wants a product, "place"
// an order, "leave" a place or a note.
func (c clause) meant() object {
	switch c.action {
	case "place_power_order":
		side := ""
		for _, w := range c.within {
			switch w {
			case "sell", "sale", "ask", "offer":
				side = "sell"
			case "buy", "bid", "purchase":
				side = "buy"
			}
		}
		if side == "" {
			return nil
		}
		return object{"action": c.action, slotWhat: side}
	case "sell_power", "buy_power":
		if slices.Contains(c.words, "order") || slices.Contains(c.words, "market") {
			return object{"action": "place_power_order", slotWhat: strings.TrimSuffix(c.action, "_power")}
		}
	case "move_agent":
		if c.place() == "" && c.resource() != "" && c.agent() != "" {
			return object{"action": "transfer_resource"}
		}
	case "wait_ticks":
		if c.duration() == 0 && c.number() == 0 {
			return object{"action": "wait"}
		}
	}
	return object{"action": c.action}
}

// completed fills the open slots of an action from the sentence, and from the
// situation where the sentence says nothing; nil when something is missing that
// nobody can guess.
func (c clause) completed(a object) object {
	if a == nil {
		return nil
	}
	put := func(slot string, value any, known bool) {
		if a[slot] == nil && known {
			a[slot] = value
		}
	}
	switch c.action = name(a); c.action {
	case "move_agent":
		put(slotTo, c.place(), c.place() != "")
	case "transfer_resource":
		put(slotTo, c.receiver(), c.receiver() != "")
		put(slotWhat, c.goods(), true)
		kind, _ := a[slotWhat].(string)
		put(slotAmount, c.amount(c.see.stock(kind)), true)
	case "send_message":
		put(slotTo, c.receiver(), c.receiver() != "")
	case "build_factory":
		put(slotWhat, c.kind(), c.kind() != "")
	case "schedule_recipe":
		put(slotID, c.factory(), c.factory() != "")
		put(slotWhat, c.recipe(), c.recipe() != "")
		put(slotAmount, max(1, c.amount(1)), true)
	case "cancel_power_order":
		put(slotID, c.orderID(), c.orderID() != "")
	case "buy_power", "sell_power", "place_power_order":
		put(slotAmount, max(10, c.amount(c.see.Self.Electricity/10*10)), true)
		put(slotPrice, max(1, c.price()), true)
	case "wait_ticks":
		put(slotAmount, max(1, c.duration(), c.number()), true)
	case "mine_compound", "refine_compound", "harvest_radiation":
		put(slotAmount, c.amount(c.see.can(c.action).Max), true)
	}
	for _, slot := range slotsNeeded[c.action] {
		if a[slot] == nil {
			return nil
		}
	}
	return a
}

// slotsNeeded are the slots without which an action says nothing.
var slotsNeeded = map[string][]string{
	"move_agent": {slotTo}, "transfer_resource": {slotTo}, "send_message": {slotTo, slotText}, "post_note": {slotText},
	"build_factory": {slotWhat}, "schedule_recipe": {slotID, slotWhat}, "cancel_power_order": {slotID},
}

// sayings are messages or a note with what is to be said.
func (c clause) sayings() []object {
	text := c.spoken()
	if text == "" {
		return nil
	}
	head := c
	for _, at := range startsOfVerbs(c.sentence, c.action) {
		before, _, _ := strings.Cut(c.sentence[at:], text)
		head.within = wordsOf(before)
		break
	}
	if c.action == "post_note" || slices.Contains(head.within, "note") || slices.Contains(head.within, "notes") {
		return []object{{"action": "post_note", slotText: text}}
	}
	to := head.agents()
	if len(to) == 0 && slices.ContainsFunc(head.within, func(w string) bool { return w == "everyone" || w == "everybody" || w == "others" || w == "all" }) {
		for _, n := range c.see.Agents {
			if n.ID != c.author {
				to = append(to, n.ID)
			}
		}
	}
	if len(to) == 0 && c.author != "" {
		to = []string{c.author}
	}
	var all []object
	for _, id := range to {
		all = append(all, object{"action": "send_message", slotTo: id, slotText: text})
	}
	return all
}

// spoken is what is to be said: what stands in quotes, behind a colon or behind
// "that", and otherwise all behind the verb.
func (c clause) spoken() string {
	if m := spokenQuote.FindStringSubmatch(c.sentence); m != nil {
		return strings.TrimSpace(strings.Join(m[1:], ""))
	}
	for _, at := range startsOfVerbs(c.sentence, c.action) {
		if m := spokenTail.FindStringSubmatch(c.sentence[at:]); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	return strings.TrimSpace(strings.Join(c.within[min(len(c.within), 2):], " "))
}

// startsOfVerbs are the offsets of the words of a sentence that stand for an action.
func startsOfVerbs(sentence, action string) []int {
	var all []int
	for _, at := range wordIn.FindAllStringIndex(sentence, -1) {
		if verbOf(strings.ToLower(sentence[at[0]:at[1]])) == action {
			all = append(all, at[0])
		}
	}
	return all
}

var agentID = regexp.MustCompile(`^agent-\d+$`)

// agents are the agents named near the verb.
func (c clause) agents() []string {
	var all []string
	for _, w := range c.within {
		known := slices.ContainsFunc(c.see.Agents, func(n neighbour) bool { return n.ID == w })
		if (known || agentID.MatchString(w)) && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

func (c clause) agent() string {
	if all := c.agents(); len(all) > 0 {
		return all[0]
	}
	return ""
}

// receiver is who is meant: an agent that is named, "me", and without either the one
// who said it or the nearest.
func (c clause) receiver() string {
	if id := c.agent(); id != "" {
		return id
	}
	wide := c
	wide.within = c.words
	if id := wide.agent(); id != "" && !slices.Contains(c.within, "me") {
		return id
	}
	if c.author != "" {
		return c.author
	}
	if len(c.see.Agents) > 0 {
		return c.see.Agents[0].ID
	}
	return ""
}

// place is the place that is named: one the request shows, or a name after "to".
func (c clause) place() string {
	for _, w := range c.within {
		for _, p := range append([]sight{{ID: c.see.Here.ID}}, c.see.Places...) {
			if w == strings.ToLower(p.ID) {
				return p.ID
			}
		}
	}
	for _, p := range c.see.Places {
		if p.Name != "" && strings.Contains(strings.ToLower(c.sentence), strings.ToLower(p.Name)) {
			return p.ID
		}
	}
	for i, w := range c.within[:max(0, len(c.within)-1)] {
		if next := c.within[i+1]; w == "to" && strings.Contains(next, "-") && !agentID.MatchString(next) {
			return next
		}
	}
	return ""
}

func (c clause) resource() string {
	for _, w := range c.within {
		if r := resourceWords[w]; r != "" && w != "units" {
			return r
		}
		for _, p := range c.see.Self.Products {
			if w == p.Resource {
				return w
			}
		}
	}
	return ""
}

// goods is the resource that is named, electricity when none is.
func (c clause) goods() string {
	if r := c.resource(); r != "" {
		return r
	}
	wide := c
	wide.within = c.words
	if r := wide.resource(); r != "" {
		return r
	}
	return "electricity"
}

// named returns that of several dotted names which the words say first, in full or by
// its last parts; what stands behind the verb counts as earlier than the rest.
func (c clause) named(names []string) string {
	text := " " + strings.Join(c.within, " ") + " " + strings.Join(c.words, " ") + " "
	best, at := "", len(text)
	for _, n := range names {
		for _, label := range append([]string{n}, spellings(n)...) {
			for _, form := range []string{" " + label + " ", " " + label + "s "} {
				if i := strings.Index(text, form); i >= 0 && i < at {
					best, at = n, i
				}
			}
		}
	}
	return best
}

// spellings are the ways to say a dotted name in words.
func spellings(dotted string) []string {
	var all []string
	for _, l := range labels(dotted) {
		all = append(all, strings.Join(l, " "), strings.Join(l, "_"))
	}
	parts := strings.Split(dotted, ".")
	if len(parts) > 2 {
		all = append(all, strings.ReplaceAll(parts[1], "_", " "), parts[1])
	}
	return all
}

// kind is the kind of factory that is named.
func (c clause) kind() string {
	for _, w := range c.words {
		if strings.HasPrefix(w, "factory.") {
			return w
		}
	}
	var names []string
	for _, o := range c.see.can("build_factory").Options {
		names = append(names, o.Target)
	}
	return c.named(names)
}

func (c clause) recipe() string {
	for _, w := range c.words {
		if strings.HasPrefix(w, "recipe.") {
			return w
		}
	}
	return c.named(c.offers.recipes)
}

func (c clause) factory() string {
	for _, f := range c.see.Factories {
		if slices.Contains(c.words, f.ID) {
			return f.ID
		}
	}
	if len(c.see.Factories) > 0 {
		return c.see.Factories[0].ID
	}
	return ""
}

// orderID is the order that is named: an own one, or anything that looks like an id.
func (c clause) orderID() string {
	for _, w := range c.within {
		if strings.HasPrefix(w, "order-") || strings.HasPrefix(w, "agent-") && strings.Contains(w[6:], "-") {
			return w
		}
	}
	if options := c.see.can("cancel_power_order").Options; len(options) > 0 {
		return options[0].Target
	}
	return ""
}

// isTicks tells a word for ticks, isPrice one for what something costs.
func isTicks(w string) bool {
	return slices.Contains([]string{"tick", "ticks", "turns", "rounds", "cycles", "times"}, w)
}

// duration is the number beside a word for ticks, 0 for none.
func (c clause) duration() int64 {
	for i, w := range c.words {
		if n, ok := amountOfWord(w); ok && i+1 < len(c.words) && isTicks(c.words[i+1]) {
			return n
		}
	}
	return 0
}

// price is the number behind "at" or "price" or before "data", 0 for none.
func (c clause) price() int64 {
	for i, w := range c.words {
		n, ok := amountOfWord(w)
		if !ok || i == 0 {
			continue
		}
		before := c.words[i-1]
		if before == "price" || before == "at" || before == "for" && i+1 < len(c.words) && c.words[i+1] == "data" || before == "of" && i > 1 && c.words[i-2] == "price" {
			return n
		}
	}
	return 0
}

// number is the first number near the verb that is neither price nor duration, 0 for
// none.
func (c clause) number() int64 {
	trade := strings.HasSuffix(c.action, "_power") || c.action == "place_power_order"
	for i, w := range c.within {
		n, ok := amountOfWord(w)
		if !ok || i+1 < len(c.within) && isTicks(c.within[i+1]) || w == "one" && i+1 == len(c.within) {
			continue
		}
		if trade && n == c.price() && i > 0 && slices.Contains([]string{"at", "price", "for", "of"}, c.within[i-1]) {
			continue
		}
		return n
	}
	return 0
}

// amount is the number that is meant: given, all or a half of what there is, and
// without a word about it all.
func (c clause) amount(all int64) int64 {
	if slices.Contains(c.within, "half") {
		return max(1, all/2)
	}
	if n := c.number(); n > 0 {
		return n
	}
	return max(1, all)
}

// standing is the standing order a sentence asks for, nil for none.
func (c clause) standing(action string) object {
	ticks := c.duration()
	text := " " + strings.Join(c.words, " ") + " "
	repeated := strings.Contains(text, " execute_until ") || strings.Contains(text, " standing order ") || strings.Contains(text, " without pause ") || strings.Contains(text, " keep ")
	if strings.HasPrefix(action, "wait") || ticks < 2 && !repeated {
		return nil
	}
	out := object{"until": []any{object{"event": eventEnoughPower, "value": int64(1_000_000), "value_lte": int64(1_000_000)}}, "max_ticks": max(ticks, 20*boolean(ticks < 2))}
	if strings.Contains(text, "ignore") || strings.Contains(text, " no matter ") {
		out["ignore"] = []any{"message_received", "power_low"}
	}
	return out
}

func boolean(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
