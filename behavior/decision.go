package behavior

import (
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Step is what a turn needs next: [Ask], [Call] or [Decision]. The set is closed.
type Step interface{ isStep() }

// Ask is a request to the model. The caller sends it and gives the answer to
// [Turn.Answer].
type Ask struct {
	// Number counts the turn's model calls from 1.
	Number int
	// Stage is the stage that asks.
	Stage Stage
	// Request is complete; its Input starts with the previous Ask's Input.
	Request llmclient.Request
	// Sections tells what each part of the opening prompt took and lost.
	Sections []Section
}

// Call is a module call. The caller runs it and gives the result to
// [Turn.Result].
type Call struct {
	// Number is the model call that asked for it.
	Number int
	// CallID binds the result to the call.
	CallID string
	// Tool is the wire name of the module, Arguments the model's raw arguments.
	Tool, Arguments string
}

// DecidedBy says who chose the executed action.
type DecidedBy string

// Who decides.
const (
	// ByModel: the model chose the action in this tick.
	ByModel DecidedBy = "model"
	// ByStanding: an execute_until ordered earlier goes on without a model call.
	ByStanding DecidedBy = "standing"
	// ByEngine: nothing usable came from the model, so the agent waits.
	ByEngine DecidedBy = "engine"
)

// Decision ends a turn: exactly one action to execute.
type Decision struct {
	AgentID string
	// By says who chose.
	By DecidedBy
	// Proposed is the action as the model wrote it, Adjusted the same after
	// clamping, Executed what the world gets. Proposed and Adjusted are nil when
	// the model proposed nothing usable; Executed is never nil.
	Proposed, Adjusted, Executed world.Action
	// Adjustments are the amounts clamping changed.
	Adjustments []world.Adjustment
	// ArgumentsTrust is the trust of each argument of Adjusted, nil where nothing
	// untrusted was in view.
	ArgumentsTrust []policy.Argument
	// At is the place where a continued order acted, empty for a turn.
	At string
	// Wait is the reason of a degraded wait, empty otherwise.
	Wait WaitReason
	// Why is the model's own one-line reason, capped.
	Why string
	// Retrieved are the sources that were in the prompt or in module results,
	// Used those of them the model said or wrote it used.
	Retrieved []trace.Source
	Used      []string
	// Cited are all sources the model named, in order of first mention; those that
	// were in view are Used.
	Cited []Citation
	// Swayed says that words of others may have brought the action about: they were
	// in view, and the agent had not planned it before.
	Swayed bool
	// Known are the ids in Proposed and Executed that the agent's own typed state or
	// its goals hold. Any other is a model's word, perhaps repeated from a text: it
	// never returns to a prompt.
	Known []string
	// Place is where the agent was, empty when nothing looked.
	Place string
	// Seen is what the turn met that is worth remembering: its place, and the texts of
	// others that the model read.
	Seen []memory.Entry
	// ModelCalls is how many requests the turn made.
	ModelCalls int
	// Commit says how a model's decision came to be committed, empty where a model did
	// not decide. CallsSaved is how many more requests the turn would have made if
	// every decision were asked for in a call of its own.
	Commit     Commit
	CallsSaved int
	// Otherwise are what the turn would have decided next, best first, each checked
	// like this one; the world may try them when it refuses Executed. Fallback is the
	// number of decisions that the world refused before this one.
	Otherwise []Decision
	Fallback  int
}

// Intent is what the world is asked for on behalf of agent number n.
func (d Decision) Intent(n int) world.Intent {
	in := world.Intent{Agent: n, Action: d.Executed}
	for _, other := range d.Otherwise {
		in.Otherwise = append(in.Otherwise, other.Executed)
	}
	return in
}

// Tried is the decision that was carried out, given the number of those that were
// refused before it.
func (d Decision) Tried(refused int) Decision {
	if refused == 0 {
		return d
	}
	next := d.Otherwise[refused-1]
	next.Fallback = refused
	return next
}

func (Ask) isStep()      {}
func (Call) isStep()     {}
func (Decision) isStep() {}

// WaitReason says why a turn ended in a wait the model did not choose. A reason
// made from an error kind is the prefix and the kind, such as "llm_error:timeout".
type WaitReason string

// The fixed wait reasons and the prefixes of the composed ones.
const (
	WaitGuardRejected WaitReason = "guard_rejected"
	WaitReasoning     WaitReason = "reasoning_step_failed"
	WaitWindow        WaitReason = "context_window_full"
	WaitModelPrefix              = "llm_error:"
	WaitParsePrefix              = "parse_error:"
)

// ParseKind classifies an answer that could not be used.
type ParseKind string

// The kinds of unusable answers. They are counted by kind, apart from the
// leniencies that saved an answer.
const (
	ParseEmptyOutput   ParseKind = "empty_output"
	ParseRefusal       ParseKind = "refusal"
	ParseTruncated     ParseKind = "truncated"
	ParseFiltered      ParseKind = "content_filter"
	ParseIncomplete    ParseKind = "incomplete"
	ParseNoJSON        ParseKind = "no_json"
	ParseTooLarge      ParseKind = "too_large"
	ParseUnknownShape  ParseKind = "unknown_shape"
	ParseInvalidArgs   ParseKind = "invalid_arguments"
	ParseSeveral       ParseKind = "several_decisions"
	ParseUnknownTool   ParseKind = "unknown_tool"
	ParseNotAllowedNow ParseKind = "not_allowed_now"
)

// NoteKind is the kind of a turn's step as traces and reports count it.
type NoteKind string

// The note kinds.
const (
	NotePlan       NoteKind = "plan"
	NoteModuleCall NoteKind = "module_call"
	NoteDraft      NoteKind = "decision_draft"
	NoteDecision   NoteKind = "decision"
	NoteReason     NoteKind = "reason"
	NoteRepair     NoteKind = "repair"
	NoteParseError NoteKind = "parse_error"
	NoteModelError NoteKind = "llm_error"
	NoteViolation  NoteKind = "violation"
	NoteGuard      NoteKind = "guard"
	// NoteItemRepair: an item could not be sent back as it came, or not at all.
	NoteItemRepair NoteKind = "item_repair"
	// NoteUnknownItem: an item of a kind without a meaning here; the code says
	// whether it is sent back.
	NoteUnknownItem NoteKind = "unknown_item"
	// NoteTextBeside and NoteRefusalBeside: text or a refusal beside calls. The
	// calls count and what stands beside them does not.
	NoteTextBeside    NoteKind = "text_beside_call"
	NoteRefusalBeside NoteKind = "refusal_beside_call"
	// NoteSeveralMessages: an answer of several messages, read as one text.
	NoteSeveralMessages NoteKind = "several_messages"
	NoteUnneeded        NoteKind = "call_unneeded"
	NoteStanding        NoteKind = "execute_until_continue"
	NoteCitation        NoteKind = "citation"
	NoteToolRefused     NoteKind = "tool_refused"
	// NoteAdvice: the prompt told of a repetition, of the kind in Name.
	NoteAdvice NoteKind = "advice"
)

// NoteStatus says how a step ended.
type NoteStatus string

// The note statuses.
const (
	StatusOK       NoteStatus = "ok"
	StatusError    NoteStatus = "error"
	StatusDegraded NoteStatus = "degraded"
)

// Note is one fact of a turn, for traces and reports. Notes never influence the
// turn.
type Note struct {
	// Number is the model call the note belongs to, 0 before the first.
	Number int
	Kind   NoteKind
	Status NoteStatus
	// Code is a parse kind, tool error code, rejection code or leniency.
	Code string
	// CallID and Name identify the call, when the note is about one.
	CallID, Name string
	// Minted says the engine made the call id because the provider's was missing
	// or repeated.
	Minted bool
	// Detail is small typed data that encodes as JSON, or nil.
	Detail any
	// Leniencies name what was repaired to read the answer.
	Leniencies []string
	// Level says how much the note deserves the eye of a person, empty for most.
	Level NoteLevel
}

// NoteLevel says how much a note deserves attention.
type NoteLevel string

// The levels. LevelInfo: a reason step went as it should. LevelWarn: a model did what
// it may not, and was kept from it.
const (
	LevelInfo NoteLevel = "info"
	LevelWarn NoteLevel = "warn"
)
