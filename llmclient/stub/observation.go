package stub

import (
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// readObservation reads the lines of an observation of a tick, in a language. A model has
// nothing but the text of the request either, and an observation with lines more or less
// must not break it: what the request leaves out is zero, and an action that is not
// listed as possible is not.
func readObservation(l language, tick, text string) world.Observation {
	o := world.Observation{Tick: numberIn(split(tick, ' '))}
	for line := range strings.Lines(text) {
		key, columns, entries, _ := cutLine(line)
		switch key {
		case l.keyYou:
			readYou(&o, l, entries)
		case l.keyHere:
			readHere(&o, l, entries)
		case l.keyCan:
			readCan(&o, l, entries)
		case l.keyPlaces:
			readPlaces(&o, l, columns, entries)
		case l.keyAgents:
			readAgents(&o, l, entries)
		case l.keyFactories:
			readFactories(&o, l, entries)
		case l.keyTerms, l.keyOwnTerms:
			readTerms(&o, l, entries, key == l.keyOwnTerms)
		}
	}
	o.Here.ID = o.Self.Place
	for i := range o.Factories {
		if o.Factories[i].Place == "" {
			o.Factories[i].Place = o.Self.Place
		}
	}
	for i := range o.Agents {
		if o.Agents[i].Place == "" {
			o.Agents[i].Place = o.Self.Place
		}
	}
	return o
}

// readYou reads parts such as "at llm-hub", "heat 96/100" and "control_chip 2". The
// first part is the agent's own id and name.
func readYou(o *world.Observation, l language, entries []string) {
	parts := split(strings.Join(entries, "; "), ',')
	for _, part := range parts[min(1, len(parts)):] {
		words := split(part, ' ')
		if len(words) < 2 {
			continue
		}
		have, capacity, _ := strings.Cut(words[1], "/")
		switch n := integer(have); words[0] {
		case l.at:
			o.Self.Place = word(words[1])
		case l.power:
			// The numbers tell more than the state they amount to.
		case world.Electricity:
			o.Self.Electricity, o.Self.PowerCapacity = n, integer(capacity)
		case l.heat:
			o.Self.Heat, o.Self.HeatCapacity = n, remarked(words[len(words)-1])
		case world.Compound:
			o.Self.CompoundG = n
		case world.Hardware:
			o.Self.Hardware = n
		case world.Data:
			o.Self.Data = n
		default:
			o.Self.Products = append(o.Self.Products, world.Amount{Resource: words[0], Amount: n})
		}
	}
	if len(parts) > 0 {
		o.Self.ID = word(split(parts[0], ' ')[0])
	}
}

// readHere reads the name, if any, the radiation and the compound of the agent's place.
func readHere(o *world.Observation, l language, entries []string) {
	for _, part := range split(strings.Join(entries, "; "), ',') {
		words := split(part, ' ')
		switch {
		case strings.HasPrefix(part, `"`):
			o.Here.Name = word(part)
		case words[0] == l.radiation:
			o.Here.Radiation = numberIn(words)
		case words[0] == world.Compound:
			o.Here.CompoundG = numberIn(words)
		}
	}
}

// readCan reads the possible actions: a name, a range or a price where there is
// one, and the choices.
func readCan(o *world.Observation, l language, entries []string) {
	for _, entry := range entries {
		words := split(entry, ' ')
		a := world.Affordance{Action: words[0], OK: true}
		rest := words[1:]
		if len(rest) > 0 && rest[0] == l.to {
			rest = rest[1:]
		} else if len(rest) > 0 {
			if least, most, ok := span(rest[0]); ok {
				a.Min = least
				a.Max = most
				rest = rest[1:]
			}
		}
		if len(rest) > 0 && a.Max > 0 && strings.HasPrefix(rest[0], "(") {
			rest = rest[1:] // what of it is free
		}
		if len(rest) > 1 && rest[0] == l.price {
			rest = rest[2:]
		}
		a.Options = readOptions(l, strings.Join(rest, " "))
		o.Can = append(o.Can, a)
	}
}

// readOptions reads target max 40|target (item max 2, item max 1). The count of the
// options left out is none.
func readOptions(l language, text string) []world.Option {
	var out []world.Option
	for _, choice := range split(text, '|') {
		words := split(choice, ' ')
		if len(words) == 2 && slices.Contains(words, l.more) {
			continue
		}
		target, most := word(words[0]), numberAfter(words[1:], l.most)
		if len(words) < 2 || !strings.HasPrefix(words[1], "(") {
			out = append(out, world.Option{Target: target, Max: most})
			continue
		}
		items := strings.TrimSuffix(strings.TrimPrefix(words[1], "("), ")")
		for _, item := range split(items, ',') {
			words := split(item, ' ')
			out = append(out, world.Option{Target: target, Item: word(words[0]), Max: numberAfter(words[1:], l.most)})
		}
	}
	return out
}

// readPlaces reads rows of numbers under the line's columns, after an id and
// perhaps a name.
func readPlaces(o *world.Observation, l language, columns, entries []string) {
	for _, entry := range entries {
		words := split(entry, ' ')
		p := world.Sight{ID: word(words[0])}
		cells := words[1:]
		if len(cells) > 0 && strings.HasPrefix(cells[0], `"`) {
			p.Name, cells = word(cells[0]), cells[1:]
		}
		if len(cells) < len(columns) {
			continue // the count of those left out, or "none"
		}
		aged := false
		for i, column := range columns {
			switch column {
			case l.columnCost:
				p.MoveCost = integer(cells[i])
			case l.columnTicks:
				p.MoveTicks = integer(cells[i])
			case l.columnEmission:
				number, _, old := strings.Cut(cells[i], "@")
				p.Emission, aged = optional(number), old
			case "compound g":
				number, _, _ := strings.Cut(cells[i], "@")
				p.CompoundG = optional(number)
			}
		}
		p.Visible = p.Emission != nil && p.CompoundG != nil && !aged
		o.Places = append(o.Places, p)
	}
}

// readAgents reads groups of agents at one place; the place comes before the first of them, in some prompts
// with its distance.
func readAgents(o *world.Observation, l language, entries []string) {
	for _, entry := range entries {
		parts := split(entry, ',')
		if len(parts) == 0 {
			continue
		}
		first, place := split(parts[0], ' '), ""
		switch {
		case first[0] == l.here && len(first) > 1:
			first = first[1:]
		case first[0] == l.at && len(first) > 2:
			place = word(first[1])
			first = first[2:]
		default:
			continue // the count of those left out, or "none"
		}
		if len(first) > 2 && first[1] == l.km {
			first = first[2:]
		}
		parts[0] = strings.Join(first, " ")
		for _, part := range parts {
			o.Agents = append(o.Agents, world.Contact{ID: word(split(part, ' ')[0]), Place: place})
		}
	}
}

// readFactories reads "id kind here, working recipe 2 batches, 1 queued, ready in 3 ticks, wear 60, stops at 1000".
func readFactories(o *world.Observation, l language, entries []string) {
	for _, entry := range entries {
		parts := split(entry, ',')
		if len(parts) < 2 {
			continue // "none"
		}
		head := split(parts[0], ' ')
		if len(head) < 2 {
			continue
		}
		f := world.Factory{ID: word(head[0]), Kind: word(head[1])}
		if n := len(head); n > 3 && head[n-2] == l.at {
			f.Place = word(head[n-1])
		}
		doing := split(parts[1], ' ')
		f.State = l.states[doing[0]]
		if len(doing) > 2 {
			f.Recipe, f.Batches = doing[1], numberIn(doing[2:])
		}
		for _, part := range parts[2:] {
			words := split(part, ' ')
			switch {
			case slices.Contains(words, l.queued):
				f.Queued = numberIn(words)
			case words[0] == l.ready, words[0] == l.next:
				f.ReadyIn = numberIn(words)
			case words[0] == l.wear:
				f.Wear = numberIn(words)
			}
		}
		o.Factories = append(o.Factories, f)
	}
}
