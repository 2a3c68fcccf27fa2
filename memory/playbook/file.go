package playbook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// FormatVersion is the version of the file format that this package writes, and
// the only one it reads.
const FormatVersion = 2

// BytesMax bounds a file, valuesMax its keys and values. One with as many lessons and
// versions as there can be stays below.
const (
	BytesMax  = 16 << 20
	valuesMax = 2_000_000
)

// remark begins every file.
const remark = `# Lessons, with what is known about their worth. They may be edited by hand: a table
# [[bullet]] with an id that was not used before and a content is enough for a new one.

`

// A file is a TOML document of these tables. The history has the newest version first,
// and in each version the changes in the order they were made.
type (
	fileTable struct {
		Format   int            `toml:"format"`
		Version  int            `toml:"version"`
		Last     int            `toml:"last"`
		Sections []OwnSection   `toml:"section,omitempty"`
		Bullets  []bulletTable  `toml:"bullet"`
		History  []versionTable `toml:"history"`
	}
	bulletTable struct {
		Bullet
		// A trust that is left out is not the lowest one.
		Trust string `toml:"trust"`
	}
	versionTable struct {
		Version
		Changes []changeTable `toml:"change"`
	}
	// changeTable has the bullet before the change written against what it was after it:
	// its lists hold only the entries that were lost, and gained counts those that were
	// added at the end.
	changeTable struct {
		Change
		Was    *bulletTable `toml:"was,omitempty,inline"`
		Gained gained       `toml:"gained,omitempty,inline"`
	}
	gained struct {
		Evidence int `toml:"evidence,omitempty"`
		Credited int `toml:"credited,omitempty"`
	}
)

// Encode returns the playbook as a file that people can read and [Parse] reads
// back to an equal playbook. The same playbook gives the same bytes.
func (p *Playbook) Encode() []byte {
	file := fileTable{Format: FormatVersion, Version: p.version, Last: p.last, Sections: p.sections}
	for _, b := range p.bullets {
		file.Bullets = append(file.Bullets, bulletTable{b, b.Trust.String()})
	}
	// The walk starts at the newest version and undoes each change, so bullets holds the
	// playbook as it was right after the change being written.
	bullets := slices.Clone(p.bullets)
	for _, v := range slices.Backward(p.history) {
		table := versionTable{Version: v, Changes: make([]changeTable, len(v.Changes))}
		for i, c := range slices.Backward(v.Changes) {
			table.Changes[i] = changeTable{Change: c}
			if t := &table.Changes[i]; c.Before != nil {
				was, now := bulletTable{*c.Before, c.Before.Trust.String()}, after(bullets, c.ID)
				was.ID = ""
				was.Evidence, t.Gained.Evidence = lost(was.Evidence, now.Evidence)
				was.Credited, t.Gained.Credited = lost(was.Credited, now.Credited)
				t.Was = &was
			}
			bullets = undo(bullets, c)
		}
		file.History = append(file.History, table)
	}
	data, err := toml.Marshal(file)
	if err != nil {
		panic("playbook: a playbook cannot be encoded: " + err.Error())
	}
	return append([]byte(remark), data...)
}

// SyntaxError says where a playbook file cannot be read, and why.
type SyntaxError struct {
	// Line is the number of the line, from 1.
	Line int
	// Problem says what the file has there and what is allowed.
	Problem string
}

