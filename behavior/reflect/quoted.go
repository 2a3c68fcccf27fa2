package reflect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/trace"
)

// textField is the field in which the results of modules hold what an agent wrote.
const textField = "text"

// quotedWords returns s with only the words in it that others wrote. The result of a module is
// trusted no more than the worst of it, but most of it is the agent's own state. Compared with
// the names of actions and resources, hardly any honest lesson would differ enough. A text in
// which no quoted words can be told apart stays whole.
func quotedWords(s trace.Source) trace.Source {
	if s.Kind != trace.KindModule {
		return s
	}
	var result any
	if json.Unmarshal([]byte(s.Text), &result) != nil {
		return s
	}
	if words := textsIn(result); len(words) > 0 {
		s.Text = strings.Join(words, "\n")
	}
	return s
}

// textsIn collects the texts in a decoded value; fields are visited by name, so that
// the order is always the same.
func textsIn(v any) []string {
	var words []string
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			words = append(words, textsIn(element)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text, ok := v[name].(string); ok && name == textField {
				words = append(words, text)
				continue
			}
			words = append(words, textsIn(v[name])...)
		}
	}
	return words
}
