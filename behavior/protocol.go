package behavior

import (
	"math"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/trace"
)

// protocol says what may follow what in a turn, and how often. offered lists the tools of the next
// request, takes says which calls are accepted out of order, and advance moves to the next stage.
//
//	plan --> (modules | reason)*, in the plan's order --> draft --> decision     the full protocol
//	[plan] --> lean                                                              the lean one
//
// Invariants:
//  1. steps are the steps of the newest plan that are still to come. A draft or a decision empties them.
//  2. reason holds in stage reason only.
//  3. moduleCalls, reasonSteps, refusals, repairs and order only grow. unusable begins again whenever
//     the turn gets further, but all repairs together stay within repairsOfTurn times the limit, plus one
//     for a last plan and one once texts are shown without one.
//  4. lastPlan is set at most once, in the lean protocol; the stage is plan from then on.
type protocol struct {
	cfg *Config
	// modules are the names of the module tools.
	modules []string
	stage   trace.Stage
	steps   []typedStep
	reason  reasonStep
	// moduleCalls, reasonSteps and refusals count module calls, reason steps, and answers of which the
	// guard or the world refused all actions.
	moduleCalls, reasonSteps, refusals int
	// unusable counts the answers that could not be used since the turn last got further, repairs those
	// of the whole turn, and order the answers that did not lead to a further stage.
	unusable tries
	repairs  int
	order    tries
	// affordable is how many requests the caller can still send.
	affordable int
	// cramped says that the window had no room for a module result at the last request.
	cramped bool
	// lastPlan is why a lean turn was asked for a plan alone, which ends the turn.
	lastPlan trace.WaitReason
}

// reasonStep is the present reason step: its kind, whether the model was asked for it, and how many
// answers to it called a tool.
type reasonStep struct {
	kind       string
	asked      bool
	violations int
}

// tries counts answers of one kind: spent of at most most.
type tries struct{ spent, most int }

func (t tries) left() int { return t.most - t.spent }

// newProtocol returns the protocol at the start of a turn. plans says that even a lean turn begins with a
// plan.
func newProtocol(cfg *Config, modules []string, plans bool) protocol {
	p := protocol{cfg: cfg, modules: modules, stage: trace.StagePlan, order: tries{most: orderRoundsMax},
		affordable: math.MaxInt}
	if p.lean() && !(plans && p.plans()) {
		p.stage = trace.StageLean
	}
	return p
}

func (p *protocol) lean() bool { return p.cfg.Protocol == ProtocolLean }

// plans reports whether a turn can have a plan: only texts wait for one.
func (p *protocol) plans() bool { return p.cfg.readsTexts() }

// oneStep reports whether the best candidate of a draft is the decision.
func (p *protocol) oneStep() bool { return p.cfg.Commit == trace.CommitOneStep }

// offered returns the tools that may be called now, none in a reason step. In every
// other stage the model may skip ahead, by a draft and its decision in one answer.
func (p *protocol) offered(e *exposure, d *draft) []string {
	var modules []string
	if p.mayCallModules() {
		modules = p.modules
	}
	switch p.stage {
	case trace.StageReason:
		return []string{}
	case trace.StagePlan:
		// With new texts to read the plan comes alone, before them.
		if p.lean() || e.locked() {
			return []string{answer.ToolPlan}
		}
		if e.addressed() {
			modules = nil // as with texts, the plan comes first
		}
		return slices.Concat([]string{answer.ToolPlan}, p.commits(), modules)
	case trace.StageModules:
		return slices.Concat(p.commits(), modules)
	case trace.StageDraft:
		return p.commits()
	case trace.StageDecision:
		if d.again {
			return p.commits()
		}
		return commitTools[1:]
	case trace.StageLean:
		tools := append([]string{answer.ToolTurn}, modules...)
		if p.plans() && e.offersPlan() {
			tools = append(tools, answer.ToolPlan)
		}
		return tools
	}
	panic("behavior: turn in unknown stage " + string(p.stage))
}

// takes reports whether a call is accepted although its tool is not offered now: the order of calls is
// advice.
func (p *protocol) takes(tool string) bool {
	switch tool {
	case answer.ToolPlan:
		return true
	case answer.ToolDraft, answer.ToolDecision:
		return !p.lean()
	case answer.ToolTurn:
		return p.lean()
	}
	return p.isModule(tool) && p.mayCallModules()
}

func (p *protocol) isModule(tool string) bool { return slices.Contains(p.modules, tool) }

// mayCallModules reports whether the turn has a module call left, the window room for its result, and
// the caller another request.
func (p *protocol) mayCallModules() bool {
	return p.moduleCalls < p.cfg.ModuleCallsMax && !p.cramped && p.spares(0)
}

