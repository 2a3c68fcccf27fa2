package summary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
)

// wordsMax bounds texts of others, in characters.
const wordsMax = 160

// page is a summary in the making.
type page struct {
	columns int
	lines   []Line
}

// add adds a text behind its label, in as many lines as it takes; nothing for an empty text.
func (p *page) add(label string, tone Tone, text string) {
	if text == "" {
		return
	}
	indent := ""
	if label != "" {
		indent = strings.Repeat(" ", labelCells)
	}
	room := 0
	if p.columns > 0 {
		room = max(p.columns-len(indent), 1)
	}
	head := indent
	if label != "" {
		head = fmt.Sprintf("%-*s", labelCells, label)
	}
	for _, part := range plaintext.Broken(plaintext.Line(text), room) {
		p.lines = append(p.lines, Line{head + part, tone})
		head = indent
	}
}

// atLeastWarn is the tone of a line on failures, whatever the run's outcome is.
func (t Tone) atLeastWarn() Tone { return max(t, Warn) }

// toneIf is a tone on a condition.
func toneIf(holds bool, tone Tone) Tone {
	if holds {
		return tone
	}
	return Plain
}

// most lists the largest counts in brackets after a space; nothing for none.
func most(counts report.Counts) string {
	if len(counts) == 0 {
		return ""
	}
	keys := largestFirst(counts)
	for i, key := range keys {
		keys[i] = fmt.Sprintf("%s %d", plain(key), counts[key])
	}
	return " (" + firstOf(keys, ", ") + ")"
}

// clauses lists what happened most first, and how often if there are several.
func clauses(counts report.Counts) string {
	keys := largestFirst(counts)
	for i, key := range keys {
		keys[i] = plain(key)
		if len(keys) > 1 {
			keys[i] += fmt.Sprintf(" (%d)", counts[key])
		}
	}
	return firstOf(keys, ", ")
}

func largestFirst(counts report.Counts) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// firstOf joins the first texts and says how many more there are.
func firstOf(list []string, separator string) string {
	shown := slices.Clone(list[:min(len(list), namesMax)])
	if more := len(list) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return strings.Join(shown, separator)
}

// span is a time in milliseconds with two units at most: 0.3 s, 45 s, 3 min 5 s, 2 h 10 min.
func span(ms int64) string {
	s := ms / 1000
	switch {
	case s < 10:
		return fmt.Sprintf("%d.%d s", s, ms%1000/100)
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
}

// amount is a sum of money.
func amount(micros int64) string { return price.FromMicros(micros).String() }

// plain makes a name or a provider's message safe for one line of a terminal.
func plain(s string) string { return plaintext.Line(plaintext.Clip(s, wordsMax)) }