// Error returns "line 12: ...".
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Parse reads a playbook as [Playbook.Encode] writes it, or an error of type
// [*SyntaxError].
//
// Files are edited by hand, so much may be left out: everything of a bullet except its
// id and content, the counters, the history. A bullet without origin is taken as the
// operator's, of the trust of an own observation. Unknown keys and what contradicts
// itself are errors.
//
// An edit by hand becomes part of the version it was made in: going back over
// older changes restores the bullets they touched and leaves the others.
func Parse(data []byte) (*Playbook, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// A problem is in the nth table of that name.
	fail := func(table string, nth int, format string, values ...any) (*Playbook, error) {
		return nil, &SyntaxError{max(1, lineOf(data, table, nth)), fmt.Sprintf(format, values...)}
	}
	var file fileTable
	err := document.DecodeTOML(data, document.Limits{Bytes: BytesMax, Values: valuesMax}, &file)
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(data), []byte("# playbook 1")):
		return nil, &SyntaxError{1, fmt.Sprintf(
			"the file has the format of an older version, playbook 1; this version reads format = %d. Its lessons can be "+
				"taken over as tables [[bullet]], each with an id and a content", FormatVersion)}
	case err != nil:
		return nil, syntaxError(err)
	case file.Format != FormatVersion:
		return fail("format", 0, "the file has format = %d, 0 if none is stated; allowed: format = %d", file.Format,
			FormatVersion)
	}
	if file.Version < 0 || file.Version > CountMax || file.Last < 0 || file.Last > NumberMax {
		return fail("version", 0, "version = %d and last = %d are not from 0 to %d", file.Version, file.Last, NumberMax)
	}
	for i, s := range file.Sections {
		if problem := s.problem(file.Sections[:i]); problem != "" || i >= OwnSectionsMax {
			return fail("section", i, "%s", cmp.Or(problem, fmt.Sprintf("there are more than %d sections", OwnSectionsMax)))
		}
	}
	sections := (&Playbook{sections: file.Sections}).Sections()
	last := file.Last
	taken := map[int]bool{}
	var bullets []Bullet
	for i, t := range file.Bullets {
		section, number, ok := splitID(t.ID)
		if !ok || !slices.Contains(sections, section) {
			return fail("bullet", i, `%s is not the id of a bullet; one looks like %q, and begins with %s, or with the name of a table [[section]]`, brief(t.ID), newID(Nav, 12), allowed(sections))
		}
		// The number alone must be unique, as it is when [Apply] gives it out: a history
		// finds bullets by it.
		if taken[number] {
			return fail("bullet", i, "the number of %s is taken by another bullet", t.ID)
		}
		b, problem := t.bullet(t.ID)
		if problem != "" {
			return fail("bullet", i, "%s", problem)
		}
		taken[number] = true
		// Someone who adds a bullet by hand does not think of the counter.
		last = max(last, number)
		bullets = append(bullets, b)
	}
	slices.SortFunc(bullets, byNumber)
	// As in [Playbook.Encode], each change meets the bullet as it was after it.
	then := slices.Clone(bullets)
	var history []Version
	changes := 0
	for i, t := range file.History {
		v := t.Version
		if v.Number != file.Version-i || v.Number < 1 {
			// A gap would make versions between unreachable.
			return fail("history", i, "the history goes down by one from version = %d; this is version %d, not %d",
				file.Version, v.Number, file.Version-i)
		}
		v.Note = short(v.Note, reasonMax)
		v.Tick = max(v.Tick, 0)
		v.Changes = make([]Change, len(t.Changes))
		for j, c := range slices.Backward(t.Changes) {
			change, number, problem := c.change(then)
			if section, _, _ := splitID(change.ID); problem == "" && !slices.Contains(sections, section) {
				problem = fmt.Sprintf("%s is of a section that no table [[section]] names", brief(change.ID))
			}
			if problem != "" {
				return fail("history.change", changes+j, "%s", problem)
			}
			last = max(last, number)
			v.Changes[j] = change
			then = undo(then, change)
		}
		changes += len(t.Changes)
		history = append(history, v)
	}
	// A file begins with the newest, for people who read it.
	history = history[:min(len(history), VersionsMax)]
	slices.Reverse(history)
	return build(file.Version, last, file.Sections, bullets, history), nil
}

// The keys that a table may have, by its name.
var keys = map[string]string{
	"":        "format, version, last, section, bullet, history",
	"section": "name, title",
	"bullet": "id, content, helpful, harmful, neutral, created and updated {version, tick}, origin, trust, evidence " +
		"{run, tick, agent, outcome, givers}, " +
		"parents, credited",
	"history": "version, tick, note, change",
	"history.change": "op, id, tag, reason, evidence {run, tick, agent, outcome, givers}, was {the keys of a bullet}, " +
		"gained {evidence, credited}",
}

// syntaxError says what is allowed in place of an unknown key.
func syntaxError(err error) error {
	bad, _ := errors.AsType[*document.Error](err)
	if last := len(bad.Key) - 1; bad.Unknown {
		table := bad.Key[:last]
		for keys[strings.Join(table, ".")] == "" { // an inline table, which the keys around it describe
			table = table[:len(table)-1]
		}
		return &SyntaxError{bad.Line, fmt.Sprintf("unknown key %s; allowed: %s", brief(bad.Key[last]),
			keys[strings.Join(table, ".")])}
	}
	return &SyntaxError{bad.Line, plaintext.Clip(plaintext.Line(bad.Text()), reasonMax)}
}

// lineOf returns the line where the nth table of that name begins, 0 when it is
// written in another way.
func lineOf(data []byte, table string, nth int) int {
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "[["+table+"]]" || strings.HasPrefix(line, table+" =") || strings.HasPrefix(line, table+"=") {
			nth--
			if nth < 0 {
				return i + 1
			}
		}
	}
	return 0
}

