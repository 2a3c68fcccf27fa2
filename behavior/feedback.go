package behavior

import (
	"encoding/json"

	"agentworld/modules"
	"agentworld/world"
)

// feedback is what the engine tells a model about its own call or answer. Wording
// is fixed per code: it never repeats model text or text of other agents, so it
// cannot carry an instruction. It says what was wrong, what is allowed, whether
// anything was executed, and which retry this is where retries are bounded.
type feedback struct {
	Status string `json:"status"`
	Code   string `json:"code"`
	Text   string `json:"text"`
	// Path, Expected and Got locate an argument error.
	Path     string `json:"path,omitempty"`
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	// Parameters is the tool's schema, shown only to who sent no JSON: otherwise the
	// field at fault says more in less room.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Known lists all tools there are, Allowed those that may be called now.
	Known   []string `json:"known,omitempty"`
	Allowed []string `json:"allowed,omitempty"`
	// Rejection carries the world's reason and numbers.
	Rejection *world.Rejection `json:"rejection,omitempty"`
	// Adjusted tells what clamping had changed before the world was asked.
	Adjusted string `json:"adjusted,omitempty"`
	Executed bool   `json:"executed"`
	// Attempt says which retry the next answer is, Of how many there are; 0 where
	// nothing bounds them but the turn.
	Attempt int `json:"attempt,omitempty"`
	Of      int `json:"of,omitempty"`
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
	CodeSeveralDecisions   = "SEVERAL_DECISIONS"
	CodeNotExecuted        = "NOT_EXECUTED"
	CodeNoResult           = "NO_RESULT"
	CodeUnusableAnswer     = "UNUSABLE_ANSWER"
)

// phrases are the texts of feedback by code.
var phrases = []struct{ code, text string }{
	{CodeArgumentsNotJSON, "The arguments cannot be read as JSON. Call again with one object that fits the tool's parameters."},
	{CodeArgumentsNotObject, "The arguments are JSON, but no object. Call again with one object."},
	{CodeInvalidArguments, "The arguments do not fit the tool's parameters. Call again with corrected ones."},
	{CodeUnknownTool, "There is no tool of that name. Call an allowed one."},
	{CodeNotAllowedNow, "This tool may not be called now. Call an allowed one."},
	{CodeModuleLimit, "The module calls of this tick are used up. Call an allowed tool."},
	{CodeReasonViolation, "This step takes plain text; no tool may be called in it. Answer in plain text."},
	{CodeGuardRejected, "The world would refuse this action. Choose another; wait is always possible."},
	{CodeSeveralDecisions, "One answer held several different decisions. Commit exactly one."},
	{CodeNotExecuted, "Another call of the same answer was wrong, so this one was left out."},
	{CodeNoResult, "The result of this call was lost. Call again if it is still needed."},
}

// unusablePhrases say what was wrong with an answer that [CodeUnusableAnswer] is
// about.
var unusablePhrases = []struct {
	kind ParseKind
	text string
}{
	{ParseEmptyOutput, "The answer was empty."},
	{ParseRefusal, "The answer was a refusal; wait is always possible."},
	{ParseTruncated, "The answer was cut off. Answer shorter."},
	{ParseFiltered, "The provider's content filter stopped the answer."},
	{ParseIncomplete, "The provider did not finish the answer."},
	{ParseNoJSON, "The answer was text without a tool call."},
	{ParseTooLarge, "The answer was too large."},
	{ParseUnknownShape, "The answer's JSON has none of the expected shapes."},
	{ParseSeveral, "The answer held several decisions. Commit exactly one."},
}

// What is allowed after an unusable answer.
const (
	callAllowedPhrase = " Call an allowed tool."
	plainTextPhrase   = " Answer in plain text; no tool may be called in this step."
)

// newFeedback returns the feedback of a code, without what varies.
func newFeedback(code string) feedback {
	for _, p := range phrases {
		if p.code == code {
			return feedback{Status: "error", Code: code, Text: p.text}
		}
	}
	panic("behavior: no wording for code " + code)
}

// wrongArguments is the feedback about arguments that were refused.
func wrongArguments(code string, e *modules.ArgumentError) feedback {
	f := newFeedback(code)
	f.Path, f.Expected, f.Got = e.Path, e.Expected, e.Got
	return f
}

// argumentCode tells which of the three ways arguments failed. What is wrong with
// a field inside an object is told by its path; an error about the whole depends
// on what the whole is.
func argumentCode(raw string, e *modules.ArgumentError) string {
	whole := e.Path == "" || e.Path == "arguments"
	switch {
	case e.NotJSON, whole && !json.Valid([]byte(raw)):
		return CodeArgumentsNotJSON
	case e.NotObject, whole && jsonKind(raw) != "object":
		return CodeArgumentsNotObject
	}
	return CodeInvalidArguments
}

func guardRejected(v Verdict, attempt, of int) feedback {
	found := v.finding()
	f := newFeedback(CodeGuardRejected)
	f.Rejection, f.Adjusted, f.Attempt, f.Of = found.Rejection, found.Adjusted, attempt, of
	return f
}

// unusable tells the model that a whole answer could not be used. No allowed tool
// means that the step takes text.
func unusable(kind ParseKind, allowed []string) feedback {
	for _, p := range unusablePhrases {
		if p.kind != kind {
			continue
		}
		next := callAllowedPhrase
		if len(allowed) == 0 {
			next = plainTextPhrase
		}
		return feedback{Status: "error", Code: CodeUnusableAnswer, Text: p.text + next, Allowed: allowed}
	}
	panic("behavior: no wording for an unusable answer of kind " + string(kind))
}

// planAccepted and draftResult answer the calls that went well: what comes next,
// and what the dry runs found, candidate by candidate in the order given.
type planAccepted struct {
	Next Stage `json:"next"`
}

type draftResult struct {
	Candidates []candidateResult `json:"candidates"`
	Next       Stage             `json:"next"`
}

type candidateResult struct {
	N int `json:"n"`
	modules.Finding
	Error *feedback `json:"error,omitempty"`
}
