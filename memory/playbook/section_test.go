package playbook

import (
	"strings"
	"testing"

	"example.com/agentworld/trace"
)

func TestIDs(t *testing.T) {
	for _, c := range []struct {
		id     string
		number int
		ok     bool
	}{
		{"nav-00012", 12, true}, {"err-12345", 12345, true}, {"haz-123456", 123456, true}, {"res-999999999", NumberMax, true},
		{"res-1000000000", 0, false}, {"nav-000012", 0, false}, {"nav-0012", 0, false}, {"nav-00000", 0, false},
		{"nav--0012", 0, false}, {"nav-+0012", 0, false}, {"nav-0001a", 0, false}, {"Nav-00012", 0, false},
		{"misc-00012", 12, true}, {"toolong-00012", 0, false}, {"n-00012", 0, false}, {"nav", 0, false}, {"nav-", 0, false}, {"-00012", 0, false}, {"", 0, false},
		{"nav-99999999999999999999", 0, false}, {" nav-00012", 0, false}, {"nav-０００１２", 0, false},
	} {
		section, number, ok := splitID(c.id)
		if ok != c.ok || ok && (number != c.number || newID(section, number) != c.id) {
			t.Errorf("splitID(%q) = %q, %d, %v, want %d, %v", c.id, section, number, ok, c.number, c.ok)
		}
	}
}

// ownFile has a section of the operator's own, with one lesson.
const ownFile = "format = 2\nversion = 1\nlast = 1\n[[section]]\nname = 'deep'\ntitle = 'Deep mining'\n[[bullet]]\nid = 'deep-00001'\ncontent = 'Bring a second battery below.'\n"

// TestOwnSections are kept by changes, rollbacks and files, and lessons may be added to them.
func TestOwnSections(t *testing.T) {
	p, err := Parse([]byte(ownFile))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Title("deep") + ", " + p.Title(Nav) + ", " + p.Title("misc"); got != "Deep mining, Movement, " {
		t.Errorf("the titles are %q", got)
	}
	consolidation := ConsolidationInput{Decisions: decisionsOfAll()}
	evidence := []Evidence{consolidation.Decisions[0].Evidence}
	add := func(section Section, content string) Delta {
		return Delta{Op: OpAdd, Section: section, Content: content, Evidence: evidence, Trust: trace.TrustSelfObservation}
	}
	next, applied, rejected := Apply(p, []Delta{
		add("deep", "Light ends at the third rock."), add("misc", "Another lesson altogether."), add(Nav, "Second battery: bring it below!"),
	}, consolidation, Limits{})
	if len(applied) != 1 || applied[0].After.ID != "deep-00002" || len(rejected) != 2 || rejected[0].Code != UnknownSection || rejected[1].Code != Duplicate {
		t.Errorf("applied %+v, rejected %+v", applied, rejected)
	}
	back, err := next.Rollback(1, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, book := range []*Playbook{next, back} {
		again, err := Parse(book.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if string(again.Encode()) != string(book.Encode()) || again.Title("deep") != "Deep mining" || len(again.Stats().Sections) != len(Sections())+1 {
			t.Errorf("the file reads back as\n%s", again.Encode())
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{"'deep'", "'nav'", `line 4: "nav" is no name of a section of one's own`},
		{"'deep'", "'said'", `line 4: "said" is no name of a section of one's own`},
		{"'deep'", "'Deep'", `line 4: "Deep" is no name of a section of one's own; allowed: 2 to 5 of a-z, and none of nav, `},
		{"'Deep mining'", "' '", "line 4: the title of deep is not one line of 1 to 60 characters"},
		{"[[bullet]]", "[[section]]\nname = 'deep'\ntitle = 'x'\n[[bullet]]", "line 7: the section deep is there twice"},
		{"deep-00001", "deeq-00001", `line 7: "deeq-00001" is not the id of a bullet`},
		{"title", "titel", `line 6: unknown key "titel"; allowed: name, title`},
	} {
		if _, err := Parse([]byte(strings.Replace(ownFile, c.from, c.to, 1))); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %s", c.to, c.from, err, c.want)
		}
	}
	_, undeclared, _ := strings.Cut(string(next.Encode()), "[[bullet]]")
	if _, err := Parse([]byte("format = 2\nversion = 2\nlast = 2\n" + undeclared[strings.Index(undeclared, "[[history]]"):])); err == nil || !strings.Contains(err.Error(), "is of a section that no table [[section]] names") {
		t.Errorf("a history of a section without a table: %v", err)
	}
}
