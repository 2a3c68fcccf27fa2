package scripted

import (
	"strconv"
	"strings"
	"unicode"
)

// goals is the goals section, one goal per line, as words: lower case, with every
// other character a separator. A line that says "met", without "not" before it,
// is settled and left out.
type goals struct {
	lines [][]string
}

// wish is a product a goal names, and how many of it the goal asks for.
type wish struct {
	name  string
	count int64
}

func readGoals(text string) goals {
	var g goals
	for line := range strings.Lines(text) {
		if w := words(line); len(w) > 0 && !settled(w) {
			g.lines = append(g.lines, w)
		}
	}
	return g
}

// words splits a text into lower-case runs of letters and digits.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func settled(line []string) bool {
	for i, word := range line {
		if word == "met" && (i == 0 || line[i-1] != "not") {
			return true
		}
	}
	return false
}

// wishes returns those of the named products that a goal asks for, in the order
// of names.
func (g goals) wishes(names []string) []wish {
	var out []wish
	for _, name := range names {
		if count := g.count(labels(name)); count > 0 {
			out = append(out, wish{name, count})
		}
	}
	return out
}

// names reports whether a goal mentions one of the labels.
func (g goals) names(labels ...string) bool {
	for _, label := range labels {
		if g.count([][]string{words(label)}) > 0 {
			return true
		}
	}
	return false
}

// count returns how many of something the goals ask for: the number beside the
// first mention of one of its labels, 1 when there is none, 0 without a mention.
func (g goals) count(labels [][]string) int64 {
	for _, line := range g.lines {
		for _, label := range labels {
			if at := find(line, label); at >= 0 {
				return numberBeside(line, at, at+len(label))
			}
		}
	}
	return 0
}

// labels are the ways to say a dotted name: its last part, and that part without
// a version word such as the "mk1" of a model.
func labels(name string) [][]string {
	full := words(productOf(name))
	last := len(full) - 1
	if last < 1 || !strings.ContainsAny(full[last], "0123456789") {
		return [][]string{full}
	}
	return [][]string{full, full[:last]}
}

// find returns where label occurs in line, -1 when it does not. The last word may
// be in the plural.
func find(line, label []string) int {
	for at := 0; len(label) > 0 && at+len(label) <= len(line); at++ {
		if matches(line[at:at+len(label)], label) {
			return at
		}
	}
	return -1
}

func matches(window, label []string) bool {
	last := len(label) - 1
	for i, word := range label {
		if window[i] != word && (i != last || window[i] != word+"s") {
			return false
		}
	}
	return true
}

// numberBeside reads "2 control chips", "two control chips" and "control_chip at
// least 2"; without a number it is one.
func numberBeside(line []string, from, to int) int64 {
	if from > 0 {
		if n, ok := number(line[from-1]); ok {
			return n
		}
	}
	rest := line[to:]
	if len(rest) > 2 && rest[0] == "at" && rest[1] == "least" {
		rest = rest[2:]
	}
	if len(rest) > 0 {
		if n, ok := number(rest[0]); ok {
			return n
		}
	}
	return 1
}

// number reads a positive count in digits or as a small number word.
func number(word string) (int64, bool) {
	for i, name := range []string{"one", "two", "three", "four", "five", "six"} {
		if word == name {
			return int64(i + 1), true
		}
	}
	n, err := strconv.ParseInt(word, 10, 32)
	return n, err == nil && n > 0
}
