package answer

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// reader reads one JSON value, and forgives mistakes of syntax that leave no doubt
// about what was meant. Each forgiven mistake is recorded under its name, once per
// value. What is written is never completed: a value that breaks off, a bracket of
// the wrong kind and a number that is none end the reading.
//
// Two things hold for every text, and a fuzz test checks them: valid JSON is read
// without any repair, and what is read without any repair is valid JSON.
type reader struct {
	text string
	at   int
	// keywords says that names and values of the outermost object are separated as
	// in a call of a programming language: name=value.
	keywords bool
	depthMax int
	used     []Repair
	// state says why reading ended early; it is empty while reading continues.
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
	// readBroken: something is where it cannot be.
	readBroken readState = "broken"
	// readDeep: the value is nested deeper than the bound.
	readDeep readState = "deep"
)

// use records a repair once.
func (r *reader) use(l Repair) {
	if !slices.Contains(r.used, l) {
		r.used = append(r.used, l)
	}
}

// fail ends the reading; the first reason stays.
func (r *reader) fail(state readState) Value {
	if r.state == readWhole {
		r.state = state
	}
	return Value{Kind: Null}
}

// rest is the text not read yet.
func (r *reader) rest() string { return r.text[r.at:] }

// next returns the next character after space and comments without taking it; 0
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

func withoutInvisible(text string) string {
	return strings.Map(func(c rune) rune {
		if isInvisible(c) {
			return -1
		}
		return c
	}, text)
}

func (r *reader) value(depth int) Value {
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
		v := Value{Kind: Array}
		for r.state == readWhole {
			if r.separator(len(v.Items) > 0) == ']' {
				r.at++
				return v
			}
			v.Items = append(v.Items, r.value(depth+1))
		}
		return Value{Kind: Null}
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	if text, quoted := r.quoted(); quoted {
		return Value{Kind: String, Text: text}
	}
	return r.word()
}

// number reads a number as it is written. It must be one by JSON's own grammar:
// what else a row of digits and signs could mean is not for this reader to say.
func (r *reader) number() Value {
	n := len(r.rest()) - len(strings.TrimLeft(r.rest(), "+-.0123456789eE"))
	literal := r.rest()[:n]
	if !isNumber(literal) {
		return r.fail(readBroken)
	}
	r.at += n
	if c, _ := utf8.DecodeRuneInString(r.rest()); isWordRune(c) {
		return r.fail(readBroken)
	}
	return Value{Kind: Number, Text: literal}
}

// word reads a value without quotes: a literal of JSON or of another language, or else one word,
// which is read as a string.
func (r *reader) word() Value {
	word := r.takeWord()
	switch word {
	case "":
		return r.fail(readBroken)
	case "true", "false":
		return Value{Kind: Boolean, Text: word}
	case "null":
		return Value{Kind: Null}
	case "True", "False":
		r.use(ForeignLiteral)
		return Value{Kind: Boolean, Text: strings.ToLower(word)}
	case "None", "undefined":
		r.use(ForeignLiteral)
		return Value{Kind: Null}
	}
	r.use(UnquotedText)
	return Value{Kind: String, Text: word}
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

// isWordRune reports whether c may be in a name without quotes.
func isWordRune(c rune) bool {
	return c == '_' || c == '-' || c == '.' || c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// object reads the fields of an object whose brace was taken.
func (r *reader) object(depth int) Value {
	o := Value{Kind: Object}
	at := map[string]int{}
	for r.state == readWhole {
		c := r.separator(len(o.Fields) > 0)
		switch {
		case c == '}' || c == ')' && r.keywords && depth == 1:
			r.at++
			return o
		case c == '{' && len(o.Fields) == 0:
			// An object alone in a second pair of braces: templates with doubled braces
			// teach models to write that.
			r.use(DoubledBraces)
			inner := r.value(depth + 1)
			if r.state != readWhole || r.next() != '}' {
				return r.failHere()
			}
			r.at++
			return inner
		}
		name := r.key()
		switch c := r.next(); {
		case c == ':' || c == '=' && r.keywords:
			r.at++
		case c == '：':
			r.use(WidePunctuation)
			r.at += len("：")
		default:
			r.failHere()
		}
		read := r.value(depth + 1)
		if r.state != readWhole {
			break
		}
		if i, twice := at[name]; twice {
			// The last value counts, as most decoders have it.
			r.use(DuplicateKey)
			o.Fields[i].Value = read
			continue
		}
		at[name] = len(o.Fields)
		o.Fields = append(o.Fields, Field{name, read})
	}
	return Value{Kind: Null}
}

// failHere ends the reading at a character that cannot be here, or at the end.
func (r *reader) failHere() Value {
	if r.next() == 0 {
		return r.fail(readCut)
	}
	return r.fail(readBroken)
}

// separator takes the commas before an element and returns the character after
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
		name = r.takeWord()
		if name == "" {
			r.failHere()
			return ""
		}
		r.use(UnquotedKey)
	}
	if visible := withoutInvisible(name); visible != name {
		r.use(InvisibleRemoved)
		return visible
	}
	return name
}

// quotes lists the pairs of quotes that begin and end a string. The tokens of chat
// templates are an exact table: anything that only looks like one is data.
var quotes = []struct {
	open   string
	close  []string
	repair Repair
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
		if q.repair != "" {
			r.use(q.repair)
		}
		start := r.at + len(q.open)
		for end := start; end < len(r.text); end++ {
			if r.text[end] == '\\' {
				end++
				continue
			}
			if mark := first(q.close, func(mark string) bool { return strings.HasPrefix(r.text[end:], mark) }); mark != "" {
				r.at = end + len(mark)
				return r.unescape(r.text[start:end]), true
			}
		}
		r.fail(readCut)
		r.at = len(r.text)
		return "", true
	}
	return "", false
}

// unescape decodes the content of a string. Line breaks that should have been escaped are kept,
// and an escape that JSON does not have gives its character.
func (r *reader) unescape(content string) string {
	if text, ok := llmclient.Unescape(content); ok {
		return text
	}
	var b strings.Builder
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
	text, ok := llmclient.Unescape(b.String())
	if !ok {
		r.fail(readBroken)
	}
	return text
}

// The bounds of one argument text. Nothing a model means to say comes near them; they
// keep a flood of brackets or digits from costing time and stack.
const (
	argumentsBytesMax = 64 << 10
	argumentsDepthMax = 16
)
