package scenario

import (
	"strings"
	"testing"
	"unicode"

	"example.com/agentworld/world"
)

// TestEmbeddedScenariosSpeakChinese: what a player reads of an embedded scenario is Chinese in Chinese, but
// for the names that calls take.
func TestEmbeddedScenariosSpeakChinese(t *testing.T) {
	for _, name := range Names() {
		s, text, _ := Embedded(name)
		chinese, err := Instance(name, text, Choice{Seed: s.Seed, Language: "zh"})
		if err != nil {
			t.Fatal(err)
		}
		known := append(world.Resources(), "heat")
		for _, p := range s.Places {
			known = append(known, p.ID)
		}
		said := func(field, text, before string) {
			for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
				return !unicode.IsLetter(r) && !strings.ContainsRune("_-", r) || unicode.Is(unicode.Han, r)
			}) {
				if !strings.Contains(strings.Join(known, " ")+" motor_mk ", word) {
					t.Errorf("%s: %s has the word %q: %s", name, field, word, text)
				}
			}
			if (text == "") != (before == "") || text != "" && text == before {
				t.Errorf("%s: %s is %q, in English %q", name, field, text, before)
			}
		}
		for i, p := range chinese.Personas {
			was := s.Personas[i]
			said("a persona", p.Text, was.Text)
			said("a goal", p.ShortTermGoal, was.ShortTermGoal)
			said("a goal", p.LongTermGoal, was.LongTermGoal)
			if p.Name != was.Name {
				t.Errorf("%s: %s is called %s", name, was.Name, p.Name)
			}
		}
		for i, g := range chinese.Goals {
			said(g.ID, g.Text, s.Goals[i].Text)
		}
	}
}

// TestATranslationIsWhole: what is left out, doubled or unknown is refused where it stands.
func TestATranslationIsWhole(t *testing.T) {
	_, text, _ := Embedded("minimal")
	for _, c := range []struct{ old, new, want string }{
		{`[texts.zh.goals]`, `[texts.zh.goals]` + "\nother = \"别的\"", "texts.zh.goals.other: there is no such goal"},
		{`two-chips = "`, `# two-chips = "`, "texts.zh.goals.two-chips: only one of the languages has this text"},
		{`[[texts.zh.personas]]`, "[[texts.zh.personas]]\n\n[[texts.zh.personas]]", "texts.zh.personas: 2 of 1 personas"},
		{`[[texts.zh.personas]]`, "[[texts.zh.personas]]\nname = \"隐士\"", "texts.zh.personas[0].name: names are the same"},
		{`[texts.zh.goals]`, "[texts.zh.goals]\n[texts.chinese]\n[texts.zhx.goals]", "texts.chinese: a language is a code of two letters"},
	} {
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("the file has no %q", c.old)
		}
		_, err := Parse("f.toml", []byte(strings.Replace(string(text), c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %q: error %v, want %q", c.new, err, c.want)
		}
	}
}

// TestAnotherLanguageChangesNoWorld: only texts differ, and a language without texts leaves the scenario as
// it is, with any number of agents.
func TestAnotherLanguageChangesNoWorld(t *testing.T) {
	_, text, _ := Embedded("llm_bootstrap")
	worlds := map[string]*world.World{}
	for _, language := range []string{"en", "zh", "xx"} {
		s, err := Instance("llm_bootstrap", text, Choice{Seed: 5, Agents: 7, Language: language})
		if err != nil {
			t.Fatal(err)
		}
		if worlds[language], err = world.New(s, 5); err != nil {
			t.Fatal(err)
		}
	}
	for _, language := range []string{"zh", "xx"} {
		if worlds[language].Digest() != worlds["en"].Digest() {
			t.Errorf("in %s it is another world", language)
		}
	}
	if p := worlds["zh"].Persona(6); p.ShortTermGoal != "采够一座工厂所需的 compound。" || worlds["xx"].Persona(6) != worlds["en"].Persona(6) {
		t.Errorf("the seventh agent wants %q, %q without texts", p.ShortTermGoal, worlds["xx"].Persona(6).ShortTermGoal)
	}
}
