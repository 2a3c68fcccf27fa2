package trace

import (
	"encoding/json"

	"example.com/agentworld/llmclient"
)

// ModelCall is one request to a model, or an observation for a seat, and the answer that ended it. The request
// is kept as hashes of its blobs, so that a reader sees the exact prompt and a
// replay can compare what it derives.
type ModelCall struct {
	Tick    int64  `json:"tick"`
	AgentID string `json:"agent_id"`
	// Step numbers the calls of the turn from 1.
	Step int `json:"step"`
	// Stage is the stage of the turn.
	Stage Stage `json:"stage"`
	// Model is the model asked for, or the seat with its version.
	Model string `json:"model"`
	// Instructions, Tools and Input are hashes of blobs; Input is in order.
	Instructions string   `json:"instructions"`
	Tools        string   `json:"tools"`
	Input        []string `json:"input"`
	// ToolChoice is the tool choice as sent.
	ToolChoice json.RawMessage `json:"tool_choice"`
	// MaxOutputTokens is the longest answer that was asked for, 0 where nothing was said. What
	// else a request asks is in the settings.
	MaxOutputTokens int `json:"max_output_tokens,omitempty"`
	// CacheKey and Breakpoints are what the request told the provider's prompt cache: its key, and
	// the items of the input, from 0, after which to keep the prompt.
	CacheKey    string `json:"cache_key,omitempty"`
	Breakpoints []int  `json:"breakpoints,omitempty"`
	// RequestHash is the hex SHA-256 of the request body.
	RequestHash string `json:"request_hash"`
	// InputChars counts the characters of instructions and input, ToolChars those
	// of the tool list.
	InputChars int `json:"input_chars"`
	ToolChars  int `json:"tool_chars"`
	// Sections are the prompt sections of this call, in prompt order.
	Sections []Section `json:"sections"`
	Answer   Answer    `json:"answer"`
	// Charge is what the call counted against the caps; nil without caps.
	Charge *Charge `json:"charge,omitempty"`
	// Counted is what the engine counted itself; nil where the usage of the answer agrees with it, and
	// where no provider was asked.
	Counted *Counted `json:"counted,omitempty"`
	// Timing is nil in the canonical form.
	Timing *CallTiming `json:"timing,omitempty"`
}

// CallKey identifies a request within a run, independent of arrival order.
type CallKey struct {
	Tick  int64
	Agent string
	// Step numbers the model calls of the turn from 1.
	Step int
}

// Key identifies the call.
func (c ModelCall) Key() CallKey { return CallKey{c.Tick, c.AgentID, c.Step} }

// Stage is a stage of a turn. It narrows which tools may be called.
type Stage string

// The stages of a decision; a lean turn has the first and the last. StageReflect and
// StageConsolidate are those of a turn that reflects.
const (
	StagePlan        Stage = "plan"
	StageModules     Stage = "module_call"
	StageReason      Stage = "reason"
	StageDraft       Stage = "decision_draft"
	StageDecision    Stage = "decision"
	StageLean        Stage = "turn"
	StageReflect     Stage = "reflect"
	StageConsolidate Stage = "consolidate"
	// StageSeat is the stage of a move of a seat, which is no model: its request is one item with the
	// observation, its answer one with the move, and neither costs anything.
	StageSeat Stage = "seat"
	// StageAsk is the stage of a question to an agent, which no turn of a run has.
	StageAsk Stage = "ask"
)

// Section is one section of a prompt after budgeting.
type Section struct {
	Name string `json:"name"`
	// Chars and Tokens are what was sent.
	Chars  int `json:"chars"`
	Tokens int `json:"tokens"`
	// ClippedChars is how many characters the budget cut; Clipped says that some
	// were cut.
	ClippedChars int  `json:"clipped_chars"`
	Clipped      bool `json:"clipped"`
}

