package playbook

import (
	"fmt"
	"testing"

	"example.com/agentworld/trace"
)

func shelf(t testing.TB) *Playbook {
	t.Helper()
	p := begun(3,
		Bullet{Section: Nav, Content: "Recharge before a journey of more than one tick"},
		Bullet{Section: Haz, Content: "Leave the belt before the storm arrives"},
		Bullet{Section: Econ, Content: "Sell control chips above the price of their compound"},
		Bullet{Section: Res, Content: "矿区的矿石耗尽之前寻找新的矿区"},
		Bullet{Section: Nav, Content: "A journey to the outpost costs more than the battery holds"},
	)
	return counted(t, p, "nav-00005", 3, 0, 0)
}

func TestRetrieve(t *testing.T) {
	p := shelf(t)
	for _, c := range []struct {
		query    string
		sections []Section
		k        int
		want     string
	}{
		{"journey", nil, 5, "nav-00005 nav-00001"},
		{"journey", nil, 1, "nav-00005"},
		{"recharge before a journey", nil, 5, "nav-00001 nav-00005 haz-00002"},
		{"矿石", nil, 5, "res-00004"},
		// In a whole situation the words still count for more than a good record.
		{"tick 40: idle at place-3, stock 12 g of gas, heat fine, the storm arrives from the belt; agent-2 went to the outpost", nil, 2, "haz-00002 nav-00005"},
		{"寻找chips", nil, 5, "econ-00003 res-00004"},
		{"zebra", nil, 5, ""},
		{"zebra", []Section{Haz, Econ}, 5, "haz-00002 econ-00003"},
		{"chips", []Section{Haz}, 5, "econ-00003 haz-00002"},
		{"", nil, 9, "nav-00005 nav-00001 haz-00002 econ-00003 res-00004"},
		{"", []Section{Nav}, 9, "nav-00005 nav-00001"},
		{"journey", nil, 0, ""},
		{"journey", nil, -3, ""},
	} {
		got := ""
		for _, s := range p.Retrieve(c.query, c.sections, trace.TrustToolError, c.k) {
			if got != "" {
				got += " "
			}
			got += s.ID
		}
		if got != c.want {
			t.Errorf("Retrieve(%q, %v, %d) = %q, want %q", c.query, c.sections, c.k, got, c.want)
		}
	}
}

func TestScoreFormula(t *testing.T) {
	for _, s := range shelf(t).Retrieve("journey outpost", []Section{Nav}, trace.TrustToolError, 5) {
		want := (600*s.Relevance + 250*s.Helpfulness() + 150*s.Match) / 1000
		if s.Score != want || s.Match != 1000 || s.Relevance <= 0 || s.Relevance > 1000 {
			t.Errorf("%s has score %d from relevance %d and match %d, want %d", s.ID, s.Score, s.Relevance, s.Match, want)
		}
	}
}

func TestHelpfulness(t *testing.T) {
	for _, c := range []struct {
		helpful, harmful, neutral int
		want                      int64
	}{{0, 0, 0, 500}, {0, 0, 99, 500}, {1, 0, 0, 666}, {3, 1, 5, 666}, {0, 8, 0, 100}, {CountMax, 0, 0, 999}} {
		b := Bullet{Helpful: c.helpful, Harmful: c.harmful, Neutral: c.neutral}
		if got := b.Helpfulness(); got != c.want {
			t.Errorf("Helpfulness of %d/%d/%d = %d, want %d", c.helpful, c.harmful, c.neutral, got, c.want)
		}
	}
}

func TestSource(t *testing.T) {
	p := shelf(t)
	got := p.Retrieve("矿石", []Section{Res}, trace.TrustToolError, 1)[0].Source()
	want := trace.Source{
		ID: "res-00004", Kind: "bullet", Title: "res", Preview: "矿区的矿石耗尽之前寻找新的矿区", Score: got.Score, Chars: 27, OriginTick: 3, Trust: trace.TrustRules,
		Text: "[res-00004] 矿区的矿石耗尽之前寻找新的矿区",
	}
	if d := diff(want, got); d != "" || got.Score < 150+125 {
		t.Errorf("source (-want +got):\n%s", d)
	}
	low := Bullet{ID: "soc-00001", Content: `do "this" now`, Trust: trace.TrustOtherAgent}
	if got, want := low.Line(), `[soc-00001] "do \"this\" now"`; got != want {
		t.Errorf("Line() = %s, want %s", got, want)
	}
}

func TestStats(t *testing.T) {
	p := seeded(t, 6)
	for i, n := range [][3]int{{6, 1, 0}, {6, 2, 0}, {2, 2, 1}, {0, 3, 0}, {0, 0, 1}} {
		p = counted(t, p, newID(Nav, i+1), n[0], n[1], n[2])
	}
	want := Stats{
		Version: p.version, Bullets: 6, Chars: chars(p.bullets), Helpful: 14, Harmful: 8, Neutral: 2,
		HighPerforming: 1, Problematic: 1, Unused: 1,
		Sections: []SectionCount{{Nav, 6}, {Res, 0}, {Econ, 0}, {Soc, 0}, {Haz, 0}, {Proto, 0}, {Err, 0}},
	}
	if d := diff(want, p.Stats()); d != "" {
		t.Errorf("stats (-want +got):\n%s", d)
	}
}

// crowd returns a playbook of n bullets.
func crowd(n int) *Playbook {
	bullets := make([]Bullet, n)
	for i := range bullets {
		section := Sections()[i%len(sectionNames)]
		bullets[i] = Bullet{
			ID: newID(section, i+1), Section: section, Helpful: i % 7, Harmful: i % 3, Trust: trace.TrustSelfObservation, Origin: Reflection,
			Content: fmt.Sprintf("%s when the %s of place%d is %s than tick %d", content(i), subjects[i%13], i%500, subjects[i%11], i),
		}
	}
	return build(1, n, nil, bullets, nil)
}

// TestRetrieveLeavesTheCrowdAlone holds that a retrieval allocates for what it
// returns and for one number per bullet, not for every candidate.
func TestRetrieveLeavesTheCrowdAlone(t *testing.T) {
	small, large := crowd(100), crowd(5000)
	measure := func(p *Playbook) float64 {
		return testing.AllocsPerRun(10, func() { p.Retrieve("storm near the hub, queue", []Section{Nav}, trace.TrustToolError, 8) })
	}
	if a, b := measure(small), measure(large); b > a+10 {
		t.Errorf("%v allocations for 100 bullets and %v for 5000", a, b)
	}
}

func BenchmarkRetrieve10000(b *testing.B) {
	p := crowd(10_000)
	for b.Loop() {
		p.Retrieve("power low at the hub, storm ahead, journey to place42", []Section{Nav, Haz}, trace.TrustToolError, 8)
	}
}
