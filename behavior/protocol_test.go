package behavior

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// steps are plan steps of the given kinds.
func stepsOf(kinds ...string) (steps []typedStep) {
	for _, kind := range kinds {
		steps = append(steps, typed(kind, nil, nil))
	}
	return steps
}

// begun is a protocol of two modules under settings, at its first request.
func begun(s trace.Settings) protocol {
	cfg := Config{Settings: s}.WithDefaults()
	return newProtocol(&cfg, []string{"look", "search"}, false)
}

// TestWhatMayFollow: which tools a stage offers, and which it takes although it does not offer them.
func TestWhatMayFollow(t *testing.T) {
	unread := exposure{opening: prompt{fresh: 1, withheld: texts{Remembered: []string{"a text"}}}}
	asked := exposure{opening: prompt{seen: world.Observation{Requests: []world.Terms{{ID: "req-1"}}}}}
	lean := trace.Settings{Protocol: ProtocolLean}
	for _, c := range []struct {
		name     string
		settings trace.Settings
		stage    trace.Stage
		change   func(*protocol)
		seen     exposure
		again    bool
		offered  string
		taken    string // beside what is offered
	}{
		{name: "a turn begins", stage: trace.StagePlan, offered: "plan decision_draft decision look search"},
		{name: "new texts wait for the plan", stage: trace.StagePlan, seen: unread, offered: "plan",
			taken: "decision_draft decision look search"},
		{name: "others wait for an answer", stage: trace.StagePlan, seen: asked, offered: "plan decision_draft decision",
			taken: "look search"},
		{name: "a draft is its own decision", settings: trace.Settings{Commit: trace.CommitOneStep}, stage: trace.StagePlan,
			offered: "plan decision_draft look search", taken: "decision"},
		{name: "the plan asks for modules", stage: trace.StageModules, offered: "decision_draft decision look search",
			taken: "plan"},
		{name: "the plan asks for a draft", stage: trace.StageDraft, offered: "decision_draft decision",
			taken: "plan look search"},
		{name: "a draft was accepted", stage: trace.StageDecision, offered: "decision",
			taken: "plan decision_draft look search"},
		{name: "part of a draft was refused", stage: trace.StageDecision, again: true, offered: "decision_draft decision",
			taken: "plan look search"},
		{name: "a reason step", stage: trace.StageReason, taken: "plan decision_draft decision look search"},
		{name: "lean", settings: lean, stage: trace.StageLean, offered: "turn look search", taken: "plan"},
		{name: "lean, with texts withheld", settings: lean, stage: trace.StageLean, seen: unread,
			offered: "turn look search plan"},
		{name: "lean, the plan first", settings: lean, stage: trace.StagePlan, offered: "plan",
			taken: "turn look search"},
		{name: "no module call is left", stage: trace.StageModules, change: func(p *protocol) { p.moduleCalls = 3 },
			offered: "decision_draft decision", taken: "plan"},
		{name: "the window is full", stage: trace.StageModules, change: func(p *protocol) { p.cramped = true },
			offered: "decision_draft decision", taken: "plan"},
		{name: "two requests are left", stage: trace.StageModules, change: func(p *protocol) { p.affordable = 2 },
			offered: "decision_draft decision", taken: "plan"},
		{name: "one request is left, lean", settings: lean, stage: trace.StageLean,
			change: func(p *protocol) { p.affordable = 1 }, offered: "turn", taken: "plan"},
	} {
		p := begun(c.settings)
		p.stage = c.stage
		if c.change != nil {
			c.change(&p)
		}
		offered := p.offered(&c.seen, &draft{again: c.again}, nil)
		if got := strings.Join(offered, " "); got != c.offered {
			t.Errorf("%s: offers %q, want %q", c.name, got, c.offered)
		}
		var taken []string
		for _, tool := range []string{"plan", "decision_draft", "decision", "turn", "look", "search", "other"} {
			if p.takes(tool) && !slices.Contains(offered, tool) {
				taken = append(taken, tool)
			}
		}
		if got := strings.Join(taken, " "); got != c.taken {
			t.Errorf("%s: takes also %q, want %q", c.name, got, c.taken)
		}
	}
}

