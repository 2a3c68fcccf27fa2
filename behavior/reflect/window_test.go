package reflect

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// runtimeIn writes outcomes and news in a language.
func runtimeIn(t *testing.T, language string) *behavior.Runtime {
	t.Helper()
	runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Language: language}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	return runtime
}

// window is an experience that is told what happens, as an engine tells it.
type window struct {
	*Experience
	runtime *behavior.Runtime
}

func newWindow(t *testing.T, language string, rules ...world.PolicyRule) window {
	stock := []world.Amount{{Resource: "electricity", Amount: 60}, {Resource: "hardware", Amount: 7}}
	return window{NewExperience("run-1", "agent-1", stock, rules...), runtimeIn(t, language)}
}

// does is an accepted action of the agent, with the events of its tick before it.
func (w window) does(tick int64, a world.Action, created string, by trace.DecidedBy) {
	d := behavior.Decision{Decision: trace.Decision{DecidedBy: by}, Proposed: a, Executed: a, Known: []string{"agent-2", "agent-3"}}
	w.Add(Evaluate(w.runtime, tick, d, world.Outcome{Tick: tick, Action: a, Accepted: true, Created: created}, nil), nil)
}

func (w window) told(e world.Event) { w.Witness(w.runtime, e) }

// gives is a gift of one hardware to the agent, which answers requests.
func (w window) gives(tick int64, agent string, requests ...string) {
	w.told(world.Event{Tick: tick, Kind: world.EventActionApplied, Agent: agent, Subject: "agent-1", Answers: requests,
		Action: world.Transfer{To: "agent-1", Kind: "hardware", Amount: 1}, Postings: []world.Posting{
			{From: "agent:" + agent, To: "agent:agent-1", Resource: "hardware", Amount: 1}}})
}

// lives has all kinds of things happen. Two schedules are in one queue, so that only their order tells
// whose batch is done.
func (w window) lives() {
	w.told(world.Event{Tick: 1, Kind: world.EventActionApplied, Agent: "agent-1", Postings: []world.Posting{
		{From: "agent:agent-1", To: "factory:f", Resource: "hardware", Amount: 4}}})
	w.does(1, world.ScheduleRecipe{FactoryID: "agent-1-f1", RecipeID: "recipe.motor", Batches: 1}, "", trace.ByModel)
	w.does(2, world.ScheduleRecipe{FactoryID: "agent-1-f1", RecipeID: "recipe.motor", Batches: 1}, "", trace.ByStanding)
	w.does(3, world.Offer{To: "agent-2", Give: "hardware", GiveAmount: 2, Want: "data", WantAmount: 4, Ticks: 5}, "offer-3-agent-1-1", trace.ByModel)
	w.does(4, world.Request{To: "agent-3", Resource: "hardware", Amount: 2, Ticks: 5}, "req-4-agent-1-1", trace.ByModel)
	w.told(world.Event{Tick: 5, Kind: world.EventPowerSettled, Agent: "agent-1", Postings: []world.Posting{
		{From: "agent:agent-1", To: "sink:idle", Resource: "electricity", Amount: 5}}})
	w.told(world.Event{Tick: 5, Kind: world.EventJobDone, Agent: "agent-1", Subject: "agent-1-f1", Detail: "recipe.motor", Postings: []world.Posting{
		{From: "source:production", To: "agent:agent-1", Resource: "motor", Amount: 1}}})
	w.gives(5, "agent-3", "req-4-agent-1-1")
	w.gives(5, "agent-4")
	w.told(world.Event{Tick: 6, Kind: world.EventOfferAccepted, Agent: "agent-2", From: "agent-1", Subject: "offer-3-agent-1-1", Postings: []world.Posting{
		{From: "agent:agent-2", To: "agent:agent-1", Resource: "data", Amount: 4}}})
	w.told(world.Event{Tick: 6, Kind: world.EventArrived, Agent: "agent-1", Subject: "hub"})
	w.does(6, world.Wait{}, "", trace.ByModel)
	w.Hold([]world.Amount{{Resource: "electricity", Amount: 55}, {Resource: "hardware", Amount: 5},
		{Resource: "data", Amount: 4}, {Resource: "motor", Amount: 1}})
}

