package behavior

import (
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
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
	*visibleObservation
	layout
	// goals are the [words] of the agent's goals: what they name is shown by name and cut
	// last.
	goals string
	// strangeNames shows also names that no goal uses.
	strangeNames bool
	// needless are actions that can matter to no agent.
	needless []string
	words    *wording
	// out is what is written so far.
	out []byte
}

func (s *observationWriter) add(texts ...string) {
	for _, text := range texts {
		s.out = append(s.out, text...)
	}
}

// say adds a form with the values of its verbs.
func (s *observationWriter) say(form string, values ...value) {
	s.out = appendForm(s.out, form, values...)
}

// then adds a form after what goes between it and what was before.
func (s *observationWriter) then(between, form string, values ...value) {
	s.out = appendForm(append(s.out, between...), form, values...)
}

// line begins a line with its key, and returns where what follows begins.
func (s *observationWriter) line(key string) int {
	s.add("\n", key)
	return len(s.out)
}

// next begins the next of several entries or parts, the first of which begins at from.
func (s *observationWriter) next(from int, between string) {
	if len(s.out) > from {
		s.add(between)
	}
}

// end ends a list that begins at from, and counts what it leaves out.
func (s *observationWriter) end(from, more int) {
	if more > 0 {
		s.next(from, "; ")
		s.say(s.words.textMore, num(more))
	}
	if len(s.out) == from {
		s.add(s.words.textNone)
	}
}

// id adds an id, and the name after it if that is to be written.
func (s *observationWriter) id(id, name string) {
	s.add(plain(id))
	if s.names(name) {
		s.out = llmclient.AppendText(append(s.out, ' '), name)
	}
}

// names reports whether a name is to be written after an id: if a goal knows the thing by that
// name. A name that no goal uses could say anything. It is shown before the plan only if that is
// to be measured.
func (s *observationWriter) names(name string) bool {
	return name != "" && (s.strangeNames || mentions(s.goals, name))
}

func (s *observationWriter) text() string {
	w, you := s.words, &s.Self
	s.out = appendForm(make([]byte, 0, 2048), w.headingObservation, num(s.Tick))
	s.line(w.lineYou)
	if s.id(you.ID, you.Name); you.Place != "" {
		s.then(", ", w.textAt, str(plain(you.Place)))
	} else {
		s.add(", ", w.textTravelling)
	}
	s.then(", ", w.textPower, str(you.PowerState))
	s.say(", "+world.Electricity+" %d/%d, "+world.Heat+" %d/%d", num(you.Electricity), num(you.PowerCapacity),
		num(you.Heat), num(you.HeatCapacity))
	s.say(", "+world.Compound+" %d g, "+world.Hardware+" %d, "+world.Data+" %d", num(you.CompoundG), num(you.Hardware),
		num(you.Data))
	for _, p := range you.Products {
		s.say(", %s %d", str(p.Resource), num(p.Amount))
	}
	if you.Place != "" {
		from := s.line(w.lineHere)
		if s.names(s.Here.Name) {
			s.out = llmclient.AppendText(s.out, s.Here.Name)
		}
		if s.next(from, ", "); s.details {
			s.add(s.Here.Material, ", ")
		}
		s.say(w.textRadiation, num(s.Here.Radiation))
		s.say(", "+world.Compound+" %d g", num(s.Here.CompoundG))
	}
	if s.Woken != "" && !strings.HasPrefix(s.Woken, string(world.EventStandingEnded)) {
		s.line(w.lineWoken)
		s.add(plain(s.Woken))
	}
	if e := s.OrderEnded; e != nil {
		s.line(w.lineEnded)
		s.say(w.textEnded, str(e.Why), num(e.Attempts))
	}
	if s.standing != nil {
		s.line(w.lineStanding)
		s.say(w.textAttempts, str(w.actionText(s.standing.Do, s.naming)), num(s.standing.MaxTicks))
	}
	s.asked()
	s.told()
	s.terms()
	for i, e := range s.sent {
		if i == 0 {
			s.line(w.lineSent)
		} else {
			s.add("; ")
		}
		if e.To != "" {
			s.say(w.textMessage, str(plain(e.told)), num(e.Tick))
		} else {
			s.say(w.textNote, num(e.Tick))
		}
		if e.Text != "" {
			s.out = llmclient.AppendText(append(s.out, ' '), e.Text)
		} else if s.Withheld > 0 {
			s.add(w.textLater)
		}
	}
	// How many texts of other agents wait, and how many will never be seen.
	if s.Withheld > 0 || s.InboxDropped > 0 {
		from := s.line(w.lineTexts)
		if s.Withheld > 0 {
			s.say("%s", str(w.withheld(s.Withheld, s.withheldTerms, s.unread, s.senders)))
		}
		if s.InboxDropped > 0 {
			s.next(from, ", ")
			s.say(w.textDropped, num(s.InboxDropped))
		}
	}
	// The nearest places are listed, and those a goal names as far as the layout has room
	// for them.
	near := min(len(s.Places), s.layout.places)
	shown := s.Places[:near:near]
	for _, p := range s.Places[near:] {
		if len(shown)-near < s.layout.named && (mentions(s.goals, p.ID) || mentions(s.goals, p.Name)) {
			shown = append(shown, p)
		}
	}
	s.options(shown)
	if len(s.Places) > 0 || !slices.Contains(s.needless, (world.Move{}).ActionName()) {
		s.places(shown)
	}
	if len(s.Agents) > 0 || !slices.Contains(s.needless, (world.SendMessage{}).ActionName()) {
		s.agents()
	}
	if len(s.Factories) > 0 {
		s.factories()
	}
	if s.Market != nil {
		s.market()
	}
	return string(s.out)
}

