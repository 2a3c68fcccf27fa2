package policy

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// situation is everything an audit judges by, drawn at random from few values so
// that actions, plans, clauses and texts meet often.
type situation struct {
	clauses  []world.Clause
	action   world.Action
	evidence Evidence
	goal     string
}

var specs = world.Actions()

func drawSituation(rt *rapid.T, view world.View) situation {
	s := situation{evidence: Evidence{View: view}}
	s.action, _ = view.Clamp(anyAction(rt, specs))
	for range rapid.IntRange(0, 4).Draw(rt, "clauses") {
		s.clauses = append(s.clauses, drawClause(rt, s.action))
	}
	for range rapid.IntRange(0, 3).Draw(rt, "plan") {
		s.evidence.Plan = append(s.evidence.Plan, drawPlanned(rt, s.action))
	}
	for range rapid.IntRange(0, 3).Draw(rt, "texts") {
		s.evidence.Untrusted = append(s.evidence.Untrusted, drawSource(rt, rapid.SampledFrom(agents).Draw(rt, "author")))
	}
	s.goal = rapid.SampledFrom([]string{"", "Mine 2000 g.", "Help agent-2 at the rim."}).Draw(rt, "goal")
	if rapid.Bool().Draw(rt, "cited") && len(s.evidence.Untrusted) > 0 {
		s.evidence.Declared = s.evidence.Untrusted[:1]
	}
	if rapid.Bool().Draw(rt, "spent") {
		s.evidence.Spent = s.compile().Spend(Spending{}, view.Place(), s.action)
	}
	return s
}

func (s situation) compile() Policy {
	return Compile("agent-1", world.Persona{ShortTermGoal: s.goal}, s.clauses)
}

func (s situation) passes() bool {
	_, ok := s.compile().Evaluate(s.action, s.evidence)
	return ok
}

// drawClause draws a clause that is often about the action.
func drawClause(rt *rapid.T, a world.Action) world.Clause {
	c := world.Clause{Agent: rapid.SampledFrom([]string{"*", "agent-1"}).Draw(rt, "agent"), Action: "*"}
	c.Effect = rapid.SampledFrom([]string{world.EffectAllow, world.EffectForbid}).Draw(rt, "effect")
	if rapid.IntRange(0, 3).Draw(rt, "one action") > 0 {
		c.Action = a.ActionName()
		if o, ok := a.(world.ExecuteUntil); ok && rapid.Bool().Draw(rt, "inner") {
			c.Action = o.Do.ActionName()
		}
	}
	c.To = rapid.SampledFrom([]string{"", "", "*", "agent-2", "agent-3", "rim", "asker"}).Draw(rt, "to")
	c.What = rapid.SampledFrom([]string{"", "", "data", "electricity", "buy"}).Draw(rt, "what")
	c.At = rapid.SampledFrom([]string{"", "", "hub", "rim"}).Draw(rt, "at")
	c.Most = rapid.SampledFrom([]int64{0, 0, 10, 2000}).Draw(rt, "most")
	c.Total = rapid.SampledFrom([]int64{0, 0, 12, 7000}).Draw(rt, "total")
	c.AskedBy = rapid.SampledFrom([][]string{nil, {"*"}, {"agent-2"}, {"agent-2", "agent-3"}}).Draw(rt, "asked by")
	return c
}

// drawPlanned draws a planned action that is often the action, with parts left open.
func drawPlanned(rt *rapid.T, a world.Action) PlannedAction {
	if rapid.IntRange(0, 2).Draw(rt, "another") == 0 {
		a = anyAction(rt, specs)
	}
	i, _ := Planned(a)
	for _, part := range []*string{&i.To, &i.ID, &i.What, &i.Text} {
		if rapid.Bool().Draw(rt, "open") {
			*part = ""
		}
	}
	for _, number := range []**int64{&i.Amount, &i.Price} {
		if rapid.Bool().Draw(rt, "open number") {
			*number = nil
		}
	}
	return i
}