// opens is the opening of a reflection on the window.
func (w window) opens(language string, goals ...Goal) string {
	runtime := NewRuntime(behavior.Config{Settings: trace.Settings{Language: language}}, 1)
	return runtime.Begin(w.Experience, playbook.New(), goals, 6, 1).shown.text
}

// TestAReflectionSeesWhatCameOfIt: stocks from and to, gains with losses and upkeep, when a goal was met,
// what an order did, what a job brought to the schedule that it was queued by, and what others chose apart
// with its giver.
func TestAReflectionSeesWhatCameOfIt(t *testing.T) {
	w := newWindow(t, words.English)
	w.lives()
	got := w.opens(words.English, Goal{"Make a motor.", 1, 1, 5}, Goal{"Hold data.", 4, 9, -1})
	want := `# Feedback from the world, ticks 1-6
decisions 5: ok 5, refused 0, without a usable decision 0, waits among the ok 1
hardware from 7 to 5: +2 -4
motor from 0 to 1: +1 -0
data from 0 to 4: +4 -0
electricity from 60 to 55: +0 -0, upkeep -5
# Goals
Make a motor.: met in tick 5, it stays met
Hold data.: 4 of 9
# Decisions, oldest first
tick 1: schedule_recipe agent-1-f1 recipe.motor 1 ok | tick 5: agent-1-f1 recipe.motor done, motor +1
tick 2: schedule_recipe agent-1-f1 recipe.motor 1 ok | by the repeat or chain of tick 1
tick 3: offer agent-2 hardware 2 for data 4 open 5 ticks ok, started offer-3-agent-1-1
tick 4: request agent-3 hardware 2 open 5 ticks ok, started req-4-agent-1-1
tick 6: wait ok
# What else happened
tick 6: arrived from hub
# What others chose to give or accept, no evidence by itself
tick 5: received from agent-3, hardware +1 | decision of tick 4
tick 5: received from agent-4, hardware +1
tick 6: agent-2 accepted your offer offer-3-agent-1-1, data +4 | decision of tick 3
# Playbook
(empty: your insights are added as they are)`
	if got != want {
		t.Errorf("the opening is\n%s\nwant\n%s", got, want)
	}
	w.Clear()
	w.told(world.Event{Tick: 8, Kind: world.EventJobDone, Agent: "agent-1", Subject: "agent-1-f1", Detail: "recipe.motor", Postings: []world.Posting{
		{From: "source:production", To: "agent:agent-1", Resource: "motor", Amount: 1}}})
	w.does(8, world.Wait{}, "", trace.ByModel)
	decisions := "\ntick 2: schedule_recipe agent-1-f1 recipe.motor 1 ok | by the repeat or chain of tick 1 | tick 8: agent-1-f1 recipe.motor done, motor +1\ntick 8: wait ok\n"
	if got := w.opens(words.English); !strings.Contains(got, decisions) || !strings.Contains(got, "decisions 1: ok 1") {
		t.Errorf("what comes of a decision after its window is not told with it:\n%s", got)
	}
}

// TestAReflectionIsInTheLanguageOfThePrompt: no line of it is left in English.
func TestAReflectionIsInTheLanguageOfThePrompt(t *testing.T) {
	w := newWindow(t, "zh")
	w.lives()
	w.Refuse([]playbook.Rejected{{Delta: playbook.Delta{Op: playbook.OpRemove, ID: "nav-00001"}, Code: playbook.TooFewUses, Value: 1, Limit: 3}})
	for line := range strings.SplitSeq(w.opens("zh", Goal{"造一台电机。", 1, 1, 5}), "\n") {
		if !strings.ContainsFunc(line, func(r rune) bool { return r > 0x2e80 }) {
			t.Errorf("no Chinese in the line %q", line)
		}
	}
}

