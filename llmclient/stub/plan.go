package stub

import (
	"fmt"
	"strconv"
	"strings"
)

// planGoal is all that a plan says in words: little, because it stands in every later
// request of its turn.
const planGoal = "Meet the goals."

// plannedMax is how many ideas a plan lists. They are those that a draft offers.
const plannedMax = 2

// plan says how many modules will be asked and what the agent may do. One plan in
// eight has a step for reasoning alone, so that a client's handling of such steps is
// exercised in every longer run; not beside two questions, which are talk enough.
func (s stage) plan() object {
	steps := []any{}
	wanted := s.modulesWanted()
	for range wanted {
		steps = append(steps, object{"kind": "call"})
	}
	if len(wanted) < 2 && s.industry.chance.oneIn("reason step", 8) {
		steps = append(steps, object{"kind": "reason"})
	}
	steps = append(steps, object{"kind": "respond"})
	return object{"goal": planGoal, "steps": steps, "actions": s.planned()}
}

// planned are the best ideas in the short grammar of plans: a name, its arguments, and
// for how many ticks. Waiting needs no plan.
func (s stage) planned() []any {
	out := []any{}
	for _, p := range s.ideas[:min(plannedMax, len(s.ideas))] {
		if name(p.action) != "wait" {
			out = append(out, planLine(p))
		}
	}
	return out
}

// planLine writes one idea as a line of a plan.
func planLine(p proposal) string {
	words := []string{name(p.action)}
	for _, slot := range []string{slotTo, slotID, slotWhat, slotAmount, slotPrice} {
		if v := p.action[slot]; v != nil {
			words = append(words, fmt.Sprint(v))
		}
	}
	if text, ok := p.action[slotText].(string); ok {
		words = append(words, strconv.Quote(text))
	}
	if p.until != nil {
		words = append(words, "until", fmt.Sprint(p.until["max_ticks"]))
	}
	return strings.Join(words, " ")
}
