package playbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentworld/memory"
)

// SyntaxError says where a playbook file cannot be read, and why.
type SyntaxError struct {
	// Line is the number of the line, from 1.
	Line int
	// Problem says what stands there and what is allowed.
	Problem string
}

// Error returns "line 12: ...".
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Parse reads a playbook as [Playbook.Encode] writes it, or an error of type
// [*SyntaxError].
//
// Files are edited by hand, so much may be left out or moved: attributes of a
// bullet except its content, empty lines, indentation, lines that begin with ">",
// the headings' titles, the history. A bullet without origin is taken as the
// operator's, of the trust of an own observation. What contradicts itself is an
// error: an unknown section, an id that appears twice, a bullet under the wrong
// heading.
//
// An edit by hand becomes part of the version it was made in: going back over
// older changes restores the bullets they touched and leaves the others.
func Parse(data []byte) (*Playbook, error) {
	r := reader{seen: map[int]int{}}
	for i, line := range strings.Split(string(data), "\n") {
		r.line = i + 1
		if problem := r.read(line); problem != "" {
			return nil, &SyntaxError{Line: r.line, Problem: problem}
		}
	}
	if !r.titled {
		return nil, &SyntaxError{Line: 1, Problem: "the file is empty; it begins with " + title}
	}
	if line, problem := r.check(); problem != "" {
		return nil, &SyntaxError{Line: line, Problem: problem}
	}
	return r.playbook(), nil
}

// title is the first line of a file.
var title = fmt.Sprintf("%q", fmt.Sprintf("%s playbook %d", wordTitle, FormatVersion))

// reader reads a file line by line. A problem is returned as text, empty when there
// is none; the caller knows the line.
type reader struct {
	line          int
	titled        bool
	version, last int
	headed        bool
	open          bool // a bullet has begun that lists may follow
	section       Section
	history       bool
	bullets       []Bullet
	seen          map[int]int // line of each number
	versions      []oldVersion
}

// oldVersion is a version as it stands in the file, the bullets before its changes
// still written against those after them.
type oldVersion struct {
	Version
	line    int
	changes []oldChange
}

type oldChange struct {
	Change
	line           int
	evidence       []Evidence // lost by the change
	credited       []Credit   // lost by the change
	gainedEvidence int
	gainedCredited int
}

// read takes in one line.
func (r *reader) read(line string) string {
	if !utf8.ValidString(line) {
		return "the line is not valid UTF-8"
	}
	line = memory.CleanLine(line)
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "" || strings.HasPrefix(line, wordRemark):
		return ""
	case !r.titled:
		return r.readTitle(line)
	case word == wordHeading:
		return r.readHeading(rest)
	case r.history:
		return r.readHistory(word, rest, line)
	case strings.HasPrefix(line, "["):
		return r.readBullet(line)
	case !r.headed:
		return r.readCounters(line)
	case !r.open:
		return fmt.Sprintf("%s belongs under a bullet", brief(word))
	}
	b := &r.bullets[len(r.bullets)-1]
	return readLists(word, rest, &b.Evidence, &b.Credited)
}

func (r *reader) readTitle(line string) string {
	if strconv.Quote(line) != title {
		return fmt.Sprintf("the file begins with %s, not with %s", title, brief(line))
	}
	r.titled = true
	return ""
}

func (r *reader) readCounters(line string) string {
	values, problem := attributesOf(line, "version", "last")
	if problem != "" || values.tailed {
		return firstOf(problem, "only version= and last= stand before the first section")
	}
	return firstOf(values.count("version", &r.version), values.count("last", &r.last))
}

func (r *reader) readHeading(rest string) string {
	name, _, _ := strings.Cut(rest, " ")
	r.headed, r.open, r.section, r.history = true, false, Section(name), name == wordHistory
	if !r.history && !r.section.known() {
		return fmt.Sprintf("unknown section %s; allowed: %s", brief(name), allowed(Sections(), wordHistory))
	}
	return ""
}

func (r *reader) readBullet(line string) string {
	id, rest, closed := strings.Cut(line[1:], "]")
	section, number, ok := splitID(id)
	switch {
	case !r.headed:
		return "a bullet stands under the heading of its section, such as \"## nav\""
	case !closed || !ok:
		return fmt.Sprintf("%s is not the id of a bullet; one looks like [%s]", brief(id), newID(r.section, 12))
	case section != r.section:
		return fmt.Sprintf("the bullet %s stands under the heading of %s", id, r.section)
	case r.seen[number] > 0:
		return fmt.Sprintf("the number of %s is taken by the bullet in line %d", id, r.seen[number])
	}
	r.seen[number] = r.line
	b, problem := bulletOf(rest)
	b.ID, b.Section = id, section
	r.bullets, r.open = append(r.bullets, b), true
	r.last = max(r.last, number)
	return problem
}

