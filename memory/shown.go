package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/trace"
)

// Words are the words in the one line that shows an entry in a prompt, without the
// spaces around them.
type Words struct {
	// When says when an entry is from, by its first and its last tick.
	When func(first, last int64) string
	// Kind is the word for a kind of entry, nil for its name.
	Kind func(kind string) string
	// Failed marks a failure, From precedes the agent that a text came from, Last
	// says that the newest of several texts follows.
	Failed, From, Last string
	// Total precedes the sums of a summary.
	Total string
}

// Line returns the one line that shows an entry in a prompt, in the given words:
//
//	[mem-3-90] ticks 3-81 outcome x23: mine_compound ok, compound_mass_g 4000..5000, total compound +90000
//	[mem-12-31] tick 12 outcome failed x3: mine_compound ... refused
//	[mem-14-36] tick 14 heard from agent-2: "meet me at the hub"
//
// Texts of other agents are quoted as a JSON string, so that they cannot pass for
// anything else. The kind is a fixed name and the text is what was recorded: neither is
// translated.
func (s Scored) Line(w Words) string {
	var line strings.Builder
	first := s.LastTick
	if s.Merged > 0 {
		first = s.Tick
	}
	kind := string(s.Kind)
	if w.Kind != nil {
		kind = w.Kind(kind)
	}
	fmt.Fprintf(&line, "[%s] %s %s", s.ID, w.When(first, s.LastTick), kind)
	if s.Failed {
		line.WriteString(" " + w.Failed)
	}
	if s.Repeats > 0 {
		fmt.Fprintf(&line, " x%d", s.Repeats+1)
	}
	if s.Origin != "" {
		line.WriteString(" " + w.From + " " + plainName(s.Origin))
	}
	if s.Merged > 0 && s.Origin != "" {
		line.WriteString(w.Last)
	}
	text := s.Text
	if s.Trust <= trace.TrustOtherAgent {
		text = Quote(text)
	}
	return line.String() + ": " + text
}

// Source returns the entry as a source that a prompt shows as its [Scored.Line] in the
// same words.
func (s Scored) Source(w Words) trace.Source { return s.shownAs(s.Line(w)) }

// shownAs is the entry as a source that a prompt shows as line. Its origin is the newest time that it repeated,
// which is what the line tells of.
func (s Scored) shownAs(line string) trace.Source {
	return trace.Source{
		ID: s.ID, Kind: trace.KindMemory, Title: string(s.Kind), Preview: s.Text, Score: s.Score,
		Chars: utf8.RuneCountInString(line), OriginAgent: s.Origin,
		OriginTick: s.LastTick, Trust: s.Trust, Parents: s.Parents, Text: line,
	}
}

// plainName returns name when it is made of the characters of an id and quotes it
// otherwise.
func plainName(name string) string {
	for _, r := range name {
		if !strings.ContainsRune("-_.:", r) && !relevance.IsWord(r) {
			return Quote(name)
		}
	}
	return name
}

// Quote encodes text as a JSON string, leaving <, > and & readable.
func Quote(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic("memory: a string cannot be encoded as JSON: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
