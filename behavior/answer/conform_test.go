package answer

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// testSchema uses every form that strict schemas can take.
var testSchema = schemaFrom(`{"type":"object","properties":{
	"name":{"type":"string"},
	"size":{"type":["integer","null"]},
	"color":{"type":["string","null"],"enum":["red","green",null]},
	"parts":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},"on":{"type":"boolean"}},"required":["n","on"],"additionalProperties":false}},
	"extra":{"type":["null","object"],"properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}
},"required":["name","size","color","parts","extra"],"additionalProperties":false}`)

func schemaFrom(raw string) (s *jsonschema.Schema) {
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		panic(err)
	}
	return s
}

func TestConform(t *testing.T) {
	for _, c := range []struct {
		raw, want string
		used      []Repair
	}{
		{`{"name":"a","size":3,"color":"red","parts":[{"n":1,"on":true}],"extra":{"x":1.5}}`,
			`{"name":"a","size":3,"color":"red","parts":[{"n":1,"on":true}],"extra":{"x":1.5}}`, nil},
		{`{"parts":[],"name":"<&>\n"}`, `{"name":"<&>\n","size":null,"color":null,"parts":[],"extra":null}`, nil},
		{`{"name":"a","size":1e30,"parts":[{"n":"2","on":false},{"on":true,"n":2.9}]}`,
			`{"name":"a","size":9223372036854775807,"color":null,"parts":[{"n":2,"on":false},{"n":2,"on":true}],"extra":null}`,
			[]Repair{NumberFromString, FractionDropped}},
		{`"{\"name\":\"a\",\"parts\":[]}"`, `{"name":"a","size":null,"color":null,"parts":[],"extra":null}`, []Repair{DoubleEncoded}},
		{`{"name":"a","name":"b","parts":[]}`, `{"name":"b","size":null,"color":null,"parts":[],"extra":null}`, []Repair{DuplicateKey}},
	} {
		got, used, fault := Conform(testSchema, "", c.raw)
		if fault != nil {
			t.Errorf("Conform(%s): %v", c.raw, fault)
			continue
		}
		if string(got) != c.want {
			t.Errorf("Conform(%s)\n got %s\nwant %s", c.raw, got, c.want)
		}
		if diff := cmp.Diff(c.used, used); diff != "" {
			t.Errorf("Conform(%s): repairs (-want +got):\n%s", c.raw, diff)
		}
	}
}

func TestConformErrors(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{``, "name: expected string, got nothing"},
		{`null`, "arguments: expected an object, got null"},
		{`"secretword"`, "arguments: expected an object, got a string of 10 characters"},
		{`{"name":"a","secretword":1,"parts":[]}`, "arguments: expected only the fields name, size, color, parts, extra, got the field \"secretword\""},
		{`{"name":7,"parts":[]}`, "name: expected string, got the number 7"},
		{`{"name":{},"parts":[]}`, "name: expected string, got an object"},
		{`{"name":"a","size":"secretword","parts":[]}`, "size: expected an integer, got a string of 10 characters"},
		{`{"name":"a","color":"secretword","parts":[]}`, "color: expected one of red, green, null, got a string of 10 characters"},
		{`{"name":"a","parts":{}}`, "parts: expected array, got an object"},
		{`{"name":"a","parts":[{"n":1,"on":true},{"n":1}]}`, "parts[1].on: expected boolean, got nothing"},
		{`{"name":"a","parts":[],"extra":{"x":"1"}}`, "extra.x: expected number, got a string of 1 characters"},
		{`{"name":"a","parts":[],"extra":[]}`, "extra: expected null or object, got an array"},
	} {
		conformed, _, fault := Conform(testSchema, "", c.raw)
		if fault == nil || conformed != nil {
			t.Errorf("Conform(%s) = %s, %v, want only an error", c.raw, conformed, fault)
			continue
		}
		if got := fault.Error(); got != c.want {
			t.Errorf("Conform(%s):\n got %s\nwant %s", c.raw, got, c.want)
		}
	}
}

// FuzzConform checks that the walk accepts nothing the schema library refuses and
// that conforming again changes nothing.
func FuzzConform(f *testing.F) {
	f.Add(`{"name":"a","size":1e30,"color":null,"parts":[{"n":"2","on":false}],"extra":{"x":0}}`)
	f.Add(`"{\"name\":\"\",\"parts\":[]}"`)
	resolved, err := testSchema.Resolve(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		conformed, _, fault := Conform(testSchema, "", raw)
		if fault != nil {
			return
		}
		var instance any
		if err := json.Unmarshal(conformed, &instance); err != nil || resolved.Validate(instance) != nil {
			t.Fatalf("the walk accepts what the schema refuses: %q", raw)
		}
		again, used, fault := Conform(testSchema, "", string(conformed))
		if fault != nil || len(used) > 0 || string(again) != string(conformed) {
			t.Fatalf("conformed %s conforms to %s, %v, %v", conformed, again, used, fault)
		}
	})
}
