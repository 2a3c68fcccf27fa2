package modules

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader reads one JSON value, and forgives mistakes of syntax that leave no doubt
// about what was meant. Each forgiven mistake is recorded under its name, once per
// value. What is written is never completed: a value that breaks off, a bracket of
// the wrong kind and a number that is none end the reading.
//
// Two things hold for every text, and a fuzz test checks them: valid JSON is read
// without any leniency, and what is read without any leniency is valid JSON.
type reader struct {
	text string
	at   int
	// keywords says that names and values of the outermost object are separated as
	// in a call of a programming language: name=value.
	keywords bool
	depthMax int
	used     []Leniency
	// state says why reading ended early, empty while it goes on.
	state readState
}

// readState says how the reading of a value ended.
type readState string

// The ends of reading.
const (
	// readWhole: the value is complete.
	readWhole readState = ""
	// readCut: the text ended before the value did.
	readCut readState = "cut"
	// readBroken: something stands where it cannot stand.
	readBroken readState = "broken"
	// readDeep: the value is nested deeper than the bound.
	readDeep readState = "deep"
)

// newReader returns a reader that starts at the first byte of text.
func newReader(text string, depthMax int) *reader { return &reader{text: text, depthMax: depthMax} }

// use records a leniency once.
func (r *reader) use(l Leniency) {
	if !slices.Contains(r.used, l) {
		r.used = append(r.used, l)
	}
}

// fail ends the reading; the first reason stays.
func (r *reader) fail(state readState) value {
	if r.state == readWhole {
		r.state = state
	}
	return value{kind: kindNull}
}

// rest is the text not read yet.
func (r *reader) rest() string { return r.text[r.at:] }

// next returns the next character behind space and comments without taking it; 0
// at the end of the text.
func (r *reader) next() rune {
	for r.at < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.rest())
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		case isInvisible(c):
			r.use(InvisibleRemoved)
		case unicode.IsSpace(c):
			r.use(WidePunctuation)
		case strings.HasPrefix(r.rest(), "//") || c == '#':
			r.use(Comment)
			size = lengthUntil(r.rest(), "\n")
		case strings.HasPrefix(r.rest(), "/*"):
			r.use(Comment)
			size = lengthUntil(r.rest(), "*/")
		default:
			return c
		}
		r.at += size
	}
	return 0
}

// lengthUntil returns how long s is up to and with mark, all of it when there is
// none.
func lengthUntil(s, mark string) int {
	if i := strings.Index(s[1:], mark); i >= 0 {
		return 1 + i + len(mark)
	}
	return len(s)
}

// isInvisible reports characters that take no room and mean nothing.
func isInvisible(c rune) bool {
	return c == '\ufeff' || c >= '\u200b' && c <= '\u200d' || c == '\u2060'
}

