package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// Value is one JSON value that keeps the order of its fields and the digits of its
// numbers. Go's own types would lose both: an amount beyond 2^53 would be rounded
// and one beyond the float range refused, but the contract is that it saturates.
type Value struct {
	Kind Kind
	// Text is a string's content, a number's literal, or true or false.
	Text string
	// Fields are the members of an object. No two of them share a name.
	Fields []Field
	// Items are the elements of an array.
	Items []Value
}

// Field is one member of an object.
type Field struct {
	Name  string
	Value Value
}

// Kind is a JSON type, named as in a schema; empty for a value that is absent.
type Kind string

// The JSON types. Whether a number is an integer depends on its digits, see [floor].
const (
	Null    Kind = "null"
	Boolean Kind = "boolean"
	Number  Kind = "number"
	String  Kind = "string"
	Array   Kind = "array"
	Object  Kind = "object"
)

// Parse reads JSON that this program made. It has no bounds and panics on anything else.
func Parse(raw []byte) Value {
	r := reader{text: string(raw), depthMax: math.MaxInt}
	v := r.value(1)
	if r.state != readWhole {
		panic("answer: JSON of this program cannot be read")
	}
	return v
}

// objectOf returns the object with the given fields, in the order of their names.
func objectOf(fields map[string]Value) Value {
	v := Value{Kind: Object}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		v.Fields = append(v.Fields, Field{name, fields[name]})
	}
	return v
}

// stringOf returns a string value.
func stringOf(s string) Value { return Value{Kind: String, Text: s} }

// arrayOf returns an array value.
func arrayOf(items ...Value) Value { return Value{Kind: Array, Items: items} }

// Field returns the value of a field, a null one when it is absent.
func (v Value) Field(name string) Value {
	if i := v.index(name); i >= 0 {
		return v.Fields[i].Value
	}
	return Value{Kind: Null}
}

// has reports whether an object has a field, even if it is null.
func (v Value) has(name string) bool { return v.index(name) >= 0 }

// gives reports whether an object has a field that is not null.
func (v Value) gives(name string) bool { return v.Field(name).Kind != Null }

func (v Value) index(name string) int {
	return slices.IndexFunc(v.Fields, func(f Field) bool { return f.Name == name })
}

// textOf returns a field that is a string, "" for any other.
func (v Value) textOf(name string) string {
	if f := v.Field(name); f.Kind == String {
		return f.Text
	}
	return ""
}

// set gives a field a value, in place where it has one. The fields of v are not shared
// with the value it was called on.
func (v *Value) set(name string, to Value) {
	v.Fields = slices.Clone(v.Fields)
	if i := v.index(name); i >= 0 {
		v.Fields[i].Value = to
	} else {
		v.Fields = append(v.Fields, Field{name, to})
	}
}

// without returns an object without a field.
func (v Value) without(name string) Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f Field) bool { return f.Name == name })
	return v
}

