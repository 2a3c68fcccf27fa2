package behavior

import (
	"agentworld/modules"
	"agentworld/world"
)

// feedback is what the engine tells a model about its own call. Wording is fixed
// per code: it never repeats model text or text of other agents, so it cannot
// carry an instruction, and it always says whether anything was executed.
type feedback struct {
	Status string `json:"status"`
	Code   string `json:"code"`
	Text   string `json:"text"`
	// Path, Expected and Got locate an argument error.
	Path     string `json:"path,omitempty"`
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	// Allowed lists the tools that may be called now.
	Allowed []string `json:"allowed,omitempty"`
	// Rejection carries the world's reason and numbers.
	Rejection *world.Rejection `json:"rejection,omitempty"`
	// Adjusted tells what clamping had changed before the world was asked.
	Adjusted string `json:"adjusted,omitempty"`
	Executed bool   `json:"executed"`
	// Attempt and Of count retries where they are bounded.
	Attempt int `json:"attempt,omitempty"`
	Of      int `json:"of,omitempty"`
}

// The codes of feedback to the model.
const (
	CodeInvalidArguments = "INVALID_ARGUMENTS"
	CodeUnknownTool      = "UNKNOWN_TOOL"
	CodeNotAllowedNow    = "NOT_ALLOWED_NOW"
	CodeModuleLimit      = "MODULE_LIMIT"
	CodeReasonViolation  = "ReasoningStepViolation"
	CodeGuardRejected    = "GUARD_REJECTED"
	CodeSeveralDecisions = "SEVERAL_DECISIONS"
	CodeNotExecuted      = "NOT_EXECUTED"
	CodeUnusableAnswer   = "UNUSABLE_ANSWER"
)

func invalidArguments(e *modules.ArgumentError, attempt, of int) feedback {
	return feedback{
		Status: "error", Code: CodeInvalidArguments, Attempt: attempt, Of: of, Path: e.Path, Expected: e.Expected, Got: e.Got,
		Text: "The arguments do not fit the tool's schema. Nothing was executed. Call again with corrected arguments.",
	}
}

func notAllowed(code string, allowed []string) feedback {
	text := map[string]string{
		CodeUnknownTool:   "There is no such tool. Nothing was executed.",
		CodeNotAllowedNow: "This tool may not be called at this point. Nothing was executed.",
		CodeModuleLimit:   "The limit of module calls for this tick is used up. Nothing was executed.",
	}[code]
	return feedback{Status: "error", Code: code, Text: text, Allowed: allowed}
}

func reasonViolation(attempt, of int) feedback {
	return feedback{
		Status: "error", Code: CodeReasonViolation, Attempt: attempt, Of: of,
		Text: "This step takes text only; tools may not be called in it. Nothing was executed. Answer in plain text.",
	}
}

func guardRejected(v Verdict, attempt, of int) feedback {
	found := v.finding()
	return feedback{
		Status: "error", Code: CodeGuardRejected, Rejection: found.Rejection, Adjusted: found.Adjusted, Attempt: attempt, Of: of,
		Text: "The world would refuse this action. Nothing was executed. Choose another; wait is always possible.",
	}
}

func severalDecisions(attempt, of int) feedback {
	return feedback{
		Status: "error", Code: CodeSeveralDecisions, Attempt: attempt, Of: of,
		Text: "One answer held several different decisions. None was executed. Commit exactly one.",
	}
}

func notExecuted() feedback {
	return feedback{
		Status: "error", Code: CodeNotExecuted,
		Text: "Not executed, because another call of the same answer was wrong.",
	}
}

// unusable tells the model that a whole answer could not be read.
func unusable(kind ParseKind, attempt, of int, allowed []string) feedback {
	text := map[ParseKind]string{
		ParseEmptyOutput:  "The answer was empty.",
		ParseRefusal:      "The answer was a refusal. Wait is always possible.",
		ParseTruncated:    "The answer was cut off at the output limit. Answer shorter.",
		ParseFiltered:     "The answer was stopped by the provider's content filter.",
		ParseNoJSON:       "The answer was text without a tool call.",
		ParseTooLarge:     "The answer was too large.",
		ParseUnknownShape: "The answer's JSON has none of the expected shapes.",
	}[kind]
	return feedback{
		Status: "error", Code: CodeUnusableAnswer, Text: text + " Nothing was executed. Call one of the allowed tools.",
		Allowed: allowed, Attempt: attempt, Of: of,
	}
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
