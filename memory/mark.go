package memory

import (
	"cmp"
	"slices"
)

// mark is what a scan reads of a held entry. All of them lie side by side, because
// following ten thousand entries to where they are takes longer than the rest of the
// scan.
type mark struct {
	seq, last int64 // order of first recording, tick of the last
	weight    int64
	category  int
	failed    bool
	held      bool
}

// remark brings the mark of t up to date.
func (m *Memory) remark(t *record) {
	m.marks[t.number] = mark{t.seq, t.LastTick, int64(t.Weight()), t.category(), t.Failed, true}
}

// subjectIndex names the texts about each subject by their numbers, in order.
type subjectIndex map[string][]int

// add and remove enter a text of that number, and take it out.
func (x subjectIndex) add(subjects []string, number int) {
	for _, s := range subjects {
		at, _ := slices.BinarySearch(x[s], number)
		x[s] = slices.Insert(x[s], at, number)
	}
}

func (x subjectIndex) remove(subjects []string, number int) {
	for _, s := range subjects {
		at, _ := slices.BinarySearch(x[s], number)
		if x[s] = slices.Delete(x[s], at, at+1); len(x[s]) == 0 {
			delete(x, s)
		}
	}
}

// about tells for each of n texts whether it is about any of the subjects; nothing
// for no subjects.
func (x subjectIndex) about(subjects []string, n int) []bool {
	if len(subjects) == 0 {
		return nil
	}
	found := make([]bool, n)
	for _, s := range subjects {
		for _, number := range x[s] {
			found[number] = true
		}
	}
	return found
}

// byScore orders the best hits first; ties go to the lower id.
func byScore(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.seq, b.seq))
}
