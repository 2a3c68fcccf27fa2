package report

import (
	"encoding/json"
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// agentFold is an agent's row and what is known of its turn in progress. Both
// stay small: a turn's calls are bounded by the limits of a turn.
type agentFold struct {
	row AgentRow
	// gave and got are what it passed to others, and they to it.
	gave, got Counts
	// tick is the tick of the turn.
	tick int64
	// repairs counts the repair rounds of the turn.
	repairs int64
	// forgiven and unusable are the calls of the turn whose answers had repairs
	// or parse errors; minted are the call ids made for it.
	forgiven, unusable []int
	minted             []string
	// candidates is how many of its last draft could be done and are no waits.
	candidates int
	// chainStep is the step of a chain that its last decision was of, 1 for any other decision.
	chainStep int
	// refused counts the requests of refusedTick that a cap refused.
	refusedTick, refused int64
}

func (f *folder) modelCall(m trace.ModelCall) {
	row := &f.agent(m.AgentID).row
	c := &f.out.TraceCounts
	c.ModelCalls++
	row.Calls++
	f.tickCalls++
	c.LLMInputCharsTotal += int64(m.InputChars)
	c.LLMInputCharsMax = max(c.LLMInputCharsMax, int64(m.InputChars))
	c.LLMToolChars = max(c.LLMToolChars, int64(m.ToolChars))
	c.PromptSectionEntries += int64(len(m.Sections))
	clipped := false
	for _, s := range m.Sections {
		if s.Clipped {
			clipped = true
			c.PromptSectionClipped++
			c.ClipsBySection[s.Name]++
		}
	}
	if clipped {
		c.PromptsClipped++
	}
	if m.Answer.Kind != "" {
		// Traces of older versions do not say it.
		c.AnswersByKind[string(m.Answer.Kind)]++
	}
	if m.Answer.Failure != nil {
		c.LLMErrors++
		row.LLMErrors++
		c.LLMErrorsByKind[string(m.Answer.Failure.Kind)]++
	}
	used := TokensOf(m.Answer.Usage)
	f.out.Tokens, row.Tokens = f.out.Tokens.Add(used), row.Tokens.Add(used)
	if f.sent(m.Timing) {
		f.latencies[m.Timing.LatencyMS]++
	}
}

// sent counts the HTTP requests of a call and reports whether there were any: a call
// may be answered from a recording, or refused.
func (f *folder) sent(call *trace.CallTiming) bool {
	if call == nil || call.Attempts == 0 || call.Recorded {
		return false
	}
	f.out.Timing.HTTPAttempts += int64(call.Attempts)
	for _, kind := range call.FailedAttempts {
		f.out.Timing.HTTPFailuresByKind[string(kind)]++
	}
	return true
}

// refusal counts a request that a cap refused.
func (f *folder) refusal(r trace.Refusal) {
	f.costs.refused[r.Cap]++
	if learns(r.Stage) {
		f.out.Learning.CallsRefused++
		return
	}
	a := f.agent(r.AgentID)
	f.out.TraceCounts.CallsRefused++
	a.row.CallsRefused++
	if a.refusedTick != r.Tick {
		a.refusedTick, a.refused = r.Tick, 0
	}
	a.refused++
}

// step counts a step. Turns that reflect have kinds of their own, which leave the
// turn of a decision alone.
func (f *folder) step(s trace.Step) {
	c, g := &f.out.TraceCounts, &f.out.Guard
	c.StepEntries++
	c.StepTypeCounts[string(s.Kind)]++
	if f.learnStep(s) {
		return
	}
	a := f.agent(s.AgentID)
	if a.tick != s.Tick {
		// An earlier turn that never decided leaves nothing to this one.
		a.begin(s.Tick)
	}
	for _, name := range s.Repairs {
		c.ParseRepairsByKind[name]++
	}
	if len(s.Repairs) > 0 && !slices.Contains(a.forgiven, s.Step) {
		a.forgiven = append(a.forgiven, s.Step)
	}
	if s.Minted && !slices.Contains(a.minted, s.CallID) {
		a.minted = append(a.minted, s.CallID)
		c.CallIDsMinted++
	}
	switch s.Kind {
	case trace.StepPlan, trace.StepDraft, trace.StepDecision, trace.StepModuleCall, trace.StepToolRefused,
		trace.StepViolation:
		// A call that went wrong. An action that the guard refused is no error of a call: the
		// call was in order.
		if s.Status == trace.StatusError && s.Code != "" {
			c.ToolErrorsByCode[s.Code]++
			switch s.Code {
			case "ARGUMENTS_NOT_JSON", "ARGUMENTS_NOT_OBJECT", "INVALID_ARGUMENTS":
				c.ArgumentErrors++
			case "EXECUTION_ERROR":
				c.ExecutionErrors++
			}
		}
	}
	switch s.Kind {
	case trace.StepParseError:
		c.ParseErrorsByKind[s.Code]++
		if s.Code == "several_decisions" {
			c.SeveralDecisions++
		}
		if !slices.Contains(a.unusable, s.Step) {
			a.unusable = append(a.unusable, s.Step)
			c.ParseErrors++
			a.row.ParseErrors++
		}
	case trace.StepRepair:
		a.repairs++
		c.RepairRoundsTotal++
		c.RepairRoundsMax = max(c.RepairRoundsMax, a.repairs)
	case trace.StepReason:
		f.out.Reasoning.Steps++
	case trace.StepViolation:
		c.ReasoningViolations++
		f.out.Reasoning.Violations++
	case trace.StepReasonSkipped:
		if s.Code == "skipped_by_model" {
			f.out.Reasoning.SkippedByModel++
		} else {
			f.out.Reasoning.SkippedByLimit++
		}
	case trace.StepOutOfOrder:
		c.OutOfOrder[s.Name]++
	case trace.StepOffPlan:
		c.OffPlan[s.Name]++
	case trace.StepDraft:
		if s.Status == trace.StatusError && s.Code == "" {
			g.Rounds++
		}
		a.candidates = candidatesOf(s.Detail)
	case trace.StepGuard:
		if s.Status != trace.StatusOK {
			c.GuardRejectionsByCode[s.Code]++
		}
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
	case trace.StepModuleCall:
		c.ModuleCallsByName[s.Name]++
		if s.Status == trace.StatusError {
			c.ModuleErrorsByCode[s.Code]++
		}
	case trace.StepAgentStopped:
		a.row.StoppedBy, a.row.StoppedAtTick = s.Code, s.Tick
	case trace.StepAdvice:
		c.RepetitionAdviceByKind[s.Name]++
	case trace.StepToolRefused:
		c.ToolRefusalsByCode[s.Code]++
	case trace.StepItemRepair:
		c.ItemRepairsByKind[s.Code]++
	case trace.StepUnknownItem:
		c.UnknownItems[s.Code]++
	case trace.StepTextBeside:
		c.TextBesideCalls++
	case trace.StepRefusalBeside:
		c.RefusalsBesideCalls++
	case trace.StepSeveralMessages:
		c.SeveralMessages++
	}
}

// begin forgets the turn so far.
func (a *agentFold) begin(tick int64) {
	a.tick = tick
	a.repairs = 0
	a.candidates = 0
	a.forgiven = a.forgiven[:0]
	a.unusable = a.unusable[:0]
	a.minted = a.minted[:0]
}

// candidatesOf is how many candidates of a draft are no waits and passed every check.
func candidatesOf(draft json.RawMessage) (n int) {
	var of struct {
		Candidates []struct {
			Status world.CheckStatus `json:"status"`
			Action trace.Action      `json:"action"`
		} `json:"candidates"`
	}
	_ = json.Unmarshal(draft, &of) // what has no such list has no candidates
	for _, c := range of.Candidates {
		kind := c.Action.Repeats()
		if c.Status == world.CheckAccepted && kind != "wait" && kind != "wait_ticks" && kind != "" {
			n++
		}
	}
	return n
}