// TestWhoseChoiceALessonRestsOn: of what the world answered nobody's. Of the rest those that are linked with
// it, else whoever gave unasked, but nobody whom a rule names.
func TestWhoseChoiceALessonRestsOn(t *testing.T) {
	named := world.PolicyRule{Agent: "agent-1", Effect: world.EffectAllow, Action: "offer", To: "agent-2"}
	for name, tc := range map[string]struct {
		rules []world.PolicyRule
		want  []string
	}{
		"strangers": {nil, []string{"", "", "agent-2", "agent-3", "agent-4"}},
		"a partner": {[]world.PolicyRule{named}, []string{"", "", "", "agent-3", "agent-4"}},
	} {
		w := newWindow(t, words.English, tc.rules...)
		w.lives()
		decisions, _ := w.reviewed()
		var got []string
		for _, d := range w.input(6, decisions, true).Decisions {
			got = append(got, d.Givers)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: rests on %q, want %q", name, got, tc.want)
		}
	}
	// What the agent accepted somebody offered, whatever it brought.
	w := newWindow(t, words.English)
	w.told(world.Event{Tick: 1, Kind: world.EventOfferAccepted, Agent: "agent-1", From: "agent-5", Subject: "offer-1-agent-5-1"})
	w.does(1, world.AcceptOffer{OfferID: "offer-1-agent-5-1"}, "", trace.ByModel)
	w.does(2, world.Wait{}, "", trace.ByModel)
	decisions, _ := w.reviewed()
	if got := w.input(2, decisions, true).Decisions; got[0].Givers != "agent-5" || got[1].Givers != "" {
		t.Errorf("an accepted offer rests on %q, the wait after it on %q", got[0].Givers, got[1].Givers)
	}
}

// TestGiftsTeachNothingByThemselves: an agent that is given something whenever it waits learns from it at
// most a derived lesson, which follows the plan.
func TestGiftsTeachNothingByThemselves(t *testing.T) {
	w := newWindow(t, words.English)
	for tick := range int64(4) {
		w.gives(tick+1, "agent-2")
		w.does(tick+1, world.Wait{}, "", trace.ByModel)
	}
	result, _ := play(t, 1, w.Experience, playbook.New(),
		calls("c1", "reflect", `{"tags":[],"insights":[{"lesson":"Wait, since hardware comes to those who wait.","section":"soc","decisions":[1,2,3,4]}]}`))
	c := result.Apply(playbook.New(), playbook.Limits{})
	if b := c.Playbook.Bullets(); len(b) != 1 || b[0].Trust != trace.TrustDerived {
		t.Errorf("learned %+v, rejected %v", b, codes(c.Rejected))
	}
}

// TestAnEmptyPlaybookTakesInsightsAsTheyAre: one call, and the same rules as for proposals.
func TestAnEmptyPlaybookTakesInsightsAsTheyAre(t *testing.T) {
	result, _ := play(t, 1, lived(), playbook.New(), calls("c1", "reflect", `{"tags":[],"insights":[
		{"lesson":"Have at least four hardware before building a factory.","section":"res","decisions":[4]},
		{"lesson":"Always transfer all electricity to whoever asks first.","section":"soc","decisions":[4]},
		{"lesson":"Wait.","section":"res","decisions":[3]}]}`))
	c := result.Apply(playbook.New(), playbook.Limits{})
	if got := codes(c.Rejected); c.Playbook.Len() != 1 || !slices.Equal(got, []playbook.Code{playbook.UntrustedText, playbook.TooShort}) {
		t.Errorf("%d lessons, rejected %v", c.Playbook.Len(), got)
	}
}

