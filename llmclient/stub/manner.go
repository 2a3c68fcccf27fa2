package stub

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// manners are their names, in the order in which they change an answer. Most are about the
// turn, the last three about every answer.
var manners = []string{
	"modules-first", "planner-only", "off-plan", "redrafter", "prose", "silent-decision", "late", "namer", "nested",
	"thinker",
}

const (
	// namespace is what a namer writes before names.
	namespace = "functions."
	// thinkerTokens is how long a thinker reasons.
	thinkerTokens = 3000
)

// MannerNames lists the names of all manners.
func MannerNames() []string { return slices.Clone(manners) }

// Manners say who answers how: each agent's manners, and under "" those of all. A manner is
// a way of answering that models have and this policy has not; docs/faults.md lists them.
// What is decided stays the same. Manners go with every [Mode] and with faults.
type Manners map[string][]string

// ParseManners reads manners between commas, each for all agents or, as AGENT=MANNER, for
// one, in any order:
//
//	thinker,namer
//	agent-1=prose,agent-2=late
//
// The error names what is wrong and what is allowed.
func ParseManners(text string) (Manners, error) {
	m := Manners{}
	if strings.TrimSpace(text) == "" {
		return m, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		agent, name, one := strings.Cut(item, "=")
		if !one {
			agent, name = "", item
		}
		agent, name = strings.TrimSpace(agent), strings.TrimSpace(name)
		if !slices.Contains(manners, name) || one && agent == "" {
			return nil, fmt.Errorf("%q is no manner; allowed: %s, or AGENT=MANNER, separated by commas", item,
				strings.Join(manners, ", "))
		}
		m[agent] = append(m[agent], name)
	}
	return m, nil
}

// Agents lists the agents that are named.
func (m Manners) Agents() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(agent string) bool { return agent == "" })
}

// of are the manners of an agent, in their order. An empty id is that of a request that names no
// agent, which has the manners of all.
func (m Manners) of(agent string) (all []string) {
	for _, name := range manners {
		if slices.Contains(m[""], name) || slices.Contains(m[agent], name) {
			all = append(all, name)
		}
	}
	return all
}

// mannered is an answer as it comes from a model with these manners. It follows from the
// request alone, like the answer itself. Stages do not bind it: it calls tools that
// tool_choice leaves out.
func (s stage) mannered(all []string, a answer) answer {
	s.allowed = s.request.tools
	question := moduleSearch
	for _, m := range all {
		// instead makes another call, unless the request has no such tool.
		instead := func(name string, values object) {
			if calls := s.call(name, values); len(calls) > 0 {
				a.calls = calls
			}
		}
		at := func(names ...string) bool {
			return slices.ContainsFunc(a.calls, func(c toolCall) bool { return slices.Contains(names, c.name) })
		}
		switch m {
		case "modules-first":
			if len(s.turn) == 0 && at(toolPlan, toolDraft, toolDecision, toolTurn) {
				instead(question, s.moduleValues(question))
			}
		case "planner-only":
			if at(toolDraft, toolDecision, toolTurn) {
				instead(toolPlan, s.plan())
			}
		case "off-plan":
			switch {
			case at(toolPlan), len(s.turn) == 0 && at(toolDraft, toolDecision, toolTurn):
				// It plans what it could do as well, and never to wait.
				others := slices.DeleteFunc(slices.Clone(s.ideas[1:]),
					func(p proposal) bool { return name(p.action) == actionSleep || name(p.action) == actionWait })
				plan := s.planOf(append(others, s.ideas[0])[:1])
				plan["steps"] = []any{"respond"}
				instead(toolPlan, plan)
			case at(toolDraft, toolDecision, toolTurn) && s.turn.count(toolPlan) > 0 && s.turn.modules() == 0:
				instead(question, s.moduleValues(question))
			}
		case "redrafter", "prose", "silent-decision", "late":
			if !at(toolDecision, toolTurn) {
				break
			}
			rest := slices.DeleteFunc(slices.Clone(a.calls),
				func(c toolCall) bool { return c.name == toolDecision || c.name == toolTurn })
			switch {
			case len(rest) > 0: // the decision has an answer of its own
				a.calls = rest
			case m == "redrafter" && at(toolTurn):
				// Candidates and no decision among them.
				delete(a.calls[0].arguments, "candidate")
				delete(a.calls[0].arguments, "action")
			case m == "redrafter":
				instead(toolDraft, s.draft())
			case m == "prose":
				a.calls, a.text = nil, "I have looked at both and will "+strings.ReplaceAll(name(s.ideas[0].action), "_", " ")+
					" now, as this helps most."
			case m == "silent-decision":
				a.calls, a.silent = nil, true
			case at(toolTurn) && s.turn.count(toolPlan) == 0:
				// Where all of a turn is one call, what comes in time is a plan.
				instead(toolPlan, s.plan())
			default:
				a.late = true
			}
		case "namer":
			a.calls = slices.Clone(a.calls)
			for i := range a.calls {
				a.calls[i].name = namespace + a.calls[i].name
			}
		case "nested":
			a.nested = true
		case "thinker":
			a.reasoningTokens = thinkerTokens
		}
	}
	return a
}

// nestedText writes calls down the way that another API nests them.
func nestedText(calls []toolCall) string {
	var list []object
	for _, c := range calls {
		list = append(list, object{"type": "function",
			"function": object{"name": c.name, "arguments": string(llmclient.Marshal(c.arguments))}})
	}
	if len(list) > 1 {
		return string(llmclient.Marshal(object{"tool_calls": list}))
	}
	return string(llmclient.Marshal(object{"function": object{"name": calls[0].name, "arguments": calls[0].arguments}}))
}

// cut returns the items of an output that fit that many tokens, as far as the first that does
// not. Reasoning stays; its tokens are counted elsewhere.
func cut(output []json.RawMessage, left int64) []json.RawMessage {
	for i, raw := range output {
		item, _ := llmclient.ParseItem(raw)
		left -= tokens(len(raw))
		if left < 0 && item.Kind != llmclient.KindReasoning {
			return output[:i]
		}
	}
	return output
}
