package report

import (
	"encoding/json"
	"slices"

	"example.com/agentworld/trace"
)

// Learning counts how agents reflected on their decisions. Its calls and tokens are only
// here: figures per decision leave them out.
type Learning struct {
	// Turns that reflected, one per agent and consolidation.
	Consolidations int64 `json:"consolidations"`
	// Consolidations that changed nothing because of a failure, by reason;
	// consolidation_rejected_collapse is one that would have lost too much.
	ConsolidationsFailed Counts `json:"consolidations_failed"`
	// Consolidations without a failure that changed nothing.
	ConsolidationsUnchanged int64 `json:"consolidations_unchanged"`
	// Answers of the reflector that were taken.
	Reflections int64 `json:"reflections"`
	// Changes of playbooks that were carried out.
	DeltasApplied int64 `json:"deltas_applied"`
	// Changes that were proposed and rejected.
	DeltasRejected int64 `json:"deltas_rejected"`
	// Changes carried out, by operation.
	AppliedByOp Counts `json:"applied_by_op"`
	// Changes rejected, by code.
	RejectedByCode Counts `json:"rejected_by_code"`
	// Answers that could not be used, by kind; they needed another call or ended the consolidation.
	UnusableByKind Counts `json:"unusable_by_kind"`
	// What the parser forgave, by name.
	RepairsByKind Counts `json:"repairs_by_kind"`
	// Model calls sent by turns that reflected; trace_counts.model_calls does not have them.
	Calls int64 `json:"calls"`
	// Requests of such turns that a cap refused; nothing was sent for them.
	CallsRefused int64 `json:"calls_refused"`
	// Calls that ended without a reply.
	Errors int64 `json:"errors"`
	// Characters of instructions and input over all these calls.
	InputCharsTotal int64 `json:"input_chars_total"`
	// Most characters of instructions and input in one of these calls.
	InputCharsMax int64 `json:"input_chars_max"`
	// Tokens of their answers; the report's tokens do not have them.
	Tokens Tokens `json:"tokens"`
	// Size of each playbook after its last consolidation, in the order in which agents first reflected.
	Playbooks []AgentPlaybook `json:"playbooks"`
}

// AgentPlaybook is the size of one agent's playbook.
type AgentPlaybook struct {
	// Id of the agent.
	AgentID string `json:"agent_id"`
	// Version of the playbook.
	Version int64 `json:"version"`
	// Lessons it holds.
	Bullets int64 `json:"bullets"`
	// Characters of all lessons.
	Chars int64 `json:"chars"`
}

// learns reports whether a stage is one of a turn that reflects.
func learns(stage trace.Stage) bool {
	return stage == trace.StageReflect || stage == trace.StageConsolidate
}

// learnCall counts a call of a turn that reflects.
func (f *folder) learnCall(m trace.ModelCall) {
	l := &f.out.Learning
	l.Calls++
	l.InputCharsTotal += int64(m.InputChars)
	l.InputCharsMax = max(l.InputCharsMax, int64(m.InputChars))
	l.Tokens = l.Tokens.Add(TokensOf(m.Answer.Usage))
	if m.Answer.Failure != nil {
		l.Errors++
	}
	f.sent(m.Timing)
}

// learnStep counts a step of a turn that reflects; ok is false for any other.
func (f *folder) learnStep(s trace.Step) (ok bool) {
	l := &f.out.Learning
	switch s.Kind {
	case trace.StepReflect:
		l.Reflections++
	case trace.StepConsolidate, trace.StepLearnItemRepair:
	case trace.StepLearnError:
		l.UnusableByKind[s.Code]++
	case trace.StepDelta:
		if s.Status == trace.StatusOK {
			l.DeltasApplied++
			l.AppliedByOp[s.Name]++
		} else {
			l.DeltasRejected++
			l.RejectedByCode[s.Code]++
		}
	case trace.StepConsolidation:
		l.Consolidations++
		switch {
		case s.Status == trace.StatusError:
			l.ConsolidationsFailed[s.Code]++
		case s.Code != "":
			l.ConsolidationsUnchanged++
		}
		var size AgentPlaybook
		// A detail of another version reads as far as it is known.
		_ = json.Unmarshal(s.Detail, &size)
		size.AgentID = s.AgentID
		at := slices.IndexFunc(l.Playbooks, func(p AgentPlaybook) bool { return p.AgentID == s.AgentID })
		if at < 0 {
			l.Playbooks = append(l.Playbooks, size)
		} else {
			l.Playbooks[at] = size
		}
	default:
		return false
	}
	for _, name := range s.Repairs {
		l.RepairsByKind[name]++
	}
	return true
}
