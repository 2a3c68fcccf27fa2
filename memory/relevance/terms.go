package relevance

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/plaintext"
)

// termCount is how often a term occurs in a text.
type termCount struct {
	term  string
	count int
}

// countTerms returns the terms of an indexed text sorted by term, and how many
// there are in all. The single characters of unspaced scripts count as well, so
// that a query of one character finds them inside words.
func countTerms(text string) (counts []termCount, total int) {
	all := Terms(text)
	for _, r := range text {
		if isUnspaced(r) {
			all = append(all, string(r))
		}
	}
	slices.Sort(all)
	for _, term := range all {
		if n := len(counts); n > 0 && counts[n-1].term == term {
			counts[n-1].count++
			continue
		}
		counts = append(counts, termCount{term, 1})
	}
	return counts, len(all)
}

// queryTermsMax bounds the distinct terms of a query that are looked at.
const queryTermsMax = 64

// QueryTerms returns the distinct terms of a query, sorted, at most 64. An empty
// result means that the query asks for nothing in particular.
func QueryTerms(query string) []string {
	all := Terms(query)
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), queryTermsMax)]
}

// Terms splits text into search terms: lower-cased runs of letters and digits,
// and for scripts written without spaces every pair of neighbouring characters,
// or the character itself when it stands alone. An id such as "agent-2" gives
// "agent" and "2"; a plural "s" is dropped so that "chips" finds "chip".
func Terms(text string) []string {
	out := make([]string, 0, len(text)/4+1) // a guess
	for run, unspaced := range Runs(text) {
		switch characters := []rune(run); {
		case !unspaced:
			out = append(out, singular(run))
		case len(characters) == 1:
			out = append(out, run)
		default:
			for i := 1; i < len(characters); i++ {
				out = append(out, string(characters[i-1:i+1]))
			}
		}
	}
	return out
}

// Runs returns the runs of word characters in a text, folded, and whether each is of a
// script that puts no spaces between words. A run ends where that changes, since Chinese
// text often holds Latin names without a space between.
func Runs(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for word := range strings.FieldsFuncSeq(plaintext.Fold(text), func(r rune) bool { return !IsWord(r) }) {
			for word != "" {
				unspaced := strings.IndexFunc(word, isUnspaced) == 0
				end := strings.IndexFunc(word, func(r rune) bool { return isUnspaced(r) != unspaced })
				if end < 0 {
					end = len(word)
				}
				if !yield(word[:end], unspaced) {
					return
				}
				word = word[end:]
			}
		}
	}
}

// IsWord reports whether r belongs to a word: a letter, a digit or a mark on one.
func IsWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// isUnspaced reports whether r belongs to a script that puts no spaces between
// words.
func isUnspaced(r rune) bool {
	// Nothing of these scripts comes before their radicals; most text is asked about
	// every character and gets its answer here.
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// singular drops a plural "s". Words of three letters and those in "ss", "us" or
// "is" keep it: gas, less, radius, chassis.
func singular(word string) string {
	if len(word) < 4 || !strings.HasSuffix(word, "s") || strings.ContainsRune("sui", rune(word[len(word)-2])) {
		return word
	}
	return word[:len(word)-1]
}
