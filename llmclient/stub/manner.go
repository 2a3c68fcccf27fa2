package stub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// Manner is a way of answering that models have and this policy has not. What is decided
// stays the same; how it comes differs. A manner goes with every [Mode] and with faults.
type Manner string

// The manners, in the order in which they change an answer. Most are about the turn; the
// last three about every answer.
const (
	// MannerModulesFirst asks a module before it plans.
	MannerModulesFirst Manner = "modules-first"
	// MannerPlannerOnly plans again in place of a draft or a decision.
	MannerPlannerOnly Manner = "planner-only"
	// MannerOffPlan plans one action and no question, then asks one and drafts others.
	MannerOffPlan Manner = "off-plan"
	// MannerRedrafter drafts again in place of a decision.
	MannerRedrafter Manner = "redrafter"
	// MannerProse decides in a sentence.
	MannerProse Manner = "prose"
	// MannerSilentDecision says nothing in place of a decision.
	MannerSilentDecision Manner = "silent-decision"
	// MannerLate sends no decision before the client stops waiting.
	MannerLate Manner = "late"
	// MannerNamer writes the namespace of a chat template before each name.
	MannerNamer Manner = "namer"
	// MannerNested writes its calls down as text, in the shape of another API.
	MannerNested Manner = "nested"
	// MannerThinker reasons for 3,000 tokens before it says anything.
	MannerThinker Manner = "thinker"
)

// manners are all of them, in their order.
var manners = []Manner{
	MannerModulesFirst, MannerPlannerOnly, MannerOffPlan, MannerRedrafter, MannerProse, MannerSilentDecision, MannerLate,
	MannerNamer, MannerNested, MannerThinker,
}

const (
	// namespace is what a namer writes before names.
	namespace = "functions."
	// thinkerTokens is how long a thinker reasons.
	thinkerTokens = 3000
)

// MannerNames lists the names of all manners.
func MannerNames() []string {
	names := make([]string, len(manners))
	for i, m := range manners {
		names[i] = string(m)
	}
	return names
}

// Manners say who answers how. Make them with [ParseManners]; the zero value is nobody.
type Manners struct{ list []mannerOf }

// mannerOf is a manner of one agent, or of all where agent is empty.
type mannerOf struct {
	agent  string
	manner Manner
}

// ParseManners reads manners between commas, each for all agents or, as AGENT=MANNER, for
// one, in any order:
//
//	thinker,namer
//	agent-1=prose,agent-2=late
//
// The error names what is wrong and what is allowed.
func ParseManners(text string) (Manners, error) {
	var m Manners
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" && strings.TrimSpace(text) == "" {
			break
		}
		agent, name, one := strings.Cut(item, "=")
		if !one {
			agent, name = "", item
		}
		of := mannerOf{strings.TrimSpace(agent), Manner(strings.TrimSpace(name))}
		if !slices.Contains(manners, of.manner) || one && of.agent == "" {
			return Manners{}, fmt.Errorf("%q is no manner; allowed: %s, or AGENT=MANNER, separated by commas", item, strings.Join(MannerNames(), ", "))
		}
		m.list = append(m.list, of)
	}
	return m, nil
}

// Empty reports whether nobody has a manner.
func (m Manners) Empty() bool { return len(m.list) == 0 }

// Agents lists the agents that are named.
func (m Manners) Agents() []string {
	var agents []string
	for _, of := range m.list {
		if of.agent != "" {
			agents = append(agents, of.agent)
		}
	}
	return agents
}

// of are the manners of the agent that a request comes from, in their order.
func (m Manners) of(r request) []Manner {
	if m.Empty() {
		return nil
	}
	var agent string
	_ = json.Unmarshal(r.echo.CacheKey, &agent) // whoever names no agent has the manners of all
	return slices.DeleteFunc(slices.Clone(manners), func(one Manner) bool {
		return !slices.Contains(m.list, mannerOf{"", one}) && (agent == "" || !slices.Contains(m.list, mannerOf{agent, one}))
	})
}

