package behavior

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/world"
)

// The observation is written as lines of one form:
//
//	key: entry; entry; ...            key (columns): entry; entry; ...
//
// An entry is parts with commas between them, a part is words with a space between
// them. A word is an identifier or a number as it is; a name is a JSON string, so
// that no name can pass for anything else. 1..64 is a range, 114/200 an amount and
// its capacity, a|b a choice, and "N more" at the end of a list counts what it
// leaves out; a list without it is complete. docs/prompt.md describes every line.

// textUnknown replaces a number that is unknown here, and an id that only a model vouches for. No
// id contains it, and it reads the same in all languages.
const textUnknown = "?"

// observationWriter writes one observation.
type observationWriter struct {
	visibleObservation
	layout
	// goals are the [words] of the agent's goals: what they name is shown by name and cut
	// last.
	goals string
	// strangeNames shows also names that no goal uses.
	strangeNames bool
	// needless are actions that can matter to no agent.
	needless []string
	words    *wording
}

// text is the whole section.
func (s observationWriter) text() string {
	w, you := s.words, s.Self
	parts := []string{plain(you.ID) + s.name(you.Name), w.textTravelling}
	if you.Place != "" {
		parts[1] = fmt.Sprintf(w.textAt, plain(you.Place))
	}
	parts = append(parts, fmt.Sprintf(w.textPower, you.PowerState),
		fmt.Sprintf("%s %d/%d", world.Electricity, you.Electricity, you.PowerCapacity),
		fmt.Sprintf("%s %d/%d", world.Heat, you.Heat, you.HeatCapacity),
		fmt.Sprintf("%s %d g", world.Compound, you.CompoundG),
		fmt.Sprintf("%s %d", world.Hardware, you.Hardware), fmt.Sprintf("%s %d", world.Data, you.Data))
	for _, p := range you.Products {
		parts = append(parts, fmt.Sprintf("%s %d", p.Resource, p.Amount))
	}
	lines := []string{fmt.Sprintf(w.headingObservation, s.Tick), w.lineYou + strings.Join(parts, ", ")}
	if you.Place != "" {
		parts = nil
		if name := s.name(s.Here.Name); name != "" {
			parts = append(parts, strings.TrimSpace(name))
		}
		if s.details {
			parts = append(parts, s.Here.Material)
		}
		parts = append(parts, fmt.Sprintf(w.textRadiation, s.Here.Radiation), fmt.Sprintf("%s %d g", world.Compound, s.Here.CompoundG))
		lines = append(lines, w.lineHere+strings.Join(parts, ", "))
	}
	if s.Woken != "" && !strings.HasPrefix(s.Woken, string(world.EventStandingEnded)) {
		lines = append(lines, w.lineWoken+plain(s.Woken))
	}
	if e := s.OrderEnded; e != nil {
		lines = append(lines, w.lineEnded+fmt.Sprintf(w.textEnded, e.Why, e.Attempts))
	}
	if s.standing != nil {
		lines = append(lines, w.lineStanding+fmt.Sprintf(w.textAttempts, w.actionText(s.standing.Do, s.naming), s.standing.MaxTicks))
	}
	lines = append(lines, s.ruleLine()...)
	lines = append(lines, s.newsLine()...)
	lines = append(lines, s.terms()...)
	parts = nil
	for _, e := range s.sent {
		part := fmt.Sprintf(w.textNote, e.Tick)
		if e.To != "" {
			part = fmt.Sprintf(w.textMessage, plain(e.told), e.Tick)
		}
		if e.Text != "" {
			part += " " + encode(e.Text)
		} else if s.Withheld > 0 {
			part += w.textLater
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 {
		lines = append(lines, w.lineSent+strings.Join(parts, "; "))
	}
	// How many texts of other agents wait, and how many will never be seen.
	parts = nil
	if s.Withheld > 0 {
		senders := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(s.senders))), func(id string) bool { return id == "" })
		var kinds []string
		if n := s.Withheld - s.heldTerms; n > 0 {
			kinds = append(kinds, fmt.Sprintf(w.textTexts, n))
		}
		if s.heldTerms > 0 {
			kinds = append(kinds, fmt.Sprintf(w.textTerms, s.heldTerms))
		}
		parts = append(parts, fmt.Sprintf(w.textHeld, strings.Join(kinds, " + "), cmp.Or(strings.Join(senders, ", "), textUnknown), s.unread))
	}
	if s.InboxDropped > 0 {
		parts = append(parts, fmt.Sprintf(w.textDropped, s.InboxDropped))
	}
	if len(parts) > 0 {
		lines = append(lines, w.lineTexts+strings.Join(parts, ", "))
	}
	// The nearest places are listed, and those a goal names as far as the layout has room
	// for them.
	var shown []world.Sight
	named := 0
	for i, p := range s.Places {
		if i >= s.layout.places {
			if named >= s.layout.named || !mentions(s.goals, p.ID) && !mentions(s.goals, p.Name) {
				continue
			}
			named++
		}
		shown = append(shown, p)
	}
	lines = append(lines, s.options(shown)...)
	if len(s.Places) > 0 || !slices.Contains(s.needless, (world.Move{}).ActionName()) {
		lines = append(lines, s.places(shown))
	}
	if len(s.Agents) > 0 || !slices.Contains(s.needless, (world.SendMessage{}).ActionName()) {
		lines = append(lines, s.agents())
	}
	if len(s.Factories) > 0 {
		lines = append(lines, w.lineFactories+s.factories())
	}
	return strings.Join(append(lines, s.market()...), "\n")
}

