package terminal

import (
	"slices"
	"strings"
	"time"
)

// AdvicePrefix begins a line with a command that the user can run next.
const AdvicePrefix = "next: "

// levels are what a line on stderr can be, the most important first, and what begins each
// kind. What nothing begins is of the last level.
var levels = []struct {
	name     string
	prefixes []string
}{
	{"error", []string{AdvicePrefix, "interrupted: ", "interrupted again: "}},
	{"warn", []string{"WARNING: ", "warning: "}},
	{"note", []string{"note: "}},
	{"info", nil},
}

// filter chooses the lines of stderr and says when they were written. The zero value passes
// all on as they are.
type filter struct {
	// program begins the lines of errors.
	program string
	// level is the least important one that is shown, empty for all.
	level string
	// now is the clock for times before lines, nil for none.
	now func() time.Time
	// open says that the last line has no end yet, dropping that it is not shown.
	open, dropping bool
}

// shows reports whether lines of a level are shown.
func (f *filter) shows(level string) bool { return place(level) <= place(f.level) }

// place is where a level is among all, the last one for another text.
func place(name string) int {
	for i, l := range levels {
		if l.name == name {
			return i
		}
	}
	return len(levels) - 1
}

// levelOf is the level of a line.
func (f *filter) levelOf(line string) string {
	begins := func(prefix string) bool { return strings.HasPrefix(line, prefix) }
	if begins(f.program + ": ") {
		return "error"
	}
	for _, l := range levels {
		if slices.ContainsFunc(l.prefixes, begins) {
			return l.name
		}
	}
	return "info"
}

// pass returns what of a text is shown, and how.
func (f *filter) pass(text string) string {
	if f.now == nil && f.shows("info") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !f.open {
			f.dropping = !f.shows(f.levelOf(line))
			if !f.dropping && f.now != nil {
				b.WriteString(f.now().UTC().Format("2006-01-02T15:04:05.000Z "))
			}
		}
		if !f.dropping {
			b.WriteString(line)
		}
		f.open = !strings.HasSuffix(line, "\n")
	}
	return b.String()
}