// Answer is what ended a request: a reply or, when Failure is set, a failure.
type Answer struct {
	// Kind says what the answer amounts to, as returned by [llmclient.Answer.Kind].
	Kind             llmclient.AnswerKind `json:"kind,omitempty"`
	ID               string               `json:"id,omitempty"`
	Model            string               `json:"model,omitempty"`
	Status           string               `json:"status,omitempty"`
	IncompleteReason string               `json:"incomplete_reason,omitempty"`
	// Output are hashes of item blobs, in the provider's order. NonObjects counts
	// the elements that were no items, Repairs what had to be undone to read the body.
	Output     []string           `json:"output"`
	NonObjects int                `json:"non_objects,omitempty"`
	Repairs    []string           `json:"repairs,omitempty"`
	Usage      llmclient.Usage    `json:"usage"`
	Failure    *llmclient.Failure `json:"failure,omitempty"`
}

// CallTiming is what of a call depends on the clock or the network.
type CallTiming struct {
	LatencyMS int64 `json:"latency_ms"`
	// Attempts counts the HTTP requests made for the answer; 0 if none was sent.
	Attempts int `json:"attempts"`
	// FailedAttempts are the kinds of failure of those that brought no reply, in the
	// order they were sent; absent when all did.
	FailedAttempts []llmclient.ErrorKind `json:"failed_attempts,omitempty"`
	// Recorded says that the answer came from a recording: nothing was sent this time.
	Recorded bool `json:"recorded,omitempty"`
}

// Prompt is what the model saw in the call.
func (c ModelCall) Prompt() llmclient.Prompt {
	return llmclient.Prompt{Model: c.Model, Instructions: c.Instructions, Tools: c.Tools, Input: c.Input,
		Choice: c.ToolChoice}
}

// AnswerOf is the record form of an answer whose items have the hashes output, none where it is a
// failure. [Answer.Restore] is the way back.
func AnswerOf(a llmclient.Answer, output []string) Answer {
	of := Answer{Kind: a.Kind(), Output: output, Failure: a.Failure}
	switch {
	case a.Failure != nil:
	case a.Reply == nil:
		panic("trace: an answer has neither reply nor failure")
	default:
		of.ID = a.Reply.ID
		of.Model = a.Reply.Model
		of.Status = a.Reply.Status
		of.IncompleteReason = a.Reply.IncompleteReason
		of.NonObjects = a.Reply.NonObjects
		of.Repairs = a.Reply.Repairs
		of.Usage = a.Reply.Usage
	}
	return of
}

// Restore returns the answer as the turn received it, with the items read from
// blobs. Latency and attempts are zero: no turn may depend on them. The error
// names the blob that is missing or damaged.
func (a Answer) Restore(blobs *Blobs) (llmclient.Answer, error) {
	if a.Failure != nil {
		return llmclient.Answer{Failure: new(*a.Failure)}, nil
	}
	items, err := blobs.Items(a.Output)
	if err != nil {
		return llmclient.Answer{}, err
	}
	return llmclient.Answer{Reply: &llmclient.Reply{
		ID: a.ID, Model: a.Model, Status: a.Status, IncompleteReason: a.IncompleteReason,
		Items: items, NonObjects: a.NonObjects, Repairs: a.Repairs, Usage: a.Usage,
	}}, nil
}

// Refusal is a request that a cap refused. Nothing was sent and nothing was charged: it
// is no [ModelCall]. The turn used it as an answer and continued to its end. A refusal
// follows from the caps and the calls before it, so a resume makes it again.
type Refusal struct {
	Tick    int64  `json:"tick"`
	AgentID string `json:"agent_id"`
	// Step and Stage are those that the call would have had.
	Step  int   `json:"step"`
	Stage Stage `json:"stage"`
	// Cap is the cap that refused, scope and unit, such as "run_tokens" or "tick_cost".
	Cap string `json:"cap"`
	// Limit is that cap. Available is what was left of it, or of the turn's share once
	// the turn had begun; Requested is the most that the call, or the turn, would have
	// taken. Cost is in units of 10^-12 of the currency.
	Limit     int64 `json:"limit"`
	Available int64 `json:"available"`
	Requested int64 `json:"requested"`
	// RequestHash is the hex SHA-256 of the request body.
	RequestHash string `json:"request_hash"`
}
