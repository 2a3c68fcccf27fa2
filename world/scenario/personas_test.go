package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/world"
)

// cast is the sound scenario with a file of personas.
func cast(file string) []byte {
	return []byte(strings.Replace(soundScenario, "visibility_km = 12\n", "personas_file = \""+file+"\" # who plays\nvisibility_km = 12\n", 1) +
		"\n[texts.zh.goals]\ng = \"去那里。\"\n")
}

const people1 = "name,text,short_term_goal,zh.text,zh.short_term_goal\r\n" +
	"Ada,\"You count, and say \"\"yes\"\".\",Count.,你数数。,数。\r\n" +
	"'=Bo,\"Two\nlines.\",Rest.,两行。,休息。\r\n"

// TestPersonasComeFromATable: a CSV and a TOML file make the same scenario as the same personas in it, in all
// languages. What follows the name of the file keeps its lines.
func TestPersonasComeFromATable(t *testing.T) {
	people2 := `
[[personas]]
name = "Ada"
text = 'You count, and say "yes".'
short_term_goal = "Count."

[[personas]]
name = "'=Bo"
text = "Two\nlines."
short_term_goal = "Rest."

[[texts.zh.personas]]
text = "你数数。"
short_term_goal = "数。"

[[texts.zh.personas]]
text = "两行。"
short_term_goal = "休息。"
`
	want := []world.Persona{
		{Name: "Ada", Text: "You count, and say \"yes\".", ShortTermGoal: "Count."},
		{Name: "'=Bo", Text: "Two\nlines.", ShortTermGoal: "Rest."},
	}
	for file, data := range map[string]string{"cast.csv": "\xef\xbb\xbf" + people1, "below/cast.toml": people2} {
		if got := PersonasFile(cast(file)); got != file {
			t.Errorf("the file is %q", got)
		}
		if _, err := Parse("f.toml", cast(file)); err == nil || !strings.Contains(err.Error(), "f.toml:2: personas_file:") {
			t.Errorf("without its file: %v", err)
		}
		whole, err := WithPersonas(cast(file), file, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse("f.toml", whole)
		if err != nil {
			t.Fatalf("%v\n%s", err, whole)
		}
		if diff := cmp.Diff(want, s.Personas); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		if zh := s.In("zh").Personas; zh[1].Name != "'=Bo" || zh[1].ShortTermGoal != "休息。" {
			t.Errorf("%s in Chinese: %+v", file, zh)
		}
		if strings.Split(string(whole), "\n")[2] != "visibility_km = 12" {
			t.Errorf("lines moved:\n%s", whole)
		}
	}
}

// TestTablesOfPersonasAreChecked: what is wrong is told with the file and the row.
func TestTablesOfPersonasAreChecked(t *testing.T) {
	for _, c := range []struct{ file, data, want string }{
		{"a.csv", "", "a.csv: it has no personas"},
		{"a.csv", "name\n", "a.csv: it has no personas"},
		{"a.csv", "name,age\nAda,3\n", `there is no column "age"; allowed: name, text`},
		{"a.csv", "name,zz9.text\nAda,x\n", `there is no column "zz9.text"`},
		{"a.csv", "name,zh.name\nAda,x\n", `there is no column "zh.name"`},
		{"a.csv", "name,text\nAda\n", "wrong number of fields"},
		{"a.csv", "name\nAda\n\"Bo\x07b\"\n", "personas[1].name: has control characters"},
		{"a.csv", "name,text\nAda," + strings.Repeat("x", 601) + "\n", "personas[0].text: is longer than 600"},
		{"a.csv", strings.Repeat("x", PersonasBytesMax+1), "more than the"},
		{"a.toml", "[[personas]]\nname = 3\n", "a.toml: "},
		{"a.toml", "[rules]\nidle_draw = 3\n", "a.toml: "},
	} {
		_, err := WithPersonas(cast(c.file), c.file, []byte(c.data))
		if err == nil || !strings.HasPrefix(err.Error(), "personas_file: "+c.file) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.30q: %v, want %q", c.data, err, c.want)
		}
	}
	both := append(cast("a.csv"), "\n[[personas]]\nname = \"Eve\"\n"...)
	if _, err := WithPersonas(both, "a.csv", []byte(people1)); err == nil || !strings.Contains(err.Error(), "personas of its own") {
		t.Errorf("two sources of personas: %v", err)
	}
}
