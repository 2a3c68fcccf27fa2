package behavior

import (
	"encoding/json"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
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
	// ofAsk is [policy.Violation].OfAsk.
	ofAsk bool
	// Rejection carries the world's reason and numbers, Possible the ids that would do in place
	// of one that is refused.
	Rejection *world.Rejection `json:"rejection,omitempty"`
	Possible  []string         `json:"possible,omitempty"`
	// Adjusted says what clamping had changed before the world was asked.
	Adjusted string `json:"adjusted,omitempty"`
	Executed bool   `json:"executed"`
	// Next is the tool to call, where another than the one called helps. Candidate is the number of one
	// of the draft that may be committed.
	Next      string `json:"next,omitempty"`
	Candidate int    `json:"candidate,omitempty"`
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
	CodeToolLimit          = "TOOL_LIMIT"
	CodeToolNotYours       = "TOOL_NOT_YOURS"
	CodeToolNotPlanned     = "TOOL_NOT_PLANNED"
	CodeReasonViolation    = "ReasoningStepViolation"
	CodeWouldRefuse        = "WORLD_WOULD_REFUSE"
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
		text := w.Policy.Text(string(broken.Reason))
		if whole := broken.Action == (world.AcceptOffer{}).ActionName(); whole && broken.TooMuch() {
			text = w.Steps.TakenWhole
		}
		f := feedback{
			Status: "error", Code: CodePolicy, Text: text, Rule: broken.Reason,
			Path: broken.Argument, ofAsk: broken.OfAsk,
			Requested: broken.Requested, Maximum: broken.Maximum, Minimum: broken.Minimum, Unit: broken.Unit, Planned: v.plan,
		}
		if n := broken.First; n > 0 {
			f.Planned = v.plan[n-1 : n]
		}
		return f
	}
	f, found := w.newFeedback(CodeWouldRefuse), v.finding(w)
	if v.unseen() {
		f = w.newFeedback(CodeUnseenID)
	}
	f.Rejection = found.Rejection
	if r := found.Rejection; r != nil && r.Code == world.RejectInvalidAmount {
		f.Minimum = new(int64(1))
	}
	f.Adjusted = found.Adjusted
	f.Possible = found.Possible
	return f
}

// planAccepted and draftResult answer the calls that went well: what comes next,
// and what the dry runs found, candidate by candidate in the order given.
type planAccepted struct {
	// Problems lists the actions that are not planned: they could not be read, or they leave open
	// what untrusted text may not fill in.
	Problems []*answer.ArgumentError `json:"problems,omitempty"`
	// Text says that the plan may be made again, before untrusted text is shown.
	Text string `json:"text,omitempty"`
	// Deviations says how often the plan may be left once texts are shown.
	Deviations string `json:"deviations,omitempty"`
	Next       string `json:"next,omitempty"`
}

func (p *planAccepted) nextTool() *string { return &p.Next }

type draftResult struct {
	Candidates []candidateResult `json:"candidates"`
	// Problems lists candidates that were not looked at because there are too many.
	Problems []*answer.ArgumentError `json:"problems,omitempty"`
	// Best is the number of the candidate with the highest score, 0 when all would be
	// sent back.
	Best int `json:"best,omitempty"`
	// Deviations says how often the plan may be left, if a candidate leaves it.
	Deviations string `json:"deviations,omitempty"`
	Next       string `json:"next,omitempty"`
}

func (d *draftResult) nextTool() *string { return &d.Next }

type candidateResult struct {
	N int `json:"n"`
	modules.DryRun
	// Deviation is how many ticks of leaving the plan the candidate counts.
	Deviation int64 `json:"deviation,omitempty"`
	// Cut says why a chain is left with fewer steps.
	Cut *cutStep `json:"cut,omitempty"`
	// Problems lists fields that the action has no use for.
	Problems []*answer.ArgumentError `json:"problems,omitempty"`
	// Note says what the rules of a receiver let it give for an offer or a request.
	Note  string    `json:"note,omitempty"`
	Error *feedback `json:"error,omitempty"`
}

// cutStep is the first step of a chain that a rule of the policy refused, or that could not be read, by its
// number from 1. It and those that follow it are not done. The other fields are those of a feedback; without a
// rule, the problems say what could not be read.
type cutStep struct {
	Step      int           `json:"step"`
	Rule      policy.Reason `json:"rule,omitempty"`
	Path      string        `json:"path,omitempty"`
	Requested *int64        `json:"requested,omitempty"`
	Maximum   *int64        `json:"maximum,omitempty"`
	Minimum   *int64        `json:"minimum,omitempty"`
	Unit      string        `json:"unit,omitempty"`
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
