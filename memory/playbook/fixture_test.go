package playbook

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/agentworld/trace"
)

// lines returns the bullets as prompts show them, with their counts.
func lines(p *Playbook) []string {
	var out []string
	for _, b := range p.bullets {
		out = append(out, fmt.Sprintf("%s +%d-%d=%d", b.Line(), b.Helpful, b.Harmful, b.Neutral))
	}
	return out
}

// subjects are different enough from each other to be lessons of their own.
var subjects = strings.Fields("ore hub chip power storm trade queue route heat draft note loan relay crane vault pump laser drone spool valve")

// content returns the nth lesson of a test.
func content(n int) string {
	a, b := subjects[n%len(subjects)], subjects[(n/len(subjects)+n+1)%len(subjects)]
	return fmt.Sprintf("Look after the %s before every %s number%d", a, b, n)
}

// seeded returns a playbook of n lessons of the operator, nav-00001 onwards.
func seeded(t testing.TB, n int) *Playbook {
	t.Helper()
	var bullets []Bullet
	for i := range n {
		bullets = append(bullets, Bullet{Section: Nav, Content: content(i)})
	}
	return begun(0, bullets...)
}

// begun returns a playbook of lessons of the operator, which its first version brought.
func begun(tick int64, bullets ...Bullet) *Playbook {
	if len(bullets) == 0 {
		return New()
	}
	first := Version{Number: 1, Tick: tick}
	for i := range bullets {
		b := &bullets[i]
		b.ID, b.Origin, b.Trust = newID(b.Section, i+1), Seed, trace.TrustRules
		b.Created = Stamp{Version: 1, Tick: tick}
		b.Updated = b.Created
		first.Changes = append(first.Changes, Change{Op: OpAdd, ID: b.ID})
	}
	return build(1, len(bullets), nil, bullets, []Version{first})
}

// decisionOf is the decision of tick n of agent-1, which used the bullets.
func decisionOf(n int, used ...string) Decision {
	return Decision{Evidence: Evidence{Run: "run-1", Tick: int64(n), Agent: "agent-1", Outcome: "ok"}, Used: used}
}

// because names the decision of tick n.
func because(n int) []Evidence {
	return []Evidence{{Run: "run-1", Tick: int64(n), Agent: "agent-1"}}
}

// counted returns p with uses of a bullet, in one consolidation each.
func counted(t testing.TB, p *Playbook, id string, helpful, harmful, neutral int) *Playbook {
	t.Helper()
	n := 1000 * p.version
	for _, tag := range []struct {
		tag   Tag
		times int
	}{{Helpful, helpful}, {Harmful, harmful}, {Neutral, neutral}} {
		for range tag.times {
			n++
			next, _, rejected := Apply(p, []Delta{{Op: OpTag, ID: id, Tag: tag.tag, Evidence: because(n)}},
				ConsolidationInput{Decisions: []Decision{decisionOf(n, id)}}, Limits{BulletsMax: 10_000})
			if len(rejected) > 0 {
				t.Fatalf("a tag was rejected: %+v", rejected)
			}
			p = next
		}
	}
	return p
}

// learned is an added lesson as a model proposes it.
func learned(content string) Delta {
	return Delta{Op: OpAdd, Section: Res, Content: content, Evidence: because(1), Trust: trace.TrustSelfObservation}
}

// diff compares anything of this package; nil and empty lists are the same.
func diff(want, got any) string {
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.AllowUnexported(form{}))
}

// ground is the input of most consolidations in the tests.
var ground = ConsolidationInput{Tick: 40, Decisions: []Decision{decisionOf(1, "nav-00001"), decisionOf(2)}}
