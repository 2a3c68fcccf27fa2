package plaintext

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape makes text safe to print on a terminal. Hidden characters, which could move
// the cursor, recolour the terminal or reorder a line, become JSON escapes such as
// \u001b. Invalid UTF-8 becomes \ufffd. Line feeds and tabs stay. The result has no
// characters left to escape. Valid JSON stays valid and keeps its meaning.
func Escape(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' && r != '\t' }) < 0 {
		return text // as most are
	}
	var b strings.Builder
	for i, width := 0, 0; i < len(text); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(text[i:])
		if r == '\n' || r == '\t' || !Hidden(r) && !(r == utf8.RuneError && width == 1) {
			b.WriteString(text[i : i+width])
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// Block is a text of several lines that others wrote. [Fprintf] prints each of its
// lines after [Gutter], so that none looks like a line of the program.
type Block string

// Gutter begins each line of a [Block].
const Gutter = "| "

// Fprintf is [fmt.Fprintf] for lines that people read. Each argument stays on its line:
// it is escaped, and its line breaks and tabs become spaces. Only a [Block] takes lines of
// its own, the last one with a line feed. Text that others wrote is an argument, never a
// part of the format. The elements of args are replaced.
func Fprintf(w io.Writer, format string, args ...any) (n int, err error) {
	for i, a := range args {
		if kind := reflect.ValueOf(a).Kind(); kind < reflect.Bool || kind > reflect.Complex128 { // numbers are no text
			args[i] = argument{a}
		}
	}
	return fmt.Fprintf(w, format, args...)
}

// argument prints a value so that it stays on its line.
type argument struct{ value any }

// Format implements [fmt.Formatter].
func (a argument) Format(f fmt.State, verb rune) {
	if block, ok := a.value.(Block); ok {
		for line := range strings.Lines(strings.TrimRight(string(block), "\n") + "\n") {
			_, _ = io.WriteString(f, strings.TrimRight(Gutter+Escape(line), " \n")+"\n")
		}
		return
	}
	_, _ = io.WriteString(f, Escape(breaks.Replace(fmt.Sprintf(fmt.FormatString(f, verb), a.value))))
}

var breaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ")
