package scripted

import (
	"fmt"
	"strings"

	"agentworld/llmclient"
)

// answer is what the policy says to one request: calls, or a text.
type answer struct {
	calls []toolCall
	// text is the whole answer when there are no calls.
	text string
	// reasoningTokens is the simulated length of a reasoning item before the
	// calls; 0 means that there is none.
	reasoningTokens int64
}

// toolCall is a call with arguments completed by the tool's schema.
type toolCall struct {
	name      string
	arguments object
}

// refusalsMax is how many refused decisions of one turn the policy answers with
// another idea; after that it waits.
const refusalsMax = 2

// stage is the point a turn has reached, with all the policy can know there.
type stage struct {
	request  request
	allowed  []tool
	turn     transcript
	industry industry
	// known tells what failed; ideas is what is left to do, best first.
	known experience
	ideas []proposal
}

// newStage reads a request.
func newStage(seed uint64, r request) stage {
	p := readPrompt(r.input)
	s := stage{request: r, allowed: r.allowed(), turn: readTranscript(r.input[p.turnStart:])}
	see, _ := readSituation(p.observation)
	s.industry = industry{see: see, goals: readGoals(p.goals), offers: readCatalogue(r.tools), chance: newChance(seed, see)}
	s.known = readExperience(p, s.turn)
	s.ideas = s.industry.proposals(s.known)
	return s
}

// answer decides what to say. The order of the cases is the order of a turn; a
// stage that is over or not allowed is passed over.
func (s stage) answer() answer {
	if len(s.allowed) == 0 {
		return answer{text: s.text()}
	}
	calls := s.calls()
	if len(calls) == 0 {
		return answer{text: s.text()}
	}
	if !s.request.parallel() {
		calls = calls[:1]
	}
	return answer{calls: calls, reasoningTokens: s.reasoningTokens()}
}

// calls returns the calls of the present stage.
func (s stage) calls() []toolCall {
	if s.may(toolPlan) && s.turn.count(toolPlan) == 0 && !s.may(toolTurn) {
		return s.call(toolPlan, s.plan())
	}
	if calls := s.askModules(); len(calls) > 0 {
		return calls
	}
	if s.may(toolTurn) {
		return s.call(toolTurn, s.leanTurn())
	}
	if s.may(toolDraft) && (s.needsDraft() || !s.may(toolDecision)) {
		return s.call(toolDraft, s.draft())
	}
	if s.may(toolDecision) {
		return s.call(toolDecision, s.decision())
	}
	return s.callAnything()
}

// may reports whether a tool may be called now.
func (s stage) may(name string) bool {
	for _, t := range s.allowed {
		if t.Name == name {
			return true
		}
	}
	return false
}

// call returns one call with the values completed by the tool's schema.
func (s stage) call(name string, values object) []toolCall {
	for _, t := range s.allowed {
		if t.Name == name {
			return []toolCall{{name, newFiller(t.Parameters).arguments(values)}}
		}
	}
	return nil
}

// needsDraft reports whether there is no answered draft to decide from.
func (s stage) needsDraft() bool {
	_, drafted := s.turn.last(toolDraft)
	return !drafted
}

// callAnything calls a tool the policy has no idea about, once, with the emptiest
// arguments it takes. When it need not call and has done so already, it stops.
func (s stage) callAnything() []toolCall {
	if s.request.choice.Mode == llmclient.ChoiceAuto && len(s.turn) > 0 {
		return nil
	}
	return s.call(s.allowed[0].Name, s.moduleValues(s.allowed[0].Name))
}

// plan says which modules will be asked and what is missing. One plan in eight
// has a step for reasoning alone.
func (s stage) plan() object {
	steps := []any{}
	for _, name := range s.modulesWanted() {
		steps = append(steps, object{"kind": "call", "what": name})
	}
	if s.industry.chance.oneIn("reason step", 8) {
		steps = append(steps, object{"kind": "reason", "what": "Weigh power, stock and the state of the factory."})
	}
	steps = append(steps, object{"kind": "respond", "what": "Draft candidates and decide."})
	return object{
		"goal":    "Keep the power up and the factory busy until the goals are met.",
		"steps":   steps,
		"missing": s.missing(),
	}
}

// missing names the resources the next job or building is short of.
func (s stage) missing() []any {
	out := []any{}
	for _, action := range []string{"build_factory", "schedule_recipe"} {
		for _, n := range s.industry.see.can(action).Need {
			if !containsText(out, n.Resource) {
				out = append(out, n.Resource)
			}
		}
	}
	return out
}

func containsText(list []any, text string) bool {
	for _, v := range list {
		if v == text {
			return true
		}
	}
	return false
}

// draft offers the best idea and one to fall back on.
func (s stage) draft() object {
	candidates := []any{}
	for _, p := range s.ideas[:min(2, len(s.ideas))] {
		candidates = append(candidates, s.committed(p))
	}
	return object{"candidates": candidates, "sources_used": s.sources()}
}

// committed returns a proposal as the arguments of a candidate or a decision.
func (s stage) committed(p proposal) object {
	out := object{"action": p.action, "execute_until": nil, "why": p.why, "sources_used": s.sources()}
	if p.until != nil {
		out["execute_until"] = p.until
	}
	return out
}

// sources cites the last line of the history, which every decision looks at, in
// half of the situations; a model does not report each source it used either.
func (s stage) sources() []any {
	id := s.known.source()
	if id == "" || !s.industry.chance.oneIn("cite", 2) {
		return []any{}
	}
	return []any{id}
}

// decision takes the first drafted candidate that would be accepted, then one
// whose fate is open, and without either the best idea left.
func (s stage) decision() object {
	if s.turn.refusals() > refusalsMax {
		return s.committed(wait("Several decisions were refused, so this tick is left alone."))
	}
	draft, _ := s.turn.last(toolDraft)
	candidates := draft.candidates()
	for _, status := range []string{statusAccepted, statusUnknown} {
		for _, c := range candidates {
			if c.status == status && !s.known.failed(c.action) {
				return object{"action": c.action, "execute_until": c.until, "why": c.why, "sources_used": s.sources()}
			}
		}
	}
	return s.committed(s.ideas[0])
}

// leanTurn is plan, draft and decision in one.
func (s stage) leanTurn() object {
	out := s.decision()
	plan := s.plan()
	out["plan"], out["plan_steps"] = plan, plan["steps"]
	for _, key := range []string{"goal", "steps", "missing"} {
		out[key] = plan[key]
	}
	out["candidates"] = s.draft()["candidates"]
	return out
}

// text answers in two sentences where no call is possible.
func (s stage) text() string {
	best := s.ideas[0]
	return fmt.Sprintf("The next useful action is to %s. %s", strings.ReplaceAll(name(best.action), "_", " "), best.why)
}

// reasoningTokens is positive in about a third of the answers with calls.
func (s stage) reasoningTokens() int64 {
	c := s.industry.chance.after(len(s.turn))
	if !c.oneIn("reasoning", 3) {
		return 0
	}
	return int64(16 + c.draw("reasoning length", 64))
}