// sorted returns an object with its fields in the order of their names.
func (v Value) sorted() Value {
	v.Fields = slices.SortedFunc(slices.Values(v.Fields), func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return v
}

// equal reports whether two values are written alike.
func (v Value) equal(o Value) bool { return string(v.JSON()) == string(o.JSON()) }

// describe names the value for an [ArgumentError]: the type, with the digits of a
// short number and the length of a string. The text of a string never appears: it
// may be another agent's words that the model repeated.
func (v Value) describe() string {
	switch {
	case v.Kind == Number && len(v.Text) <= 24:
		return "the number " + v.Text
	case v.Kind == String:
		return fmt.Sprintf("a string of %d characters", utf8.RuneCountInString(v.Text))
	case v.Kind == Null:
		return "null"
	case v.Kind == Array || v.Kind == Object:
		return "an " + string(v.Kind)
	}
	return "a " + string(v.Kind)
}

// JSON returns the value's compact encoding.
func (v Value) JSON() json.RawMessage { return v.append(nil) }

func (v Value) append(out []byte) []byte {
	switch v.Kind {
	case Object:
		out = append(out, '{')
		for i, f := range v.Fields {
			out = append(separated(out, i), llmclient.Marshal(f.Name)...)
			out = f.Value.append(append(out, ':'))
		}
		return append(out, '}')
	case Array:
		out = append(out, '[')
		for i, item := range v.Items {
			out = item.append(separated(out, i))
		}
		return append(out, ']')
	case String:
		return append(out, llmclient.Marshal(v.Text)...)
	case Number, Boolean:
		return append(out, v.Text...)
	}
	return append(out, "null"...)
}

// separated adds the comma that goes before every element but the first.
func separated(out []byte, i int) []byte {
	if i > 0 {
		return append(out, ',')
	}
	return out
}

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

// withoutInvisible drops those characters.
func withoutInvisible(text string) string {
	return strings.Map(func(c rune) rune {
		if isInvisible(c) {
			return -1
		}
		return c
	}, text)
}

// value reads the next value.
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
		return r.array(depth)
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

// word reads a value without quotes: a literal of JSON or of another language, or
// else one word, which stands for itself as a string.
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

// isWordRune reports whether c may stand in a name without quotes.
func isWordRune(c rune) bool {
	return c == '_' || c == '-' || c == '.' || c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// object reads the fields of an object whose brace was taken.
func (r *reader) object(depth int) Value {
	v := Value{Kind: Object}
	at := map[string]int{}
	for r.state == readWhole {
		c := r.separator(len(v.Fields) > 0)
		switch {
		case c == '}' || c == ')' && r.keywords && depth == 1:
			r.at++
			return v
		case c == '{' && len(v.Fields) == 0:
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
			v.Fields[i].Value = read
			continue
		}
		at[name] = len(v.Fields)
		v.Fields = append(v.Fields, Field{name, read})
	}
	return Value{Kind: Null}
}

// doubled reads an object that stands alone in a second pair of braces, which
// templates with doubled braces teach models to write.
func (r *reader) doubled(depth int) Value {
	r.use(DoubledBraces)
	inner := r.value(depth + 1)
	if r.state != readWhole || r.next() != '}' {
		return r.failHere()
	}
	r.at++
	return inner
}

// failHere ends the reading at a character that cannot stand here, or at the end.
func (r *reader) failHere() Value {
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
	if visible := withoutInvisible(name); visible != name {
		r.use(InvisibleRemoved)
		return visible
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
func (r *reader) array(depth int) Value {
	v := Value{Kind: Array}
	for r.state == readWhole {
		if r.separator(len(v.Items) > 0) == ']' {
			r.at++
			return v
		}
		v.Items = append(v.Items, r.value(depth+1))
	}
	return Value{Kind: Null}
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

// isNumber reports whether literal is a number by the grammar of JSON, which
// leaves out NaN, Infinity, hexadecimal digits, signs of plus and thousands marks.
func isNumber(literal string) bool {
	return literal != "" && strings.ContainsRune("-0123456789", rune(literal[0])) && json.Valid([]byte(literal))
}

// integer reads an amount: any JSON number, or a string that holds one. However large
// it is, it becomes the nearest int64, because the world clamps amounts and tells the
// agent so; a fraction is rounded down.
func (v Value) integer() (n int64, used []Repair, ok bool) {
	literal := v.Text
	if v.Kind == String {
		literal = strings.TrimSpace(literal)
		used = append(used, NumberFromString)
	}
	if v.Kind != Number && v.Kind != String || !isNumber(literal) {
		return 0, nil, false
	}
	n, exact := floor(literal)
	if !exact {
		used = append(used, FractionDropped)
	}
	return n, used, true
}

// floor returns the largest int64 that is not above a JSON number, the nearest one for
// a number out of range, and whether nothing was lost but range.
func floor(literal string) (n int64, exact bool) {
	mantissa, exponent := literal, "0"
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, exponent = literal[:i], literal[i+1:]
	}
	// Beyond this bound the digits cannot balance an exponent, and it costs memory.
	bound := len(mantissa) + 20
	e, err := strconv.Atoi(exponent)
	if err != nil {
		e = bound
		if exponent[0] == '-' {
			e = -bound
		}
	}
	exactly, _ := new(big.Rat).SetString(fmt.Sprintf("%se%d", mantissa, min(max(e, -bound), bound)))
	whole := new(big.Int).Div(exactly.Num(), exactly.Denom())
	switch {
	case whole.IsInt64():
		return whole.Int64(), exactly.IsInt()
	case whole.Sign() < 0:
		return math.MinInt64, exactly.IsInt()
	}
	return math.MaxInt64, exactly.IsInt()
}
