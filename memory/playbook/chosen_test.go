package playbook

import (
	"testing"

	"example.com/agentworld/trace"
)

// chosenBy is the decision of a tick whose effect the agents chose; none is the world's own answer.
func chosenBy(tick int, givers string, used ...string) Decision {
	d := decisionOf(tick, used...)
	d.Givers = givers
	return d
}

// TestALessonFromOneAgentsChoiceIsDerived: what one agent gives or accepts at will shows nothing but
// its will. The same lesson is believed once the world itself or a second agent bears it out, and no
// repetition by the first one raises it.
func TestALessonFromOneAgentsChoiceIsDerived(t *testing.T) {
	const lesson = "Ask the neighbour for hardware when the store is empty."
	for name, tc := range map[string]struct {
		first, again Decision
		then         Code
		want         trace.Trust
	}{
		"the same agent":   {chosenBy(1, "agent-2"), chosenBy(2, "agent-2"), Duplicate, trace.TrustDerived},
		"a second agent":   {chosenBy(1, "agent-2"), chosenBy(2, "agent-3"), "", trace.TrustSelfObservation},
		"the world":        {chosenBy(1, "agent-2"), chosenBy(2, ""), "", trace.TrustSelfObservation},
		"two agents alike": {chosenBy(1, "agent-2 agent-3"), chosenBy(2, "agent-2"), Duplicate, trace.TrustSelfObservation},
	} {
		t.Run(name, func(t *testing.T) {
			add := func(p *Playbook, d Decision) (*Playbook, []Rejected) {
				next, _, rejected := Apply(p, []Delta{{Op: OpAdd, Section: Soc, Content: lesson, Evidence: []Evidence{d.Evidence},
					Trust: trace.TrustSelfObservation}}, ConsolidationInput{Decisions: []Decision{d}}, Limits{})
				return next, rejected
			}
			p, rejected := add(New(), tc.first)
			if len(rejected) != 0 {
				t.Fatalf("rejected %+v", rejected)
			}
			reread, err := Parse(p.Encode())
			if err != nil {
				t.Fatal(err)
			}
			next, rejected := add(reread, tc.again)
			if tc.then == "" && len(rejected) != 0 || tc.then != "" && (len(rejected) != 1 || rejected[0].Code != tc.then) {
				t.Errorf("the second time: rejected %+v, want %q", rejected, tc.then)
			}
			b := next.Bullets()[0]
			if next.Len() != 1 || b.Trust != tc.want {
				t.Errorf("%d lessons, trust %v, want %v", next.Len(), b.Trust, tc.want)
			}
			if tc.then != "" {
				return
			}
			back, err := next.Rollback(1, 5)
			if was := back.Bullets()[0]; err != nil || was.Trust != trace.TrustDerived {
				t.Errorf("before, it was %v, %v", was.Trust, err)
			}
		})
	}
}

// TestChoiceGivesNoCredit: a gift does not make the lesson helpful that asked for it.
func TestChoiceGivesNoCredit(t *testing.T) {
	p := seeded(t, 1)
	for givers, want := range map[string]Code{"agent-2": ChosenByOthers, "": "", "agent-2 agent-3": ""} {
		d := chosenBy(3, givers, "nav-00001")
		next, applied, rejected := Apply(p, []Delta{{Op: OpTag, ID: "nav-00001", Tag: Helpful, Evidence: []Evidence{d.Evidence}}},
			ConsolidationInput{Decisions: []Decision{d}}, Limits{})
		b, _ := next.Bullet("nav-00001")
		if want == "" && (len(applied) != 1 || b.Helpful != 1) || want != "" && (len(rejected) != 1 || rejected[0].Code != want) {
			t.Errorf("chosen by %q: helpful %d, rejected %+v, want %q", givers, b.Helpful, rejected, want)
		}
	}
}
