package playbook

import (
	"slices"

	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
)

// What the four operations do. Each checks everything before it changes anything,
// so that a refused delta leaves no trace.

// tag counts a decision for the bullet it used.
func (s *step) tag(d Delta, at int) (Applied, *Rejected) {
	b := s.bullets[at].copied()
	count := b.count(d.Tag)
	switch {
	case count == nil:
		return Applied{}, &Rejected{Code: UnknownTag}
	case len(d.Evidence) != 1:
		return Applied{}, &Rejected{Code: NoEvidence, Value: int64(len(d.Evidence)), Limit: 1}
	}
	decision, known := s.consolidation.decision(d.Evidence[0])
	evidence := decision.Evidence.clean()
	switch {
	case !known:
		return Applied{}, &Rejected{Code: UnknownEvidence, Value: d.Evidence[0].Tick}
	case !slices.Contains(decision.Used, b.ID):
		return Applied{}, &Rejected{Code: NotUsed}
	case rests([]Evidence{evidence}) < trace.TrustSelfObservation:
		return Applied{}, &Rejected{Code: ChosenByOthers, Other: evidence.Givers}
	case slices.Contains(b.Credited, evidence.credit()):
		return Applied{}, &Rejected{Code: AlreadyCredited}
	}
	*count = min(*count+1, CountMax)
	b.Credited = newest(b.Credited, []Credit{evidence.credit()}, CreditedMax)
	// The bullet's own evidence is what its content rests on; what this use showed
	// is in the history.
	return s.replace(d, at, b, []Evidence{evidence})
}

// remove takes a bullet away that did more harm than good. An opinion is no reason:
// without the counts a model could forget what it finds inconvenient.
func (s *step) remove(d Delta, at int) (Applied, *Rejected) {
	b := s.bullets[at].copied()
	evidence, refused := s.evidence(d)
	switch {
	case refused != nil:
		return Applied{}, refused
	case b.Uses() < usesMin:
		return Applied{}, &Rejected{Code: TooFewUses, Value: int64(b.Uses()), Limit: usesMin}
	case b.Harmful <= b.Helpful:
		return Applied{}, &Rejected{Code: NotHarmful, Value: int64(b.Harmful), Limit: int64(b.Helpful)}
	}
	s.churn.remove(b.Chars())
	s.drop(at)
	s.record(d, OpRemove, b, evidence)
	return Applied{Before: &b}, nil
}

// update gives a bullet new content and keeps its counts.
func (s *step) update(d Delta, at int) (Applied, *Rejected) {
	b := s.bullets[at].copied()
	lesson, refused := s.lesson(d)
	switch {
	case d.Section != "" && d.Section != b.Section:
		return Applied{}, &Rejected{Code: UnknownSection}
	case refused != nil:
		return Applied{}, refused
	case lesson.content == b.Content:
		return Applied{}, &Rejected{Code: Unchanged}
	}
	shorter := b.Chars()
	b = lesson.onto(b)
	shorter -= b.Chars()
	// Rejecting it as a duplicate would keep two bullets where the model has seen
	// that one is enough, and removing one would lose its counts.
	if twin, found := s.twin(b.Content, b.ID); found {
		return s.merge(d, at, twin, b, lesson.evidence)
	}
	if total := chars(s.bullets) - shorter; shorter < 0 && total > s.limits.CharsMax {
		return Applied{}, &Rejected{Code: Full, Value: int64(total), Limit: int64(s.limits.CharsMax)}
	}
	s.churn.shorten(shorter)
	b.Updated = s.stamp
	return s.replace(d, at, b, lesson.evidence)
}

// merge ends the bullet at a place, which would become b and say what its twin
// says, and gives the twin its counts.
func (s *step) merge(d Delta, at, twin int, b Bullet, evidence []Evidence) (Applied, *Rejected) {
	gone, into := s.bullets[at].copied(), s.bullets[twin].copied()
	s.record(d, OpMerge, into, evidence)
	into.Helpful = min(into.Helpful+b.Helpful, CountMax)
	into.Harmful = min(into.Harmful+b.Harmful, CountMax)
	into.Neutral = min(into.Neutral+b.Neutral, CountMax)
	into.Trust = min(into.Trust, b.Trust)
	into.Evidence = newest(into.Evidence, b.Evidence, EvidenceMax)
	into.Parents = newest(into.Parents, b.Parents, memory.ParentsMax)
	into.Credited = newest(into.Credited, b.Credited, CreditedMax)
	s.bullets[twin] = into
	s.drop(at)
	s.record(d, OpMerge, gone, evidence)
	s.churn.remove(gone.Chars())
	return Applied{Before: &gone, Twin: into.ID}, nil
}

// confirm refuses a lesson that the bullet at a place says already, unless the bullet rests on one
// agent's choice and the new evidence makes up for it. An operator's word, or a source, is not made
// up for.
func (s *step) confirm(d Delta, at int, l lesson) (Applied, *Rejected) {
	before := s.bullets[at].copied()
	l.content = before.Content
	after := l.onto(before.copied())
	if !before.chosen() || after.chosen() {
		return Applied{}, &Rejected{Code: Duplicate, Other: before.ID}
	}
	after.Updated = s.stamp
	d.Op = OpUpdate
	return s.replace(d, at, after, l.evidence)
}

// add puts a new bullet in.
func (s *step) add(d Delta) (Applied, *Rejected) {
	if !slices.Contains(s.sections, d.Section) {
		return Applied{}, &Rejected{Code: UnknownSection}
	}
	lesson, refused := s.lesson(d)
	if refused != nil {
		return Applied{}, refused
	}
	if twin, found := s.twin(lesson.content, ""); found {
		return s.confirm(d, twin, lesson)
	}
	if s.last >= NumberMax {
		return Applied{}, &Rejected{Code: Full, Value: int64(s.last), Limit: NumberMax}
	}
	b := lesson.onto(Bullet{Section: d.Section, Created: s.stamp, Updated: s.stamp, Trust: trace.TrustRules})
	// Room is made last, so that nothing goes for a lesson that is then refused.
	displaced, refused := s.evict(b.Chars())
	if refused != nil {
		return Applied{}, refused
	}
	s.last++
	b.ID = newID(b.Section, s.last)
	s.bullets = append(s.bullets, b)
	s.forms = append(s.forms, newForm(b.Content))
	s.changes = append(s.changes, Change{
		Op: OpAdd, ID: b.ID, Reason: short(d.Reason, reasonMax), Evidence: lesson.evidence,
	})
	s.churn.shorten(-b.Chars())
	return Applied{After: new(b.copied()), Displaced: displaced}, nil
}