// bulletOf reads the attributes and the content of a bullet.
func bulletOf(rest string) (Bullet, string) {
	values, problem := attributesOf(rest, "helpful", "harmful", "neutral", "origin", "trust", "created", "updated", "parents")
	if problem != "" {
		return Bullet{}, problem
	}
	b := Bullet{Content: values.tail, Origin: Manual, Trust: memory.SelfObservation}
	if n := b.Chars(); n < ContentMin || n > ContentMax {
		return b, fmt.Sprintf("the content after %q has %d characters; allowed: %d to %d", tail, n, ContentMin, ContentMax)
	}
	for _, id := range strings.Fields(values.text("parents")) {
		if id = cleanID(id); id != "" {
			b.Parents = newest(b.Parents, []string{id}, memory.ParentsMax)
		}
	}
	return b, firstOf(
		values.count("helpful", &b.Helpful), values.count("harmful", &b.Harmful), values.count("neutral", &b.Neutral),
		values.origin(&b.Origin), values.trust(&b.Trust), values.stamp("created", &b.Created), values.stamp("updated", &b.Updated),
	)
}

// readLists reads a line of evidence or of credited decisions.
func readLists(word, rest string, evidence *[]Evidence, credited *[]Credit) string {
	switch word {
	case wordEvidence:
		return readEvidence(rest, evidence)
	case wordCredited:
		return readCredited(rest, credited)
	}
	return fmt.Sprintf("%s does not begin a line; allowed here: a bullet [nav-00012], %s, %s, %s, %s",
		brief(word), wordEvidence, wordCredited, wordHeading, wordRemark)
}

func readEvidence(rest string, list *[]Evidence) string {
	values, problem := attributesOf(rest, "run", "tick", "agent", "outcome")
	if problem != "" || values.tailed {
		return firstOf(problem, "evidence has no text of its own")
	}
	e := Evidence{Run: values.text("run"), Agent: values.text("agent"), Outcome: values.text("outcome")}
	if problem := values.tick(&e.Tick); problem != "" {
		return problem
	}
	return push(list, e.clean(), EvidenceMax, wordEvidence)
}

func readCredited(rest string, list *[]Credit) string {
	for _, digits := range strings.Fields(rest) {
		value, err := strconv.ParseUint(digits, 16, 64)
		if err != nil || len(digits) != 16 {
			return fmt.Sprintf("%s is not the fingerprint of a decision: 16 digits 0-9 a-f", brief(digits))
		}
		if problem := push(list, Credit(value), CreditedMax, wordCredited); problem != "" {
			return problem
		}
	}
	return ""
}

// push appends a value that is not in the list yet.
func push[T comparable](list *[]T, value T, limit int, name string) string {
	if slices.Contains(*list, value) {
		return ""
	}
	if len(*list) == limit {
		return fmt.Sprintf("more than %d entries of %s", limit, name)
	}
	*list = append(*list, value)
	return ""
}

// readHistory reads a line of the history.
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

func (r *reader) readChange(rest string) string {
	values, problem := attributesOf(rest, "op", "id", "tag")
	if problem != "" {
		return problem
	}
	c := oldChange{line: r.line}
	c.Op, c.ID, c.Tag = Op(values.text("op")), values.text("id"), Tag(values.text("tag"))
	c.Reason = short(values.tail, reasonMax)
	if _, number, ok := splitID(c.ID); !ok {
		return fmt.Sprintf("%s is not the id of a bullet; one looks like id=nav-00012", brief(c.ID))
	} else {
		r.last = max(r.last, number)
	}
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

var historyOps = []Op{OpTag, OpRemove, OpUpdate, OpAdd, OpMerge, OpDisplace, OpRestore}

func (c *oldChange) readGained(rest string) string {
	values, problem := attributesOf(rest, wordEvidence, wordCredited)
	if problem != "" || values.tailed {
		return firstOf(problem, "what was gained has no text of its own")
	}
	return firstOf(values.count(wordEvidence, &c.gainedEvidence), values.count(wordCredited, &c.gainedCredited))
}

// check returns what is wrong with the file as a whole, and in which line.
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

// playbook completes what was read, walking back through the history.
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

// brief quotes what stands in a file for an error text, cut short.
func brief(text string) string { return strconv.Quote(short(text, 40)) }

// allowed lists what may stand in a place.
func allowed[T ~string](values []T, more ...string) string {
	var names []string
	for _, value := range values {
		names = append(names, string(value))
	}
	return strings.Join(append(names, more...), ", ")
}

// firstOf returns the first problem of several, empty when there is none.
func firstOf(problems ...string) string {
	for _, problem := range problems {
		if problem != "" {
			return problem
		}
	}
	return ""
}
