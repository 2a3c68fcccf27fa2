package modules

import (
	"fmt"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/world"
)

// Finding is what clamping and a dry run found about one action, as a model reads
// it: short, because it stands in every later request of its turn, and in terms of
// the slots the model wrote. The action is not repeated; what clamping changed
// about it is said.
type Finding struct {
	Status world.CheckStatus `json:"status"`
	// Adjusted tells the amounts that clamping moved, such as
	// "amount 5000, not 9000"; empty when none was.
	Adjusted string `json:"adjusted,omitempty"`
	// Changes are the costs and effects, such as "electricity -5, compound +5000".
	Changes string `json:"changes,omitempty"`
	// Ticks is how long the action or its job takes, 0 when immediate.
	Ticks int64 `json:"ticks,omitempty"`
	// Rejection is the reason with its numbers; set exactly when Status is rejected.
	Rejection *world.Rejection `json:"rejection,omitempty"`
}

// NewFinding writes up the check of an action, given after clamping, and the
// adjustments that clamping made, in a language.
func NewFinding(l Language, a world.Action, adjustments []world.Adjustment, check world.Check) Finding {
	return Finding{
		Status: check.Status, Adjusted: adjustedText(wordsOf(l), adjustments), Changes: changesText(check.Changes),
		Ticks: check.Ticks, Rejection: inSlots(a, check.Rejection),
	}
}

// adjustedText writes adjustments as a model would have written the amounts. The
// ticks of a standing order are no slot and keep their name.
func adjustedText(w *wording, adjustments []world.Adjustment) string {
	var parts []string
	for _, a := range adjustments {
		parts = append(parts, fmt.Sprintf(w.adjusted, answer.Slot(a.Action, a.Field), a.To, a.From))
	}
	return strings.Join(parts, "; ")
}

// changesText writes amounts with their signs.
func changesText(changes []world.Amount) string {
	var parts []string
	for _, c := range changes {
		parts = append(parts, fmt.Sprintf("%s %+d", c.Resource, c.Amount))
	}
	return strings.Join(parts, ", ")
}

// inSlots returns a copy of a rejection that names the slot at fault instead of
// the parameter.
func inSlots(a world.Action, r *world.Rejection) *world.Rejection {
	if r == nil {
		return nil
	}
	if order, ok := a.(world.ExecuteUntil); ok && order.Do != nil {
		a = order.Do
	}
	told := *r
	told.Field = answer.Slot(a.ActionName(), r.Field)
	return &told
}
