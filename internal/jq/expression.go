package jq

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/itchyny/gojq"

	"example.com/agentworld/plaintext"
)

// CharsMax bounds the text of an expression, in bytes.
const CharsMax = 16 << 10

// Expression is a jq expression that compiles.
type Expression struct{ text string }

// refused are the functions and variables that an expression must not use, each with the reason. What is
// not here and has an effect in the jq command is not known to the interpreter.
var refused = map[string]string{
	"now":               "there is no clock",
	"localtime":         "there is no time zone; gmtime has none",
	"strflocaltime":     "there is no time zone; strftime has none",
	"env":               "there is no environment",
	"$ENV":              "there is no environment",
	"input_filename":    "the stream is no file",
	"input_line_number": "the stream is no file",
	"debug":             "nothing is printed",
	"stderr":            "nothing is printed",
	"halt":              "the value is what the expression returns",
	"halt_error":        "the value is what the expression returns; error says what is wrong",
	"modulemeta":        "there are no modules",
	"get_search_list":   "there are no modules",
}

// Parse reads an expression. The error says what is wrong with it: the syntax, a function that is not
// known, or one that is refused.
func Parse(text string) (Expression, error) {
	if strings.TrimSpace(text) == "" {
		return Expression{}, errors.New("the expression is empty")
	}
	if len(text) > CharsMax {
		return Expression{}, fmt.Errorf("the expression has %d bytes; allowed: up to %d", len(text), CharsMax)
	}
	_, err := compile(text, gojq.NewIter[any]())
	if err != nil {
		return Expression{}, err
	}
	return Expression{text}, nil
}

// compile makes code of an expression whose inputs come from an iterator.
func compile(text string, inputs gojq.Iter) (*gojq.Code, error) {
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is no jq expression: %s", oneLine(err.Error()))
	}
	if len(query.Imports) > 0 || query.Meta != nil {
		return nil, errors.New("modules are refused: there are no modules")
	}
	if name := refusedIn(reflect.ValueOf(query)); name != "" {
		return nil, fmt.Errorf("%s is refused: %s", name, refused[name])
	}
	code, err := gojq.Compile(query, gojq.WithInputIter(inputs))
	if err != nil {
		return nil, fmt.Errorf("it is no jq expression: %s", oneLine(err.Error()))
	}
	return code, nil
}

// refusedIn is a name in a parsed expression that is refused, empty for none.
func refusedIn(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if f, ok := v.Interface().(*gojq.Func); ok && f != nil && refused[f.Name] != "" {
			return f.Name
		}
		if !v.IsNil() {
			return refusedIn(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := refusedIn(v.Field(i)); name != "" {
				return name
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if name := refusedIn(v.Index(i)); name != "" {
				return name
			}
		}
	}
	return ""
}

// messageChars bounds what an error repeats of an expression or of a run.
const messageChars = 200

// oneLine is a text of others in an error.
func oneLine(text string) string { return plaintext.Line(plaintext.Clip(text, messageChars)) }
