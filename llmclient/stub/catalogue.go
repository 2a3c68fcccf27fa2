package stub

import (
	"regexp"
	"slices"
	"strings"
)

// catalogue is what the request says about the game as such: which events may end a
// standing order, and which recipes can be scheduled. An empty list means that the
// request does not say.
type catalogue struct {
	events  []string
	recipes []string
}

// actionSchedule is the action that takes a recipe.
const actionSchedule = "schedule_recipe"

// readCatalogue reads the tools. All tools of the request count, also those that may
// not be called now, because the list is the same in every stage and the policy should
// be, too. The recipes stand in the description of one of them.
func readCatalogue(tools []tool) catalogue {
	var c catalogue
	for _, t := range tools {
		if c.recipes == nil {
			c.recipes = namedRecipes(t.Description)
		}
		s := parseSchema(t.Parameters)
		if c.events == nil {
			c.events = s.inside("execute_until").inside("until").item().inside("event").listed()
		}
	}
	return c
}

// alternatives are the values of a parameter in a text: a name, or several with
// bars between them, where a common beginning may stand before a parenthesis.
var alternatives = regexp.MustCompile(`^[:=]?\s*([\w.:-]+)(?:\(([\w.:|-]+)\)|((?:\|[\w.:-]+)*))`)

// namedRecipes returns the recipes that the line about scheduling one in a tool's
// description gives as what to schedule.
func namedRecipes(description string) []string {
	for line := range strings.Lines(description) {
		if strings.HasPrefix(line, actionSchedule+"(") {
			return namedAfter(line, slotWhat)
		}
	}
	return nil
}

// namedAfter returns the values a text gives for a slot, as in
// "make(what food.(bread|cake), amount)". Only dotted names count, so that a
// sentence about the slot is not taken for its values.
func namedAfter(text, slot string) []string {
	for {
		_, rest, found := strings.Cut(text, slot)
		if !found {
			return nil
		}
		if m := alternatives.FindStringSubmatch(rest); m != nil && strings.Contains(m[1], ".") {
			return expanded(m[1], m[2], m[3])
		}
		text = rest
	}
}

// expanded returns the names of an alternative: first with each of the endings, or
// first and each of the others.
func expanded(first, endings, others string) []string {
	if endings == "" {
		return strings.Split(first+others, "|")
	}
	var out []string
	for ending := range strings.SplitSeq(endings, "|") {
		out = append(out, first+ending)
	}
	return out
}

// stopsOn reports whether a standing order may end on an event.
func (c catalogue) stopsOn(event string) bool { return slices.Contains(c.events, event) }
