package playbook

import (
	"slices"
)

// step is a curation under way. Its lists are its own: the playbook it began with
// does not notice.
type step struct {
	curation  Curation
	limits    Limits
	untrusted untrustedTexts
	stamp     Stamp
	last      int
	bullets   []Bullet
	forms     []form // of each bullet
	changes   []Change
	trimmed   []Applied
	churn
}

func newStep(p *Playbook, curation Curation, limits Limits) *step {
	curation.Tick = max(curation.Tick, 0)
	return &step{
		curation: curation, limits: limits.withDefaults(), untrusted: newUntrustedTexts(curation.Sources),
		stamp: Stamp{Version: p.version + 1, Tick: curation.Tick}, last: p.last,
		bullets: slices.Clone(p.bullets), forms: slices.Clone(p.forms),
		churn: churn{bullets: len(p.bullets), chars: chars(p.bullets)},
	}
}

// finish returns the playbook after the step.
func (s *step) finish(p *Playbook) *Playbook {
	if len(s.changes) == 0 {
		return p
	}
	version := Version{
		Number: s.stamp.Version, Tick: s.stamp.Tick, Note: short(s.curation.Note, reasonMax), Changes: s.changes,
	}
	return build(version.Number, s.last, s.bullets, remembered(p.history, version))
}

// try carries out one delta, or says why not.
func (s *step) try(d Delta) result {
	at, found := place(s.bullets, d.ID)
	switch {
	case d.Op == OpAdd:
		return s.add(d)
	case !found:
		return result{refusal: refusal{code: UnknownID}}
	case d.Op == OpTag:
		return s.tag(d, at)
	case d.Op == OpRemove:
		return s.remove(d, at)
	case d.Op == OpUpdate:
		return s.update(d, at)
	}
	panic("playbook: no phase for the operation " + string(d.Op))
}

// replace puts b in the place of what stands there.
func (s *step) replace(d Delta, at int, b Bullet, evidence []Evidence) result {
	before, after := s.bullets[at], b.copied()
	s.record(d, d.Op, before, evidence)
	s.bullets[at] = b
	if before.Content != b.Content {
		s.forms[at] = newForm(b.Content)
	}
	before = before.copied()
	return result{Applied: Applied{Before: &before, After: &after}}
}

// drop takes the bullet at a place out.
func (s *step) drop(at int) {
	s.bullets = slices.Delete(s.bullets, at, at+1)
	s.forms = slices.Delete(s.forms, at, at+1)
}

// record notes a change of a bullet that was there before.
func (s *step) record(d Delta, op Op, before Bullet, evidence []Evidence) {
	before = before.copied()
	c := Change{Op: op, ID: before.ID, Reason: short(d.Reason, reasonMax), Evidence: evidence, Before: &before}
	if op == OpTag {
		c.Tag = d.Tag
	}
	s.changes = append(s.changes, c)
}

// twin returns the place of the bullet with the lowest number that says what
// content says, other than the bullet of that id.
func (s *step) twin(content, id string) (at int, found bool) {
	f := newForm(content)
	for i := range s.forms {
		if s.bullets[i].ID != id && s.forms[i].twin(f) {
			return i, true
		}
	}
	return 0, false
}
