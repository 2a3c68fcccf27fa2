package behavior

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/agentworld/memory"
	"example.com/agentworld/plaintext"
)

// Profile is how much the opening prompt of a turn shows.
type Profile = string

// The profiles, from the shortest.
const (
	// ProfileCompact shows the nearest things and the newest past only: for small
	// windows and for models that are paid by the token.
	ProfileCompact Profile = "compact"
	// ProfileBalanced shows what a decision usually needs.
	ProfileBalanced Profile = "balanced"
	// ProfileRich shows everything an observation holds, names and materials
	// included, and more of the past.
	ProfileRich Profile = "rich"
)

// layout says what a profile shows. A bound of whole leaves nothing out.
type layout struct {
	// history bounds the lines of that section; window is how many of the newest
	// outcomes it reflects at.
	history, window int
	// quota bounds the lines of memory by category, apart from texts of other agents.
	quota memory.Quota
	// lessons bounds the bullets of a playbook, lessonChars their characters.
	lessons, lessonChars int
	// documents bounds the chunks of documents, trusted and untrusted ones each.
	documents int
	// places, agents, choices and quotes bound the lists of the observation.
	places, agents, choices, quotes int
	// terms bounds the requests, the offers here and those elsewhere that are listed.
	terms int
	// named bounds the places that are listed because a goal names them.
	named int
	// details adds materials, distances and the refusals that name nothing
	// an agent could gather.
	details bool
}

// whole is a bound that no list reaches.
const whole = 1 << 20

var layoutOf = map[Profile]layout{
	ProfileCompact: {history: 2, window: 8, quota: memory.Quota{Failures: 1}, lessons: 3, lessonChars: 900, documents: 1,
		places: 2, agents: 3, choices: 6, quotes: 0, terms: 2, named: whole},
	ProfileBalanced: {history: 3, window: 16, quota: memory.Quota{Failures: 1, Outcomes: 1, Heard: 1}, lessons: whole,
		lessonChars: 2600, documents: 2, places: 6, agents: 6, choices: 12, quotes: whole, terms: 4, named: whole},
	ProfileRich: {history: 10, window: 40, quota: memory.Quota{Failures: 3, Outcomes: 3, Facts: 2, Heard: 2},
		lessons: whole, lessonChars: 8000, documents: 4, places: whole, agents: whole, choices: whole, quotes: whole,
		terms: whole, named: whole, details: true},
}

// halved is l with lists half as long as they are in o, and whether that leaves
// anything out. It is the step by which clipping shortens an observation; of the
// places that goals name the last step keeps a few.
func (l layout) halved(o *visibleObservation) (layout, bool) {
	places, agents := min(l.places, len(o.Places)), min(l.agents, len(o.Agents))
	terms := min(l.terms, max(len(o.Requests), len(o.Offers), len(o.Here.Offers), len(o.OwnRequests), len(o.OwnOffers)))
	if places == 0 && agents == 0 && terms == 0 {
		return l, false
	}
	l.places = places / 2
	l.agents = agents / 2
	l.terms = terms / 2
	if l.places+l.agents == 0 {
		l.named = namedKept
	}
	l.choices = min(l.choices, choicesClipped)
	l.quotes = 0
	l.details = false
	return l, true
}

// namedKept is how many places named by goals no clipping takes away. Many places may
// share one name, so without a bound a goal could fill a window.
const namedKept = 4

// choicesClipped is how many choices of an action a clipped observation keeps.
const choicesClipped = 6

// mentions reports whether a text, given as its [wordsIn], names something in its own words. Whole
// words count, letter case does not.
func mentions(text, name string) bool {
	var room [64]byte
	sought := appendWords(room[:0], name)
	return len(sought) > 0 && strings.Contains(text, string(sought))
}

// wordsIn is text as lower-case words with one space around each, empty without any. A Chinese
// character is a word of its own: that script has no spaces, and an id may follow it directly.
func wordsIn(text string) string { return string(appendWords(make([]byte, 0, len(text)+2), text)) }

// appendWords appends the [wordsIn] of text to b, which is empty.
func appendWords(b []byte, text string) []byte {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		text = plaintext.Fold(text)
	}
	within := false
	for _, r := range text {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		han := r > unicode.MaxLatin1 && unicode.Is(unicode.Han, r)
		word := han || unicode.IsLetter(r) || unicode.IsDigit(r)
		if len(b) == 0 && word || within && (han || !word) {
			b = append(b, ' ')
		}
		if word {
			b = utf8.AppendRune(b, r)
		}
		within = word && !han
		if han {
			b = append(b, ' ')
		}
	}
	if within {
		b = append(b, ' ')
	}
	return b
}
