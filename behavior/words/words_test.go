package words

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// file is the text of an embedded file.
func file(t *testing.T, name string) string {
	t.Helper()
	data, err := files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestEveryFileIsALanguage reads all files: they are checked against the fields and the English tables.
func TestEveryFileIsALanguage(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	codes := Languages()
	if len(codes) != len(entries) || codes[0] != English || len(slices.Compact(slices.Sorted(slices.Values(codes)))) != len(codes) {
		t.Fatalf("languages %v of %d files", codes, len(entries))
	}
	for _, e := range entries {
		l, err := Read([]byte(file(t, e.Name())))
		if err != nil {
			t.Errorf("%s: %v", e.Name(), err)
			continue
		}
		if In(l.Code).Texts() != l.Texts() || strings.Count(l.Texts(), "\x00") < 300 {
			t.Errorf("%s: texts differ from those of In(%q)", e.Name(), l.Code)
		}
	}
	if In("") != In(English) {
		t.Error("no language is not English")
	}
	defer func() {
		if recover() == nil {
			t.Error("a language that does not exist has texts")
		}
	}()
	In("xx")
}

// TestChineseIsChinese: no text that holds a word was left untranslated.
func TestChineseIsChinese(t *testing.T) {
	for entry := range strings.SplitSeq(strings.TrimSuffix(In("zh").Texts(), "\x00"), "\x00") {
		name, text, _ := strings.Cut(entry, "=")
		same := slices.Contains([]string{"code", "observation.km"}, name)
		values := strings.Contains(name, `"{first} or {second}"`)
		han := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) || r > 0xFF00 })
		if !han && !same && !values {
			t.Errorf("%s is no Chinese: %s", name, text)
		}
	}
}

// TestTranslationsSayWhatIsIgnored: what an agent may have ignored is said in both languages or in neither.
func TestTranslationsSayWhatIsIgnored(t *testing.T) {
	says := func(code string) (names []string) {
		for entry := range strings.SplitSeq(In(code).Texts(), "\x00") {
			name, text, _ := strings.Cut(entry, "=")
			if strings.Contains(text, "ignore") || strings.Contains(text, "被忽略") {
				names = append(names, name)
			}
		}
		return names
	}
	if english, chinese := says("en"), says("zh"); !slices.Equal(english, chinese) || len(english) < 4 {
		t.Errorf("English texts about it are %q, Chinese ones %q", english, chinese)
	}
}

// TestReadNamesEveryFault changes one text of a good file.
func TestReadNamesEveryFault(t *testing.T) {
	for _, tc := range []struct{ old, new, want string }{
		{`here = "here"`, ``, "observation.here: the text is missing"},
		{`here = "here"`, `here = " "`, "observation.here: the text is missing"},
		{`here = "here"`, `here = 3`, "observation.here: the text is missing"},
		{`here = "here"`, "here = \"here\"\nthere = \"there\"", `observation."there": there is no text of this name`},
		{`[observation]`, `[sights]`, `"sights": there is no text of this name`},
		{`here = "here"`, `here = "here {place}"`, "observation.here: no value fills {place}"},
		{`"power {state}"`, `"power {status}"`, "observation.power: no value fills {status}"},
		{`"power {state}"`, `"power"`, "observation.power: {state} is left out"},
		{`"power {state}"`, `"power {state"`, "observation.power: a brace that is no place"},
		{`"power {state}"`, `"power }{state}"`, "observation.power: a brace that is no place"},
		{`"power {state}"`, `"power {the state}"`, "observation.power: a brace that is no place"},
		{`mine_compound = "{cost} electricity`, `mine_compound = "{price} electricity`, `actions."mine_compound": no value fills {price}`},
		{`mine_compound = "`, `dig_compound = "`, `actions."mine_compound": the text is missing`},
		{`mine_compound = "`, `dig_compound = "`, `actions."dig_compound": there is no text of this name`},
		{`"one of {names}" = "one of {names}"`, `"one of {names}" = "one"`, `faults."one of {names}": {names} is left out`},
		{`[terms]`, `[terms`, "toml:"},
	} {
		text := file(t, "english.toml")
		if !strings.Contains(text, tc.old) {
			t.Fatalf("the file has no %s", tc.old)
		}
		_, err := Read([]byte(strings.Replace(text, tc.old, tc.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("with %s: error %v, want %q", tc.new, err, tc.want)
		}
	}
}

// TestATranslationOrdersItsPlaces: values come in the order of the field, wherever the text has them.
func TestATranslationOrdersItsPlaces(t *testing.T) {
	text := strings.Replace(file(t, "english.toml"), `met = "Met for good in tick {tick}: {goal}"`,
		`met = "{goal} was met at {tick} ({tick})"`, 1)
	l, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := l.Goals.Met.Text(3, "a chip"), "a chip was met at 3 (3)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if l.Texts() == In(English).Texts() {
		t.Error("another text has the same digest")
	}
}

type code string

func TestFormTakesTextsAndNumbers(t *testing.T) {
	form := Of("{a}, {b} and {a}: {c} {d}{e}")
	if got, want := form.Text("x", int64(-2), code("refused"), Change(3), Change(-4)), "x, -2 and x: refused +3-4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if form.Lead() != "" || form.Trail() != "" || !slices.Equal(form.Places(), []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("lead %q, trail %q, places %v", form.Lead(), form.Trail(), form.Places())
	}
	for what, f := range map[string]func(){
		"a value too few":   func() { form.Text("x") },
		"a value of a type": func() { Of("{a}").Text(1.5) },
		"a brace":           func() { Of("{") },
		"a missing text":    func() { Table{}.Text("x") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", what)
				}
			}()
			f()
		}()
	}
}

// TestAppendAllocatesNothing: an observation has hundreds of values.
func TestAppendAllocatesNothing(t *testing.T) {
	form, room, n := Of("{a} at {b}"), make([]byte, 0, 64), int64(12345)
	if got := testing.AllocsPerRun(100, func() { form.Append(room, "hub", n); Append(room, n, "/", n, Change(n)) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