// bullet returns the bullet of that id, with its texts cleaned, or what is wrong with it.
func (t bulletTable) bullet(id string) (Bullet, string) {
	b := t.Bullet
	b.ID = id
	b.Section, _, _ = splitID(id)
	b.Content = plaintext.Line(b.Content)
	if n := b.Chars(); n < ContentMin || n > ContentMax {
		return b, fmt.Sprintf("the content of %s has %d characters; allowed: %d to %d", id, n, ContentMin, ContentMax)
	}
	for _, n := range []int{b.Helpful, b.Harmful, b.Neutral, b.Created.Version, b.Updated.Version} {
		if n < 0 || n > CountMax {
			return b, fmt.Sprintf("%s has the number %d; allowed: 0 to %d", id, n, CountMax)
		}
	}
	b.Created.Tick, b.Updated.Tick = max(b.Created.Tick, 0), max(b.Updated.Tick, 0)
	if b.Origin == "" {
		b.Origin = Manual
	}
	if origins := []Origin{Reflection, Seed, Manual}; !slices.Contains(origins, b.Origin) {
		return b, fmt.Sprintf("unknown origin = %s; allowed: %s", brief(string(b.Origin)), allowed(origins))
	}
	b.Trust = trace.TrustSelfObservation
	if t.Trust != "" {
		var names []string
		for b.Trust = trace.TrustToolError; b.Trust <= trace.TrustRules && b.Trust.String() != t.Trust; b.Trust++ {
			names = append(names, b.Trust.String())
		}
		if b.Trust > trace.TrustRules {
			return b, fmt.Sprintf("unknown trust = %s; allowed: %s", brief(t.Trust), allowed(names))
		}
	}
	// Cutting a list would lose what someone wrote down without a word.
	if len(b.Evidence) > EvidenceMax || len(b.Credited) > CreditedMax || len(b.Parents) > memory.ParentsMax {
		return b, fmt.Sprintf("%s has too many entries; allowed: %d of evidence, %d credited, %d parents", id, EvidenceMax,
			CreditedMax, memory.ParentsMax)
	}
	var parents []string
	for _, id := range b.Parents {
		id = cleanID(id)
		if id != "" {
			parents = append(parents, id)
		}
	}
	b.Parents = newest(nil, parents, memory.ParentsMax)
	b.Evidence = newest(nil, cleaned(b.Evidence), EvidenceMax)
	b.Credited = newest(nil, b.Credited, CreditedMax)
	return b, ""
}

func cleaned(list []Evidence) []Evidence {
	var all []Evidence
	for _, e := range list {
		all = append(all, e.clean())
	}
	return all
}

// change returns the change of the bullet that stands among bullets as it was
// afterwards, and its number.
func (t changeTable) change(bullets []Bullet) (c Change, number int, problem string) {
	c = t.Change
	c.Reason, c.Evidence = short(c.Reason, reasonMax), cleaned(c.Evidence)
	_, number, ok := splitID(c.ID)
	switch {
	case !ok:
		return c, 0, fmt.Sprintf("%s is not the id of a bullet; one looks like %q", brief(c.ID), newID(Nav, 12))
	case !slices.Contains(historyOps, c.Op):
		return c, 0, fmt.Sprintf("unknown op = %s; allowed: %s", brief(string(c.Op)), allowed(historyOps))
	case c.Tag != "" && new(Bullet).count(c.Tag) == nil:
		return c, 0, fmt.Sprintf("unknown tag = %s; allowed: %s", brief(string(c.Tag)),
			allowed([]Tag{Helpful, Harmful, Neutral}))
	case t.Was == nil && c.Op != OpAdd && c.Op != OpRestore:
		// Only an addition or a rollback can say that there was no bullet before.
		return c, 0, fmt.Sprintf("the change with op = %q lacks what the bullet was", c.Op)
	case t.Was == nil:
		return c, number, ""
	}
	before, problem := t.Was.bullet(c.ID)
	now := after(bullets, c.ID)
	before.Evidence = newest(nil, regain(before.Evidence, now.Evidence, t.Gained.Evidence), EvidenceMax)
	before.Credited = newest(nil, regain(before.Credited, now.Credited, t.Gained.Credited), CreditedMax)
	c.Before = &before
	return c, number, problem
}

// historyOps are the operations that a history may show.
var historyOps = []Op{OpTag, OpRemove, OpUpdate, OpAdd, OpMerge, OpDisplace, OpRestore}

// lost returns the entries at the start of before that after no longer has, and how many
// entries after has gained at its end. It finds the split with the fewest gained.
func lost[T comparable](before, after []T) (lost []T, gained int) {
	for kept := len(after); ; kept-- {
		if from := len(before) - kept; from >= 0 && slices.Equal(after[:kept], before[from:]) {
			return before[:from], len(after) - kept
		}
	}
}

// regain is the reverse of [lost]. From a list that was shortened by hand since then, it
// returns what is left.
func regain[T comparable](lost, after []T, gained int) []T {
	return slices.Concat(lost, after[:min(max(len(after)-gained, 0), len(after))])
}

// after returns the bullet of that id, an empty one when there is none.
func after(bullets []Bullet, id string) Bullet {
	_, number, _ := splitID(id)
	at, found := numbered(bullets, number)
	if !found {
		return Bullet{}
	}
	return bullets[at]
}

// brief quotes text from a file for an error, cut short.
func brief(text string) string { return strconv.Quote(short(text, 40)) }

// allowed lists the allowed values for an error.
func allowed[T ~string](values []T) string {
	var names []string
	for _, value := range values {
		names = append(names, string(value))
	}
	return strings.Join(names, ", ")
}
