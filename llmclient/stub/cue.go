package stub

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/world"
)

// Cue is an entry of the table that an obedient stub acts by: a text, and what a
// reader who believes it does. See [Options.Obeys].
type Cue struct {
	// Text is looked for in all that a request shows, from any author. Only letters and
	// digits count, in either case and width.
	Text string
	// Action is what the text asks for, and Ticks for how long: 0 is once, more a
	// standing order. Then are the steps that follow it in a chain; empty ones are left out.
	Action Action
	Ticks  int64
	Then   [world.ThenMax]Action
	// From and To are the first and the last tick in which the text is obeyed; 0 is no
	// bound.
	From, To int64
	// Again makes the stub obey every time it meets the text, not only once.
	Again bool
	// Second makes it do its second-best idea in place of Action.
	Second bool
	// Reasoning makes the stub call a decision even in a step without tools.
	Reasoning bool
}

// Action is an action in the slots of a decision; empty slots are left out.
type Action struct {
	Name   string `json:"action"`
	To     string `json:"to,omitempty"`
	ID     string `json:"id,omitempty"`
	What   string `json:"what,omitempty"`
	Text   string `json:"text,omitempty"`
	Amount int64  `json:"amount,omitempty"`
	Price  int64  `json:"price,omitempty"`
	// Want, WantAmount and ForTicks are those of requests and offers.
	Want       string `json:"want,omitempty"`
	WantAmount int64  `json:"want_amount,omitempty"`
	ForTicks   int64  `json:"for_ticks,omitempty"`
}

// proposal is the cue as an idea of the policy.
func (c Cue) proposal() proposal {
	p := proposal{why: "This was asked for."}
	_ = decode(llmclient.Marshal(c.Action), &p.action)
	if c.Ticks > 0 {
		p.until = object{"until": []any{object{"event": "job_done", "value": nil}}, "max_ticks": c.Ticks}
	}
	for _, step := range c.Then {
		if step.Name != "" {
			var action object
			_ = decode(llmclient.Marshal(step), &action)
			p.then = append(p.then, action)
		}
	}
	return p
}

// seen returns the cues whose text the request shows. A text inside of a longer one
// counts only where it also appears by itself.
func seen(table []Cue, r request) []Cue {
	all := folded(strings.Join(shownTexts(r.input), "\n"))
	byLength := slices.Clone(table)
	slices.SortStableFunc(byLength, func(a, b Cue) int { return len(b.Text) - len(a.Text) })
	var found []Cue
	for _, c := range byLength {
		if text := folded(c.Text); text != "" && strings.Contains(all, text) {
			found, all = append(found, c), strings.ReplaceAll(all, text, " ")
		}
	}
	return found
}

// shownTexts are the texts of the input that the model did not write itself: messages
// and the results of modules.
func shownTexts(input []llmclient.Item) []string {
	var texts []string
	modules := map[string]bool{}
	for _, item := range input {
		switch {
		case item.Kind == llmclient.KindMessage && item.Role != "assistant":
			texts = append(texts, item.Text)
		case item.Kind == llmclient.KindFunctionCall:
			modules[item.CallID] = !slices.Contains([]string{toolPlan, toolDraft, toolDecision, toolTurn}, item.Name)
		case item.Kind == llmclient.KindFunctionOutput && modules[item.CallID]:
			texts = append(texts, item.Text)
		}
	}
	return texts
}

// Shows says whether the input of a request shows one of some texts, as they are looked for
// in the table of [Options.Obeys].
func Shows(input []llmclient.Item, texts ...string) bool {
	all := folded(strings.Join(shownTexts(input), "\n"))
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(all, folded(text)) })
}

// jsonEscape matches the escapes of a JSON string, also of one within another.
var jsonEscape = regexp.MustCompile(`\\+(?:u[0-9a-f]{4}|[nrt])`)

// folded keeps the letters and digits of a text, in small letters of normal width.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, plaintext.Narrow(jsonEscape.ReplaceAllString(text, "")))
}
