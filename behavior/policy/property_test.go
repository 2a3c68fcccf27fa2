package policy

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/internal/draws"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// situation is everything a check depends on, drawn at random from few values so that actions,
// plans, rules and terms meet often.
type situation struct {
	rules    []world.PolicyRule
	action   world.Action
	evidence Evidence
}

var (
	specs     = world.Actions()
	agents    = []string{"agent-2", "agent-3"}
	resources = []string{"electricity", "data", "hardware"}
)

func drawSituation(rt *rapid.T, view world.View) situation {
	seen := view.Observe()
	s := situation{evidence: Evidence{View: view, Seen: &seen}}
	s.action, _ = view.Clamp(anyAction(rt, specs))
	for range rapid.IntRange(0, 4).Draw(rt, "rules") {
		s.rules = append(s.rules, drawClause(rt, s.action))
	}
	for range rapid.IntRange(0, 3).Draw(rt, "plan") {
		s.evidence.Plan = append(s.evidence.Plan, drawPlanned(rt, s.action))
	}
	for range rapid.IntRange(0, 2).Draw(rt, "terms") {
		drawTrigger(rt, &seen)
	}
	s.evidence.Authors = rapid.SliceOfN(rapid.SampledFrom([]string{"", "agent-2", "agent-3", "agent-9"}), 0, 3).Draw(rt, "authors")
	if rapid.Bool().Draw(rt, "settled") {
		d, _ := operationOf(s.action, view.Place())
		s.evidence.Ledger = s.compile().Settle(Ledger{}, view.Tick(), d, nil)
	}
	return s
}

// drawTrigger adds a request, an offer or a message to what is seen.
func drawTrigger(rt *rapid.T, seen *world.Observation) {
	from := rapid.SampledFrom(agents).Draw(rt, "from")
	parents := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"agent-2", "agent-3", "agent-9", "*"}), 0, 2, rapid.ID[string]).Draw(rt, "parents")
	want := rapid.SampledFrom(resources).Draw(rt, "want")
	n := rapid.SampledFrom([]int64{1, 10, 2000}).Draw(rt, "how much")
	switch rapid.IntRange(0, 2).Draw(rt, "kind") {
	case 0:
		seen.Requests = append(seen.Requests, world.Terms{ID: "req-1-" + from + "-1", From: from, To: "agent-1", Want: want, WantAmount: n, Left: n, Parents: parents})
	case 1:
		seen.Here.Offers = append(seen.Here.Offers, world.Terms{
			ID: "offer-1-" + from + "-1", From: from, To: "agent-1", Place: "hub", Give: "compound", GiveAmount: 5, Want: want, WantAmount: n, Parents: parents,
		})
	default:
		seen.Inbox = append(seen.Inbox, world.Message{ID: "msg-1-" + from + "-1", From: from, Sent: 1, Parents: parents})
	}
}

func (s situation) compile() Policy { return Compile("agent-1", s.rules) }

// withoutTerms is the situation with no requests and offers in view.
func (s situation) withoutTerms() situation {
	seen := *s.evidence.Seen
	seen.Requests, seen.Offers, seen.Here.Offers = nil, nil, nil
	s.evidence.Seen = &seen
	return s
}

// firstPossible is the planned action that comes first, by its index, -1 for none.
func (s situation) firstPossible() int {
	return s.compile().evaluation(s.action, s.evidence).firstPossible()
}

func (s situation) passes() bool {
	_, broken := s.compile().untrimmed(s.action, s.evidence)
	return broken == nil
}

// drawClause draws a rule that is often about the action.
func drawClause(rt *rapid.T, a world.Action) world.PolicyRule {
	c := world.PolicyRule{Agent: rapid.SampledFrom([]string{"*", "agent-1"}).Draw(rt, "agent"), Action: "*"}
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
	if len(c.AskedBy) > 0 {
		c.Window, c.ByMessage, c.Relayed = 10, rapid.Bool().Draw(rt, "by message"), rapid.Bool().Draw(rt, "relayed")
		c.TotalEach = rapid.SampledFrom([]int64{0, 9}).Draw(rt, "total each")
	}
	return c
}

// drawPlanned draws a planned action that is often the action, with parts left open.
func drawPlanned(rt *rapid.T, a world.Action) PlannedAction {
	if rapid.IntRange(0, 2).Draw(rt, "another") == 0 {
		a = anyAction(rt, specs)
	}
	i, _ := Planned(a)
	for _, part := range []*string{&i.To, &i.ID, &i.What, &i.Want, &i.Text} {
		if rapid.IntRange(0, 2).Draw(rt, "open") == 0 {
			*part = ""
		}
	}
	for _, number := range []**int64{&i.Amount, &i.Price, &i.WantAmount} {
		if rapid.IntRange(0, 2).Draw(rt, "open number") == 0 {
			*number = nil
		}
	}
	return i
}