// value reads the next value.
func (r *reader) value(depth int) value {
	if depth > r.depthMax {
		return r.fail(readDeep)
	}
	c := r.next()
	switch {
	case c == 0:
		return r.fail(readCut)
	case c == '{':
		r.at++
		return r.object(depth)
	case c == '[':
		r.at++
		return r.array(depth)
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	if text, quoted := r.quoted(); quoted {
		return value{kind: kindString, text: text}
	}
	return r.word()
}

// number reads a number as it is written. It must be one by JSON's own grammar:
// what else a row of digits and signs could mean is not for this reader to say.
func (r *reader) number() value {
	n := len(r.rest()) - len(strings.TrimLeft(r.rest(), "+-.0123456789eE"))
	literal := r.rest()[:n]
	if !isNumber(literal) {
		return r.fail(readBroken)
	}
	r.at += n
	if c, _ := utf8.DecodeRuneInString(r.rest()); isWordRune(c) {
		return r.fail(readBroken)
	}
	return value{kind: kindNumber, text: literal}
}

// word reads a value without quotes: a literal of JSON or of another language, or
// else one word, which stands for itself as a string.
func (r *reader) word() value {
	word := r.takeWord()
	switch word {
	case "":
		return r.fail(readBroken)
	case "true", "false":
		return value{kind: kindBoolean, text: word}
	case "null":
		return value{kind: kindNull}
	case "True", "False":
		r.use(ForeignLiteral)
		return value{kind: kindBoolean, text: strings.ToLower(word)}
	case "None", "undefined":
		r.use(ForeignLiteral)
		return value{kind: kindNull}
	}
	r.use(UnquotedText)
	return value{kind: kindString, text: word}
}

// takeWord takes letters, digits and the signs that occur in names.
func (r *reader) takeWord() string {
	n := strings.IndexFunc(r.rest(), func(c rune) bool { return !isWordRune(c) })
	if n < 0 {
		n = len(r.rest())
	}
	word := r.rest()[:n]
	r.at += n
	return word
}

// isWordRune reports whether c may stand in a name without quotes.
func isWordRune(c rune) bool {
	return c == '_' || c == '-' || c == '.' || c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// object reads the fields of an object whose brace was taken.
func (r *reader) object(depth int) value {
	v := value{kind: kindObject}
	at := map[string]int{}
	for r.state == readWhole {
		c := r.separator(len(v.fields) > 0)
		switch {
		case c == '}' || c == ')' && r.keywords && depth == 1:
			r.at++
			return v
		case c == '{' && len(v.fields) == 0:
			return r.doubled(depth)
		}
		name := r.key()
		r.colon()
		read := r.value(depth + 1)
		if r.state != readWhole {
			break
		}
		if i, twice := at[name]; twice {
			// The last value counts, as most decoders have it.
			r.use(DuplicateKey)
			v.fields[i].value = read
			continue
		}
		at[name] = len(v.fields)
		v.fields = append(v.fields, field{name, read})
	}
	return value{kind: kindNull}
}

// doubled reads an object that stands alone in a second pair of braces, which
// templates with doubled braces teach models to write.
func (r *reader) doubled(depth int) value {
	r.use(DoubledBraces)
	inner := r.value(depth + 1)
	if r.state != readWhole || r.next() != '}' {
		return r.failHere()
	}
	r.at++
	return inner
}

// failHere ends the reading at a character that cannot stand here, or at the end.
func (r *reader) failHere() value {
	if r.next() == 0 {
		return r.fail(readCut)
	}
	return r.fail(readBroken)
}

// separator takes the commas before an element and returns the character behind
// them. One comma between two elements is as it should be.
func (r *reader) separator(between bool) rune {
	commas := 0
	for ; r.next() == ','; commas++ {
		r.at++
	}
	c := r.next()
	switch last := c == '}' || c == ']' || c == ')'; {
	case c == 0:
		r.fail(readCut)
	case commas > 1 || commas == 1 && (last || !between):
		r.use(ExtraComma)
	case commas == 0 && between && !last:
		r.use(MissingComma)
	}
	return c
}

// key reads the name of a field. Invisible characters in it are dropped: a name is
// looked up, never shown or stored.
func (r *reader) key() string {
	name, quoted := r.quoted()
	if !quoted {
		if name = r.takeWord(); name == "" {
			r.failHere()
			return ""
		}
		r.use(UnquotedKey)
	}
	if strings.ContainsFunc(name, isInvisible) {
		r.use(InvisibleRemoved)
		name = strings.Map(func(c rune) rune {
			if isInvisible(c) {
				return -1
			}
			return c
		}, name)
	}
	return name
}

// colon takes what stands between a name and its value.
func (r *reader) colon() {
	switch r.next() {
	case ':':
		r.at++
	case '：':
		r.use(WidePunctuation)
		r.at += len("：")
	case '=':
		if !r.keywords {
			r.failHere()
		}
		r.at++
	default:
		r.failHere()
	}
}

// array reads the items of an array whose bracket was taken.
func (r *reader) array(depth int) value {
	v := value{kind: kindArray}
	for r.state == readWhole {
		if r.separator(len(v.items) > 0) == ']' {
			r.at++
			return v
		}
		v.items = append(v.items, r.value(depth+1))
	}
	return value{kind: kindNull}
}

// quotes lists the pairs of quotes that begin and end a string. The tokens of chat
// templates are an exact table: anything that only looks like one is data.
var quotes = []struct {
	open     string
	close    []string
	leniency Leniency
}{
	{`"`, []string{`"`}, ""},
	{`'`, []string{`'`}, SingleQuotes},
	{"“", []string{"”", "“"}, WidePunctuation},
	{"”", []string{"”"}, WidePunctuation},
	{"‘", []string{"’", "‘"}, WidePunctuation},
	{"’", []string{"’"}, WidePunctuation},
	{"＂", []string{"＂"}, WidePunctuation},
	{`<|"|>`, []string{`<|"|>`}, QuoteToken},
	{`<escape>`, []string{`<escape>`}, QuoteToken},
}

// quoted takes a string in any of the known quotes. ok is false when none begins
// here.
func (r *reader) quoted() (text string, ok bool) {
	for _, q := range quotes {
		if !strings.HasPrefix(r.rest(), q.open) {
			continue
		}
		if q.leniency != "" {
			r.use(q.leniency)
		}
		start := r.at + len(q.open)
		n, mark := stringEnd(r.text[start:], q.close)
		if n < 0 {
			r.fail(readCut)
			r.at = len(r.text)
			return "", true
		}
		r.at = start + n + len(mark)
		return r.unescape(r.text[start : start+n]), true
	}
	return "", false
}

// stringEnd returns where the first closing mark stands that is not escaped, and
// which it is; -1 when there is none.
func stringEnd(s string, marks []string) (int, string) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		for _, mark := range marks {
			if strings.HasPrefix(s[i:], mark) {
				return i, mark
			}
		}
	}
	return -1, ""
}

// unescape decodes the content of a string. Line breaks that should have been
// escaped are kept, and an escape that JSON does not have stands for its character.
func (r *reader) unescape(content string) string {
	var text string
	if json.Unmarshal([]byte(`"`+content+`"`), &text) == nil {
		return text
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\\' && i+1 < len(content) && !strings.ContainsRune(`"\/bfnrtu`, rune(content[i+1])):
			// The quotes of the other kind are the usual case: \' in JSON.
			r.use(EscapeRepaired)
		case c == '\\' && i+1 < len(content):
			b.WriteString(content[i : i+2])
			i++
		case c < ' ':
			r.use(EscapeRepaired)
			escaped, _ := json.Marshal(string(rune(c)))
			b.Write(escaped[1 : len(escaped)-1])
		case c == '"':
			b.WriteString(`\"`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	if json.Unmarshal([]byte(b.String()), &text) != nil {
		r.fail(readBroken)
	}
	return text
}