// asked says what others may still ask for: the number of the rule, the action, what is given
// and to whom, and who asks. It gives how much at once, in all and for each, what a trade has to
// bring, and whether a message is enough.
func (s *observationWriter) asked() {
	w := s.words
	typed := slices.ContainsFunc(s.rules, func(r policy.Quota) bool { return !r.ByMessage })
	for i := range s.rules {
		r := &s.rules[i]
		switch {
		case i > 0:
			s.add("; ")
		case typed:
			s.line(w.lineRules)
		default:
			s.line(w.lineAsked)
		}
		s.say("%d %s", num(r.Number), str(r.Action))
		switch {
		case r.What != "" && r.Get != "":
			s.then(" ", w.textPays, str(plain(r.What)))
		case r.What != "":
			s.add(" ", plain(r.What))
		}
		if r.To != "" && r.To != world.ToAsker {
			s.add(w.textTo, plain(r.To))
		}
		if !slices.Contains(r.AskedBy, world.Anyone) {
			s.then(", ", w.textAsked, str(strings.Join(r.AskedBy, "|")))
		}
		if r.Action == (world.Offer{}).ActionName() {
			s.then(", ", w.textCounted)
		}
		if r.PolicyRule.Most > 0 {
			s.then(", ", w.textOnce, num(r.Most))
		}
		if r.Total > 0 {
			s.then(", ", w.textOfTotal, num(r.Left), num(r.Total), num(r.Window))
		}
		if r.TotalEach > 0 {
			s.then(", ", w.textEach, num(r.TotalEach))
		}
		if len(r.Spent) > 0 {
			s.then(", ", w.textSpent, str(strings.Join(r.Spent, "|")))
		}
		if r.GetAtLeast > 0 {
			s.then(", ", w.textRate, num(r.GetAtLeast), str(r.Get), num(max(1, r.Per)))
		}
		if r.ByMessage && typed {
			s.then(", ", w.textByMessage)
		}
	}
}

func (s *observationWriter) places(shown []world.Sight) {
	// before is what was seen of a place that is out of sight now, nil for nothing.
	before := func(p *world.Sight) *sighting {
		for i := range s.saw {
			if !p.Visible && s.saw[i].place == p.ID {
				return &s.saw[i]
			}
		}
		return nil
	}
	line, aged := s.words.linePlaces, ""
	if s.details {
		line = s.words.linePlacesDetailed
	}
	for i := range shown {
		if before(&shown[i]) != nil {
			aged = s.words.textAged
		}
	}
	s.add("\n")
	s.say(line, str(aged))
	from := len(s.out)
	for i := range shown {
		p := &shown[i]
		s.next(from, "; ")
		if s.id(p.ID, p.Name); s.details {
			s.add(" ")
			s.kilometres(p.DistanceCM)
		}
		s.say(" %d %d ", num(p.MoveCost), num(p.MoveTicks))
		if old := before(p); old != nil {
			s.say("%d@%d %d@%d", num(old.radiation), num(old.tick), num(old.compoundG), num(old.tick))
		} else {
			s.known(p.Emission)
			s.add(" ")
			s.known(p.CompoundG)
		}
		if s.details {
			s.add(" ", p.Material)
		}
	}
	s.end(from, s.PlacesOmitted+len(s.Places)-len(shown))
}

