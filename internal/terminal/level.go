package terminal

import (
	"slices"
	"strings"
	"time"
)

// logLevels are what a line on stderr can be, the most important first, and what begins each
// kind. What nothing begins is of the last level.
var logLevels = []struct {
	name     string
	prefixes []string
}{
	{"error", []string{cli.programName + ": ", cli.advicePrefix, "interrupted: ", "interrupted again: "}},
	{"warn", []string{"WARNING: ", "warning: "}},
	{"note", []string{"note: "}},
	{"info", nil},
}

// Filter chooses the lines of stderr and says when they were written. The zero value passes
// all on as they are.
type Filter struct {
	// level is the least important one that is shown, empty for all.
	level string
	// now is the clock for times before lines, nil for none.
	now func() time.Time
	// open says that the last line has no end yet, dropping that it is not shown.
	open, dropping bool
}

// shows reports whether lines of a level are shown.
func (f *Filter) shows(level string) bool {
	place := func(name string) int {
		for i, l := range logLevels {
			if l.name == name {
				return i
			}
		}
		return len(logLevels) - 1
	}
	return place(level) <= place(f.level)
}

// pass returns what of a text is shown, and how.
func (f *Filter) pass(text string) string {
	if f.now == nil && f.shows("info") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !f.open {
			level := "info"
			for _, l := range logLevels {
				if slices.ContainsFunc(l.prefixes, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
					level = l.name
				}
			}
			f.dropping = !f.shows(level)
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