// TestMoreInfluenceNeverHelps: whatever adds to the influence of texts, or takes away
// from what the agent set out to do, turns no refusal into a pass.
func TestMoreInfluenceNeverHelps(t *testing.T) {
	view := viewOf(t, 1)
	for _, tt := range []struct {
		name string
		// bars says that no rule may be able to answer terms any more. They bind no planned gift then,
		// and are as none.
		bars   bool
		worsen func(rt *rapid.T, s *situation) bool
	}{
		{"a forbid more", true, func(rt *rapid.T, s *situation) bool {
			c := drawClause(rt, s.action)
			c.Effect, c.AskedBy = world.EffectForbid, nil
			first := s.firstPossible()
			s.rules = append(s.rules, c)
			return s.firstPossible() == first // otherwise another planned action comes first
		}},
		{"one more author of a text", false, func(rt *rapid.T, s *situation) bool {
			s.evidence.Authors = append(slices.Clone(s.evidence.Authors), rapid.SampledFrom([]string{"", "agent-2", "agent-9"}).Draw(rt, "more"))
			return true
		}},
		{"a message of somebody whom no rule names", false, func(rt *rapid.T, s *situation) bool {
			if slices.ContainsFunc(s.rules, func(c world.PolicyRule) bool { return slices.Contains(c.AskedBy, world.Anyone) }) {
				return false
			}
			seen := *s.evidence.Seen
			seen.Inbox = append(slices.Clone(seen.Inbox), world.Message{ID: "msg-2-agent-9-1", From: "agent-9", Sent: 2})
			seen.Requests = append(slices.Clone(seen.Requests), world.Terms{ID: "req-2-agent-9-1", From: "agent-9", To: "agent-1", Want: "data", WantAmount: 9, Left: 9})
			s.evidence.Seen = &seen
			return true
		}},
		{"one more parent", true, func(rt *rapid.T, s *situation) bool {
			seen := *s.evidence.Seen
			seen.Requests = slices.Clone(seen.Requests)
			for i := range seen.Requests {
				seen.Requests[i].Parents = append(slices.Clone(seen.Requests[i].Parents), "agent-9")
			}
			s.evidence.Seen = &seen
			return true
		}},
		{"a deviation more", false, func(rt *rapid.T, s *situation) bool {
			s.evidence.Ledger = s.evidence.Ledger.CountTurn(view.Tick(), &trace.Authority{Deviation: rapid.Int64Range(1, 3).Draw(rt, "deviation")}, true)
			return true
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refused := 0
			play := func(rt *rapid.T) {
				s := drawSituation(rt, view)
				if s.passes() {
					return
				}
				before := s
				if refused++; tt.worsen(rt, &s) && s.passes() && !(tt.bars && before.withoutTerms().passes()) {
					rt.Fatalf("%s turned a refusal of %s into a pass\n%+v\n%+v", tt.name, world.EncodeAction(s.action), before, s)
				}
			}
			rapid.Check(t, play)
			draws.Until(func() bool { return refused > 0 }, play)
		})
	}
}

// TestWordsDecideNothing: the same rules, plan, terms and authors give the same verdict
// whatever the texts say.
func TestWordsDecideNothing(t *testing.T) {
	view := viewOf(t, 1)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, view)
		by, broken := s.compile().untrimmed(s.action, s.evidence)
		seen := *s.evidence.Seen
		seen.Inbox, seen.Here.Notes = slices.Clone(seen.Inbox), slices.Clone(seen.Here.Notes)
		for i := range seen.Inbox {
			seen.Inbox[i].Text = rapid.String().Draw(rt, "text")
		}
		s.evidence.Seen = &seen
		again, refused := s.compile().untrimmed(s.action, s.evidence)
		if by != again || !reflect.DeepEqual(broken, refused) {
			rt.Fatalf("%s: %+v %+v, and with other words %+v %+v", world.EncodeAction(s.action), by, broken, again, refused)
		}
	})
}

// anyAction draws an action with sound arguments.
func anyAction(rt *rapid.T, specs []world.ActionSpec) world.Action {
	spec := rapid.SampledFrom(specs).Draw(rt, "action")
	if spec.Name == (world.ExecuteUntil{}).ActionName() {
		do := anyAction(rt, specs[:len(specs)-1])
		o, err := world.NewExecuteUntil(do, []world.Condition{{Event: world.StopJobDone}}, rapid.Int64Range(1, 20).Draw(rt, "attempts"),
			rapid.SampledFrom([][]string{nil, {world.StopPowerLow}}).Draw(rt, "ignore")...)
		if err != nil {
			rt.Fatal(err)
		}
		return o
	}
	args := world.Args{}
	for _, p := range spec.Params {
		switch p.Kind {
		case world.ParamAmount:
			args[p.Name] = world.Value{Int: rapid.SampledFrom(amounts).Draw(rt, p.Name)}
		case world.ParamChoice:
			args[p.Name] = world.Value{Text: rapid.SampledFrom(p.Choices).Draw(rt, p.Name)}
		case world.ParamPlace:
			args[p.Name] = world.Value{Text: rapid.SampledFrom([]string{"rim", "hub"}).Draw(rt, p.Name)}
		case world.ParamText:
			args[p.Name] = world.Value{Text: rapid.SampledFrom([]string{"yes", `a "quoted" word`, "采矿 \\ 5"}).Draw(rt, p.Name)}
		case world.ParamRequest, world.ParamOffer, world.ParamTerms:
			kind := rapid.SampledFrom([]string{"req", "offer"}).Draw(rt, "kind of terms")
			args[p.Name] = world.Value{Text: kind + "-1-" + rapid.SampledFrom(agents).Draw(rt, p.Name) + "-1"}
		default:
			args[p.Name] = world.Value{Text: rapid.SampledFrom(agents).Draw(rt, p.Name)}
		}
	}
	a, err := world.MakeAction(spec.Name, args)
	if err != nil {
		rt.Fatal(err)
	}
	return a
}

// amounts are few, so that what is drawn meets what was drawn before.
var amounts = []int64{1, 10, 12, 2000, 7000}

// TestLayersOnlyRestrict: with any check left out everything passes that passed with
// it, unless another planned action is possible then and comes first.
func TestLayersOnlyRestrict(t *testing.T) {
	view := viewOf(t, 1)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, view)
		before, first := s.passes(), s.firstPossible()
		s.evidence.Off = []trace.Check{rapid.SampledFrom(trace.Checks()).Draw(rt, "off")}
		if before && s.firstPossible() == first && !s.passes() {
			rt.Fatalf("refused without a check: %+v", s)
		}
	})
}
