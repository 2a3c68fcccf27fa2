package stub

import (
	"slices"
	"strings"
)

// readSituation reads the lines of an observation of a tick, in a language. ok is false when none
// of them is one: a model would then know nothing either.
func readSituation(l language, tick, text string) (s situation, ok bool) {
	s.Tick = numberIn(split(tick, ' '))
	for line := range strings.Lines(text) {
		key, columns, entries, cut := cutLine(line)
		if !cut {
			continue
		}
		known := true
		switch key {
		case l.keyYou:
			s.readYou(l, entries)
		case l.keyHere:
			s.readHere(entries)
		case l.keyCan:
			s.readCan(l, entries)
		case l.keyCannot:
			s.readCannot(l, entries)
		case l.keyPlaces:
			s.readPlaces(l, columns, entries)
		case l.keyAgents:
			s.readAgents(l, entries)
		case l.keyFactories:
			s.readFactories(l, entries)
		default:
			known = false
		}
		ok = ok || known
	}
	s.Here.ID = s.Self.Place
	for i := range s.Factories {
		if s.Factories[i].Place == "" {
			s.Factories[i].Place = s.Self.Place
		}
	}
	return s, ok
}

// readYou reads parts such as "at llm-hub", "heat 96/100" and "control_chip 2". The
// first part is the agent's own id and name.
func (s *situation) readYou(l language, entries []string) {
	parts := split(strings.Join(entries, "; "), ',')
	for _, part := range parts[min(1, len(parts)):] {
		words := split(part, ' ')
		if len(words) < 2 {
			continue
		}
		have, capacity, _ := strings.Cut(words[1], "/")
		switch n := integer(have); words[0] {
		case l.at:
			s.Self.Place = word(words[1])
		case l.power:
			// The numbers tell more than the state they amount to.
		case "electricity":
			s.Self.Electricity, s.Self.PowerCapacity = n, integer(capacity)
		case "heat":
			s.Self.Heat, s.Self.HeatCapacity = n, integer(capacity)
		case "compound":
			s.Self.CompoundG = n
		case "hardware":
			s.Self.Hardware = n
		case "data":
			s.Self.Data = n
		default:
			s.Self.Products = append(s.Self.Products, amount{words[0], n})
		}
	}
}

// readHere reads the name, if any, and the compound of the agent's place.
func (s *situation) readHere(entries []string) {
	for _, part := range split(strings.Join(entries, "; "), ',') {
		words := split(part, ' ')
		if strings.HasPrefix(part, `"`) {
			s.Here.Name = word(part)
		}
		if words[0] == "compound" {
			s.Here.CompoundG = numberAfter(words, "compound")
		}
	}
}

// readCan reads the possible actions: a name, a range or a price where there is
// one, and the choices.
func (s *situation) readCan(l language, entries []string) {
	for _, entry := range entries {
		words := split(entry, ' ')
		a := affordance{Action: words[0], OK: true}
		rest := words[1:]
		if len(rest) > 0 && rest[0] == l.to {
			rest = rest[1:]
		} else if len(rest) > 0 {
			if least, most, ok := span(rest[0]); ok {
				a.Min, a.Max, rest = least, most, rest[1:]
			}
		}
		if len(rest) > 1 && rest[0] == l.price {
			rest = rest[2:]
		}
		a.Options = readOptions(l, strings.Join(rest, " "))
		s.Can = append(s.Can, a)
	}
}

// readOptions reads target max 40|target (item max 2, item max 1). The count of the
// options left out is none.
func readOptions(l language, text string) []option {
	var out []option
	for _, choice := range split(text, '|') {
		words := split(choice, ' ')
		if len(words) == 2 && slices.Contains(words, l.more) {
			continue
		}
		target, most := word(words[0]), numberAfter(words[1:], l.most)
		if len(words) < 2 || !strings.HasPrefix(words[1], "(") {
			out = append(out, option{Target: target, Max: most})
			continue
		}
		items := strings.TrimSuffix(strings.TrimPrefix(words[1], "("), ")")
		for _, item := range split(items, ',') {
			words := split(item, ' ')
			out = append(out, option{Target: target, Item: word(words[0]), Max: numberAfter(words[1:], l.most)})
		}
	}
	return out
}

// readCannot reads groups such as "buy_power, sell_power (no_offer)", and of their
// reasons what is short.
func (s *situation) readCannot(l language, entries []string) {
	for _, entry := range entries {
		names, reason, found := strings.Cut(entry, " (")
		if !found {
			continue
		}
		var need []amount
		for _, part := range split(strings.TrimSuffix(reason, ")"), ',') {
			if words := split(part, ' '); len(words) == 3 && slices.Contains(words[1:], l.short) {
				need = append(need, amount{words[0], numberIn(words[1:])})
			}
		}
		for _, name := range split(names, ',') {
			s.Can = append(s.Can, affordance{Action: name, Need: need})
		}
	}
}

// readPlaces reads rows of numbers under the line's columns, behind an id and
// perhaps a name.
func (s *situation) readPlaces(l language, columns, entries []string) {
	for _, entry := range entries {
		words := split(entry, ' ')
		p := sight{ID: word(words[0])}
		cells := words[1:]
		if len(cells) > 0 && strings.HasPrefix(cells[0], `"`) {
			p.Name, cells = word(cells[0]), cells[1:]
		}
		if len(cells) < len(columns) {
			continue // the count of those left out, or "none"
		}
		for i, column := range columns {
			switch column {
			case l.columnCost:
				p.MoveCost = integer(cells[i])
			case l.columnEmission:
				p.Emission = optional(cells[i])
			case "compound g":
				p.CompoundG = optional(cells[i])
			}
		}
		s.Places = append(s.Places, p)
	}
}

// readAgents reads groups of agents at one place; the place comes after the last
// of them.
func (s *situation) readAgents(l language, entries []string) {
	for _, entry := range entries {
		parts := split(entry, ',')
		if len(parts) == 0 {
			continue
		}
		last := split(parts[len(parts)-1], ' ')
		if !slices.Contains(last, l.here) && !slices.Contains(last, l.at) {
			continue // the count of those left out, or "none"
		}
		for _, part := range parts {
			s.Agents = append(s.Agents, word(split(part, ' ')[0]))
		}
	}
}

// readFactories reads "id kind here, working recipe x2, 1 queued, ready in 3".
func (s *situation) readFactories(l language, entries []string) {
	for _, entry := range entries {
		parts := split(entry, ',')
		if len(parts) < 2 {
			continue // "none"
		}
		head := split(parts[0], ' ')
		f := factory{ID: word(head[0])}
		if n := len(head); n > 3 && head[n-2] == l.at {
			f.Place = word(head[n-1])
		}
		doing := split(parts[1], ' ')
		f.State = doing[0]
		if len(doing) == 3 {
			f.Recipe, f.Batches = doing[1], integer(strings.TrimPrefix(doing[2], "x"))
		}
		for _, part := range parts[2:] {
			words := split(part, ' ')
			switch {
			case slices.Contains(words, l.queued):
				f.Queued = numberIn(words)
			case words[0] == l.ready:
				f.ReadyIn = numberIn(words)
			}
		}
		s.Factories = append(s.Factories, f)
	}
}
