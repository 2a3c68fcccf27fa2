package stub

import (
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// questioned reports whether the request asks about the turn instead of going on with it: nothing
// may be called, and the client itself says that a question follows.
func (s stage) questioned() bool {
	return s.request.choice.Mode == llmclient.ChoiceNone &&
		slices.ContainsFunc(s.request.input, func(it llmclient.Item) bool {
			return it.Kind == llmclient.KindMessage && it.Role == "developer" &&
				slices.ContainsFunc(languages, func(l language) bool { return strings.HasPrefix(it.Text, l.headingQuestion) })
		})
}

// account says why the turn was decided as it was, with the sources that the decision named.
func (s stage) account() answer {
	for _, c := range slices.Backward(s.turn) {
		why, _ := c.arguments["why"].(string)
		if (c.name != toolDecision && c.name != toolTurn && c.name != toolDraft) || why == "" {
			continue
		}
		text := "I decided so because: " + why
		sources, _ := c.arguments["sources_used"].([]any)
		for _, id := range sources {
			if id, ok := id.(string); ok {
				text += " [" + id + "]"
			}
		}
		return answer{text: text}
	}
	return answer{text: "I do not know why: I gave no reason."}
}
