package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

const sharedBook = `format = 2
version = 1
last = 1
bullet = [
  {id = 'nav-00001', helpful = 0, harmful = 0, neutral = 0, content = "Recharge before a long journey."},
]
`

var lessons = []trace.Source{{ID: "nav-00001", Kind: "bullet"}, {ID: "nav-00002", Kind: "bullet"}, {ID: "mem-1-1", Kind: "memory"}}

const gained = `{"accepted":true,"changes":[{"resource":"compound","amount":5},{"resource":"electricity","amount":-2}]}`

// effectsOf folds decisions of a run whose agents started with the shared book.
func effectsOf(t *testing.T, decisions ...trace.Decision) Provenance {
	t.Helper()
	f := newFolder()
	f.header(trace.Header{Settings: trace.Settings{ModelSource: trace.SourceLive, Playbook: sharedBook}})
	for _, d := range decisions {
		if err := f.add(d); err != nil {
			t.Fatal(err)
		}
	}
	r := f.report()
	if err := validate(r.JSON()); err != nil {
		t.Error(err)
	}
	return r.Provenance
}

// TestEffects: the outcomes of using a source are next to the outcomes of only having it in
// view, each with its counts. A mention alone changes no share.
func TestEffects(t *testing.T) {
	p := effectsOf(t,
		withSources(act(1, "a", mine, gained), lessons, "nav-00001"),
		withSources(act(2, "a", mine, gained), lessons, "nav-00001", "mem-1-1"),
		withSources(act(3, "b", mine, rejected), lessons, "nav-00002"),
		withSources(act(4, "b", mine, accepted), lessons[:1]),
		withSources(act(5, "a", `{"action":"wait"}`, accepted), lessons[:1], "nav-00001"),
		withSources(degraded("a", "llm_error:timeout"), lessons[:1]),
		withSources(standing(6, "a", mine, accepted), nil),
		act(7, "a", mine, accepted),
	)
	want := BulletEffect{ID: "nav-00001", Effect: Effect{
		Retrieved: 6, Used: 3,
		AfterUse: Outcomes{
			Decisions: 3, Actions: 2, Accepted: 2, AcceptedShare: &Estimate{1000, 342, 1000},
			Changes: []world.Amount{{Resource: "compound", Amount: 10}, {Resource: "electricity", Amount: -4}},
		},
		AfterUnused: Outcomes{Decisions: 2, Actions: 2, Accepted: 1, AcceptedShare: &Estimate{500, 95, 905}, Changes: []world.Amount{}},
		Difference:  &Estimate{500, -273, 905},
	}}
	if diff := cmp.Diff(want, p.Bullets[0]); diff != "" {
		t.Errorf("effect of the shared bullet (-want +got):\n%s", diff)
	}
	var rows []string
	for _, b := range p.Bullets {
		rows = append(rows, strings.TrimSpace(b.ID+" "+b.AgentID))
	}
	// The same id is another lesson for each agent that learned one.
	if diff := cmp.Diff([]string{"nav-00001", "nav-00002 a", "nav-00002 b"}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	var kinds []string
	for _, k := range p.Kinds {
		kinds = append(kinds, k.Kind)
		if e := k.Effect; k.Kind == "bullet" && (e.Retrieved != 6 || e.Used != 4 || e.AfterUse.Actions != 3 || e.AfterUse.Accepted != 2) {
			t.Errorf("all bullets: %+v", e)
		}
		if e := k.Effect; k.Kind == "memory" && (e.Retrieved != 3 || e.Used != 1 || e.AfterUnused.Accepted != 1) {
			t.Errorf("memories: %+v", e)
		}
	}
	if diff := cmp.Diff([]string{"bullet", "memory"}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

// TestNothingToCompare: a bullet that every decision used, or none, has no
// difference to show.
func TestNothingToCompare(t *testing.T) {
	for name, used := range map[string][]string{"always": {"nav-00001"}, "never": nil} {
		p := effectsOf(t, withSources(act(1, "a", mine, accepted), lessons[:1], used...))
		if e := p.Bullets[0].Effect; e.Difference != nil || e.AfterUse.Actions+e.AfterUnused.Actions != 1 {
			t.Errorf("%s used: %+v", name, e)
		}
	}
	if p := effectsOf(t); len(p.Bullets)+len(p.Kinds) != 0 {
		t.Errorf("effects without decisions: %+v", p)
	}
}

// TestCitationsOutOfViewEarnNothing: what was named without having been shown is
// counted apart, and no bullet's row changes by it.
func TestCitationsOutOfViewEarnNothing(t *testing.T) {
	d := withSources(act(1, "a", mine, accepted), lessons[:1], "nav-00001")
	d.SourcesCited = []trace.Citation{
		{ID: "nav-00001", Channel: "both", Status: "used"}, {ID: "nav-00002", Channel: "self", Status: "unknown"}, {ID: "nav-99999", Channel: "text", Status: "invented"},
	}
	d.SourcesUnknown, d.SourcesInvented = 1, 1
	p := effectsOf(t, d)
	if p.SourcesUsed != 1 || p.SourcesUnknown != 1 || p.SourcesInvented != 1 || len(p.Bullets) != 1 {
		t.Errorf("provenance %+v", p)
	}
	if diff := cmp.Diff(Counts{"both": 1}, p.UsedByChannel); diff != "" {
		t.Errorf("channels (-want +got):\n%s", diff)
	}
}

func TestLessonsLine(t *testing.T) {
	var r Report
	r.Provenance = effectsOf(t,
		withSources(act(1, "a", mine, accepted), lessons[:1], "nav-00001"), withSources(act(2, "b", mine, rejected), lessons[:2]),
	)
	const want = "nav-00001 used 1 of 2, accepted 1.000 after use, 0.000 otherwise, difference 1.000 (95% -0.122..1.000); nav-00002 of b used 0 of 1"
	if got := lineOf(r, "lessons"); got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}
