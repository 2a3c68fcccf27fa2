package modules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"agentworld/llmclient"
)

// Bounds of a raw argument text. Nothing a model means to say comes near them;
// they keep a flood of brackets or digits from costing time and stack.
const (
	argumentsBytesMax = 64 << 10
	argumentsDepthMax = 16
)

// value is one JSON value that keeps the order of its fields and the digits of
// its numbers. Decoding into Go's own types would lose both: an amount beyond 2^53
// would be rounded and one beyond the float range refused, where the contract is
// that it saturates.
type value struct {
	kind valueKind
	// text is a string's content, a number's literal, or true or false.
	text   string
	fields []field
	items  []value
}

// field is one member of an object. No two fields of an object share a name.
type field struct {
	name  string
	value value
}

// valueKind is a JSON type, named as in a schema.
type valueKind string

// The JSON types. A number is not further told apart: whether it is an integer
// depends on its digits, see [floor].
const (
	kindNull    valueKind = "null"
	kindBoolean valueKind = "boolean"
	kindNumber  valueKind = "number"
	kindString  valueKind = "string"
	kindArray   valueKind = "array"
	kindObject  valueKind = "object"
)

// describe names the value for an [ArgumentError]: the type, with the digits of a
// short number and the length of a string. The text of a string never appears: it
// may be another agent's words that the model repeated.
func (v value) describe() string {
	switch {
	case v.kind == kindNumber && len(v.text) <= 24:
		return "the number " + v.text
	case v.kind == kindString:
		return fmt.Sprintf("a string of %d characters", utf8.RuneCountInString(v.text))
	case v.kind == kindNull:
		return "null"
	case v.kind == kindArray || v.kind == kindObject:
		return "an " + string(v.kind)
	}
	return "a " + string(v.kind)
}

// field returns the value of a field, a null one when it is absent.
func (v value) field(name string) value {
	for _, f := range v.fields {
		if f.name == name {
			return f.value
		}
	}
	return value{kind: kindNull}
}

// parseArguments reads a model's argument text: exactly one JSON value within
// the bounds. It reports whether a field was named twice.
func parseArguments(raw []byte) (v value, duplicates bool, fault *ArgumentError) {
	if len(raw) > argumentsBytesMax {
		return value{}, false, &ArgumentError{
			Expected: fmt.Sprintf("at most %d bytes", argumentsBytesMax), Got: fmt.Sprintf("%d bytes", len(raw)), NotJSON: true,
		}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		return value{}, false, &ArgumentError{Expected: "one JSON object", Got: "text that is not JSON" + position(err), NotJSON: true}
	}
	p := newParser(raw, argumentsDepthMax)
	v = p.value(1)
	if p.tooDeep {
		return value{}, false, &ArgumentError{
			Expected: fmt.Sprintf("at most %d levels of nesting", argumentsDepthMax), Got: "more levels", NotJSON: true,
		}
	}
	return v, p.duplicates, nil
}

// parseOwn reads JSON that this program made, without bounds.
func parseOwn(raw []byte) value { return newParser(raw, math.MaxInt).value(1) }

// position says where a syntax error is, where that is known.
func position(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf(" at byte %d", syntax.Offset)
	}
	return ""
}

// parser builds a value from the tokens of a text that is known to be valid.
// Validity is checked before, in one pass, because the tokenizer would report the
// first error only after half of the value was built.
type parser struct {
	decoder    *json.Decoder
	depthMax   int
	duplicates bool
	tooDeep    bool
}

// newParser returns a parser for text that is valid JSON.
func newParser(raw []byte, depthMax int) *parser {
	p := &parser{decoder: json.NewDecoder(bytes.NewReader(raw)), depthMax: depthMax}
	p.decoder.UseNumber()
	return p
}

// value reads the next value. Past the depth bound it gives up and leaves the
// rest unread.
func (p *parser) value(depth int) value {
	if depth > p.depthMax {
		p.tooDeep = true
	}
	if p.tooDeep {
		return value{kind: kindNull}
	}
	switch token := p.token().(type) {
	case json.Delim:
		if token == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case string:
		return value{kind: kindString, text: token}
	case json.Number:
		return value{kind: kindNumber, text: token.String()}
	case bool:
		return value{kind: kindBoolean, text: fmt.Sprint(token)}
	}
	return value{kind: kindNull}
}

// token returns the next token, which is there because the text is valid.
func (p *parser) token() json.Token {
	token, err := p.decoder.Token()
	if err != nil {
		panic("modules: valid JSON did not tokenize: " + err.Error())
	}
	return token
}

// object reads the fields of an object whose bracket was read. A name that comes
// again replaces the value of the first, as most decoders have it.
func (p *parser) object(depth int) value {
	v := value{kind: kindObject}
	at := map[string]int{}
	for p.decoder.More() && !p.tooDeep {
		name := p.token().(string)
		read := p.value(depth + 1)
		if i, twice := at[name]; twice {
			p.duplicates = true
			v.fields[i].value = read
			continue
		}
		at[name] = len(v.fields)
		v.fields = append(v.fields, field{name, read})
	}
	p.close()
	return v
}

// array reads the items of an array whose bracket was read.
func (p *parser) array(depth int) value {
	v := value{kind: kindArray}
	for p.decoder.More() && !p.tooDeep {
		v.items = append(v.items, p.value(depth+1))
	}
	p.close()
	return v
}

// close reads a closing bracket, which is not there to read after giving up.
func (p *parser) close() {
	if !p.tooDeep {
		p.token()
	}
}

// json returns the value's compact encoding.
func (v value) json() json.RawMessage { return v.append(nil) }

// append adds the value's encoding to out.
func (v value) append(out []byte) []byte {
	switch v.kind {
	case kindObject:
		out = append(out, '{')
		for i, f := range v.fields {
			out = append(separated(out, i), llmclient.Marshal(f.name)...)
			out = f.value.append(append(out, ':'))
		}
		return append(out, '}')
	case kindArray:
		out = append(out, '[')
		for i, item := range v.items {
			out = item.append(separated(out, i))
		}
		return append(out, ']')
	case kindString:
		return append(out, llmclient.Marshal(v.text)...)
	case kindNull:
		return append(out, "null"...)
	}
	return append(out, v.text...)
}

// separated adds the comma that goes before every element but the first.
func separated(out []byte, i int) []byte {
	if i > 0 {
		return append(out, ',')
	}
	return out
}
