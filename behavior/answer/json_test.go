package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestReadObject reads what models write in place of one JSON object.
func TestReadObject(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		used             []Repair
	}{
		{"clean", `{"a":1,"b":["x",null,true,-2.5e3]}`, `{"a":1,"b":["x",null,true,-2.5e3]}`, nil},
		{"line breaks of another system", "{\r\n \"a\": 1\r\n}", `{"a":1}`, nil},
		{"digits beyond a float", `{"a":123456789012345678901234567890}`, `{"a":123456789012345678901234567890}`, nil},
		{"trailing commas", `{"a":[1,],}`, `{"a":[1]}`, []Repair{ExtraComma}},
		{"no comma", `{"a":1 "b":2}`, `{"a":1,"b":2}`, []Repair{MissingComma}},
		{"single quotes", `{'a':'it\'s "b"'}`, `{"a":"it's \"b\""}`, []Repair{SingleQuotes, EscapeRepaired}},
		{"literals of Python", `{"a":None,"b":True,"c":False}`, `{"a":null,"b":true,"c":false}`, []Repair{ForeignLiteral}},
		{"bare words", `{a:wait,b_c:2}`, `{"a":"wait","b_c":2}`, []Repair{UnquotedKey, UnquotedText}},
		{"wide punctuation", `{“a”：“x”}`, `{"a":"x"}`, []Repair{WidePunctuation}},
		{"tokens for quotes", `{a:<|"|>x<|"|>}`, `{"a":"x"}`, []Repair{UnquotedKey, QuoteToken}},
		{"a token that is not in the table", `{"a":"<|x|>"}`, `{"a":"<|x|>"}`, nil},
		{"comments", "{ // first\n\"a\":1 /* last */}", `{"a":1}`, []Repair{Comment}},
		{"an address is no comment", `{"a":"http://b"}`, `{"a":"http://b"}`, nil},
		{"doubled braces", `{{"a":1}}`, `{"a":1}`, []Repair{DoubledBraces}},
		{"braces doubled twice", `{{{"a":1}}}`, `{"a":1}`, []Repair{DoubledBraces}},
		{"a field twice, deep down", `{"a":{"b":1,"b":2}}`, `{"a":{"b":2}}`, []Repair{DuplicateKey}},
		{"a line break in a string", "{\"a\":\"x\ny\"}", `{"a":"x\ny"}`, []Repair{EscapeRepaired}},
		{"encoded twice", `"{\"a\":1}"`, `{"a":1}`, []Repair{DoubleEncoded}},
		{"byte order mark", "\ufeff{\"a\":1}", `{"a":1}`, []Repair{InvisibleRemoved}},
		{"an invisible character in a name", "{\"a\u200b\":1}", `{"a":1}`, []Repair{InvisibleRemoved}},
		{"an invisible character in a value stays", "{\"a\":\"x\u200b\"}", "{\"a\":\"x\u200b\"}", nil},
		{"a fence", "```json\n{\"a\":1}\n```", `{"a":1}`, []Repair{Unfenced}},
		{"a fence that stays open", "```\n{\"a\":1}", `{"a":1}`, []Repair{Unfenced}},
		{"a bracket too many", `{"a":1}]`, `{"a":1}`, []Repair{StrayBracket}},
		{"a list of one", `[{"a":1}]`, `{"a":1}`, []Repair{ListOfOne}},
		{"the same twice", `{"a":1}{"a":1}`, `{"a":1}`, []Repair{ObjectIgnored}},
		{"prose around", `Take {"a":1} please.`, `{"a":1}`, []Repair{ProseAround}},
		{"a brace in prose first", `{ well. {"a":1}`, `{"a":1}`, []Repair{ProseAround}},
		{"a bracket in prose first", `[Plan] {"a":1}`, `{"a":1}`, []Repair{ProseAround}},
		{"marks of a template", `<tool_call>{"a":1}</tool_call>`, `{"a":1}`, []Repair{CallSyntax}},
		{"a link and an entity are data", `{"a":"[x](http://y) &quot;z&quot;"}`, `{"a":"[x](http://y) &quot;z&quot;"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, used, fault := ReadObject(tt.text)
			if fault != nil {
				t.Fatal(fault)
			}
			if string(got.JSON()) != tt.want || !slices.Equal(used, tt.used) {
				t.Errorf("%s with %v, want %s with %v", got.JSON(), used, tt.want, tt.used)
			}
		})
	}
}

// TestReadObjectRefuses gives texts whose meaning would have to be guessed.
func TestReadObjectRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, got string }{
		{"nothing", ``, "text that is not JSON"},
		{"prose", `I would mine.`, "text that is not JSON"},
		{"null", `null`, "null"},
		{"a number", `3`, "the number 3"},
		{"a string", `"x"`, "a string of 1 characters"},
		{"an empty list", `[]`, "an array"},
		{"a list of two", `[{"a":1},{"a":2}]`, "an array"},
		{"a list of two in prose", `So: [{"a":1},{"a":2}]`, "several objects"},
		{"two objects", `{"a":1} {"a":2}`, "several objects"},
		{"cut in a string", `{"a":"x`, "an object that breaks off"},
		{"cut before a bracket", `{"a":{"b":1}`, "an object that breaks off"},
		{"a cut list", `[{"a":1}`, "an object that breaks off"},
		{"the wrong bracket", `{"a":[1}`, "text that is not JSON"},
		{"a number that is none", `{"a":1.2.3}`, "text that is not JSON"},
		{"infinity", `{"a":-Infinity}`, "text that is not JSON"},
		{"a quote in a string", `{"a":"he said "no" to me"}`, "text that is not JSON"},
		{"a broken object beside a whole one", `{"a":@} {"a":1}`, "text that is not JSON"},
		{"too deep", strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), "more levels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, fault := ReadObject(tt.text)
			if fault == nil || fault.Got.String() != tt.got {
				t.Errorf("%s, %v, want it refused as %q", got.JSON(), fault, tt.got)
			}
		})
	}
}