func drawSource(rt *rapid.T, author string) trace.Source {
	trust := rapid.SampledFrom([]trace.Trust{trace.TrustToolError, trace.TrustOtherAgent, trace.TrustDerived}).Draw(rt, "trust")
	text := rapid.SampledFrom([]string{
		"hello", "give me 10 electricity", "AGENT 2 wants 12 data", "go to the rim", "refine 7,000 g", "agent-3 has 2000 g, 1 data", "采矿 2 kg",
	}).Draw(rt, "text")
	return trace.Source{ID: "s", Kind: trace.KindMessage, OriginAgent: author, Trust: trust, Text: text}
}

// TestMoreInfluenceNeverHelps: whatever adds to the influence of texts, or takes away
// from what the agent set out to do, turns no refusal into a pass.
func TestMoreInfluenceNeverHelps(t *testing.T) {
	view := viewOf(t, 1)
	for _, tt := range []struct {
		name   string
		worsen func(rt *rapid.T, s *situation) bool
	}{
		{"a forbid more", func(rt *rapid.T, s *situation) bool {
			c := drawClause(rt, s.action)
			c.Effect, c.AskedBy = world.EffectForbid, nil
			s.clauses = append(s.clauses, c)
			return true
		}},
		{"a planned action less", func(rt *rapid.T, s *situation) bool {
			if len(s.evidence.Plan) == 0 {
				return false
			}
			i := rapid.IntRange(0, len(s.evidence.Plan)-1).Draw(rt, "less")
			s.evidence.Plan = slices.Delete(s.evidence.Plan, i, i+1)
			return true
		}},
		{"a citation more", func(rt *rapid.T, s *situation) bool {
			if len(s.evidence.Untrusted) == 0 {
				return false
			}
			s.evidence.Declared = append(slices.Clone(s.evidence.Declared), rapid.SampledFrom(s.evidence.Untrusted).Draw(rt, "cited"))
			return true
		}},
		{"a text more of an author whom no clause names", func(rt *rapid.T, s *situation) bool {
			author := rapid.SampledFrom([]string{"agent-9", ""}).Draw(rt, "stranger")
			s.evidence.Untrusted = append(slices.Clone(s.evidence.Untrusted), drawSource(rt, author))
			return true
		}},
		{"a proposal that a text names, where nobody may ask", func(_ *rapid.T, s *situation) bool {
			if slices.ContainsFunc(s.clauses, func(c world.Clause) bool { return len(c.AskedBy) > 0 }) {
				return false // whose text names an amount also says who asks for it
			}
			s.evidence.Proposed = withNumbers(s.action, &amounts[3], &amounts[3])
			return true
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refused := 0
			rapid.Check(t, func(rt *rapid.T) {
				s := drawSituation(rt, view)
				before := s.passes()
				if tt.worsen(rt, &s) && !before {
					refused++
					if s.passes() {
						rt.Fatalf("passes now: %+v", s)
					}
				}
			})
			if refused == 0 && !testing.Short() { // of the few draws of -short one in ten may be refused
				t.Error("nothing was refused to begin with")
			}
		})
	}
}

// TestLayersOnlyRestrict: with any layer left out everything passes that passed with
// it, except what cannot be audited.
func TestLayersOnlyRestrict(t *testing.T) {
	view := viewOf(t, 1)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, view)
		before := s.passes()
		s.evidence.Off = []Layer{rapid.SampledFrom(Layers()).Draw(rt, "off")}
		if before && !s.passes() {
			rt.Fatalf("refused without a layer: %+v", s)
		}
	})
}

// TestAuditsAreRepeatable: the same evidence gives the same finding and is not
// changed by being looked at.
func TestAuditsAreRepeatable(t *testing.T) {
	view := viewOf(t, 1)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, view)
		texts := slices.Clone(s.evidence.Untrusted)
		first, ok := s.compile().Evaluate(s.action, s.evidence)
		again, okAgain := s.compile().Evaluate(s.action, s.evidence)
		if ok != okAgain || !reflect.DeepEqual(first, again) {
			rt.Fatalf("%+v, then %+v", first, again)
		}
		if !reflect.DeepEqual(texts, s.evidence.Untrusted) {
			rt.Fatal("the evidence changed")
		}
		if ok != (first.Rule == "") || !ok && !slices.Contains(Rules(), first.Rule) {
			rt.Fatalf("%+v, %v", first, ok)
		}
	})
}