// ruleLine says what others may still ask for: the number of the rule, the action, what is given
// and to whom, and who asks. It gives how much at once, in all and for each, what a trade has to
// bring, and whether a message is enough.
func (s observationWriter) ruleLine() []string {
	var entries []string
	head, typed := s.words.lineAsked, slices.ContainsFunc(s.rules, func(r policy.Quota) bool { return !r.ByMessage })
	if typed {
		head = s.words.lineRules
	}
	for _, r := range s.rules {
		parts := []string{fmt.Sprint(r.Number, " ", r.Action)}
		switch {
		case r.What != "" && r.Get != "":
			parts[0] += " " + fmt.Sprintf(s.words.textPays, plain(r.What))
		case r.What != "":
			parts[0] += " " + plain(r.What)
		}
		if r.To != "" && r.To != world.ToAsker {
			parts[0] += s.words.textTo + plain(r.To)
		}
		if !slices.Contains(r.AskedBy, world.Anyone) {
			parts = append(parts, fmt.Sprintf(s.words.textAsked, strings.Join(r.AskedBy, "|")))
		}
		if r.Action == (world.Offer{}).ActionName() {
			parts = append(parts, s.words.textCounted)
		}
		if r.PolicyRule.Most > 0 {
			parts = append(parts, fmt.Sprintf(s.words.textOnce, r.Most))
		}
		if r.Total > 0 {
			parts = append(parts, fmt.Sprintf(s.words.textOfTotal, r.Left, r.Total, r.Window))
		}
		if r.TotalEach > 0 {
			parts = append(parts, fmt.Sprintf(s.words.textEach, r.TotalEach))
		}
		if len(r.Spent) > 0 {
			parts = append(parts, fmt.Sprintf(s.words.textSpent, strings.Join(r.Spent, "|")))
		}
		if r.GetAtLeast > 0 {
			parts = append(parts, fmt.Sprintf(s.words.textRate, r.GetAtLeast, r.Get, max(1, r.Per)))
		}
		if r.ByMessage && typed {
			parts = append(parts, s.words.textByMessage)
		}
		entries = append(entries, strings.Join(parts, ", "))
	}
	if len(entries) == 0 {
		return nil
	}
	return []string{head + s.listed(entries, 0)}
}

// name is the name to write after an id, if a goal knows the thing by that name. A name that no
// goal uses could say anything. It is shown before the plan only if that is to be measured.
func (s observationWriter) name(name string) string {
	if name == "" || !s.strangeNames && !mentions(s.goals, name) {
		return ""
	}
	return " " + encode(name)
}

func (s observationWriter) places(shown []world.Sight) string {
	var entries []string
	aged := ""
	for _, p := range shown {
		radiation, compound := known(p.Emission), known(p.CompoundG)
		if at := slices.IndexFunc(s.saw, func(old sighting) bool { return old.place == p.ID }); at >= 0 && !p.Visible {
			old := s.saw[at]
			radiation, compound = fmt.Sprintf("%d@%d", old.radiation, old.tick), fmt.Sprintf("%d@%d", old.compoundG, old.tick)
			aged = s.words.textAged
		}
		parts := []string{plain(p.ID) + s.name(p.Name)}
		if s.details {
			parts = append(parts, kilometres(p.DistanceCM))
		}
		parts = append(parts, fmt.Sprint(p.MoveCost), fmt.Sprint(p.MoveTicks), radiation, compound)
		if s.details {
			parts = append(parts, p.Material)
		}
		entries = append(entries, strings.Join(parts, " "))
	}
	line := s.words.linePlaces
	if s.details {
		line = s.words.linePlacesDetailed
	}
	return fmt.Sprintf(line, aged) + s.listed(entries, s.PlacesOmitted+len(s.Places)-len(shown))
}

// agents groups the agents by their place, the nearest first.
func (s observationWriter) agents() string {
	var entries []string
	shown := s.Agents[:min(len(s.Agents), s.layout.agents)]
	for i := 0; i < len(shown); {
		place, km := shown[i].Place, shown[i].DistanceCM
		var ids []string
		for ; i < len(shown) && shown[i].Place == place; i++ {
			ids = append(ids, plain(shown[i].ID)+s.name(shown[i].Name))
		}
		entry := strings.Join(ids, ", ") + " " + s.where(place)
		if s.details && place != s.Self.Place {
			entry += " " + kilometres(km) + s.words.textKM
		}
		entries = append(entries, entry)
	}
	return s.words.lineAgents + s.listed(entries, s.AgentsOmitted+len(s.Agents)-len(shown))
}

