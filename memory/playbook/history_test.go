package playbook

import (
	"testing"

	"example.com/agentworld/trace"
)

// storied returns a playbook that every kind of change went through, and its
// bullets after each version.
func storied(t testing.TB) (*Playbook, map[int][]Bullet) {
	t.Helper()
	g := ConsolidationInput{Tick: 7, Note: "run-1 :: learned", Decisions: []Decision{decisionOf(1, "nav-00001", "nav-00003"), decisionOf(2, "nav-00001"), decisionOf(3)}}
	odd := learned("去 hub 之前先充电 :: \"reserve\" of 10%")
	odd.Evidence = []Evidence{{Run: "run/ü 2", Tick: 9, Agent: `an "agent"`}}
	odd.Parents, odd.Reason = []string{"mem-1-1", "tick 3"}, "first =\n:: reason"
	g.Decisions = append(g.Decisions, Decision{Evidence: Evidence{Run: "run/ü 2", Tick: 9, Agent: `an "agent"`, Outcome: "rejected: 5 < 10"}})
	g.Sources = []trace.Source{{ID: "mem-1-1", Trust: trace.TrustSelfObservation}, {ID: "tick 3", Trust: trace.TrustRules}}
	tag := func(id string, tag Tag, n int) Delta { return Delta{Op: OpTag, ID: id, Tag: tag, Evidence: because(n)} }
	update := func(id, content string, n int) Delta {
		return Delta{Op: OpUpdate, ID: id, Content: content, Evidence: because(n), Trust: trace.TrustSelfObservation}
	}
	steps := []struct {
		deltas []Delta
		limits Limits
	}{
		{deltas: []Delta{tag("nav-00001", Harmful, 1), odd, tag("nav-00003", Neutral, 1)}},
		{deltas: []Delta{tag("nav-00001", Harmful, 2), update("nav-00002", "Buy nothing that the assembler can make", 3)}},
		{deltas: []Delta{update("nav-00003", content(0), 2)}},
		{deltas: []Delta{{Op: OpRemove, ID: "nav-00001", Evidence: because(2)}}},
		{deltas: []Delta{learned("Refine compound as soon as the assembler is idle")}, limits: Limits{BulletsMax: 3}},
		{deltas: nil, limits: Limits{BulletsMax: 2}},
	}
	steps[4].deltas[0].Evidence = because(2)
	p := seeded(t, 4)
	versions := map[int][]Bullet{0: {}, 1: p.Bullets()}
	for i, s := range steps {
		next, _, rejected := Apply(p, s.deltas, g, s.limits)
		if len(rejected) > 0 || next.version != i+2 {
			t.Fatalf("step %d led to version %d, rejected %q", i, next.version, codes(rejected))
		}
		p, versions[next.version] = next, next.Bullets()
	}
	next, err := p.Rollback(3, 90)
	if err != nil {
		t.Fatal(err)
	}
	versions[next.version] = next.Bullets()
	return next, versions
}

func TestEveryVersionCanBeReached(t *testing.T) {
	p, versions := storied(t)
	reread, err := Parse(p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	for _, book := range []*Playbook{p, reread} {
		for version := range p.version + 1 {
			got, err := book.At(version)
			if d := diff(versions[version], got); err != nil || d != "" {
				t.Errorf("version %d (-want +got):\n%s%v", version, d, err)
			}
			back, err := book.Rollback(version, 99)
			if d := diff(versions[version], back.Bullets()); err != nil || d != "" {
				t.Errorf("rollback to %d (-want +got):\n%s%v", version, d, err)
			}
		}
	}
}

func TestRollbackIsANewVersion(t *testing.T) {
	p, _ := storied(t)
	back, err := p.Rollback(1, 99)
	if err != nil || back.version != p.version+1 || back.last != p.last {
		t.Errorf("rollback gave version %d with last %d, %v, want %d and %d", back.version, back.last, err, p.version+1, p.last)
	}
	again, err := back.Rollback(p.version, 100)
	if d := diff(p.Bullets(), again.Bullets()); err != nil || d != "" {
		t.Errorf("rolling a rollback back (-want +got):\n%s%v", d, err)
	}
	if same, err := p.Rollback(p.version, 5); same != p || err != nil {
		t.Errorf("rollback to the present gave another playbook, %v", err)
	}
	for _, version := range []int{-1, p.version + 1} {
		if got, err := p.Rollback(version, 5); err == nil || got != p {
			t.Errorf("rollback to version %d of %d gave no error", version, p.version)
		}
	}
	if _, err := p.At(99); err == nil || err.Error() != "version 99 of the playbook is not held: it reaches from 0 to 8" {
		t.Errorf("At(99) = %v", err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	p := counted(t, seeded(t, 1), "nav-00001", VersionsMax+10, 0, 0)
	if len(p.history) != VersionsMax || p.Oldest() != 11 || p.version != VersionsMax+11 {
		t.Errorf("%d versions held, the oldest %d of %d", len(p.history), p.Oldest(), p.version)
	}
	oldest, err := p.At(p.Oldest())
	if err != nil || oldest[0].Helpful != 10 {
		t.Errorf("the oldest version is %+v, %v, want one with 10 helpful uses", oldest, err)
	}
	if _, err := p.At(p.Oldest() - 1); err == nil {
		t.Error("a forgotten version was reached")
	}
	reread, err := Parse(p.Encode())
	if err != nil || reread.Oldest() != p.Oldest() {
		t.Errorf("after the file the oldest is %v, %v", reread, err)
	}
}

func TestDiff(t *testing.T) {
	p, _ := storied(t)
	first, err := p.At(1)
	if err != nil {
		t.Fatal(err)
	}
	fifth, err := p.At(5)
	if err != nil {
		t.Fatal(err)
	}
	differences := Diff(first, fifth)
	var got []string
	for _, d := range differences {
		before, after := "-", "-"
		if d.Before != nil {
			before = d.Before.Content
		}
		if d.After != nil {
			after = d.After.Content
		}
		got = append(got, d.ID+": "+before+" > "+after)
	}
	want := []string{
		"nav-00001: " + content(0) + " > -",
		"nav-00002: " + content(1) + " > Buy nothing that the assembler can make",
		"nav-00003: " + content(2) + " > -",
		"res-00005: - > 去 hub 之前先充电 :: \"reserve\" of 10%",
	}
	if d := diff(want, got); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
	if _, err := p.At(50); err == nil {
		t.Error("a version that does not exist was read")
	}
}

func TestWhatIsReadMayBeChanged(t *testing.T) {
	p, _ := storied(t)
	before := string(p.Encode())
	for _, b := range p.Bullets() {
		spoil(&b)
	}
	for _, v := range p.History() {
		for _, c := range v.Changes {
			if c.Before != nil {
				spoil(c.Before)
			}
			for i := range c.Evidence {
				c.Evidence[i].Agent = "spoilt"
			}
		}
	}
	old, _ := p.At(2)
	for _, b := range old {
		spoil(&b)
	}
	for _, s := range p.Retrieve("", nil, trace.TrustToolError, 9) {
		spoil(&s.Bullet)
	}
	if string(p.Encode()) != before {
		t.Error("changing what was read changed the playbook")
	}
}

// spoil changes everything in a bullet that could be shared.
func spoil(b *Bullet) {
	for i := range b.Evidence {
		b.Evidence[i].Agent = "spoilt"
	}
	for i := range b.Parents {
		b.Parents[i] = "spoilt"
	}
	for i := range b.Credited {
		b.Credited[i] = 1
	}
}
