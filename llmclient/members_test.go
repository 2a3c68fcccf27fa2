package llmclient_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// FuzzElements holds the bounded reading of lists, and the tolerant one of texts, against package
// encoding/json.
func FuzzElements(f *testing.F) {
	for _, text := range []string{
		`[1,2,{"a":[]}]`, `[1,]`, `[,]`, `[]`, `[1`, `[1 2]`, `[1}`, ` [ null , "a" ] `, `null`, ` null `, `"a"`, "\"\xff\"", ``, `{`,
		`{"a":1}`, `[` + strings.Repeat("1,", 1000) + `1]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		const most = 1000
		var list []json.RawMessage
		valid := json.Unmarshal(raw, &list) == nil && list != nil
		elements, ok := llmclient.Elements(raw, most)
		if valid && len(list) <= most && (!ok || len(list) > 0 && !reflect.DeepEqual(elements, list)) {
			t.Fatalf("Elements(%q) = %q %t, encoding/json %q", raw, elements, ok, list)
		}
		if ok && len(elements) > most || valid && len(list) > most && ok {
			t.Fatalf("Elements(%q) takes more than the bound", raw)
		}
		var text string
		if json.Unmarshal(raw, &text) == nil && llmclient.TextOf(raw) != text {
			t.Fatalf("TextOf(%q) = %q, encoding/json %q", raw, llmclient.TextOf(raw), text)
		}
	})
}
