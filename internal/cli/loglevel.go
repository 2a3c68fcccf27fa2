package cli

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
	{"error", []string{advicePrefix, "interrupted: ", "interrupted again: "}},
	{"warn", []string{"WARNING: ", "warning: "}},
	{"note", []string{"note: "}},
	{"info", nil},
}

// logFilter chooses the lines of stderr and says when they were written. The zero value passes
// all on as they are.
type logFilter struct {
	// level is the least important one that is shown, empty for all.
	level string
	// program is the name that begins the line of an error.
	program string
	// now is the clock for times before lines, nil for none.
	now func() time.Time
	// open says that the last line has no end yet, dropping that it is not shown.
	open, dropping bool
}

// shows reports whether lines of a level are shown.
func (f *logFilter) shows(level string) bool {
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
func (f *logFilter) pass(text string) string {
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
			if strings.HasPrefix(line, f.program+": ") {
				level = "error"
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

// log makes the settings about stderr hold from now on.
func (m *Main) log(values []value) {
	if m.screen == nil {
		return // not run as a program
	}
	level := find(values, "run.log_level")
	m.screen.mu.Lock()
	defer m.screen.mu.Unlock()
	if slices.Contains(level.setting.choices, level.text) { // another one is refused later
		m.screen.filter.level = level.text
	}
	m.screen.filter.program = m.called()
	m.screen.filter.now = nil
	if text := find(values, "run.log_timestamps").text; text == "true" || text == "1" {
		m.screen.filter.now = m.Now
	}
}