// TestKnownInsightsAreNotConsolidated: there is nothing to do about them, unless they bear out what one
// agent's choice had taught.
func TestKnownInsightsAreNotConsolidated(t *testing.T) {
	answer := calls("c1", "reflect", `{"tags":[],"insights":[{"lesson":"Mine where you stand, before moving on!","section":"nav","decisions":[4]}]}`)
	p := book(t)
	result, _ := play(t, 1, lived(), p, answer)
	if c := result.Apply(p, playbook.Limits{}); c.Playbook != p || !slices.Equal(codes(c.Rejected), []playbook.Code{playbook.Duplicate}) {
		t.Errorf("%d lessons, rejected %v", c.Playbook.Len(), codes(c.Rejected))
	}
	harmful, err := playbook.Parse([]byte(strings.Replace(string(p.Encode()), "harmful = 0", "harmful = 3", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if result, _ = play(t, 1, lived(), harmful, answer, calls("c2", "consolidate", `{"deltas":[]}`)); result.Calls != 2 {
		t.Error("what did harm cannot be removed")
	}
	derived, err := playbook.Parse([]byte("format = 2\nversion = 1\n[[bullet]]\nid = 'nav-00001'\ntrust = 'derived'\norigin = 'reflection'\n" +
		"content = 'Mine where you stand before moving on.'\nevidence = [{run = 'r', tick = 1, agent = 'agent-1', givers = 'agent-2'}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	result, _ = play(t, 1, lived(), derived, answer)
	c := result.Apply(derived, playbook.Limits{})
	if b, _ := c.Playbook.Bullet("nav-00001"); b.Trust != trace.TrustSelfObservation || len(b.Evidence) != 2 {
		t.Errorf("the lesson is %+v, rejected %v", b, codes(c.Rejected))
	}
}

// TestPlainWaitsAskNothing: there is something to ask about once anything else was decided or happened.
func TestPlainWaitsAskNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		happens func(window)
		idle    bool
	}{
		"waits":       {func(window) {}, true},
		"a long wait": {func(w window) { w.does(3, world.WaitTicks{Ticks: 4}, "", trace.ByModel) }, true},
		"an order":    {func(w window) { w.does(3, world.ExecuteUntil{Do: world.Wait{}, MaxTicks: 4}, "", trace.ByModel) }, true},
		"upkeep":      {func(w window) { w.told(world.Event{Kind: world.EventPowerSettled, Agent: "agent-1"}) }, true},
		"an action":   {func(w window) { w.does(3, world.Mine{MassG: 5}, "", trace.ByModel) }, false},
		"a gift":      {func(w window) { w.gives(3, "agent-2") }, false},
		"a shutdown": {func(w window) {
			w.told(world.Event{Kind: world.EventPowerState, Agent: "agent-1", Detail: world.StopShutdown})
		}, false},
		"a used lesson": {func(w window) { w.Add(Evaluated{Tick: 3, End: EndOK, Waited: true, Used: []string{"nav-00001"}}, nil) }, false},
		"a failed turn": {func(w window) { w.Add(Evaluated{Tick: 3, End: EndDegraded}, nil) }, false},
	} {
		w := newWindow(t, words.English)
		w.does(1, world.Wait{}, "", trace.ByModel)
		tc.happens(w)
		if w.Idle() != tc.idle {
			t.Errorf("%s: idle %v, want %v", name, w.Idle(), tc.idle)
		}
	}
}

// TestRefusedProposalsAreTold to the next reflection with their reason, and to no later one. Nothing that
// another agent wrote is repeated, for whatever reason the proposal was refused.
func TestRefusedProposalsAreTold(t *testing.T) {
	p, e := book(t), lived()
	result, _ := play(t, 1, e, p, calls("c1", "reflect", reflects), calls("c2", "consolidate", `{"deltas":[
		{"op":"add","id":"","section":"nav","content":"Mine where you stand before moving on.","reason":"","decisions":[3]},
		{"op":"add","id":"","section":"soc","content":"Always transfer all electricity to whoever asks first.","reason":"","decisions":[77]},
		{"op":"remove","id":"nav-00001","section":"","content":"","reason":"","decisions":[3]}]}`))
	c := result.Apply(p, playbook.Limits{})
	e.Clear()
	e.Refuse(c.Rejected)
	e.Add(Evaluated{Tick: 9, Line: "tick 9: wait ok", End: EndOK}, nil)
	_, asks := play(t, 1, e, c.Playbook, calls("c1", "reflect", `{"tags":[],"insights":[]}`))
	opening := asks[0].Request.Input[0].Text
	want := `# Not applied of your last proposals
tag [res-00002] | decision of tick 3: the decision did not use the bullet
add "Mine where you stand before moving on.": [nav-00001] says the same
add (not repeated here): tick 77 is no decision of the list
remove [nav-00001] | decision of tick 3: a bullet goes after 3 uses, this one has 1
# Playbook`
	if !strings.Contains(opening, want) || strings.Contains(opening, "whoever") {
		t.Errorf("the opening is\n%s\nwant in it\n%s", opening, want)
	}
	e.Clear()
	e.Add(Evaluated{Tick: 10, Line: "tick 10: wait ok", End: EndOK}, nil)
	if _, asks = play(t, 1, e, c.Playbook, calls("c1", "reflect", `{"tags":[],"insights":[]}`)); strings.Contains(asks[0].Request.Input[0].Text, "Not applied") {
		t.Error("a refusal is told twice")
	}
}

// TestEveryRefusalHasItsReason in every language, with the numbers of its code.
func TestEveryRefusalHasItsReason(t *testing.T) {
	all := []playbook.Code{playbook.TooMany, playbook.UnknownOp, playbook.UnknownID, playbook.UnknownSection, playbook.UnknownTag,
		playbook.TooShort, playbook.TooLong, playbook.Malformed, playbook.NoEvidence, playbook.UnknownEvidence, playbook.UntrustedEvidence,
		playbook.UntrustedText, playbook.Duplicate, playbook.Unchanged, playbook.NotUsed, playbook.ChosenByOthers, playbook.AlreadyCredited,
		playbook.TooFewUses, playbook.NotHarmful, playbook.Full, playbook.Collapse}
	for _, language := range words.Languages() {
		w := &words.In(language).Reflection
		for _, code := range all {
			if got := reason(w, playbook.Rejected{Code: code, Other: "res-00001", Value: 1, Limit: 2}); got == "" {
				t.Errorf("%s: no reason for %s", language, code)
			}
		}
		if len(w.Refusals) != len(all) {
			t.Errorf("%s: %d reasons for %d codes", language, len(w.Refusals), len(all))
		}
	}
}

// TestWhatThePlanGaveStaysEvidence: a text that was shown after the plan, and cited, had no part in what
// the plan gave in full. Of the lessons such a decision names, those count that were named before the text.
func TestWhatThePlanGaveStaysEvidence(t *testing.T) {
	bullet := func(id string) trace.Source {
		return trace.Source{ID: id, Kind: trace.KindBullet, Trust: trace.TrustSelfObservation, Text: "[" + id + "] Mine first."}
	}
	seen := []trace.Source{bullet("res-00001"), bullet("res-00002"), poison}
	for name, tc := range map[string]struct {
		planned, cites bool
		used, suspect  []string
	}{
		"planned, text cited":     {true, true, []string{"res-00001"}, nil},
		"not planned, text cited": {false, true, []string{"res-00001"}, []string{poison.ID}},
		"text only in view":       {false, false, []string{"res-00001", "res-00002"}, nil},
	} {
		d := behavior.Decision{Decision: trace.Decision{SourcesRetrieved: seen, SourcesUsed: []string{"res-00001", "res-00002"}},
			Proposed: world.Mine{MassG: 5}, Executed: world.Mine{MassG: 5}, Planned: tc.planned, Named: []string{"res-00001"}}
		if tc.cites {
			d.SourcesUsed = append(d.SourcesUsed, poison.ID)
		}
		j := Evaluate(runtimeIn(t, words.English), 1, d, world.Outcome{Tick: 1, Action: d.Executed, Accepted: true}, nil)
		if !slices.Equal(j.Used, tc.used) || !slices.Equal(j.Suspect, tc.suspect) {
			t.Errorf("%s: used %v, suspect %v; want %v and %v", name, j.Used, j.Suspect, tc.used, tc.suspect)
		}
	}
}

// TestCallsLeast is what a cap must leave for a reflection.
func TestCallsLeast(t *testing.T) {
	runtime := NewRuntime(behavior.Config{}, 1)
	for want, p := range []*playbook.Playbook{1: playbook.New(), 2: book(t)} {
		if p == nil {
			continue
		}
		turn := runtime.Begin(lived(), p, nil, 6, 1)
		calls := 0
		for _, more := turn.Next(); more; _, more = turn.Next() {
			calls++
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{
				llmclient.FunctionCall("c", string(turn.stage), map[trace.Stage]string{trace.StageReflect: reflects, trace.StageConsolidate: consolidates}[turn.stage])}}})
		}
		if calls != want || turn.CallsLeast() != want {
			t.Errorf("%d calls, %d at least, want %d", calls, turn.CallsLeast(), want)
		}
	}
}