// mannered is an answer as it comes from a model with these manners. It follows from the
// request alone, like the answer itself. Stages do not bind it: it calls tools that
// tool_choice leaves out.
func (s stage) mannered(all []Manner, a answer) answer {
	s.allowed = s.request.tools
	for _, m := range all {
		at := func(names ...string) bool {
			return slices.ContainsFunc(a.calls, func(c toolCall) bool { return slices.Contains(names, c.name) })
		}
		switch m {
		case MannerModulesFirst:
			if len(s.turn) == 0 && at(toolPlan, toolDraft, toolDecision, toolTurn) {
				a.instead(s.question())
			}
		case MannerPlannerOnly:
			if at(toolDraft, toolDecision, toolTurn) {
				a.instead(s.call(toolPlan, s.plan()))
			}
		case MannerOffPlan:
			switch {
			case at(toolPlan):
				plan := s.plan()
				actions := plan["actions"].([]any)
				plan["steps"], plan["actions"] = []any{object{"kind": "respond"}}, actions[max(0, len(actions)-1):]
				a.instead(s.call(toolPlan, plan))
			case at(toolDraft, toolDecision) && s.turn.count(toolPlan) > 0 && s.turn.modules() == 0:
				a.instead(s.question())
			}
		case MannerRedrafter, MannerProse, MannerSilentDecision, MannerLate:
			if !at(toolDecision, toolTurn) {
				break
			}
			rest := slices.DeleteFunc(slices.Clone(a.calls), func(c toolCall) bool { return c.name == toolDecision || c.name == toolTurn })
			switch {
			case len(rest) > 0: // the decision has an answer of its own
				a.calls = rest
			case m == MannerRedrafter:
				a.instead(s.call(toolDraft, s.draft()))
			case m == MannerProse:
				a.calls, a.text = nil, "I have looked at both and will "+strings.ReplaceAll(name(s.ideas[0].action), "_", " ")+" now, as this helps most."
			case m == MannerSilentDecision:
				a.calls, a.silent = nil, true
			default:
				a.late = true
			}
		case MannerNamer:
			a.calls = slices.Clone(a.calls)
			for i := range a.calls {
				a.calls[i].name = namespace + a.calls[i].name
			}
		case MannerNested:
			a.nested = true
		case MannerThinker:
			a.reasoningTokens = thinkerTokens
		}
	}
	return a
}

// instead makes other calls, unless the request has no such tool.
func (a *answer) instead(calls []toolCall) {
	if len(calls) > 0 {
		a.calls = calls
	}
}

// question is one call of a module.
func (s stage) question() []toolCall {
	for _, name := range s.offered([]string{moduleSearch, moduleRecent, moduleList}) {
		return s.call(name, s.moduleValues(name))
	}
	return nil
}

// nestedText writes calls down the way that another API nests them.
func nestedText(calls []toolCall) string {
	var list []object
	for _, c := range calls {
		list = append(list, object{"type": "function", "function": object{"name": c.name, "arguments": string(llmclient.Marshal(c.arguments))}})
	}
	if len(list) > 1 {
		return string(llmclient.Marshal(object{"tool_calls": list}))
	}
	return string(llmclient.Marshal(object{"function": object{"name": calls[0].name, "arguments": calls[0].arguments}}))
}

// cut returns what of an output fits that many tokens: the item in which they end is
// incomplete, those behind it are missing. Reasoning stays; its tokens are counted elsewhere.
func cut(output []json.RawMessage, left int64) []json.RawMessage {
	kept := []json.RawMessage{}
	for _, raw := range output {
		item, _ := llmclient.ParseItem(raw)
		room := max(0, left) * bytesPerToken
		left -= tokens(len(raw))
		if left >= 0 || item.Kind == llmclient.KindReasoning {
			kept = append(kept, raw)
			continue
		}
		text := strings.ToValidUTF8(item.Text[:min(int(room), len(item.Text))], "")
		switch {
		case text == "":
		case item.Kind == llmclient.KindFunctionCall:
			kept = append(kept, llmclient.Marshal(wireCall{
				ID: item.ID, Type: "function_call", Status: "incomplete", CallID: item.CallID, Name: item.Name, Arguments: text,
			}))
		case item.Kind == llmclient.KindMessage:
			kept = append(kept, llmclient.Marshal(wireMessage{
				ID: item.ID, Type: "message", Status: "incomplete", Role: "assistant",
				Content: []wireText{{Type: "output_text", Text: text, Annotations: []string{}, Logprobs: []string{}}},
			}))
		}
		break
	}
	return kept
}
