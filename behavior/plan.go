package behavior

import (
	"slices"
)

func (t *Turn) takePlan(i int, leniencies []string) (bool, ParseKind) {
	f, lenient, e := decodeFields(t.slots[i].args)
	if e != nil {
		return false, t.badArguments(i, NotePlan, e)
	}
	f, more := shapePlan(f)
	leniencies = slices.Concat(leniencies, lenient, more)
	var plan planArgs
	absent, e := f.decode(&plan, "goal", "steps", "missing")
	if e != nil {
		return false, t.badArguments(i, NotePlan, e)
	}
	t.acceptPlan(plan, t.slots[i].callID, slices.Concat(leniencies, t.slots[i].norm(absent)))
	t.reveal()
	t.afterPlan()
	t.respond(i, planAccepted{t.stage})
	return true, ""
}

func (t *Turn) acceptPlan(plan planArgs, callID string, leniencies []string) {
	t.planned = true
	t.planSteps = plan.Steps[:min(len(plan.Steps), planStepsMax)]
	detail := planDetail{Goal: capText(plan.Goal), Steps: []string{}, Missing: len(plan.Missing)}
	for _, s := range t.planSteps {
		if !slices.Contains(stepKinds, s.Kind) {
			s.Kind = "unknown"
		}
		detail.Steps = append(detail.Steps, s.Kind)
	}
	t.note(Note{Kind: NotePlan, Status: StatusOK, CallID: callID, Leniencies: leniencies, Detail: detail})
}

// planStepsMax bounds the plan steps that are read.
const planStepsMax = 12

type planDetail struct {
	Goal    string   `json:"goal"`
	Steps   []string `json:"steps"`
	Missing int      `json:"missing"`
}
