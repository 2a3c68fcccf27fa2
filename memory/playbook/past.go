package playbook

import (
	"fmt"
	"slices"
	"strings"
)

// oldVersion is a version as it stands in the file, the bullets before its changes
// still written against those after them.
type oldVersion struct {
	Version
	line    int
	changes []oldChange
}

// oldChange is a change as it stands in the file. Its bullet before the change has
// the counts and the content, and its lists only after [oldChange.against].
type oldChange struct {
	Change
	line           int
	evidence       []Evidence // lost by the change
	credited       []Credit   // lost by the change
	gainedEvidence int
	gainedCredited int
}

// readHistory reads a line of the history: of a version, of a change in it, or of
// the bullet before that change.
func (r *reader) readHistory(word, rest, line string) string {
	switch {
	case strings.HasPrefix(word, "version="):
		return r.readVersion(line)
	case len(r.versions) == 0:
		return fmt.Sprintf("the history begins with a line version=..., not with %s", brief(word))
	case word == wordChange:
		return r.readChange(rest)
	}
	changes := r.versions[len(r.versions)-1].changes
	if len(changes) == 0 {
		return fmt.Sprintf("%s belongs under a change", brief(word))
	}
	c := &changes[len(changes)-1]
	switch {
	case word == wordBecause:
		return readEvidence(rest, &c.Evidence)
	case word == wordWas && c.Before == nil:
		b, problem := bulletOf(rest)
		b.ID = c.ID
		b.Section, _, _ = splitID(c.ID)
		c.Before = &b
		return problem
	case c.Before == nil || word == wordWas:
		return fmt.Sprintf("a change has one line %q, and what was lost and gained after it", wordWas)
	case word == wordGained:
		return c.readGained(rest)
	}
	return readLists(word, rest, &c.evidence, &c.credited)
}

// readVersion begins a version.
func (r *reader) readVersion(line string) string {
	values, problem := attributesOf(line, "version", "tick")
	if problem != "" {
		return problem
	}
	v := oldVersion{line: r.line}
	v.Note = short(values.tail, reasonMax)
	problem = firstOf(values.count("version", &v.Number), values.tick(&v.Tick))
	r.versions = append(r.versions, v)
	return problem
}

// readChange begins a change of the version that was begun last.
func (r *reader) readChange(rest string) string {
	values, problem := attributesOf(rest, "op", "id", "tag")
	if problem != "" {
		return problem
	}
	c := oldChange{line: r.line}
	c.Op, c.ID, c.Tag = Op(values.text("op")), values.text("id"), Tag(values.text("tag"))
	c.Reason = short(values.tail, reasonMax)
	_, number, ok := splitID(c.ID)
	if !ok {
		return fmt.Sprintf("%s is not the id of a bullet; one looks like id=nav-00012", brief(c.ID))
	}
	r.last = max(r.last, number)
	if !slices.Contains(historyOps, c.Op) {
		return fmt.Sprintf("unknown change op=%s; allowed: %s", brief(string(c.Op)), allowed(historyOps))
	}
	if c.Tag != "" && new(Bullet).count(c.Tag) == nil {
		return fmt.Sprintf("unknown tag=%s; allowed: %s", brief(string(c.Tag)), allowed([]Tag{Helpful, Harmful, Neutral}))
	}
	v := &r.versions[len(r.versions)-1]
	v.changes = append(v.changes, c)
	return ""
}

// historyOps are the operations that a history may show.
var historyOps = []Op{OpTag, OpRemove, OpUpdate, OpAdd, OpMerge, OpDisplace, OpRestore}

// readGained reads how many entries of the lists the change added.
func (c *oldChange) readGained(rest string) string {
	values, problem := attributesOf(rest, wordEvidence, wordCredited)
	if problem != "" || values.tailed {
		return firstOf(problem, "what was gained has no text of its own")
	}
	return firstOf(values.count(wordEvidence, &c.gainedEvidence), values.count(wordCredited, &c.gainedCredited))
}

// check returns what is wrong with the file as a whole, and in which line: a gap in
// the history would make versions between unreachable, and only an addition or a
// rollback can say that there was no bullet before.
func (r *reader) check() (line int, problem string) {
	for i, v := range r.versions {
		for _, c := range v.changes {
			if c.Before == nil && c.Op != OpAdd && c.Op != OpRestore {
				return c.line, fmt.Sprintf("the change op=%s lacks its line %q", c.Op, wordWas)
			}
		}
		if v.Number != r.version-i || v.Number < 1 {
			return v.line, fmt.Sprintf("the history goes down by one from version=%d; this is version %d, not %d", r.version, v.Number, r.version-i)
		}
	}
	return 0, ""
}

// playbook completes what was read, walking back through the history as
// [Playbook.Encode] did, so that each change meets the bullet as it was after it.
func (r *reader) playbook() *Playbook {
	slices.SortFunc(r.bullets, byNumber)
	bullets := slices.Clone(r.bullets)
	var history []Version
	for _, v := range r.versions[:min(len(r.versions), VersionsMax)] {
		v.Changes = make([]Change, len(v.changes))
		for j := len(v.changes) - 1; j >= 0; j-- {
			v.Changes[j] = v.changes[j].against(now(bullets, v.changes[j].ID))
			bullets = undo(bullets, v.Changes[j])
		}
		history = append(history, v.Version)
	}
	// A file begins with the newest, for people who read it.
	slices.Reverse(history)
	return build(r.version, r.last, r.bullets, history)
}

// against returns the change with the lists of the bullet before it, given the
// bullet after it.
func (c oldChange) against(after Bullet) Change {
	if c.Before != nil {
		c.Before.Evidence = newest(nil, regain(c.evidence, after.Evidence, c.gainedEvidence), EvidenceMax)
		c.Before.Credited = newest(nil, regain(c.credited, after.Credited, c.gainedCredited), CreditedMax)
	}
	return c.Change
}
