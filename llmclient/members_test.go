package llmclient_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// FuzzMembers holds the one-pass reading of objects and lists against package encoding/json.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		"\x00\b\t\n\f\r\x1f\x7f\"\\\\<>&\u2028\u2029\ufffd\xff\xe2\x80", `{}`, ` { "a" : 1 , "b":[1,{"c":null}], "a":"twice" } `, `{"a":1,}`, `{"a" 1}`, `{"a":01}`, `{"a":-0.5e+3,"b":-}`, `{"a":1.}`, `{"a":tru}`,
		`{"é\u0041\ud83d\ude00":"\x"}`, "{\"a\":\"\n\"}", "{\"\xff\":\"\xfe\"}", `{"a":1} x`, `{"\u0061":1,"b":2}`, `{"a":1,"A":2,"B":[],"aa":3}`, `[1,2,{"a":[]}]`, `[1,]`, `[,]`, `[]`, `[1`, `null`, `"a"`, ``, `{`, `{"a`,
		`{"a":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`, `{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`,
	} {
		f.Add([]byte(text))
	}
	for c := range 256 { // at every place among eight characters
		for n := range 9 {
			f.Add(append(append([]byte(`{"`+"abcdefgh"[:n]), byte(c)), `ijklmnop":"q"}`...))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want map[string]json.RawMessage
		if json.Unmarshal(raw, &want) != nil {
			want = nil
		}
		got := llmclient.MembersOf(raw)
		if len(got) != len(want) || (got == nil) != (want == nil) {
			t.Fatalf("MembersOf(%q) = %q, encoding/json %q", raw, got, want)
		}
		for _, value := range got {
			if value[0] == '[' && !reflect.DeepEqual(llmclient.MembersBeside(raw, value), got) {
				t.Fatalf("MembersBeside(%q, %q) = %q, MembersOf %q", raw, value, llmclient.MembersBeside(raw, value), got)
			}
		}
		if beside := llmclient.MembersBeside(raw, []byte(`[1,{"c":null}]`)); !reflect.DeepEqual(beside, got) {
			t.Fatalf("MembersBeside(%q) = %q, MembersOf %q", raw, beside, got)
		}
		for name, value := range want {
			if string(got[name]) != string(value) {
				t.Fatalf("MembersOf(%q)[%q] = %q, encoding/json %q", raw, name, got[name], value)
			}
		}
		if llmclient.IsJSON(raw) != json.Valid(raw) {
			t.Fatalf("IsJSON(%q) = %t, encoding/json %t", raw, llmclient.IsJSON(raw), json.Valid(raw))
		}
		var a, b struct{ A, B json.RawMessage }
		only := llmclient.Only(raw, "a", "b")
		if errA, errB := json.Unmarshal(raw, &a), json.Unmarshal(only, &b); (errA == nil) != (errB == nil) || !reflect.DeepEqual(a, b) {
			t.Fatalf("Only(%q) = %q, read as %q %v, encoding/json %q %v", raw, only, b, errB, a, errA)
		}
		var list []json.RawMessage
		valid := json.Unmarshal(raw, &list) == nil && list != nil
		elements, ok := llmclient.Elements(raw, 1000)
		if valid && len(list) <= 1000 && (!ok || len(elements) != len(list) || len(list) > 0 && !reflect.DeepEqual(elements, list)) {
			t.Fatalf("Elements(%q) = %q %t, encoding/json %q", raw, elements, ok, list)
		}
		if valid && len(list) > 1000 && ok {
			t.Fatalf("Elements(%q) takes more than the bound", raw)
		}
		var text string
		if json.Unmarshal(raw, &text) == nil && llmclient.TextOf(raw) != text {
			t.Fatalf("TextOf(%q) = %q, encoding/json %q", raw, llmclient.TextOf(raw), text)
		}
		text = string(raw)
		if got, want := llmclient.AppendText(nil, text), llmclient.Marshal([]string{text}); "["+string(got)+"]" != string(want) {
			t.Fatalf("AppendText(%q) = %s, encoding/json %s", text, got, want)
		}
	})
}
