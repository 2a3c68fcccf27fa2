package plaintext

import (
	"unicode"

	"golang.org/x/text/width"
)

// Cells is how many columns of a terminal a line takes: two for a wide East Asian character
// or an emoji, none for what combines with the character before it.
func Cells(line string) (n int) {
	for _, r := range line {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Fit is the beginning of a line that takes at most so many columns, with an ellipsis at the
// end if something is cut.
func Fit(line string, columns int) string {
	switch {
	case Cells(line) <= columns:
		return line
	case columns < 1:
		return ""
	}
	used := 0
	for i, r := range line {
		used += cells(r)
		if used >= columns { // the ellipsis takes the last column
			return line[:i] + "…"
		}
	}
	panic("plaintext: a line is as wide as its characters together")
}

// fitEnd is the end of a line that takes at most so many columns, with an ellipsis at its beginning if something
// is cut.
func fitEnd(line string, columns int) string {
	if Cells(line) <= columns {
		return line
	}
	for i := range line {
		if end := line[i:]; Cells(end) < columns {
			return "…" + end
		}
	}
	return Fit(line, columns)
}
