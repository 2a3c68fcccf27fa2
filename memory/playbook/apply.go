package playbook

import (
	"cmp"
	"slices"

	"agentworld/memory"
)

// phases is the order in which a curation carries out its deltas, whatever their
// order among each other: counts first, so that removals are judged by the newest,
// and additions last, when what they may displace is settled.
var phases = []Op{OpTag, OpRemove, OpUpdate, OpAdd}

// Apply carries out the deltas that the rules allow and returns the playbook they
// lead to, with what was applied and what was rejected, each in the order of the
// deltas. Bullets that go because the limits were lowered stand behind the applied
// ones, with [OpDisplace].
//
// It depends on nothing but its arguments and changes none of them. When nothing
// changes, next is p itself; otherwise its version is one higher. Whatever is
// proposed,
//
//  1. the trust of a bullet never rises,
//  2. a decision counts at most once for a bullet, and only if it used it,
//  3. counts are never lost but with their bullet: an update keeps them, a merge
//     adds them up,
//  4. within the limits no bullet with Helpful > Harmful goes while one that is
//     not better than untried stays, and none goes to make room for a new one,
//  5. a curation that would lose more than a tenth of the bullets or a fifth of
//     the characters to a model's changes is rejected as a whole; see [Collapse].
func Apply(p *Playbook, deltas []Delta, ground Ground, limits Limits) (next *Playbook, applied []Applied, rejected []Rejected) {
	s := newStep(p, ground, limits)
	results := make([]result, len(deltas))
	for _, phase := range phases {
		if phase == OpUpdate {
			s.trim()
		}
		for i, d := range deltas {
			if i < s.limits.DeltasMax && d.Op == phase {
				results[i] = s.try(d)
			}
		}
	}
	for i, d := range deltas {
		switch {
		case i >= s.limits.DeltasMax:
			results[i].refusal = refusal{code: TooMany, value: int64(i + 1), limit: int64(s.limits.DeltasMax)}
		case !slices.Contains(phases, d.Op):
			results[i].refusal = refusal{code: UnknownOp}
		}
	}
	if alarm := s.collapse(); alarm.refused() {
		applied, rejected = sorted(deltas, results, alarm)
		return p, applied, rejected
	}
	applied, rejected = sorted(deltas, results, refusal{})
	return s.finish(p), append(applied, s.trimmed...), rejected
}

// result is what became of one delta.
type result struct {
	Applied
	refusal
}

// refusal is why a delta is rejected; the zero value is none.
type refusal struct {
	code         Code
	other        string
	value, limit int64
}

func (r refusal) refused() bool { return r.code != "" }

// sorted returns the results as two lists. With an alarm, what was applied counts
// as rejected by it.
func sorted(deltas []Delta, results []result, alarm refusal) (applied []Applied, rejected []Rejected) {
	for i, r := range results {
		if !r.refused() {
			r.refusal = alarm
		}
		if r.refused() {
			rejected = append(rejected, Rejected{deltas[i], r.code, r.other, r.value, r.limit})
			continue
		}
		r.Delta = deltas[i]
		applied = append(applied, r.Applied)
	}
	return applied, rejected
}

// step is a curation under way.
type step struct {
	ground  Ground
	limits  Limits
	echoes  echoes
	stamp   Stamp
	last    int
	bullets []Bullet
	forms   []form // of each bullet
	changes []Change
	trimmed []Applied
	loss
}

func newStep(p *Playbook, ground Ground, limits Limits) *step {
	ground.Tick = max(ground.Tick, 0)
	return &step{
		ground: ground, limits: limits.withDefaults(), echoes: newEchoes(ground.Sources),
		stamp: Stamp{Version: p.version + 1, Tick: ground.Tick}, last: p.last,
		bullets: slices.Clone(p.bullets), forms: slices.Clone(p.forms),
		loss: loss{bullets: len(p.bullets), chars: chars(p.bullets)},
	}
}

