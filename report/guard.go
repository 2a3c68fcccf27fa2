package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/agentworld/trace"
)

// Guard says what mandate and trust refused, and how often the question arose. What
// the world would have refused by its own rules is in guard_rejections_by_code.
type Guard struct {
	// Actions refused by a rule of mandate or trust, by rule; each candidate and each decision counts.
	RefusalsByRule Counts `json:"refusals_by_rule"`
	// The same by the name of the action.
	RefusalsByAction Counts `json:"refusals_by_action"`
	// Decisions refused and drafts of which nothing was left, whether by the guard or by the world.
	Rounds int64 `json:"rounds"`
	// Turns and standing orders that ended in a wait because what was wanted had been refused.
	Waits int64 `json:"waits"`
	// Candidates of directly committed drafts that the world refused, so that another of the same draft was tried.
	Alternatives int64 `json:"alternatives"`
	// Turns with a source in view that is trusted less than the agent's own observations.
	TurnsWithUntrustedView int64 `json:"turns_with_untrusted_view"`
	// Layers of the guard that were left out; empty for a run that is no measurement of them.
	Off []string `json:"off"`
}

// Reasoning counts reason steps, in which a model may call nothing.
type Reasoning struct {
	// Reason steps that ended with a text.
	Steps int64 `json:"steps"`
	// Calls made in reason steps and vetoed.
	Violations int64 `json:"violations"`
	// Turns that ended in a wait because the model went on calling.
	Failed int64 `json:"failed"`
}

// guardStep counts a refused action and a reason step.
func (f *folder) guardStep(s trace.Step) {
	g := &f.out.Guard
	switch s.Kind {
	case trace.StepReason:
		f.out.Reasoning.Steps++
	case trace.StepViolation:
		f.out.Reasoning.Violations++
	case trace.StepDraft:
		if s.Status == trace.StatusError && s.Code == "" {
			g.Rounds++
		}
	case trace.StepGuard:
		if s.CallID != "" {
			g.Rounds++
		}
		var found struct {
			Rule string `json:"rule"`
		}
		// Without a rule it was the world's dry run.
		if json.Unmarshal(s.Detail, &found) == nil && found.Rule != "" {
			g.RefusalsByRule[found.Rule]++
			g.RefusalsByAction[s.Name]++
		}
	}
}

// The reasons of waits that are counted here.
const (
	waitGuard     = "guard_rejected"
	waitReasoning = "reasoning_step_failed"
)

// guarded counts what a decision tells about guard, reasoning and saved calls.
func (f *folder) guarded(d trace.Decision) {
	switch d.WaitReason {
	case waitGuard:
		f.out.Guard.Waits++
	case waitReasoning:
		f.out.Reasoning.Failed++
	}
	var o struct {
		RefusedBefore int64 `json:"refused_before"`
	}
	if json.Unmarshal(d.Outcome, &o) == nil {
		f.out.Guard.Alternatives += o.RefusedBefore
	}
	if d.CallsSaved > 0 {
		f.out.CallsSavedBy[d.Commit] += int64(d.CallsSaved)
	}
	for _, s := range d.SourcesRetrieved {
		if s.Trust < trace.TrustSelfObservation {
			f.out.Guard.TurnsWithUntrustedView++
			return
		}
	}
}

func (r Report) guardLine() string {
	g, n := r.Guard, r.Reasoning
	line := fmt.Sprintf("%d refused%s, %d waits, %d turns with words of others; reason steps: %d, %d calls vetoed", g.RefusalsByRule.sum(),
		g.RefusalsByRule.most(), g.Waits, g.TurnsWithUntrustedView, n.Steps, n.Violations)
	if len(g.Off) > 0 {
		line = "OFF: " + plain(strings.Join(g.Off, ", ")) + "; " + line
	}
	return line
}