// agents groups the agents by their place, the nearest first.
func (s *observationWriter) agents() {
	from := s.line(s.words.lineAgents)
	shown := s.Agents[:min(len(s.Agents), s.layout.agents)]
	for i := 0; i < len(shown); {
		s.next(from, "; ")
		place, km := shown[i].Place, shown[i].DistanceCM
		for first := i; i < len(shown) && shown[i].Place == place; i++ {
			if i > first {
				s.add(", ")
			}
			s.id(shown[i].ID, shown[i].Name)
		}
		s.add(" ")
		if s.where(place); s.details && place != s.Self.Place {
			s.add(" ")
			s.kilometres(km)
			s.add(s.words.textKM)
		}
	}
	s.end(from, s.AgentsOmitted+len(s.Agents)-len(shown))
}

// factories writes the agent's own factories, which are never cut.
func (s *observationWriter) factories() {
	w := s.words
	from := s.line(w.lineFactories)
	for _, f := range s.Factories {
		s.next(from, "; ")
		s.add(plain(f.ID), " ", f.Kind, " ")
		s.where(f.Place)
		if s.add(", ", f.State); f.Recipe != "" {
			s.add(" ", f.Recipe)
			s.say(w.textBatches, num(f.Batches))
		}
		for _, n := range [...]struct {
			form  string
			value int64
		}{{w.textQueued, f.Queued}, {w.textReadyIn, f.ReadyIn}, {w.textWear, f.Wear}, {w.textStored, f.Stored}} {
			if n.value != 0 {
				s.then(", ", n.form, num(n.value))
			}
		}
	}
}

// where adds a place as it is seen from the agent's own.
func (s *observationWriter) where(place string) {
	if place == s.Self.Place {
		s.add(s.words.textHere)
	} else {
		s.say(s.words.textAt, str(plain(place)))
	}
}

// known adds a number that may not be known.
func (s *observationWriter) known(n *int64) {
	if n == nil {
		s.add(textUnknown)
	} else {
		s.say("%d", num(*n))
	}
}

// kilometres adds a distance to a tenth of a kilometre, rounded down.
func (s *observationWriter) kilometres(cm int64) {
	const tenth = world.CMPerKM / 10
	s.say("%d.%d", num(cm/world.CMPerKM), num(cm%world.CMPerKM/tenth))
}

// plain is an identifier as it is, or as a JSON string when it holds what an
// identifier cannot.
func plain(id string) string {
	if id == "" || idText(id) != id {
		return encode(id)
	}
	return id
}

// market writes the book of the agent's place, its own orders, which are never
// cut, and what is known of other places.
func (s *observationWriter) market() {
	m, w := s.Market, s.words
	if len(m.Asks)+len(m.Bids) > 0 || m.OwnStore > 0 {
		from := s.line(w.lineMarket)
		for _, side := range [...]struct {
			name   string
			levels []world.MarketLevel
			left   int
		}{{w.textAsks, m.Asks, m.AsksOmitted}, {w.textBids, m.Bids, m.BidsOmitted}} {
			if len(side.levels) == 0 {
				continue
			}
			s.next(from, "; ")
			for i, l := range side.levels {
				if i == 0 {
					s.add(side.name, " ")
				} else {
					s.add(", ")
				}
				s.say(w.textLevel, num(l.Amount), num(l.Price))
			}
			if side.left > 0 {
				s.then(", ", w.textMore, num(side.left))
			}
		}
		if m.OwnStore > 0 {
			s.next(from, "; ")
			s.say(w.textOwnStore, num(m.OwnStore))
		}
	}
	for i, o := range m.Orders {
		if i == 0 {
			s.line(w.lineOrders)
		} else {
			s.add("; ")
		}
		if o.Place == s.Self.Place {
			s.say(w.textOrder, str(plain(o.ID)), str(o.Side), num(o.Amount), num(o.Price), str(w.textHere))
		} else { // of an order at another place no more than its price is known
			s.say(w.textFar, str(plain(o.ID)), str(o.Side), num(o.Price), str(form(w.textAt, str(plain(o.Place)))))
		}
		if o.Claim > 0 {
			s.then(", ", w.textClaim, num(o.Claim))
		}
		if o.ExpiresIn > 0 {
			s.then(", ", w.textExpires, num(o.ExpiresIn))
		}
	}
	if len(m.Elsewhere) > 0 {
		from, quotes := s.line(w.lineQuotes), m.Elsewhere[:min(len(m.Elsewhere), s.layout.quotes)]
		for _, q := range quotes {
			s.next(from, "; ")
			s.say(w.textQuote, str(plain(q.Place)), str(s.price(q.Bid)), str(s.price(q.Ask)), num(q.Tick))
		}
		s.end(from, len(m.Elsewhere)-len(quotes))
	}
}

// price is a price, or that there is none.
func (s *observationWriter) price(p int64) string {
	if p == 0 {
		return s.words.textNone
	}
	return strconv.FormatInt(p, 10)
}