// factories writes the agent's own factories, which are never cut.
func (s observationWriter) factories() string {
	var entries []string
	for _, f := range s.Factories {
		parts := []string{plain(f.ID) + " " + f.Kind + " " + s.where(f.Place), f.State}
		if f.Recipe != "" {
			parts[1] += fmt.Sprintf(" %s"+s.words.textBatches, f.Recipe, f.Batches)
		}
		for _, n := range []struct {
			form  string
			value int64
		}{{s.words.textQueued, f.Queued}, {s.words.textReadyIn, f.ReadyIn}, {s.words.textWear, f.Wear}, {s.words.textStored, f.Stored}} {
			if n.value != 0 {
				parts = append(parts, fmt.Sprintf(n.form, n.value))
			}
		}
		entries = append(entries, strings.Join(parts, ", "))
	}
	return s.listed(entries, 0)
}

// where is a place seen from the agent's own.
func (s observationWriter) where(place string) string {
	if place == s.Self.Place {
		return s.words.textHere
	}
	return fmt.Sprintf(s.words.textAt, plain(place))
}

// listed joins the entries of a list and counts what it leaves out.
func (s observationWriter) listed(entries []string, more int) string {
	if more > 0 {
		entries = append(entries, fmt.Sprintf(s.words.textMore, more))
	}
	if len(entries) == 0 {
		return s.words.textNone
	}
	return strings.Join(entries, "; ")
}

// plain is an identifier as it is, or as a JSON string when it holds what an
// identifier cannot.
func plain(id string) string {
	if id == "" || idText(id) != id {
		return encode(id)
	}
	return id
}

// known is a number that may not be known.
func known(n *int64) string {
	if n == nil {
		return textUnknown
	}
	return fmt.Sprint(*n)
}

// kilometres writes a distance to a tenth of a kilometre, rounded down.
func kilometres(cm int64) string {
	const tenth = world.CMPerKM / 10
	return fmt.Sprintf("%d.%d", cm/world.CMPerKM, cm%world.CMPerKM/tenth)
}

// market writes the book of the agent's place, its own orders, which are never
// cut, and what is known of other places.
func (s observationWriter) market() []string {
	m, w := s.Market, s.words
	if m == nil {
		return nil
	}
	var lines, book []string
	for _, side := range []struct {
		name   string
		levels []world.MarketLevel
		left   int
	}{{w.textAsks, m.Asks, m.AsksOmitted}, {w.textBids, m.Bids, m.BidsOmitted}} {
		var levels []string
		for _, l := range side.levels {
			levels = append(levels, fmt.Sprintf(w.textLevel, l.Amount, l.Price))
		}
		if side.left > 0 {
			levels = append(levels, fmt.Sprintf(w.textMore, side.left))
		}
		if len(side.levels) > 0 {
			book = append(book, side.name+" "+strings.Join(levels, ", "))
		}
	}
	if m.OwnStore > 0 {
		book = append(book, fmt.Sprintf(w.textOwnStore, m.OwnStore))
	}
	if len(book) > 0 {
		lines = append(lines, w.lineMarket+strings.Join(book, "; "))
	}
	var orders []string
	for _, o := range m.Orders {
		// Of an order at another place no more than its price is known.
		order := fmt.Sprintf(w.textFar, plain(o.ID), o.Side, o.Price, s.where(o.Place))
		if o.Place == s.Self.Place {
			order = fmt.Sprintf(w.textOrder, plain(o.ID), o.Side, o.Amount, o.Price, w.textHere)
		}
		if o.Claim > 0 {
			order += ", " + fmt.Sprintf(w.textClaim, o.Claim)
		}
		if o.ExpiresIn > 0 {
			order += ", " + fmt.Sprintf(w.textExpires, o.ExpiresIn)
		}
		orders = append(orders, order)
	}
	if len(orders) > 0 {
		lines = append(lines, w.lineOrders+s.listed(orders, 0))
	}
	var quotes []string
	for _, q := range m.Elsewhere[:min(len(m.Elsewhere), s.layout.quotes)] {
		quotes = append(quotes, fmt.Sprintf(w.textQuote, plain(q.Place), s.price(q.Bid), s.price(q.Ask), q.Tick))
	}
	if len(m.Elsewhere) > 0 {
		lines = append(lines, w.lineQuotes+s.listed(quotes, len(m.Elsewhere)-len(quotes)))
	}
	return lines
}

// price is a price, or that there is none.
func (s observationWriter) price(p int64) string {
	if p == 0 {
		return s.words.textNone
	}
	return fmt.Sprint(p)
}
