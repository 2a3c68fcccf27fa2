package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/doctor"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/trace"
)

// verdict turns the way a run ended into an error with its exit code; nil for a
// completed run in which enough was decided. What a cap refused was asked for.
func verdict(m *Main, p plan, result engine.Result, r report.Report) error {
	ticks := plaintext.Count(p.Ticks, "tick")
	switch statusCode(result.Status) {
	case exitCompleted:
		if !r.TooManyUndecided() {
			return p.gateVerdict(r)
		}
		d := r.DecisionCounts
		hint, next := p.undecidedHint(d), []advice{}
		if r.ModelSource != trace.SourceNone {
			next = append(next, p.doctorAdvice())
		}
		return advise(failWith(exitGate, fmt.Errorf(
			"completed, but %d of %d turns ended without a usable draft or decision, "+
				"more than the %d%% that --max-degraded allows; %s",
			d.Undecided, r.Turns(), p.MaxDegradedPct, hint)), next...)
	case exitProvider:
		hint, next := p.providerHint(result.Failure), []advice{}
		if result.Status == trace.RunNoUsableAnswers {
			hint = p.unusableHint(result.Unused)
		}
		if p.Live() {
			next = append(next, p.doctorAdvice())
		}
		if p.resumable(result) && result.TicksDone < p.Ticks {
			next = append(next, p.resumeAdvice("continues the run once that is mended"))
		}
		return advise(failWith(exitProvider, fmt.Errorf("%s after %d of %s: %s; %s",
			result.Status, result.TicksDone, ticks, result.Reason, hint)), next...)
	case exitBudget:
		return advise(failWith(exitBudget, fmt.Errorf("%s after %d of %s: %s; the report is complete up to there",
			result.Status, result.TicksDone, ticks, result.Reason)), p.raiseAdvice(m.spentOf(p.RunDir)))
	}
	reason, next := result.Reason, []advice{}
	switch {
	case result.Status == trace.RunRecordingDamaged:
		// Asking a model in place of what is lost is a choice with a price, and not made here.
		reason += fmt.Sprintf("; nothing was asked from there on; with a whole copy of %s in its place the run can continue",
			shown(p.recording))
		next = append(next, p.resumeAdvice("continues it; --replay-from names another place"))
	case result.Status == trace.RunReplayDiffers:
		reason += fmt.Sprintf("; if the change is meant, record a new run; or use --replay-miss %s", missAsk)
		next = append(next, explainAdvice(p.RunDir, result.Reason)...)
	case p.resumable(result):
		next = append(next, p.resumeAdvice("continues the run"))
	}
	return advise(failWith(statusCode(result.Status),
		fmt.Errorf("%s after %d of %s: %s", result.Status, result.TicksDone, ticks, reason)), next...)
}

// gateVerdict names the conditions that the report of a completed run breaks.
func (p plan) gateVerdict(r report.Report) error {
	var broken []string
	for _, b := range p.gates {
		if text := b.Broken(r); text != "" {
			broken = append(broken, text)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	return failWith(exitGate, fmt.Errorf("completed, but %s", strings.Join(broken, "; ")))
}

// undecidedHint says what to change when most turns end without a usable draft or decision, given how
// they ended.
func (p plan) undecidedHint(d report.DecisionCounts) string {
	ends := map[string]int64{}
	for reason, n := range d.WaitDegradedByReason {
		ends[reason] += n
	}
	for reason, n := range d.FallbacksByReason {
		ends[reason] += n
	}
	most := slices.MaxFunc(slices.Sorted(maps.Keys(ends)), func(a, b string) int {
		return cmp.Compare(ends[a], ends[b])
	})
	if kind, parsed := strings.CutPrefix(most, trace.WaitParsePrefix); parsed {
		return p.unusableHint(kind)
	}
	if kind, failed := strings.CutPrefix(most, trace.WaitModelPrefix); failed {
		return "most of them failed with " + kind + ", which explain shows"
	}
	if strings.HasPrefix(most, trace.WaitSeatPrefix) {
		return "in most of them " + wording.Reason(trace.WaitReason(most)) + ", as explain shows"
	}
	return p.unusableHint(most)
}

// unusableHint says what to change, given the most frequent kind of unusable answer: a
// parse error, a failure, or how turns ended. It names no setting that is in force.
func (p plan) unusableHint(kind string) string {
	less := "--protocol lean asks for less, or take another model"
	if p.Protocol == behavior.ProtocolLean {
		less = "another model may do better"
	}
	switch kind {
	case "truncated", "incomplete", "empty_output":
		if p.ReasoningEffort == "none" || p.ReasoningEffort == "minimal" {
			return "a model that thinks needs room: raise --max-output-tokens and --timeout"
		}
		return "a model that thinks needs room: raise --max-output-tokens and --timeout, or lower --reasoning-effort"
	case "endless":
		return "the model repeats itself until its answers are cut: more room would not help; " +
			"set a --temperature above 0, or take another model"
	case "malformed_call":
		return "the server cannot read its own model's calls: check its chat template and tool parser, or take another model"
	case "no_json":
		return "the model writes prose where it should call a tool: " + less
	case "empty_plan", "module_call", "rounds_used_up", "not_allowed_now":
		return "the model plans and looks things up, and decides nothing: " + less
	case "refusal", "content_filter":
		return "the model or its provider refuses: change --system-prompt or the model"
	case "malformed_body", "foreign_object", "chat_completions", "wrong_path", "body_too_large", "unfinished_response":
		_, advice := doctor.Advice(llmclient.Failure{Kind: llmclient.ErrorKind(kind)})
		return withFlags(advice)
	case "error_object", "failed_response", "cancelled_response":
		return "the endpoint reports errors in place of answers: see its log, or name another model"
	}
	return "the model does not keep to the form of tool calls: " + less
}

// resumable reports whether another process can continue the run. It cannot continue a fork
// that has not reached its own ticks, because only the parent has the answers before those.
func (p plan) resumable(result engine.Result) bool {
	return p.fork == nil || result.TicksDone >= p.fork.AtTick
}

// providerHint names the setting that may have ended the run: a bound on time if
// it was exceeded, otherwise those of the model.
func (p plan) providerHint(f *llmclient.Failure) string {
	switch {
	case f == nil:
	case f.Kind == llmclient.ErrDeadline && p.DecisionDeadlineMS > 0:
		return fmt.Sprintf("decisions may take %s (--decision-deadline); allow more or leave it out",
			settings.Millis(p.DecisionDeadlineMS))
	case f.Kind == llmclient.ErrTimeout:
		return fmt.Sprintf("calls may take %s (--timeout) and then 180s once more; check the endpoint (--base-url) or "+
			"allow more", settings.Millis(p.TimeoutMS))
	}
	if p.Faults != "" {
		return fmt.Sprintf("faults were injected on purpose (--faults %s); leave out those that end a run", shown(p.Faults))
	}
	if f == nil || !p.Live() {
		return p.modelHint()
	}
	var set []llmclient.Sampling
	for _, of := range p.SamplingSet() {
		set = append(set, of.Sampling)
	}
	check, advice := doctor.Advice(*f, set...)
	if check == doctor.CheckKey {
		return withFlags(advice) + "; " + p.modelHint() // which says where the key is from
	}
	return withFlags(advice)
}
