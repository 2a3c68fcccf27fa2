package playbook

import (
	"cmp"
	"slices"
)

// phases is the order in which a consolidation carries out its deltas, regardless of
// their order in the input. Counts are first, so that removals are judged by the newest.
// Additions are last, when it is settled what they may displace.
var phases = []Op{OpTag, OpRemove, OpUpdate, OpAdd}

// Apply carries out the deltas that the rules allow and returns the playbook they
// lead to, with what was applied and what was rejected, each in the order of the
// deltas. Bullets that are removed because the limits were lowered follow the applied
// ones, with [OpDisplace].
//
// It depends on nothing but its arguments and changes none of them. If nothing
// changes, next is p itself; otherwise its version is one higher. For any deltas,
//
//  1. the trust of a bullet never rises, but for a lesson that was derived from what one agent chose
//     and is learned again from the world's own answer, or from the choice of a second agent,
//  2. a decision counts at most once for a bullet, and only if it used it,
//  3. counts are never lost but with their bullet: an update keeps them, a merge
//     adds them up,
//  4. within the limits no bullet with Helpful > Harmful goes while one that is
//     not better than untried stays, and none goes to make room for a new one,
//  5. a consolidation that would lose more than a tenth of the bullets or a fifth of
//     the characters to a model's changes is rejected as a whole; see [Collapse].
func Apply(p *Playbook, deltas []Delta, consolidation ConsolidationInput, limits Limits) (next *Playbook,
	applied []Applied, rejected []Rejected) {
	consolidation.Tick = max(consolidation.Tick, 0)
	s := &step{
		consolidation: consolidation, limits: Limits{cmp.Or(limits.BulletsMax, 200), cmp.Or(limits.CharsMax, 40_000)},
		untrusted: newUntrustedTexts(consolidation.Sources),
		sections:  p.Sections(),
		stamp:     Stamp{Version: p.version + 1, Tick: consolidation.Tick}, last: p.last,
		bullets: slices.Clone(p.bullets), forms: slices.Clone(p.forms),
		churn: churn{bullets: len(p.bullets), chars: chars(p.bullets)},
	}
	done, refused := make([]Applied, len(deltas)), make([]*Rejected, len(deltas))
	for i, d := range deltas {
		switch {
		case i >= deltasMax:
			refused[i] = &Rejected{Code: TooMany, Value: int64(i + 1), Limit: deltasMax}
		case !slices.Contains(phases, d.Op):
			refused[i] = &Rejected{Code: UnknownOp}
		}
	}
	for _, phase := range phases {
		if phase == OpUpdate {
			s.trim()
		}
		for i, d := range deltas {
			if d.Op != phase || refused[i] != nil {
				continue
			}
			at, found := place(s.bullets, d.ID)
			switch {
			case d.Op == OpAdd:
				done[i], refused[i] = s.add(d)
			case !found:
				refused[i] = &Rejected{Code: UnknownID}
			case d.Op == OpTag:
				done[i], refused[i] = s.tag(d, at)
			case d.Op == OpRemove:
				done[i], refused[i] = s.remove(d, at)
			case d.Op == OpUpdate:
				done[i], refused[i] = s.update(d, at)
			}
		}
	}
	alarm := s.collapse()
	for i, d := range deltas {
		refused[i] = cmp.Or(refused[i], alarm)
		if refused[i] == nil {
			done[i].Delta = d
			applied = append(applied, done[i])
			continue
		}
		rejected = append(rejected, *refused[i])
		rejected[len(rejected)-1].Delta = d
	}
	if alarm != nil {
		return p, nil, rejected
	}
	applied = append(applied, s.trimmed...)
	if len(s.changes) == 0 {
		return p, applied, rejected
	}
	version := Version{
		Number: s.stamp.Version, Tick: s.stamp.Tick, Note: short(s.consolidation.Note, reasonMax), Changes: s.changes,
	}
	return build(version.Number, s.last, p.sections, s.bullets, remembered(p.history, version)), applied, rejected
}

// step is a consolidation under way. Its lists are copies: the playbook it began with
// does not change.
type step struct {
	consolidation ConsolidationInput
	limits        Limits
	untrusted     untrustedTexts
	sections      []Section
	stamp         Stamp
	last          int
	bullets       []Bullet
	forms         []form // of each bullet
	changes       []Change
	trimmed       []Applied
	churn
}

// replace replaces the bullet at index at by b.
func (s *step) replace(d Delta, at int, b Bullet, evidence []Evidence) (Applied, *Rejected) {
	before := s.bullets[at]
	s.record(d, d.Op, before, evidence)
	s.bullets[at] = b
	if before.Content != b.Content {
		s.forms[at] = newForm(b.Content)
	}
	return Applied{Before: new(before.copied()), After: new(b.copied())}, nil
}

// drop takes the bullet at a place out.
func (s *step) drop(at int) {
	s.bullets = slices.Delete(s.bullets, at, at+1)
	s.forms = slices.Delete(s.forms, at, at+1)
}

// record notes a change of a bullet that was there before.
func (s *step) record(d Delta, op Op, before Bullet, evidence []Evidence) {
	c := Change{Op: op, ID: before.ID, Reason: short(d.Reason, reasonMax), Evidence: evidence,
		Before: new(before.copied())}
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

// A model that is asked to tidy up tends to rewrite everything into a few general
// sentences, and what was learned is gone in one step. So a consolidation may lose only
// so much to the changes a model asked for.
const (
	// churnBulletsShare: a tenth of the bullets may be lost, and at least two, so that a
	// small playbook can lose any.
	churnBulletsShare = 10
	churnBulletsFree  = 2
	// churnCharsShare: a fifth of the characters may go, or any number of them as
	// long as no more than churnBulletsFree bullets were removed or shortened.
	churnCharsShare = 5
)

// churn is what a consolidation loses, and what it started from.
type churn struct {
	bullets int // at the start
	chars   int // at the start

	removed   int // bullets removed or merged away
	displaced int // bullets that made room for others
	shortened int // bullets removed, merged away or made shorter
	less      int // characters lost so far, additions set off
}

func (c *churn) remove(chars int) {
	c.removed++
	c.shorten(chars)
}

// shorten counts a change by that many characters; a negative number is a gain.
func (c *churn) shorten(chars int) {
	c.less += chars
	if chars > 0 {
		c.shortened++
	}
}

// quota returns how many bullets may go.
func (c *churn) quota() int { return max(c.bullets/churnBulletsShare, churnBulletsFree) }

// collapse returns why the consolidation must be rejected as a whole, if it must.
func (c *churn) collapse() *Rejected {
	switch {
	case c.removed > c.quota():
		return &Rejected{Code: Collapse, Other: "bullets", Value: int64(c.removed), Limit: int64(c.quota())}
	case c.shortened > churnBulletsFree && c.less*churnCharsShare > c.chars:
		return &Rejected{Code: Collapse, Other: "chars", Value: int64(c.less), Limit: int64(c.chars / churnCharsShare)}
	}
	return nil
}
