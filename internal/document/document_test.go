package document

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// row is what the tests decode into, with every form that a field can have.
type row struct {
	Base
	Name  string           `toml:"name"`
	List  []row            `toml:"list"`
	Deep  *row             `toml:"deep,omitempty,inline"`
	Stock map[string]int64 `toml:"stock"`
	Pairs [][]pair         `toml:"pairs"`
	Any   any              `toml:"any"`
	Plain int64
	Not   int64 `toml:"-"`
}

type (
	Base struct {
		Size int64 `toml:"size"`
	}
	pair struct {
		A int64 `toml:"a"`
	}
)

// cpuTime is the CPU time of the process so far; always 0 where the system does not say.
var cpuTime = func() time.Duration { return 0 }

var small, large = Limits{1000, 1000}, Limits{16 << 20, 300_000}

// endsWith is for the decoder's paths, which leave out what an inline table is in.
func endsWith(path, end []string) bool {
	return len(path) >= len(end) && slices.Equal(path[len(path)-len(end):], end)
}

// TestUnknownKeys: the walk finds what the decoder's own search finds first.
func TestUnknownKeys(t *testing.T) {
	for _, text := range []string{
		"name = 'a'\nsize = 1\nPLAIN = 2\n[deep]\nname = 'b'\n", "nam = 1", "\n\nsize = 1\nsizes = 2\nother = 3", "[deep]\n\nsizes = 1", "[deeper]\nx = 1\n[deeperer]", "[[list]]\n[[list]]\nbad = 1",
		"[[lists]]\nname = 'a'", "[list.deep]\nname = 'a'\nbad = 2", "stock = {a = 1, b = 2}\nbad = {a = 1}", "deep = {name = 'a', deep = {bad = 1}}", "list = [{name = 'a'}, {deep = {bad = 1}}]",
		"pairs = [[{a = 1}], [{a = 1}, {b = 2}]]", "any = {x = {y = [{z = 1}]}}\n[any2]", "deep.deep.bad = 1", "deep.deep.name = 'x'\ndeep.deep.size = 3", "not = 1", "'-' = 1",
		"any.x.y = 1", "[stock]\na = 1\n[stock2]\nb = 1", "list = [\n{name = 'a'},\n{nome = 'b'}]", "base = 1", "# [bad]\nname = '[bad]'\n\"bad\" = 1", "[any.thing]\nx = 1", "[[list]]\n[list.stock]\nx=1\n[list.bad]",
	} {
		var want, got row
		decoder := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields()
		err := decoder.Decode(&want)
		bad, _ := errors.AsType[*Error](DecodeTOML([]byte(text), small, &got))
		unknown, ok := errors.AsType[*toml.StrictMissingError](err)
		if !ok {
			if (err != nil) != (bad != nil) {
				t.Errorf("%q: %v, the decoder says %v", text, bad, err)
			}
			continue
		}
		line, _ := unknown.Errors[0].Position()
		if bad == nil || !bad.Unknown || !endsWith(bad.Key, unknown.Errors[0].Key()) || bad.Line != line {
			t.Errorf("%q: %v, the decoder says line %d: %v", text, bad, line, unknown.Errors[0].Key())
		}
	}
}

// FuzzDecodeTOML: this package finds the same fault in every text as the decoder does.
func FuzzDecodeTOML(f *testing.F) {
	for _, text := range []string{"name = 'a'\n[[list]]\nname = \"\"\"b\\\"\"\"\"\"\nbad = [{a = 1.5}]", "[a.'b]'.\"c\\\"]\"] # x\nd = 1979-05-27T07:32:00Z", "deep = {deep = {a.b = 1}}", "pairs = [[{a = 1}\n], # ]\n]\n[[list.list]]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > small.Bytes {
			return
		}
		var want, got row
		err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(&want)
		bad, failed := errors.AsType[*Error](DecodeTOML([]byte(text), small, &got))
		unknown, ok := errors.AsType[*toml.StrictMissingError](err)
		switch {
		case failed && strings.Contains(bad.Problem, "; allowed: "): // over a bound
		case failed != (err != nil), failed && ok != bad.Unknown, failed && (bad.Line < 1 || bad.Line > 1+strings.Count(text, "\n")):
			t.Errorf("%q: %v, the decoder says %v", text, bad, err)
		case ok && !endsWith(bad.Key, unknown.Errors[0].Key()):
			t.Errorf("%q: %v, the decoder says %v", text, bad, unknown.Errors[0].Key())
		}
	})
}

