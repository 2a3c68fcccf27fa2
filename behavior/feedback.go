package behavior

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// feedback is the engine's message to a model about its own call or answer. The wording is fixed
// per code: it never repeats model text or text of other agents, so it cannot carry an
// instruction. It says what was wrong, what is allowed, and whether anything was executed. Where
// retries are bounded it says which retry this is.
type feedback struct {
	Status string `json:"status"`
	Code   string `json:"code"`
	Text   string `json:"text,omitempty"`
	// Path, Expected and Got locate an argument error.
	Path     string `json:"path,omitempty"`
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	// Also are the other errors of the same arguments.
	Also []*answer.ArgumentError `json:"also,omitempty"`
	// Parameters is the tool's schema, shown only to who sent no JSON: otherwise the
	// field at fault says more in less room.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Known lists all tools there are, Allowed those that may be called now.
	Known   []string `json:"known,omitempty"`
	Allowed []string `json:"allowed,omitempty"`
	// Rule is the rule of the policy that an action broke; Requested and Maximum are
	// its numbers, Planned what the agent had planned to do.
	Rule      policy.Reason          `json:"rule,omitempty"`
	Requested *int64                 `json:"requested,omitempty"`
	Maximum   *int64                 `json:"maximum,omitempty"`
	Minimum   *int64                 `json:"minimum,omitempty"`
	Unit      string                 `json:"unit,omitempty"`
	Planned   []policy.PlannedAction `json:"planned,omitempty"`
	// Rejection carries the world's reason and numbers, Possible the ids that would do in place
	// of one that is refused.
	Rejection *world.Rejection `json:"rejection,omitempty"`
	Possible  []string         `json:"possible,omitempty"`
	// Adjusted says what clamping had changed before the world was asked.
	Adjusted string `json:"adjusted,omitempty"`
	Executed bool   `json:"executed"`
	// Next is the tool to call, where another than the one called helps.
	Next string `json:"next,omitempty"`
	// TriesLeft is how many further answers of this kind the turn takes, the next one
	// included; 0 where nothing bounds them but the turn.
	TriesLeft int `json:"tries_left,omitempty"`
}

// The codes of feedback to the model. Those about arguments are the modules' own,
// so that one class of error has one name, whatever was called.
const (
	CodeArgumentsNotJSON   = string(modules.CodeNotJSON)
	CodeArgumentsNotObject = string(modules.CodeNotObject)
	CodeInvalidArguments   = string(modules.CodeInvalidArguments)
	CodeUnknownTool        = "UNKNOWN_TOOL"
	CodeNotAllowedNow      = "NOT_ALLOWED_NOW"
	CodeModuleLimit        = "MODULE_LIMIT"
	CodeReasonViolation    = "ReasoningStepViolation"
	CodeGuardRejected      = "GUARD_REJECTED"
	CodeUnseenID           = "UNSEEN_ID"
	CodePolicy             = "POLICY"
	CodeSeveralDecisions   = "SEVERAL_DECISIONS"
	CodeNotExecuted        = "NOT_EXECUTED"
	CodeNoResult           = "NO_RESULT"
	CodeUnusableAnswer     = "UNUSABLE_ANSWER"
)

// newFeedback returns the feedback of a code, without what varies.
func (w *wording) newFeedback(code string) feedback {
	return feedback{Status: "error", Code: code, Text: w.Feedback.Text(code)}
}

func (w *wording) wrongArguments(code string, e *answer.ArgumentError) feedback {
	f, fault := w.newFeedback(code), modules.FaultIn(w.Language, e)
	f.Path = fault.Path
	f.Expected = fault.Expected.String()
	f.Got = fault.Got.String()
	f.Also = fault.Also
	return f
}

// argumentCode returns which of the three ways arguments failed. A path names the field inside an
// object that is wrong. An error about the whole depends on what the whole is.
func argumentCode(raw string, e *answer.ArgumentError) string {
	whole := e.Path == "" || e.Path == "arguments"
	switch {
	case e.NotJSON, whole && !json.Valid([]byte(raw)):
		return CodeArgumentsNotJSON
	case e.NotObject, whole && !answer.IsObject(raw):
		return CodeArgumentsNotObject
	}
	return CodeInvalidArguments
}

// aboutAnswer is the feedback that a whole answer could not be used. No allowed tool means that
// the step takes text.
func (w *wording) aboutAnswer(kind answer.Problem, allowed []string) feedback {
	next := w.Steps.CallAllowed
	if len(allowed) == 0 {
		next = w.Steps.PlainText
	}
	text := w.Unusable.Text(string(kind)) + next
	return feedback{Status: "error", Code: CodeUnusableAnswer, Text: text, Allowed: allowed}
}

// refused says why an action may not be committed: what the world would answer, or which rule
// refused it, about which argument, with the rule's numbers, and what the agent had planned.
// Nothing of it is from a text that others wrote, because the plan was made before any was shown.
func (w *wording) refused(v *Evaluation) feedback {
	if broken := v.Violation; broken != nil {
		f := feedback{
			Status: "error", Code: CodePolicy, Text: w.Policy.Text(string(broken.Reason)), Rule: broken.Reason,
			Path:      broken.Argument,
			Requested: broken.Requested, Maximum: broken.Maximum, Minimum: broken.Minimum, Unit: broken.Unit, Planned: v.plan,
		}
		if n := broken.First; n > 0 {
			f.Planned = v.plan[n-1 : n]
		}
		return f
	}
	f, found := w.newFeedback(CodeGuardRejected), v.finding(w)
	if v.unseen() {
		f = w.newFeedback(CodeUnseenID)
	}
	f.Rejection = found.Rejection
	f.Adjusted = found.Adjusted
	f.Possible = found.Possible
	return f
}