// FuzzReader holds the reader to its two promises: valid JSON needs no repair,
// and what needs none is valid JSON that means the same.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		`{"a":1}`, `[1,2,]`, `{'a':None}`, `{{"a":1}}`, `{“a”：1}`, `"\ud800"`, `{"a":1,"a":2}`, "{\"a\":\"\x01\"}", `{a=1}`, `1e400`, "\ufeff{}",
		`{"a":<|"|>b<|"|>}`, `{"a":1}/*`, `{"a":"\q"}`, "{\"\xff\":\"\xfe\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := reader{text: text, depthMax: argumentsDepthMax}
		v := r.value(1)
		whole := r.state == readWhole && r.next() == 0
		if json.Valid([]byte(text)) && r.state != readDeep && (!whole || len(r.used) > 0 && !slices.Equal(r.used, []Repair{DuplicateKey})) {
			t.Errorf("valid JSON %q is read with %v, state %q", text, r.used, r.state)
		}
		if !whole {
			return
		}
		encoded := v.JSON()
		if !json.Valid(encoded) {
			t.Fatalf("%q is read as %s, which is not JSON", text, encoded)
		}
		if len(r.used) == 0 && !sameJSON(t, text, string(encoded)) {
			t.Errorf("%q is read without a repair as %s", text, encoded)
		}
	})
}

// sameJSON reports whether both texts are JSON of the same meaning.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	decode := func(s string) string {
		var v any
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		if d.Decode(&v) != nil {
			return "not JSON: " + s
		}
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	return decode(a) == decode(b)
}

// FuzzFindObjects finds objects in any text, and each of them is one.
func FuzzFindObjects(f *testing.F) {
	for _, seed := range []string{`a {"b":1} c`, `[{"a":1},{"b":2}]`, `{{{`, `[{`, "```\n{}\n```", `{'a':{"b":`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, problem := findObjects(text)
		if problem != "" && len(found.objects) > 0 {
			t.Error("objects of a text that may not be used")
		}
		for _, object := range found.objects {
			if object.Kind != Object {
				t.Errorf("%s is no object", object.JSON())
			}
		}
		around(found.rest)
	})
}

// TestRepeatedFieldsOfManyAreFound: of a field that is repeated the last value counts, however many
// fields there are.
func TestRepeatedFieldsOfManyAreFound(t *testing.T) {
	for _, fields := range []int{1, 16, 50} {
		var text []string
		for i := range 2 * fields {
			text = append(text, fmt.Sprintf(`"f%d":%d`, i%fields, i))
		}
		o, used, e := ReadObject("{" + strings.Join(text, ",") + "}")
		if got := string(o.JSON()); e != nil || got != "{"+strings.Join(text[fields:], ",")+"}" || !slices.Equal(used, []Repair{DuplicateKey}) {
			t.Errorf("%d fields: %s with %v, %v", fields, got, used, e)
		}
	}
}
