package stub

import (
	"strings"
	"testing"
)

// TestCorpusIsSound loads the embedded file, which checks every shape, and demands
// that enough of it can be drawn from at any point of a turn.
func TestCorpusIsSound(t *testing.T) {
	universal := 0
	for _, s := range Corpus() {
		if s.Universal {
			universal++
		}
	}
	if universal < 15 {
		t.Errorf("%d universal shapes, want at least 15", universal)
	}
}

// TestCorpusMistakesAreNamed feeds files with one mistake each.
func TestCorpusMistakesAreNamed(t *testing.T) {
	const sound = "[[shape]]\nname=\"a\"\ndoc=\"d\"\nas=\"text\"\ntemplate=\"x\"\n"
	for _, tt := range []struct{ name, file, want string }{
		{"unknown field", sound + "ends=\"accepted\"\nrepair=[]\n", "decode"},
		{"repairs of an accepted one", sound + "ends=\"accepted\"\nrepairs=[\"x\"]\n", "ends"},
		{"an error without a kind", sound + "ends=\"error\"\n", "ends"},
		{"an unknown end", sound + "ends=\"well\"\n", "ends"},
		{"repairs out of order", sound + "ends=\"repaired\"\nrepairs=[\"b\",\"a\"]\n", "sorted"},
		{"a universal error", sound + "ends=\"error\"\nerror=\"no_json\"\nuniversal=true\n", "universal"},
		{"two of one name", sound + "ends=\"accepted\"\n" + sound + "ends=\"accepted\"\n", "unique"},
		{"an unknown placeholder", strings.Replace(sound, "x", "{{nothing}}", 1) + "ends=\"accepted\"\n", "nothing"},
		{"an unknown style", strings.Replace(sound, "x", "{{call|loud}}", 1) + "ends=\"accepted\"\n", "loud"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parseCorpus([]byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that names %q", err, tt.want)
			}
		})
	}
}

// TestRenderStyles writes one object down in every style.
func TestRenderStyles(t *testing.T) {
	p := Parts{Name: "plan", Arguments: []byte(`{"a":"it's \"b\"","n":[1]}`), Decision: []byte(`{"decision":"wait"}`), PlaceName: "Rim"}
	for _, tt := range []struct{ template, want string }{
		{`{{{arguments}}}`, `{{"a":"it's \"b\"","n":[1]}}`},
		{`{{call}}`, `{"name":"plan","arguments":{"a":"it's \"b\"","n":[1]}}`},
		{`{{decision|quoted}}`, `"{\"decision\":\"wait\"}"`},
		{`{{decision|quoted|quoted}}`, `"\"{\\\"decision\\\":\\\"wait\\\"}\""`},
		{`{{arguments|single}}`, `{'a':'it\'s "b"','n':[1]}`},
		{`{{arguments|bare}}`, `{a:"it's \"b\"",n:[1]}`},
		{`{{arguments|comma}}`, `{"a":"it's \"b\"","n":[1],}`},
		{`{{decision|wide}}`, `{“decision”："wait"}`},
		{`{{decision|token}}`, `{<|"|>decision<|"|>:<|"|>wait<|"|>}`},
		{`to {{place_name}}`, `to Rim`},
	} {
		if got := (Shape{Template: tt.template}).Render(p); got != tt.want {
			t.Errorf("%s gives %s, want %s", tt.template, got, tt.want)
		}
	}
}
