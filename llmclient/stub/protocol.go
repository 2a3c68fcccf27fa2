package stub

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

// answer is what the policy says to one request: calls, or a text.
type answer struct {
	calls []toolCall
	// text is the whole answer when there are no calls.
	text string
	// reasoningTokens is the simulated length of a reasoning item before the
	// calls; 0 means that there is none.
	reasoningTokens int64
	// summarized says that the reasoning item has a summary.
	summarized bool
	// raw replaces the encoded arguments of the first call; nil leaves them.
	raw *string
	// nested writes the calls down as text, silent says nothing at all, late comes when the
	// client has stopped waiting; see [Manners].
	nested, silent, late bool
}

// toolCall is a call with arguments completed by the tool's schema.
type toolCall struct {
	name      string
	arguments object
}

// stage is the point a turn has reached, with all the policy can know there.
type stage struct {
	request request
	allowed []tool
	turn    transcript
	// see is the last observation, offers what tools and rules say of the game.
	see    world.Observation
	offers catalogue
	// chance makes the choices that no rule decides.
	chance chance
	// known is what failed; ideas is what is left to do, best first.
	known experience
	ideas []proposal
	// prompt is what the request says, for what is foreseen.
	prompt prompt
	// lessons are the bullets of the prompt.
	lessons []lesson
	// follows is the lesson or chunk of a document that made the ideas what they are, empty for
	// none. wonders are goals that mention documents of which none is in view.
	follows, wonders string
	// asks are the modules to ask in this turn; nil leaves it to chance.
	asks []string
}

// newStage reads a request.
func newStage(seed uint64, r request) stage {
	p := readPrompt(r.input)
	s := stage{request: r, allowed: r.allowed(), turn: readTranscript(r.input[p.turnStart:])}
	s.see, s.offers = readObservation(p.language, p.tick, p.observation), r.offers
	p.remember(&s.see)
	s.offers.recipes = slices.Concat(s.offers.recipes, p.recipes)
	s.prompt = p
	s.chance = newChance(seed, s.see)
	s.known = experience{refused: s.turn.refused(), latest: p.latest, refusal: p.language.refused}
	s.ideas = s.proposals(p)
	if p.asksDocuments() {
		facts := readFacts(p.language, r.input, s.turn)
		s.ideas, s.follows = s.informed(p, facts)
		if len(facts) == 0 {
			s.wonders = p.goals
		}
	}
	s.lessons = readLessons(p.playbook)
	return s
}

// answer decides what to say. Where calls are allowed it makes at least one, unless
// it has already said all it has to say to tools it does not know.
func (s stage) answer() answer {
	var calls []toolCall
	if len(s.allowed) > 0 {
		calls = s.calls()
	}
	if len(calls) == 0 {
		best := s.ideas[0]
		return answer{text: fmt.Sprintf("The next useful action is to %s. %s",
			strings.ReplaceAll(name(best.action), "_", " "), best.why)}
	}
	if !s.request.parallel() {
		calls = calls[:1]
	}
	a := answer{calls: calls}
	// About a third of the answers with calls begin with reasoning.
	if c := s.chance.after(len(s.turn)); c.oneIn("reasoning", 3) {
		a.reasoningTokens = int64(16 + c.draw("reasoning length", 64))
	}
	return a
}

// calls returns the calls of the present stage. The order of the cases is the order
// of a turn; a stage that is over or not allowed is passed over. Which stage it is
// follows from the request alone, so a request may be repeated, or answered by a
// server that has seen none of the turn before.
func (s stage) calls() []toolCall {
	// A plan is for what comes between it and the decision: texts to read, which leave
	// nothing else to call, or a reason step.
	if s.may(toolPlan) && s.turn.count(toolPlan) == 0 && !s.may(toolTurn) && (!s.may(toolDraft) || s.reasons()) {
		return s.call(toolPlan, s.plan())
	}
	if calls := s.askModules(); len(calls) > 0 {
		return calls
	}
	if s.may(toolTurn) {
		return s.call(toolTurn, s.leanTurn())
	}
	if _, drafted := s.turn.last(toolDraft); s.may(toolDraft) && (!drafted || !s.may(toolDecision)) {
		calls := s.call(toolDraft, s.draft())
		if s.may(toolDecision) && s.request.parallel() {
			// The draft offers the best idea first; its dry run is not waited for.
			out := s.committed(s.ideas[0])
			out["candidate"] = int64(1)
			calls = append(calls, s.call(toolDecision, out)...)
		}
		return calls
	}
	if s.may(toolDecision) {
		return s.call(toolDecision, s.decision())
	}
	// A tool the policy has no idea about is called once, with the emptiest arguments it
	// takes. When it need not call and has done so already, it stops.
	if s.request.choice.Mode == llmclient.ChoiceAuto && len(s.turn) > 0 {
		return nil
	}
	return s.call(s.allowed[0].Name, s.moduleValues(s.allowed[0].Name))
}

// may reports whether a tool may be called now.
func (s stage) may(name string) bool { return has(s.allowed, name) }

// has reports whether one of the tools has a name.
func has(tools []tool, name string) bool {
	return slices.ContainsFunc(tools, func(t tool) bool { return t.Name == name })
}

// call returns one call with the values completed by the tool's schema.
func (s stage) call(name string, values object) []toolCall {
	for _, t := range s.allowed {
		if t.Name == name {
			return []toolCall{{name: name, arguments: parseSchema(t.Parameters).arguments(values)}}
		}
	}
	return nil
}