// mistake keeps a short feedback for the next turn. action is what it was about.
func (t *Turn) mistake(f feedback, action string) {
	var words []string
	switch {
	case t.exposure.tainted() && f.Rule != "":
		return // what was planned then says nothing about the next plan
	case t.exposure.tainted() && f.Rejection != nil:
		words = []string{action + ":", string(f.Rejection.Code)}
	case t.exposure.tainted():
		words = []string{f.Code} // the path is as the model wrote it
	case f.Expected != "":
		words = []string{cmp.Or(f.Path, "arguments") + ":", t.agent.words.Asides.Expected + f.Expected}
		if len(f.Also) > 0 {
			words = append(words, fmt.Sprintf("(+%d)", len(f.Also)))
		}
	case f.Rule != "":
		words = []string{strings.TrimSpace(action+" "+f.Path) + ":", string(f.Rule)}
	case f.Rejection == nil:
		words = []string{action + ":", unseenID}
	default:
		words = []string{action + ":", t.agent.words.rejectionText(f.Rejection)}
	}
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	t.draft.mistake(plaintext.Clip(strings.Join(words, " "), faultCharsMax))
}

// faultCharsMax caps the text about a fault in a later turn.
const faultCharsMax = 160

// asides are what a model must know of its decision besides the outcome: what the engine changed,
// cut or replaced. refusals are what the world refused in its tick. Of numbers that texts in view may
// have chosen nothing is told.
func (w *wording) asides(d Decision, refusals []refusal) (lines []string) {
	say := func(form words.Form, values ...any) { lines = append(lines, form.Text(values...)) }
	failed := cmp.Or(d.FailedBy, d.WaitReason)
	switch {
	case d.Fallback > 0:
		var refused []string
		for _, r := range refusals[:min(d.Fallback, len(refusals))] {
			if d.veiled {
				r.why = world.Rejection{Code: r.why.Code}
			}
			refused = append(refused, r.action+" "+w.rejectionText(&r.why))
		}
		say(w.Asides.Next, strings.Join(refused, "; "))
	case d.picked > 0:
		say(w.Asides.Picked, d.picked)
	case d.By == trace.ByDraft:
		say(w.Asides.Draft, failed)
	case d.By == trace.ByPlan:
		say(w.Asides.Plan, failed)
	}
	if _, waits := d.Executed.(world.Wait); d.fault != "" && (failed != "" || waits || d.picked > 0) {
		say(w.Asides.Fault, d.fault)
	}
	if d.skipped > 0 && failed == "" {
		say(w.Asides.Zero, d.skipped)
	}
	if d.veiled {
		return lines
	}
	for _, a := range d.Adjustments {
		if a.Field == policy.FieldThen {
			continue // its draft said so, and texts may have chosen how many steps there were
		}
		why := w.Asides.Most
		switch {
		case a.To > a.From:
			why = w.Asides.Least
		case a.Bound == world.BoundMultiple:
			why = w.Asides.Multiple
		}
		say(w.Asides.Amount, answer.Slot(a.Action, a.Field), a.To, a.From, why)
	}
	for arg := range world.Arguments(d.Executed) {
		if arg.Kind == world.ParamText && runeCount(arg.Text) == world.TextMax &&
			strings.HasSuffix(arg.Text, plaintext.Ellipsis) {
			say(w.Asides.Cut, world.TextMax)
		}
	}
	return lines
}

// planAccepted and draftResult answer the calls that went well: what comes next,
// and what the dry runs found, candidate by candidate in the order given.
type planAccepted struct {
	// Problems lists the actions that are not planned: they could not be read, or they leave open
	// what untrusted text may not fill in.
	Problems []*answer.ArgumentError `json:"problems,omitempty"`
	// Text says that the plan may be made again, before untrusted text is shown.
	Text string      `json:"text,omitempty"`
	Next trace.Stage `json:"next"`
}

type draftResult struct {
	Candidates []candidateResult `json:"candidates"`
	// Problems lists candidates that were not looked at because there are too many.
	Problems []*answer.ArgumentError `json:"problems,omitempty"`
	// Best is the number of the candidate with the highest score, 0 when all would be
	// sent back.
	Best int         `json:"best,omitempty"`
	Next trace.Stage `json:"next"`
}

type candidateResult struct {
	N int `json:"n"`
	modules.DryRun
	// Note says what the rules of a receiver let it give for an offer or a request.
	Note  string    `json:"note,omitempty"`
	Error *feedback `json:"error,omitempty"`
}

// repairNames are repairs as notes keep them.
func repairNames(used []answer.Repair) []string {
	var names []string
	for _, r := range used {
		names = append(names, string(r))
	}
	return names
}

// whyCharsMax caps the model's own words where they are kept.
const whyCharsMax = 200

func capText(s string) string { return plaintext.Clip(s, whyCharsMax) }
