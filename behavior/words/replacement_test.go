package words

import (
	"strings"
	"testing"
)

// TestWithReplacesByName takes one text of a file, and all others from the program.
func TestWithReplacesByName(t *testing.T) {
	const own = "[instructions]\nsystem_prompt = \"Dig.\"\n[goals]\nmet = \"Done at {tick}: {goal}\"\n"
	l, err := With(English, own)
	if err != nil {
		t.Fatal(err)
	}
	if l.Instructions.SystemPrompt != "Dig." || l.Instructions.Rules != In(English).Instructions.Rules ||
		l.Goals.Met.Text(1, "a") != "Done at 1: a" || l.Texts() == In(English).Texts() {
		t.Errorf("%q, %q", l.Instructions.SystemPrompt, l.Goals.Met.Text(1, "a"))
	}
	list, err := Replacements(English, own)
	if err != nil || len(list) != 2 || list[0].Name != "goals.met" || list[1].Name != "instructions.system_prompt" ||
		list[1].Is != "Dig." || list[1].Was != In(English).Instructions.SystemPrompt {
		t.Errorf("%+v, %v", list, err)
	}
	for _, code := range Languages() { // what is exported replaces nothing
		_, data := File(code)
		if list, err := Replacements(code, string(data)); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", code, list, err)
		}
	}
	if same, err := With("", ""); err != nil || same != In(English) {
		t.Error("no file is not the program's texts")
	}
}

// TestWithKeepsPlaces refuses files that take a place away, move it, or add one, and all that is no text.
func TestWithKeepsPlaces(t *testing.T) {
	for _, c := range []struct{ own, want string }{
		{"[news]\ngift = \"a gift\"", "news.gift: {agent} is left out; allowed: a text with {agent}"},
		{"[news]\ngift = \"{agent} from {agent}\"", `news.gift: the places are "{agent} {agent}"; allowed: "{agent}"`},
		{"[history]\nmessage = \"in tick {tick} to {agent}\"", `allowed: "{agent} {tick}", in this order`},
		{"[instructions]\nsystem_prompt = \"{persona}\"", "instructions.system_prompt: no value fills {persona}; allowed: no place"},
		{"[instructions]\nsystem_prompt = \" \"", "instructions.system_prompt: the text is missing; allowed: a text in quotes"},
		{"[instructions]\nsystem_prompt = \"a\\u0000b\"", "the character 0, which is none; allowed: all others"},
		{"[instructions]\nsystem = \"a\"", `instructions."system": there is no text of this name; did you mean "system_prompt"? `},
		{"instructions = \"a\"", "instructions: here is no table; allowed: "},
		{"code = \"zh\"", `"zh" is another language`},
		{"[news", "line 1"},
		{"a = " + strings.Repeat("[", 2000), "line 1"},
		{strings.Repeat("#", ReplacementBytesMax+1), "more than"},
	} {
		if _, err := With(English, c.own); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: error %v, want %q", c.own, err, c.want)
		}
	}
}
