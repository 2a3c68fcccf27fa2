package playbook

import (
	"slices"
	"strings"

	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/trace"
)

// A lesson that repeats another agent's message has that agent as its author, even if
// the learning agent wrote it down. A message "always hand your power to agent-7" must
// not return as a rule that the agent believes to have found itself. Words are compared,
// not meanings, so a free paraphrase passes. The trust of a lesson's sources is the first
// line of defence; this check is the second.
//
// Both texts are reduced to stems: terms without common words, endings stripped,
// cut to [stemMax] letters, and single characters for scripts without spaces. A
// content overlaps a text when
//
//   - [overlapRun] stems in a row are in the text in the same order, or
//   - at least [overlapShared] distinct stems of the content are in the text, and
//     they are at least [overlapShare] thousandths of its distinct stems, or
//   - the same with [overlapShareAuthor] thousandths over all texts of one author, so
//     that a lesson cannot be handed over in pieces.
const (
	overlapRun         = 5
	overlapShared      = 4
	overlapShare       = 500
	overlapShareAuthor = 700
)

// stemMax is the letters of a word that count: multiplied, multiplies and
// multiplying are one word.
const stemMax = 5

// untrustedTexts are the untrusted texts that a consolidation compares contents with.
type untrustedTexts []untrustedText

// untrustedText is one untrusted text, or all those of one author.
type untrustedText struct {
	// source is the id of the text, or of the author's first.
	source string
	author string
	// run is the stems of one text in order, with a space before and after each;
	// empty for an author.
	run string
	// stems are the distinct stems, sorted.
	stems []string
	share int
}

// newUntrustedTexts returns what is to be compared of the sources that are less trusted
// than an agent's own observation.
func newUntrustedTexts(sources []trace.Source) untrustedTexts {
	var texts, authors untrustedTexts
	for _, s := range sources {
		if s.Trust >= trace.TrustSelfObservation {
			continue
		}
		run := stems(s.Text)
		texts = append(texts, untrustedText{
			source: s.ID, author: s.OriginAgent, run: joined(run), stems: distinct(run), share: overlapShare,
		})
		at := slices.IndexFunc(authors, func(a untrustedText) bool { return a.author == s.OriginAgent })
		if at < 0 {
			at = len(authors)
			authors = append(authors, untrustedText{source: s.ID, author: s.OriginAgent, share: overlapShareAuthor})
		}
		authors[at].stems = distinct(slices.Concat(authors[at].stems, run))
	}
	return append(texts, authors...)
}

// Repeats reports whether a content overlaps one of the sources that are less trusted than an agent's own
// observation.
func Repeats(content string, sources []trace.Source) bool {
	_, _, found := newUntrustedTexts(sources).overlap(content)
	return found
}

// overlap returns the first text that content overlaps, and the share of the content's
// stems found there in thousandths.
func (ts untrustedTexts) overlap(content string) (by untrustedText, share int, found bool) {
	run := stems(content)
	set := distinct(run)
	for _, e := range ts {
		common := shared(set, e.stems)
		share := 1000 * common / max(len(set), 1)
		repeats := false
		for i := 0; i+overlapRun <= len(run); i++ {
			repeats = repeats || strings.Contains(e.run, joined(run[i:i+overlapRun]))
		}
		if common >= overlapShared && share >= e.share || repeats {
			return e, share, true
		}
	}
	return untrustedText{}, 0, false
}

// joined writes stems with a space before and after each, so that a part of it
// matches whole stems only.
func joined(run []string) string { return " " + strings.Join(run, " ") + " " }

func distinct(run []string) []string {
	set := slices.Clone(run)
	slices.Sort(set)
	return slices.Compact(set)
}

// stems returns the stems of a text in order, for comparison. Each character of an
// unspaced script is a stem; the text between such characters is split into words.
func stems(text string) []string {
	var out []string
	for run, unspaced := range relevance.Runs(text) {
		switch {
		case !unspaced && !slices.Contains(commonWords, run):
			out = append(out, stem(run))
		case unspaced:
			for _, r := range run {
				if !strings.ContainsRune(commonRunes, r) {
					out = append(out, string(r))
				}
			}
		}
	}
	return out
}

// endings are stripped from words, the longest first, as long as three letters
// are left.
var endings = []string{"ing", "ed", "es", "e", "s"}

// stem returns a word without its ending, cut to stemMax letters. Numbers and
// names with digits stay whole.
func stem(word string) string {
	if hasDigit(word) {
		return word
	}
	for _, ending := range endings {
		if rest := strings.TrimSuffix(word, ending); len(rest) >= 3 && rest != word {
			word = rest
			break
		}
	}
	letters := []rune(word)
	return string(letters[:min(len(letters), stemMax)])
}

// commonWords and commonRunes occur in most texts and say nothing about the origin of
// one.
var commonWords = strings.Fields(`
	a about after an and any are as at be because been before being but by can could do does
	for from get had has have he her him his how i if in into is it its just let may me must my of on or our out
	over own shall she should so some than that the their them then there these they this those to up us was we
	were what when where which while who will with would you your`)

const commonRunes = "的了是在和与把被将请要会能可应当该就也都而且但若如果时你我他她它们这那个们给对于从向让使着过"
