package playbook

import (
	"cmp"
	"fmt"
	"slices"
)

// worth is below 0 for a bullet that did more harm than good, 0 for one that is not better
// than untried (an unused one, or one with as much good as harm), above 0 for one that has
// proved itself.
func worth(b Bullet) int { return cmp.Compare(b.Helpful, b.Harmful) }

// expendable is the order of eviction: the least worth first, then the least helpful, then
// the oldest content, then the lowest number. A bullet that has proved itself is evicted
// only if the limits were lowered.
func expendable(a, b Bullet) int {
	return cmp.Or(
		cmp.Compare(worth(a), worth(b)), cmp.Compare(a.Helpfulness(), b.Helpfulness()),
		cmp.Compare(a.Updated.Version, b.Updated.Version), byNumber(a, b),
	)
}

// evict lets bullets go until one more, of that many characters, fits, and
// returns their ids. It touches neither what has proved itself nor what this step
// brought, and never more than the consolidation may lose; when that is not enough it
// lets none go.
func (s *step) evict(need int) (displaced []string, refused *Rejected) {
	count, total := len(s.bullets)+1, chars(s.bullets)+need
	if count <= s.limits.BulletsMax && total <= s.limits.CharsMax {
		return nil, nil
	}
	victims := slices.DeleteFunc(slices.Clone(s.bullets), func(b Bullet) bool {
		return worth(b) > 0 || b.Updated.Version == s.stamp.Version
	})
	slices.SortFunc(victims, expendable)
	victims = victims[:min(len(victims), max(s.quota()-s.removed-s.displaced, 0))]
	enough := 0
	for ; count > s.limits.BulletsMax || total > s.limits.CharsMax; enough++ {
		if enough == len(victims) {
			return nil, s.full(count, total)
		}
		count--
		total -= victims[enough].Chars()
	}
	for _, b := range victims[:enough] {
		s.displace(b, "made room")
		s.displaced++
		displaced = append(displaced, b.ID)
	}
	return displaced, nil
}

// full says which limit is in the way of a playbook of that size.
func (s *step) full(count, total int) *Rejected {
	if count > s.limits.BulletsMax {
		return &Rejected{Code: Full, Value: int64(count), Limit: int64(s.limits.BulletsMax)}
	}
	return &Rejected{Code: Full, Value: int64(total), Limit: int64(s.limits.CharsMax)}
}

// trim brings a playbook that is over its limits within them. That only happens
// when the operator lowered them or wrote the file by hand, so it counts as no
// churn of the consolidation.
func (s *step) trim() {
	if len(s.bullets) <= s.limits.BulletsMax && chars(s.bullets) <= s.limits.CharsMax {
		return
	}
	victims := slices.SortedFunc(slices.Values(s.bullets), expendable)
	for len(s.bullets) > s.limits.BulletsMax || chars(s.bullets) > s.limits.CharsMax {
		b := victims[0]
		victims = victims[1:]
		over := s.full(len(s.bullets), chars(s.bullets))
		d := s.displace(b, fmt.Sprintf("over the limit: %d of %d", over.Value, over.Limit))
		s.trimmed = append(s.trimmed, Applied{Delta: d, Before: new(b.copied())})
	}
}

// displace takes b out and returns the change as a delta.
func (s *step) displace(b Bullet, reason string) Delta {
	at, found := place(s.bullets, b.ID)
	if !found {
		panic("playbook: the victim " + b.ID + " is not held")
	}
	d := Delta{Op: OpDisplace, ID: b.ID, Reason: reason}
	s.drop(at)
	s.record(d, OpDisplace, b, nil)
	return d
}