func TestErrorsSayWhereAndWhat(t *testing.T) {
	for text, want := range map[string]string{
		"name = 'a'\nsize = 'b'": "line 2: size: cannot be a TOML string", "name = 'a'\n\nname = 'b'": "line 3: ", "[deep": "line 1: ", "\n\nlist = [{bad = 1}]": `line 3: unknown field "list.bad"`,
		"name = '" + strings.Repeat("a", 1000) + "'":      "line 1: the text has more than 1000 bytes; allowed: at most that many",
		"\nany = " + strings.Repeat("[\n", 200):           "line 102: values or keys are nested more than 100 deep; allowed: at most that",
		"\nany" + strings.Repeat(".\"a\"", 200) + " = 1":  "line 2: values or keys are nested more than 100 deep; allowed: at most that",
		"[any" + strings.Repeat(" . b", 200) + "]\nx = 1": "line 1: values or keys are nested more than 100 deep; allowed: at most that",
	} {
		if err := DecodeTOML([]byte(text), small, new(row)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	// What is in a text, a comment or one after the other has no bound but that on bytes.
	for _, text := range []string{
		"name = '" + strings.Repeat("[", 200) + "'", `name = "\"` + strings.Repeat("{", 200) + `"`, "name = '''\n" + strings.Repeat("[[x]]\n", 200) + "'''''", "# " + strings.Repeat("[", 300) + "\nname = 'a'",
		"name = \"\"\"\\\"\"\"" + strings.Repeat("{", 200) + "\"\"\"\"\"\nsize = 1", "any = [" + strings.Repeat("[1.5, 2.5], ", 300) + "]", strings.Repeat("[[list]]\nname = 'a.b.c' # [x]\n", 400),
		strings.Repeat("[[ list ]] # one\nname = 'a'\nsize = 1\n[list.stock]\na = 1\n", 10_000),
	} {
		if err := DecodeTOML([]byte(text), large, new(row)); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// numbered repeats a pattern with the numbers from 0 in place of N.
func numbered(n int, pattern string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(pattern, "N", fmt.Sprint(i)))
	}
	return b.String()
}

// TestExpensiveDocumentsAreRefused: within a second of CPU time and in little memory, for every
// kind of text that would keep a parser busy.
func TestExpensiveDocumentsAreRefused(t *testing.T) {
	million := strings.Repeat("1,", 1_000_000)
	documents := map[string]string{
		"200,000 inline keys":        "any = {" + numbered(200_000, "kN=1,") + "z=1}",
		"200,000 keys":               numbered(200_000, "kN=1\n"),
		"200,000 dotted keys":        numbered(200_000, "any.kN=1\n"),
		"200,000 tables":             numbered(200_000, "[any.kN]\n"),
		"200,000 arrays of tables":   numbered(200_000, "[[any.kN]]\n"),
		"arrays between tables":      numbered(200_000, "[any.kN]\n[[list]]\n"),
		"keys before arrays":         numbered(4_000, "kN=1\n") + numbered(100_000, "[[list]]\nname='a'\n"),
		"an array before its keys":   "[[list]]\n[any]\n" + numbered(4_000, "kN=1\n") + numbered(100_000, "[[list]]\nname='a'\n"),
		"quoted array names":         numbered(200_000, "[[any.\"#]N\"]]\n"),
		"keys in tables of an array": "any = [" + numbered(200_000, "{kN=1},") + "]",
		"100,000 brackets":           "any = " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"100,000 open brackets":      "any = " + strings.Repeat("[", 100_000),
		"100,000 braces":             "any = " + strings.Repeat("{a=", 100_000),
		"100,000 dots":               "any" + strings.Repeat(".a", 100_000) + "=1",
		"100,000 dots in a table":    "[any" + strings.Repeat(".a", 100_000) + "]",
		"a million numbers":          "any = [" + million + "1]",
		"millions of lines":          strings.Repeat("\n", 15<<20) + "x",
		"60 MB":                      strings.Repeat("# a comment\n", 5_000_000),
		"a text of 50 MB":            "name = '" + strings.Repeat("a", 50_000_000) + "'",
	}
	refused := func(name, text string, read func(data []byte) error) {
		data := []byte(text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := cpuTime()
		err := read(data)
		took := cpuTime() - begin
		runtime.ReadMemStats(&after)
		t.Logf("%s: %v", name, took)
		if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), "; allowed: ") {
			t.Errorf("%s: %.200v, want a bound named", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; took > time.Second || used > 1<<20 {
			t.Errorf("%s: refused after %v with %d bytes allocated", name, took, used)
		}
	}
	for name, text := range documents {
		refused(name, text, func(data []byte) error { return DecodeTOML(data, large, new(row)) })
	}
	for name, text := range map[string]string{
		"100,000 JSON brackets": strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "JSON braces": strings.Repeat(`{"a":`, 100_000), "a million JSON numbers": "[" + million + "1]",
		"400,000 JSON keys": "{" + numbered(400_000, `"kN":1,`) + `"z":1}`, "a JSON text of 50 MB": `["` + strings.Repeat("a", 50_000_000) + `"]`, "60 MB of JSON": "[" + strings.Repeat(" ", 60_000_000) + "]",
	} {
		refused(name, text, func(data []byte) error { return CheckJSON(data, large) })
	}
}

// TestDocumentsAtTheBoundsAreFast: what the bounds let through is decoded, or refused by
// the decoder, without delay too.
func TestDocumentsAtTheBoundsAreFast(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for name, text := range map[string]string{
		"keys": numbered(KeysMax, "kN=1\n"), "known keys": "[stock]\n" + numbered(KeysMax-1, "kN=1\n"), "tables": "[any]\n" + numbered(KeysMax/2-1, "[any.kN]\n"), "inline": "any={" + numbered(KeysMax-2, "kN=1,") + "z=1}",
		"array": "any=[" + strings.Repeat("1,", large.Values-2) + "1]", "array of tables": numbered(100_000, "[[list]]\nname='a'\nsize=1\n"), "unknown in tables": numbered(100_000, "[[list]]\nnames='a'\nsizes=1\n"),
		"keys before arrays": numbered(400, "kN=1\n") + numbered(30_000, "[[list]]\nname='a'\n"), "array before keys": "[[list]]\n[any]\n" + numbered(400, "kN=1\n") + "\n" + numbered(30_000, "[[list]]\nname='a'\n"),
		"long comment and unknown keys": "#" + strings.Repeat("a", 15<<20) + "\n" + numbered(4_900, "kN=1\n"), "bad end": numbered(4_900, "kN=1\n") + strings.Repeat("\n", LinesMax-5_000) + "x",
	} {
		begin := cpuTime()
		err := DecodeTOML([]byte(text), large, new(row))
		took := cpuTime() - begin
		t.Logf("%s: %v, %v", name, took, err)
		if took > 5*time.Second || err != nil && strings.Contains(err.Error(), "; allowed: ") {
			t.Errorf("%s: took %v: %v", name, took, err)
		}
	}
}