// TestStepsOfThePlanInTurn: a plan's steps lead from stage to stage, as far as counts allow.
func TestStepsOfThePlanInTurn(t *testing.T) {
	const call, reason, respond, skip = answer.StepCall, answer.StepReason, answer.StepRespond, answer.StepSkip
	for _, c := range []struct {
		name    string
		lean    bool
		change  func(*protocol)
		steps   []string
		stage   trace.Stage
		left    int
		skipped int
	}{
		{name: "nothing planned", stage: trace.StageDraft},
		{name: "modules first", steps: []string{call, reason, respond}, stage: trace.StageModules, left: 2},
		{name: "a reason step first", steps: []string{reason, call, respond}, stage: trace.StageReason, left: 2},
		{name: "respond and skip need no stage", steps: []string{respond, skip, reason}, stage: trace.StageReason},
		{name: "no module call left", change: func(p *protocol) { p.moduleCalls = 3 }, steps: []string{call, respond},
			stage: trace.StageDraft},
		{name: "no reason step left", change: func(p *protocol) { p.reasonSteps = 3 },
			steps: []string{reason, reason, respond}, stage: trace.StageDraft, skipped: 2},
		{name: "no request left to think", change: func(p *protocol) { p.affordable = 3 }, steps: []string{reason, respond},
			stage: trace.StageDraft, skipped: 1},
		{name: "lean has one stage", lean: true, steps: []string{reason, call}, stage: trace.StageLean, left: 2},
	} {
		settings := trace.Settings{}
		if c.lean {
			settings.Protocol = ProtocolLean
		}
		p := begun(settings)
		if c.change != nil {
			c.change(&p)
		}
		p.steps = stepsOf(c.steps...)
		skipped := p.advance()
		if p.stage != c.stage || len(p.steps) != c.left || skipped != c.skipped {
			t.Errorf("%s: stage %s, %d steps left, %d skipped, want %s, %d and %d", c.name, p.stage, len(p.steps), skipped,
				c.stage, c.left, c.skipped)
		}
		if holds := p.reason.kind != ""; holds != (p.stage == trace.StageReason) {
			t.Errorf("%s: in stage %s the reason step is %+v", c.name, p.stage, p.reason)
		}
	}
}

// TestReasonStepIsAskedOnceAndPostponed: a reason step counts when the model is asked for it, and only
// then; calls in the answer that planned it come first.
func TestReasonStepIsAskedOnceAndPostponed(t *testing.T) {
	p := begun(trace.Settings{})
	p.steps = stepsOf(answer.StepReason, answer.StepRespond)
	p.advance()
	p.postponeReason()
	if p.stage != trace.StageModules || len(p.steps) != 2 || p.reason != (reasonStep{}) || p.reasonSteps != 0 {
		t.Fatalf("postponed: %+v", p)
	}
	if !p.toReason() {
		t.Fatal("after the module calls the reason step does not follow")
	}
	p.advance()
	if !p.askReason() || p.askReason() || p.reasonSteps != 1 {
		t.Errorf("asked: %+v, %d reason steps", p.reason, p.reasonSteps)
	}
	if skipped := p.leavePlan(); skipped != 0 || len(p.steps) != 0 {
		t.Errorf("%d reason steps skipped of %+v", skipped, p.steps)
	}
	p.steps = stepsOf(answer.StepReason, answer.StepCall, answer.StepThink)
	if skipped := p.leavePlan(); skipped != 2 || p.toReason() {
		t.Errorf("%d reason steps skipped, want 2", skipped)
	}
}

// TestRepairsAreBounded: progress gives a turn its repairs again, three times at most. Calls out of
// order have tries of their own.
func TestRepairsAreBounded(t *testing.T) {
	p := begun(trace.Settings{RepairsMax: 2})
	taken := 0
	for range 20 {
		tries := p.countRepair(answer.InvalidArgs)
		if tries.left() > 0 {
			taken++
		}
		tries.spent++
		if tries.left() <= 0 {
			p.gotFurther()
		}
	}
	if want := repairsOfTurn * 2; taken != want {
		t.Errorf("%d repairs in all, want %d", taken, want)
	}
	for n := range 3 {
		tries := p.countRepair(answer.NotAllowedNow)
		if got, want := tries.left(), orderRoundsMax-n; got != want {
			t.Errorf("%d answers out of order are left after %d, want %d", got, n, want)
		}
		tries.spent++
		p.gotFurther()
	}
}

// TestContinues: a provider is asked to keep a prompt only where another request is likely.
func TestContinues(t *testing.T) {
	for _, c := range []struct {
		stage       trace.Stage
		moduleCalls int
		locked      bool
		affordable  int
		want        bool
	}{
		{trace.StagePlan, 0, false, 9, true}, {trace.StagePlan, 1, false, 9, false}, {trace.StagePlan, 1, true, 9, true},
		{trace.StageModules, 1, false, 9, true}, {trace.StageReason, 0, false, 9, true}, {trace.StageReason, 0, false, 1, false},
		{trace.StageDraft, 0, false, 9, false}, {trace.StageDecision, 0, false, 9, false}, {trace.StageLean, 0, false, 9, false},
	} {
		p := begun(trace.Settings{})
		p.stage = c.stage
		p.moduleCalls = c.moduleCalls
		p.affordable = c.affordable
		if got := p.continues(c.locked); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
