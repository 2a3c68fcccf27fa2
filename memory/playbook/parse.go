package playbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
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

// read takes in one line. What a line is shows at its beginning; indentation and
// runs of spaces are for people only.
func (r *reader) read(line string) string {
	if !utf8.ValidString(line) {
		return "the line is not valid UTF-8"
	}
	line = plaintext.Line(line)
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

// readTitle reads the first line. A file of another format version is refused
// rather than guessed at: what it says may mean something else.
func (r *reader) readTitle(line string) string {
	if strconv.Quote(line) != title {
		return fmt.Sprintf("the file begins with %s, not with %s", title, brief(line))
	}
	r.titled = true
	return ""
}

// readCounters reads the version and the last number given out. Both may be
// missing in a file that was written by hand.
func (r *reader) readCounters(line string) string {
	values, problem := attributesOf(line, "version", "last")
	if problem != "" || values.tailed {
		return firstOf(problem, "only version= and last= stand before the first section")
	}
	return firstOf(values.count("version", &r.version), values.count("last", &r.last))
}

// readHeading reads the beginning of a section or of the history. The first word
// counts, the title behind it is for people.
func (r *reader) readHeading(rest string) string {
	name, _, _ := strings.Cut(rest, " ")
	r.headed, r.open, r.section, r.history = true, false, Section(name), name == wordHistory
	if !r.history && !r.section.known() {
		return fmt.Sprintf("unknown section %s; allowed: %s", brief(name), allowed(Sections(), wordHistory))
	}
	return ""
}

// readBullet reads the line of a bullet. The number alone must be unique, as it is
// when [Apply] gives it out: a history finds bullets by it.
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
	// Someone who adds a bullet by hand does not think of the counter.
	r.last = max(r.last, number)
	return problem
}

// bulletOf reads the attributes and the content of a bullet.
func bulletOf(rest string) (Bullet, string) {
	values, problem := attributesOf(rest, "helpful", "harmful", "neutral", "origin", "trust", "created", "updated", "parents")
	if problem != "" {
		return Bullet{}, problem
	}
	b := Bullet{Content: values.tail, Origin: Manual, Trust: trace.TrustSelfObservation}
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

// readEvidence reads the names of one decision.
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

// readCredited reads the fingerprints of decisions.
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

// push appends a value that is not in the list yet. Beyond the limit it is an
// error, since cutting would lose what someone wrote down without a word.
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
