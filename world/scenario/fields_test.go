package scenario

import (
	"strings"
	"testing"
)

// TestFieldsChange: a field of a table, of an entry of a list and one that the text leaves out get another value,
// and nothing else does.
func TestFieldsChange(t *testing.T) {
	before, err := Parse("sound.toml", []byte(soundScenario))
	if err != nil {
		t.Fatal(err)
	}
	text, err := WithFields([]byte(soundScenario), []Field{
		{"rules.idle_draw", "7"}, {"goals.g.text", `"Go \"there\"."`}, {"places.there.compound_g", "77"},
		{"agents.stock", `[{"electricity": 9}]`}, {"terms", "true"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse("changed.toml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	changed := map[string]bool{}
	was := map[string]string{}
	for _, p := range before.Parts("en") {
		was[p.Name] = p.Value
	}
	for _, p := range s.Parts("en") {
		if was[p.Name] != p.Value {
			changed[p.Name] = true
		}
	}
	if s.Rules.IdleDraw != 7 || s.Goals[0].Text != `Go "there".` || !s.Terms || s.Agents.Stock[0][0].Amount != 9 || len(changed) != 5 {
		t.Errorf("changed are %v: %+v", changed, s)
	}
}

// TestWrongFieldsAreRefused: by this, or by what reads the text.
func TestWrongFieldsAreRefused(t *testing.T) {
	for path, want := range map[string]string{
		"goals.nobody.text":  `goals.nobody.text: nothing in the list has the id or name "nobody"`,
		"visibility_km.far":  `visibility_km.far: "far" is below a value that is no table and no list`,
		"rules.idle_drew":    `unknown field "rules.idle_drew"`,
		"rules.idle_draw.at": `rules.idle_draw`,
	} {
		text, err := WithFields([]byte(soundScenario), []Field{{path, "1"}})
		if err == nil {
			_, err = Parse("f.toml", text)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
