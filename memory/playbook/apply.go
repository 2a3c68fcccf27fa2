package playbook

import (
	"slices"
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
func Apply(p *Playbook, deltas []Delta, curation Curation, limits Limits) (next *Playbook, applied []Applied, rejected []Rejected) {
	s := newStep(p, curation, limits)
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
