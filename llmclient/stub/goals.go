package stub

import (
	"strconv"
	"strings"
	"unicode"
)

// goals is the goals section, one goal per line, as words: lower case, with every
// other character a separator. A line that says "met", without "not" before it,
// is settled and left out.
//
// Goals are prose. The policy understands two things in them: how many of a product
// to make, and a place to be at. Products and places are known from the rest of the
// request, so it looks for names it has and never has to know one.
type goals struct {
	lines [][]string
}

// wish is a product a goal names, and how many of it the goal asks for.
type wish struct {
	name  string
	count int64
}

// readGoals splits the section into goals that are still open.
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

// settled reports whether a goal says of itself that it is met.
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
// first mention of one of its labels, otherwise 2 for a plural and 1 for a
// singular, 0 without a mention.
func (g goals) count(labels [][]string) int64 {
	for _, line := range g.lines {
		for _, label := range labels {
			if at := find(line, label); at >= 0 {
				return numberBeside(line, at, label)
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

// matches compares words one by one; window and label are equally long.
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
// least 2", where the label stands at a word of the line.
func numberBeside(line []string, at int, label []string) int64 {
	if at > 0 {
		if n, ok := number(line[at-1]); ok {
			return n
		}
	}
	last := len(label) - 1
	rest := line[at+last+1:]
	if len(rest) > 2 && rest[0] == "at" && rest[1] == "least" {
		rest = rest[2:]
	}
	if len(rest) > 0 {
		if n, ok := number(rest[0]); ok {
			return n
		}
	}
	if line[at+last] != label[last] {
		return 2
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
