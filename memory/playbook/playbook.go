package playbook

import (
	"cmp"
	"slices"

	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Playbook is a set of lessons with its history. It never changes: [Apply] and
// [Playbook.Rollback] return another one, so that agents may read a playbook at the
// same time while the next is being made.
//
// Invariants:
//  1. The bullets are in order of their numbers; no two share a number.
//  2. No number given out is above last, and last never falls: an id is not used
//     again after its bullet is gone.
//  3. Each bullet, now and in the history, has one of the playbook's sections.
//  4. The changes of the history, undone from the newest back, lead to every
//     version from [Playbook.Oldest] on.
type Playbook struct {
	version  int
	last     int
	sections []OwnSection
	bullets  []Bullet
	history  []Version // oldest first, without gaps, the newest being version
	index    relevance.Index
	forms    []form // of each bullet, for telling duplicates
}

// Says reports whether a bullet says what content says.
func (p *Playbook) Says(content string) bool {
	f := newForm(plaintext.Line(content))
	return slices.ContainsFunc(p.forms, func(held form) bool { return held.twin(f) })
}

// New returns an empty playbook, version 0.
func New() *Playbook { return build(0, 0, nil, nil, nil) }

// build completes a playbook whose parts keep the invariants.
func build(version, last int, sections []OwnSection, bullets []Bullet, history []Version) *Playbook {
	p := &Playbook{version: version, last: last, sections: sections, bullets: bullets, history: history}
	p.forms = make([]form, len(bullets))
	for i, b := range bullets {
		if b.Trust < trace.TrustSelfObservation {
			p.index.AddSilent(b.Content)
		} else {
			p.index.Add(b.Content)
		}
		p.forms[i] = newForm(b.Content)
	}
	return p
}

// Version returns the number of changes the playbook has gone through: every
// consolidation or rollback that changed something counts one.
func (p *Playbook) Version() int { return p.version }

// Len returns the number of bullets.
func (p *Playbook) Len() int { return len(p.bullets) }

// Bullets returns all bullets in order of their numbers.
func (p *Playbook) Bullets() []Bullet { return copies(p.bullets) }

// Bullet returns the bullet of that id.
func (p *Playbook) Bullet(id string) (Bullet, bool) {
	at, found := place(p.bullets, id)
	if !found {
		return Bullet{}, false
	}
	return p.bullets[at].copied(), true
}

func copies(bullets []Bullet) []Bullet {
	out := make([]Bullet, len(bullets))
	for i, b := range bullets {
		out[i] = b.copied()
	}
	return out
}

// place returns the index of the bullet with that id in a list sorted by number.
// An id whose number belongs to another section is not found.
func place(bullets []Bullet, id string) (at int, found bool) {
	_, number, ok := splitID(id)
	if !ok {
		return 0, false
	}
	at, found = numbered(bullets, number)
	return at, found && bullets[at].ID == id
}

// numbered returns the index of the bullet with that number in a list sorted by
// number, or the index at which it would be inserted.
func numbered(bullets []Bullet, number int) (at int, found bool) {
	return slices.BinarySearchFunc(bullets, number, func(b Bullet, number int) int {
		return cmp.Compare(b.number(), number)
	})
}

// chars returns the characters of all contents.
func chars(bullets []Bullet) int {
	total := 0
	for _, b := range bullets {
		total += b.Chars()
	}
	return total
}

// byNumber orders bullets by their numbers.
func byNumber(a, b Bullet) int { return cmp.Compare(a.number(), b.number()) }

// Stats counts the bullets of a playbook by what is known about their worth.
type Stats struct {
	Version int `json:"version"`
	Bullets int `json:"bullets"`
	// Chars is the length of all contents in characters.
	Chars int `json:"chars"`
	// Sections counts the bullets of each section, in the order of [Playbook.Sections].
	Sections []SectionCount `json:"sections"`
	// Helpful, Harmful and Neutral are the sums of the counts of all bullets.
	Helpful int `json:"helpful"`
	Harmful int `json:"harmful"`
	Neutral int `json:"neutral"`
	// HighPerforming counts bullets with Helpful > 5 and Harmful < 2.
	HighPerforming int `json:"high_performing"`
	// Problematic counts bullets with Harmful >= Helpful > 0.
	Problematic int `json:"problematic"`
	// Unused counts bullets without any use.
	Unused int `json:"unused"`
}

// SectionCount is how many bullets a section has.
type SectionCount struct {
	Section Section `json:"section"`
	Bullets int     `json:"bullets"`
}

// Stats counts the bullets.
func (p *Playbook) Stats() Stats {
	s := Stats{Version: p.version, Bullets: len(p.bullets), Chars: chars(p.bullets)}
	for _, section := range p.Sections() {
		s.Sections = append(s.Sections, SectionCount{Section: section})
	}
	for _, b := range p.bullets {
		for i := range s.Sections {
			if s.Sections[i].Section == b.Section {
				s.Sections[i].Bullets++
			}
		}
		s.Helpful += b.Helpful
		s.Harmful += b.Harmful
		s.Neutral += b.Neutral
		if b.Helpful > 5 && b.Harmful < 2 {
			s.HighPerforming++
		}
		if b.Harmful >= b.Helpful && b.Helpful > 0 {
			s.Problematic++
		}
		if b.Uses() == 0 {
			s.Unused++
		}
	}
	return s
}
