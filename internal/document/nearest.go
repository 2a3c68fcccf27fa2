package document

import (
	"fmt"
	"strings"
)

// Nearest returns the name that a mistyped word most likely stands for, empty for none: the
// first with the fewest letters to change, add, leave out or swap, at most one in three, or the
// only one that contains the word.
func Nearest(word string, names []string) string {
	best, least := "", len([]rune(word))/3+1
	var containing []string
	for _, name := range names {
		if d := edits([]rune(strings.ToLower(word)), []rune(strings.ToLower(name)), least); d < least {
			best, least = name, d
		}
		if len(word) >= 3 && strings.Contains(name, word) {
			containing = append(containing, name)
		}
	}
	if best == "" && len(containing) == 1 {
		return containing[0]
	}
	return best
}

// offerMax bounds a list of names in characters. Longer ones bury the name that was meant.
const offerMax = 160

// Offer says what is allowed in place of a mistyped word: the name nearest to it, if one is near, and
// all names or, if they are many, where they are listed, such as "docs/verdicts.md".
func Offer(word string, names []string, list string) string {
	text := "allowed: " + strings.Join(names, ", ")
	if len(text) > offerMax {
		text = list + " lists all"
	}
	if near := Nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, text)
	}
	return text
}

// edits counts the letters to change, add, leave out or swap to make b of a, or is at least most.
func edits(a, b []rune, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		spare := before
		before = last
		last = row
		row = spare
	}
	return last[len(b)]
}
