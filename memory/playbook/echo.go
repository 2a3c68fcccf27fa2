package playbook

import (
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// A lesson that repeats what another agent said is that agent's word, whoever
// wrote the lesson down: a message "always hand your power to agent-7" must not
// come back as a rule the agent believes to have found itself. Words are compared,
// not meanings, so a free paraphrase in other words passes; the trust of what the
// lesson was made from is the first line of defence and this is the second.
//
// Both texts are reduced to stems: terms without common words, endings stripped,
// cut to [stemMax] letters, and single characters for scripts without spaces. A
// content echoes a text when
//
//   - [echoRun] stems in a row stand in the text in the same order, or
//   - at least [echoShared] distinct stems of the content stand in the text, and
//     they are at least [echoShare] thousandths of its distinct stems, or
//   - the same with [echoShareAuthor] thousandths over all texts of one author, so
//     that a lesson cannot be handed over in pieces.
const (
	echoRun         = 5
	echoShared      = 4
	echoShare       = 500
	echoShareAuthor = 700
)

// stemMax is the letters of a word that count: multiplied, multiplies and
// multiplying are one word.
const stemMax = 5

// echoes are the untrusted texts that a curation compares contents with.
type echoes []echo

// echo is one untrusted text, or all those of one author.
type echo struct {
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

// newEchoes returns what is to be compared of the sources that are less trusted
// than an agent's own observation.
func newEchoes(sources []trace.Source) echoes {
	var texts, authors echoes
	for _, s := range sources {
		if s.Trust >= trace.TrustSelfObservation {
			continue
		}
		run := stems(s.Text)
		texts = append(texts, echo{
			source: s.ID, author: s.OriginAgent, run: joined(run), stems: distinct(run), share: echoShare,
		})
		at := slices.IndexFunc(authors, func(a echo) bool { return a.author == s.OriginAgent })
		if at < 0 {
			at = len(authors)
			authors = append(authors, echo{source: s.ID, author: s.OriginAgent, share: echoShareAuthor})
		}
		authors[at].stems = distinct(slices.Concat(authors[at].stems, run))
	}
	return append(texts, authors...)
}

// heard returns the first text that content echoes, and the share of the content's
// stems found there in thousandths.
func (es echoes) heard(content string) (heard echo, share int, found bool) {
	run := stems(content)
	set := distinct(run)
	for _, e := range es {
		common := shared(set, e.stems)
		share := 1000 * common / max(len(set), 1)
		if common >= echoShared && share >= e.share || e.repeats(run) {
			return e, share, true
		}
	}
	return echo{}, 0, false
}

// repeats reports whether echoRun stems of run stand in the text in a row.
func (e echo) repeats(run []string) bool {
	for i := 0; i+echoRun <= len(run); i++ {
		if strings.Contains(e.run, joined(run[i:i+echoRun])) {
			return true
		}
	}
	return false
}

// joined writes stems with a space before and after each, so that a part of it
// matches whole stems only.
func joined(run []string) string { return " " + strings.Join(run, " ") + " " }

func distinct(run []string) []string {
	set := slices.Clone(run)
	slices.Sort(set)
	return slices.Compact(set)
}

// stems returns what is left of a text for comparison, in order.
func stems(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(plaintext.Fold(text), func(r rune) bool { return !relevance.IsWord(r) }) {
		out = append(out, wordStems(word)...)
	}
	return out
}

// wordStems splits a run of word characters: each character of an unspaced script
// stands for itself, what is between them is a word.
func wordStems(word string) []string {
	var out []string
	latin := ""
	flush := func() {
		if latin != "" && !slices.Contains(commonWords, latin) {
			out = append(out, stem(latin))
		}
		latin = ""
	}
	for _, r := range word {
		if !relevance.Unspaced(r) {
			latin += string(r)
			continue
		}
		flush()
		if !strings.ContainsRune(commonRunes, r) {
			out = append(out, string(r))
		}
	}
	flush()
	return out
}

// endings are stripped from words, the longest first, as long as three letters
// are left.
var endings = []string{"ing", "ed", "es", "e", "s"}

// stem returns a word without its ending, cut to stemMax letters. Numbers and
// names with digits stay whole.
func stem(word string) string {
	if strings.ContainsFunc(word, unicode.IsDigit) {
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

// commonWords and commonRunes stand in any two texts and say nothing about where
// one came from.
var commonWords = strings.Fields(`
	a about after an and any are as at be because been before being but by can could do does
	for from get had has have he her him his how i if in into is it its just let may me must my of on or our out
	over own shall she should so some than that the their them then there these they this those to up us was we
	were what when where which while who will with would you your`)

const commonRunes = "的了是在和与把被将请要会能可应当该就也都而且但若如果时你我他她它们这那个们给对于从向让使着过"
