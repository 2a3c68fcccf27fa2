package behavior

import (
	"slices"
	"strings"

	"example.com/agentworld/behavior/words"
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
	// goals are the [wordsIn] of the agent's goals: what they name is shown by name and cut
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

// add adds texts and numbers.
func (s *observationWriter) add(values ...any) { s.out = words.Append(s.out, values...) }

// say adds a text with its values.
func (s *observationWriter) say(form words.Form, values ...any) {
	s.out = form.Append(s.out, values...)
}

// then adds a text with its values after what goes between it and what was before.
func (s *observationWriter) then(between string, form words.Form, values ...any) {
	s.out = form.Append(append(s.out, between...), values...)
}

// part adds a further part of an entry, if there is one.
func (s *observationWriter) part(is bool, form words.Form, values ...any) {
	if is {
		s.then(", ", form, values...)
	}
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
		s.say(s.words.Observation.More, more)
	}
	if len(s.out) == from {
		s.add(s.words.Observation.None)
	}
}

// list writes a line of n entries, and counts what it leaves out.
func (s *observationWriter) list(key string, n, more int, entry func(i int)) {
	from := s.line(key)
	for i := range n {
		s.next(from, "; ")
		entry(i)
	}
	s.end(from, more)
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
	s.out = make([]byte, 0, 2048)
	if s.last > 0 {
		s.say(w.Headings.ObservationOf, s.Tick, s.last)
	} else {
		s.say(w.Headings.Observation, s.Tick)
	}
	s.line(w.Lines.You)
	s.id(you.ID, you.Name)
	if you.Place != "" {
		s.then(", ", w.Observation.At, plain(you.Place))
	} else {
		s.add(", ", w.Observation.Travelling)
	}
	s.then(", ", w.Observation.Power, w.Word(you.PowerState))
	s.add(", "+world.Electricity+" ", you.Electricity, "/", you.PowerCapacity)
	s.add(", ")
	s.say(w.Observation.Heat, you.Heat, you.HeatCapacity)
	s.add(", "+world.Compound+" ", you.CompoundG, " g, "+world.Hardware+" ", you.Hardware)
	s.add(", "+world.Data+" ", you.Data)
	for _, p := range you.Products {
		s.add(", ", p.Resource, " ", p.Amount)
	}
	if you.Place != "" {
		from := s.line(w.Lines.Here)
		if s.names(s.Here.Name) {
			s.out = llmclient.AppendText(s.out, s.Here.Name)
		}
		s.next(from, ", ")
		if s.details {
			s.add(s.words.Word(s.Here.Material), ", ")
		}
		s.say(w.Observation.Radiation, s.Here.Radiation)
		s.add(", "+world.Compound+" ", s.Here.CompoundG, " g")
	}
	if s.Woken != "" && !strings.HasPrefix(s.Woken, string(world.EventStandingEnded)) {
		s.line(w.Lines.Woken)
		s.add(plain(w.Word(s.Woken)))
	}
	if e := s.OrderEnded; e != nil {
		s.line(w.Lines.Ended)
		switch {
		case e.Why == world.StopMaxTicks && e.Steps > 0:
			// What a step is done for if nothing was said is no limit of the agent's.
			s.say(w.Observation.AllDone, e.Steps)
		case e.Steps > 0:
			s.say(w.Observation.ChainEnded, w.Word(e.Why), e.Attempts, e.Step, e.Steps)
		default:
			s.say(w.Observation.Ended, w.Word(e.Why), e.Attempts)
		}
		if len(s.notDone) > 0 {
			s.say(w.Observation.NotDone, strings.Join(s.notDone, ", "))
		}
	}
	if s.standing != nil {
		s.line(w.Lines.Standing)
		s.say(w.Observation.Attempts, w.actionText(s.standing.Do, s.naming), s.standing.MaxTicks)
	}
	s.lastPlan()
	if len(s.rules) > 0 {
		s.limits()
	}
	if len(s.news) > 0 {
		s.happened()
	}
	s.terms()
	if len(s.sent) > 0 {
		s.list(w.Lines.Sent, len(s.sent), 0, func(i int) { s.written(s.sent[i]) })
	}
	// How many texts of other agents wait, if any is new, and how many will never be seen.
	if s.fresh > 0 || s.InboxDropped > 0 {
		from := s.line(w.Lines.Texts)
		if s.fresh > 0 {
			s.add(w.withheld(s.Withheld, s.withheldTerms, s.unread, s.senders))
		}
		if s.InboxDropped > 0 {
			s.next(from, ", ")
			s.say(w.Observation.Dropped, s.InboxDropped)
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

// written writes a message or note of the agent's own.
func (s *observationWriter) written(e sent) {
	if e.To != "" {
		s.say(s.words.History.Message, plain(e.shown), e.Tick)
	} else {
		s.say(s.words.History.Note, e.Tick)
	}
	if e.Text != "" {
		s.out = llmclient.AppendText(append(s.out, ' '), e.Text)
	} else if s.Withheld > 0 {
		s.add(s.words.History.Later)
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
	line, aged := s.words.Lines.Places, ""
	if s.details {
		line = s.words.Lines.PlacesDetailed
	}
	for i := range shown {
		if before(&shown[i]) != nil {
			aged = s.words.Observation.Aged
		}
	}
	s.list(line.Text(aged), len(shown), s.PlacesOmitted+len(s.Places)-len(shown), func(i int) {
		p := &shown[i]
		s.id(p.ID, p.Name)
		if s.details {
			s.add(" ")
			s.kilometres(p.DistanceCM)
		}
		s.add(" ", p.MoveCost, " ", p.MoveTicks, " ")
		if old := before(p); old != nil {
			s.add(old.radiation, "@", old.tick, " ", old.compoundG, "@", old.tick)
		} else {
			s.known(p.Emission)
			s.add(" ")
			s.known(p.CompoundG)
		}
		if s.details {
			s.add(" ", s.words.Word(p.Material))
		}
		if s.strands(p) {
			s.add(", ", s.words.Observation.Strands)
		}
	})
}

// strands reports whether a journey can be paid, and what is left does not last until its end.
func (s *observationWriter) strands(p *world.Sight) bool {
	left := s.Self.Electricity - p.MoveCost
	return left >= 0 && left <= p.MoveTicks*s.idleDraw
}

// agents groups the agents by their place, the nearest first.
func (s *observationWriter) agents() {
	from := s.line(s.words.Lines.Agents)
	shown := s.Agents[:min(len(s.Agents), s.layout.agents)]
	for i := 0; i < len(shown); {
		s.next(from, "; ")
		place, km := shown[i].Place, shown[i].DistanceCM
		s.where(place)
		if s.details && place != s.Self.Place {
			s.add(" ")
			s.kilometres(km)
			s.add(s.words.Observation.KM)
		}
		s.add(" ")
		for first := i; i < len(shown) && shown[i].Place == place; i++ {
			if i > first {
				s.add(", ")
			}
			s.id(shown[i].ID, shown[i].Name)
			if state := shown[i].PowerState; state != "" {
				s.then(" ", s.words.Observation.Power, s.words.Word(state))
			}
		}
	}
	s.end(from, s.AgentsOmitted+len(s.Agents)-len(shown))
}

// factories writes the agent's own factories, which are never cut.
func (s *observationWriter) factories() {
	w := s.words
	s.list(w.Lines.Factories, len(s.Factories), 0, func(i int) {
		f := &s.Factories[i]
		s.add(plain(f.ID), " ", f.Kind, " ")
		s.where(f.Place)
		s.add(", ", w.Word(f.State))
		if f.Recipe != "" {
			s.add(" ", f.Recipe)
			s.say(w.Observation.Batches, f.Batches)
		}
		s.part(f.Queued != 0, w.Observation.Queued, f.Queued)
		s.part(f.AllIn != 0, w.Observation.NextIn, f.ReadyIn, f.AllIn)
		s.part(f.ReadyIn != 0 && f.AllIn == 0, w.Observation.ReadyIn, f.ReadyIn)
		s.part(f.Wear != 0, w.Observation.Wear, f.Wear)
		s.part(f.Stored != 0, w.Observation.Stored, f.Stored)
	})
}

// where adds a place as it is seen from the agent's own.
func (s *observationWriter) where(place string) {
	if place == s.Self.Place {
		s.add(s.words.Observation.Here)
	} else {
		s.say(s.words.Observation.At, plain(place))
	}
}

// known adds a number that may not be known.
func (s *observationWriter) known(n *int64) {
	if n == nil {
		s.add(textUnknown)
	} else {
		s.add(*n)
	}
}

// kilometres adds a distance to a tenth of a kilometre, rounded down.
func (s *observationWriter) kilometres(cm int64) {
	const tenth = world.CMPerKM / 10
	s.add(cm/world.CMPerKM, ".", cm%world.CMPerKM/tenth)
}

// plain is an identifier as it is, or as a JSON string when it holds what an
// identifier cannot.
func plain(id string) string {
	if id == "" || idText(id) != id {
		return encode(id)
	}
	return id
}
