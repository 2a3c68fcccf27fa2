package stub

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kindName is what kinds of faults look like: they are keys of reports and words on a
// command line.
var kindName = regexp.MustCompile(`^[a-z0-9_]+$`)

// TestCorpusIsSound holds every shape of the embedded file against the documentation of
// its type, and demands that enough of them can be drawn at any point of a turn.
func TestCorpusIsSound(t *testing.T) {
	names, universal := map[string]bool{}, 0
	for _, s := range Corpus() {
		repairs, failure := len(s.Repairs) > 0, s.Error != ""
		ends := map[string]bool{
			EndsAccepted: !repairs && !failure, EndsRepaired: repairs && !failure, EndsError: !repairs && failure, EndsRefused: failure,
		}
		switch {
		case !kindName.MatchString(s.Name) || names[s.Name]:
			t.Errorf("%s: the name is not unique, or not of lower-case letters, digits and underscores", s.Name)
		case s.Doc == "", !slices.Contains([]string{AsText, AsArguments, AsItems}, s.As):
			t.Errorf("%s: doc %q, as %q", s.Name, s.Doc, s.As)
		case !slices.IsSorted(s.Repairs):
			t.Errorf("%s: repairs are not sorted", s.Name)
		case !ends[s.Ends], s.Universal && s.Ends != EndsAccepted && s.Ends != EndsRepaired:
			t.Errorf("%s: ends %q does not go with repairs %v, error %q, universal %v", s.Name, s.Ends, s.Repairs, s.Error, s.Universal)
		}
		names[s.Name] = true
		if s.Universal {
			universal++
		}
		for _, found := range placeholder.FindAllString(s.Template, -1) {
			words := strings.Split(strings.Trim(found, "{}"), "|")
			known := slices.Contains([]string{"name", "arguments", "call", "decision", "action", "here", "place", "place_name"}, words[0])
			for _, style := range words[1:] {
				known = known && styles[style] != nil
			}
			if !known {
				t.Errorf("%s: there is no %s", s.Name, found)
			}
		}
	}
	if universal < 15 {
		t.Errorf("%d universal shapes, want at least 15", universal)
	}
}

// TestEveryShapeHasASource: each form of answers was met in public, at an address.
func TestEveryShapeHasASource(t *testing.T) {
	used := map[string]bool{}
	for _, source := range Sources() {
		if _, twice := used[source.Name]; twice || !kindName.MatchString(source.Name) {
			t.Errorf("%s: not unique, or no name", source.Name)
		}
		if source.Says == "" || len(source.At) == 0 || !slices.IsSorted(source.Repairs) {
			t.Errorf("%s: without a sentence or an address, or with unsorted repairs", source.Name)
		}
		for _, at := range source.At {
			if u, err := url.Parse(at); err != nil || u.Scheme != "https" || u.Host == "" || len(u.Path) < 2 {
				t.Errorf("%s: %q is no address of a page", source.Name, at)
			}
		}
		used[source.Name] = false
	}
	for _, s := range Corpus() {
		if len(s.Source) == 0 {
			t.Errorf("%s: has no source", s.Name)
		}
		for _, name := range s.Source {
			if _, known := used[name]; !known {
				t.Errorf("%s: there is no source %s", s.Name, name)
			}
			used[name] = true
		}
	}
}

// TestRenderStyles writes one object down in every style.
func TestRenderStyles(t *testing.T) {
	p := Placeholders{Name: "plan", Arguments: []byte(`{"a":"it's \"b\"","n":[1]}`), Decision: []byte(`{"decision":"wait"}`), PlaceName: "Rim"}
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
