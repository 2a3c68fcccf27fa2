package behavior

import (
	"fmt"
	"slices"

	"agentworld/memory"
	"agentworld/world"
)

// past is what came of an agent's decisions, in the form the prompt folds it from.
// The memory holds the same facts as text, for longer, and owns their ids and
// trust.
type past struct {
	// deeds are the newest, oldest first; total counts all there were.
	deeds []deed
	total int64
}

// deedsMax is how many decisions a past holds.
const deedsMax = 256

func (p *past) add(d deed) {
	p.total++
	if len(p.deeds) == deedsMax {
		p.deeds = slices.Delete(p.deeds, 0, 1)
	}
	p.deeds = append(p.deeds, d)
}

// of returns everything that came of the memory with an id, folded.
func (p *past) of(id string) (deed, bool) {
	var list []deed
	for _, d := range p.deeds {
		if slices.Contains(d.ids, id) {
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		return deed{}, false
	}
	return folded(list)[0], true
}

// variant is the text of a section, fuller or barer, with the sources it shows.
type variant struct {
	text    string
	sources []memory.Source
}

// lastOutcome is what became of the agent's last action, with its numbers. said is
// the text of that action where it may be shown.
func (m *Mind) lastOutcome(o world.Outcome, said string) (variant, deed) {
	d := newDeed(m.words, o.Tick, "", o, m.alias)
	if n := len(m.past.deeds); n > 0 && m.past.deeds[n-1].last == o.Tick {
		d = m.past.deeds[n-1]
	}
	line := d.line(m.words)
	if said != "" {
		line += m.words.textSaid + encode(said)
	}
	return variant{m.words.headingOutcome + "\n" + line, m.sourcesOf(d, line)}, d
}

// history offers the newest decisions before the last one, folded, and shorter
// tails of them.
func (m *Mind) history(last deed) []variant {
	before := m.past.deeds
	if n := len(before); n > 0 && before[n-1].last == last.last {
		before = before[:n-1]
	}
	window := before[max(0, len(before)-m.layout.window):]
	all := folded(window)
	earlier := m.past.total - int64(len(m.past.deeds)-len(before))
	var variants []variant
	for n := min(len(all), m.layout.history); n > 0; n /= 2 {
		shown := all[len(all)-n:]
		left := earlier
		for _, d := range shown {
			left -= d.count
		}
		heading := m.words.headingHistory
		if left > 0 {
			heading += fmt.Sprintf(m.words.headingEarlier, left)
		}
		variants = append(variants, m.written(heading, shown))
	}
	return append(variants, variant{})
}

// recalled offers what long-term memory holds on the goals, without what is shown
// already, and shorter heads of it.
func (m *Mind) recalled(now int64, shown []memory.Source) []variant {
	var facts []deed
	scores := map[string]int64{}
	for _, found := range m.memory.Search(m.goalsText(), m.layout.memory*4+m.layout.history, now) {
		if slices.ContainsFunc(shown, func(s memory.Source) bool { return s.ID == found.ID }) {
			continue
		}
		d, ok := m.past.of(found.ID)
		if !ok {
			d = deed{ids: []string{found.ID}, remembered: found.LineIn(m.words.memory)}
		}
		facts = append(facts, d)
		scores[found.ID] = found.Score
	}
	facts = folded(facts)
	var variants []variant
	for n := min(len(facts), m.layout.memory); n > 0; n /= 2 {
		v := m.written(m.words.headingMemory, facts[:n])
		for i, s := range v.sources {
			v.sources[i].Score = scores[s.ID]
		}
		variants = append(variants, v)
	}
	return append(variants, variant{})
}

func (m *Mind) written(heading string, deeds []deed) variant {
	v := variant{text: heading}
	for _, d := range deeds {
		line := d.line(m.words)
		v.text += "\n" + line
		v.sources = append(v.sources, m.sourcesOf(d, line)...)
	}
	return v
}

// sourcesOf are the memories a line names. One that was forgotten since can no
// longer be cited; its line is then the agent's own knowledge.
func (m *Mind) sourcesOf(d deed, line string) []memory.Source {
	var list []memory.Source
	for _, id := range d.citable() {
		if held, ok := m.memory.Lookup(id); ok {
			s := held.Source()
			s.Text, s.Chars = line, runeCount(line)
			list = append(list, s)
		}
	}
	return list
}

// alias is the short name of a recipe, and any other id as it is.
func (k *Kit) alias(id string) string {
	for _, r := range k.recipes {
		if r.ID == id {
			return r.Alias
		}
	}
	return id
}

// goalsText are the goals as words to search by.
func (m *Mind) goalsText() string { return m.persona.ShortTermGoal + "\n" + m.persona.LongTermGoal }
