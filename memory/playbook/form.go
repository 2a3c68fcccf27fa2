package playbook

import (
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/memory/relevance"
)

// form is what two contents are compared by when duplicates are looked for.
type form struct {
	// normal is the terms in their order: the text without case, punctuation and
	// plural "s".
	normal string
	// terms are the distinct terms, sorted.
	terms []string
	// marks are the distinct terms that make another lesson of the same words: numbers,
	// and words that deny, count or have an opposite.
	marks []string
}

// alikeMin is the share of terms, in thousandths of all terms of both texts, from
// which two contents say the same.
const alikeMin = 800

func newForm(content string) form {
	terms := relevance.Terms(content)
	f := form{normal: strings.Join(terms, " ")}
	slices.Sort(terms)
	f.terms = slices.Compact(terms)
	for _, term := range f.terms {
		if strings.ContainsFunc(term, unicode.IsDigit) || strings.ContainsAny(term, markRunes) || slices.Contains(markWords, term) {
			f.marks = append(f.marks, term)
		}
	}
	return f
}

// twin reports whether f and g say the same: equal terms in order, or equal marks
// and at least [alikeMin] of all terms shared.
//
// "Mine at the hub" and "never mine at the hub" share most of their words, and so
// do "keep 10% power" and "keep 50% power": without the marks the correction of a
// lesson would pass for its repetition.
func (f form) twin(g form) bool {
	if f.normal == g.normal {
		return true
	}
	common := shared(f.terms, g.terms)
	return slices.Equal(f.marks, g.marks) && 1000*common/max(len(f.terms)+len(g.terms)-common, 1) >= alikeMin
}

// shared returns how many terms two sorted lists of distinct terms have in common.
func shared(a, b []string) int {
	common := 0
	for len(a) > 0 && len(b) > 0 {
		switch strings.Compare(a[0], b[0]) {
		case 0:
			common++
			a, b = a[1:], b[1:]
		case -1:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return common
}

// markWords and markRunes change the meaning of a lesson: they deny, count, or have an
// opposite. Two texts that differ in one are two lessons. The "t" is what is left of
// "don't". A rune counts in either place of a pair of characters.
var markWords = strings.Fields(`
	avoid cannot except never no none nor not stop t unles without
	zero one two three four five six seven eight nine ten half double
	above after before below buy down fewer high in increase decrease least les low more most out sell up`)

const markRunes = "不没別别勿无無莫未非零一二两三四五六七八九十半买卖高低前后上下多少进出增减"