// commits are the tools by which a turn reaches its decision, together in one answer. In one-step
// mode the draft needs no decision.
func (p *protocol) commits() []string {
	if p.oneStep() {
		return commitTools[:1:1]
	}
	return commitTools
}

// commitTools are the tools by which a turn reaches its decision. No one changes them.
var commitTools = []string{answer.ToolDraft, answer.ToolDecision}

// orderRoundsMax bounds the answers of a turn that do not lead to a further stage: another plan, another
// draft, a call that is not taken.
const orderRoundsMax = 2

// repairsOfTurn bounds the repairs of a whole turn, in multiples of Config.RepairsMax.
const repairsOfTurn = 3

// moduleTokensMin is the room in the window below which no module is offered. A result and the draft
// after it must fit, and half of the room is kept for the draft.
const moduleTokensMin = 1000

// advance moves to the stage that the plan's next open step asks for. Respond and skip steps
// need no stage of their own. It returns how many reason steps a limit left out.
func (p *protocol) advance() (skipped int) {
	p.reason = reasonStep{}
	if p.lean() {
		p.stage = trace.StageLean
		return 0
	}
	for len(p.steps) > 0 {
		step := p.steps[0]
		p.steps = p.steps[1:]
		thinks := answer.Thinks(step.Kind)
		switch {
		case step.Kind == answer.StepCall && p.moduleCalls < p.cfg.ModuleCallsMax:
			p.stage = trace.StageModules
			return skipped
		case thinks && p.reasonSteps < p.cfg.ReasonStepsMax && p.spares(1):
			p.stage = trace.StageReason
			p.reason.kind = step.Kind
			return skipped
		case thinks:
			skipped++
		}
	}
	p.stage = trace.StageDraft
	return skipped
}

// toReason drops the steps before the next reason step, all if none is left. It reports whether the
// turn continues with that step: the plan put it after the module calls that are done.
func (p *protocol) toReason() bool {
	for len(p.steps) > 0 && !answer.Thinks(p.steps[0].Kind) {
		p.steps = p.steps[1:]
	}
	return len(p.steps) > 0 && p.stage == trace.StageModules
}

// askReason begins the reason step that the turn is in. It is false if the model was asked before.
func (p *protocol) askReason() bool {
	if p.stage != trace.StageReason || p.reason.asked {
		return false
	}
	p.reason.asked = true
	p.reasonSteps++
	return true
}

// postponeReason puts the present reason step back among the steps to come: the answer that planned it
// brings other calls, which are handled first.
func (p *protocol) postponeReason() {
	if p.stage == trace.StageReason {
		p.steps = append([]typedStep{typed(p.reason.kind, nil, nil)}, p.steps...)
		p.stage = trace.StageModules
		p.reason = reasonStep{}
	}
}

// leavePlan drops the steps to come: the model continues to its draft or decision. It returns how
// many reason steps were among them.
func (p *protocol) leavePlan() (skipped int) {
	for _, step := range p.steps {
		if answer.Thinks(step.Kind) {
			skipped++
		}
	}
	p.steps = nil
	return skipped
}

// gotFurther gives the turn its repairs again.
func (p *protocol) gotFurther() { p.unusable.spent = 0 }

// countRepair counts an answer that could not be used, and returns the tries of its kind. Calls that are
// not allowed now are counted apart, so that neither kind uses up the tries of the other.
func (p *protocol) countRepair(problem answer.Problem) *tries {
	if problem == answer.NotAllowedNow {
		return &p.order
	}
	p.unusable.most = min(p.cfg.RepairsMax, p.unusable.spent+repairsOfTurn*p.cfg.RepairsMax-p.repairs)
	p.repairs++
	return &p.unusable
}

// spares reports whether the turn can afford a request now that decides nothing. sent is how many
// requests were sent since Afford was called.
func (p *protocol) spares(sent int) bool {
	after := 2 // requests that the protocol makes after a plan at least
	if p.lean() {
		after = 1
	}
	return p.affordable-sent > after
}

// continues reports whether another request of the turn is likely to follow the present one, so that it
// pays to let the provider cache the prompt. Caching costs a quarter of the input's price and saves nine
// tenths of it at the next request: it pays if more than every fourth request is followed. Unless
// something must be planned or read first, draft and decision mostly come in the first answer. locked is
// that of the turn's exposure.
func (p *protocol) continues(locked bool) bool {
	if p.affordable <= 1 {
		return false
	}
	switch p.stage {
	case trace.StageReason, trace.StageModules:
		return true
	case trace.StagePlan:
		return p.moduleCalls == 0 || locked
	}
	return false
}