// finish returns the playbook after the step.
func (s *step) finish(p *Playbook) *Playbook {
	if len(s.changes) == 0 {
		return p
	}
	version := Version{
		Number: s.stamp.Version, Tick: s.stamp.Tick, Note: short(s.ground.Note, reasonMax), Changes: s.changes,
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

// tag counts a decision for the bullet it used.
func (s *step) tag(d Delta, at int) result {
	b := s.bullets[at].copied()
	count := b.count(d.Tag)
	if count == nil {
		return result{refusal: refusal{code: UnknownTag}}
	}
	evidence, refused := s.credited(d, b)
	if refused.refused() {
		return result{refusal: refused}
	}
	*count = min(*count+1, CountMax)
	b.Credited = newest(b.Credited, []Credit{evidence.credit()}, CreditedMax)
	return s.replace(d, at, b, []Evidence{evidence})
}

// credited returns the one decision that a tag counts, or why it does not count.
func (s *step) credited(d Delta, b Bullet) (Evidence, refusal) {
	if len(d.Evidence) != 1 {
		return Evidence{}, refusal{code: NoEvidence, value: int64(len(d.Evidence)), limit: 1}
	}
	decision, known := s.ground.decision(d.Evidence[0])
	evidence := decision.Evidence.clean()
	switch {
	case !known:
		return Evidence{}, refusal{code: UnknownEvidence, value: d.Evidence[0].Tick}
	case !slices.Contains(decision.Used, b.ID):
		return Evidence{}, refusal{code: NotUsed}
	case slices.Contains(b.Credited, evidence.credit()):
		return Evidence{}, refusal{code: AlreadyCredited}
	}
	return evidence, refusal{}
}

// remove takes a bullet away that did more harm than good.
func (s *step) remove(d Delta, at int) result {
	b := s.bullets[at].copied()
	evidence, refused := s.evidence(d)
	switch {
	case refused.refused():
		return result{refusal: refused}
	case d.byOperator():
	case b.Uses() < s.limits.UsesMin:
		return result{refusal: refusal{code: TooFewUses, value: int64(b.Uses()), limit: int64(s.limits.UsesMin)}}
	case b.Harmful <= b.Helpful:
		return result{refusal: refusal{code: NotHarmful, value: int64(b.Harmful), limit: int64(b.Helpful)}}
	default:
		s.loss.remove(b.Chars())
	}
	s.drop(at)
	s.record(d, OpRemove, b, evidence)
	return result{Applied: Applied{Before: &b}}
}

// update gives a bullet new content and keeps its counts.
func (s *step) update(d Delta, at int) result {
	b := s.bullets[at].copied()
	content := memory.CleanLine(d.Content)
	lesson, refused := s.lesson(d, content)
	switch {
	case d.Section != "" && d.Section != b.Section:
		return result{refusal: refusal{code: UnknownSection}}
	case refused.refused():
		return result{refusal: refused}
	case content == b.Content:
		return result{refusal: refusal{code: Unchanged}}
	}
	shorter := b.Chars()
	b = lesson.onto(b)
	shorter -= b.Chars()
	if twin, found := s.twin(b.Content, b.ID); found {
		return s.merge(d, at, twin, b, lesson.evidence)
	}
	if total := chars(s.bullets) - shorter; shorter < 0 && total > s.limits.CharsMax {
		return result{refusal: refusal{code: Full, value: int64(total), limit: int64(s.limits.CharsMax)}}
	}
	if !d.byOperator() {
		s.loss.shorten(shorter)
	}
	b.Updated = s.stamp
	return s.replace(d, at, b, lesson.evidence)
}

// merge ends the bullet at a place, which would become b and say what its twin
// says, and gives the twin its counts.
func (s *step) merge(d Delta, at, twin int, b Bullet, evidence []Evidence) result {
	gone, into := s.bullets[at].copied(), s.bullets[twin].copied()
	s.record(d, OpMerge, into, evidence)
	into.Helpful = min(into.Helpful+b.Helpful, CountMax)
	into.Harmful = min(into.Harmful+b.Harmful, CountMax)
	into.Neutral = min(into.Neutral+b.Neutral, CountMax)
	into.Trust = memory.Min(into.Trust, b.Trust)
	into.Evidence = newest(into.Evidence, b.Evidence, EvidenceMax)
	into.Parents = newest(into.Parents, b.Parents, memory.ParentsMax)
	into.Credited = newest(into.Credited, b.Credited, CreditedMax)
	s.bullets[twin] = into
	s.drop(at)
	s.record(d, OpMerge, gone, evidence)
	if !d.byOperator() {
		s.loss.remove(gone.Chars())
	}
	return result{Applied: Applied{Before: &gone, Twin: into.ID}}
}

// add puts a new bullet in.
func (s *step) add(d Delta) result {
	if !d.Section.known() {
		return result{refusal: refusal{code: UnknownSection}}
	}
	content := memory.CleanLine(d.Content)
	lesson, refused := s.lesson(d, content)
	if refused.refused() {
		return result{refusal: refused}
	}
	if twin, found := s.twin(content, ""); found {
		return result{refusal: refusal{code: Duplicate, other: s.bullets[twin].ID}}
	}
	if s.last >= NumberMax {
		return result{refusal: refusal{code: Full, value: int64(s.last), limit: NumberMax}}
	}
	b := lesson.onto(Bullet{Section: d.Section, Created: s.stamp, Updated: s.stamp, Trust: memory.Rules})
	displaced, refused := s.makeRoom(b.Chars())
	if refused.refused() {
		return result{refusal: refused}
	}
	s.last++
	b.ID = newID(b.Section, s.last)
	s.bullets = append(s.bullets, b)
	s.forms = append(s.forms, newForm(b.Content))
	s.changes = append(s.changes, Change{
		Op: OpAdd, ID: b.ID, Reason: short(d.Reason, reasonMax), Evidence: lesson.evidence,
	})
	if !d.byOperator() {
		s.loss.shorten(-b.Chars())
	}
	after := b.copied()
	return result{Applied: Applied{After: &after, Displaced: displaced}}
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

// byNumber orders bullets by their numbers.
func byNumber(a, b Bullet) int { return cmp.Compare(a.number(), b.number()) }
