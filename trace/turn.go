package trace

import (
	"encoding/json"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

// StepKind says what a turn did in a step. Readers accept kinds beyond these.
type StepKind string

// The step kinds.
const (
	// StepPlan is an accepted plan.
	StepPlan StepKind = "plan"
	// StepModuleCall is one call of a module; Name is the module, and Code, with
	// StatusError, why it failed.
	StepModuleCall StepKind = "module_call"
	// StepToolCall is one call of a user's tool; Name is the tool, and Code, with StatusError, why it gave no
	// result or was not called.
	StepToolCall StepKind = "tool_call"
	// StepDraft is an accepted draft of candidate actions.
	StepDraft StepKind = "decision_draft"
	// StepDecision is a decision that passed all checks.
	StepDecision StepKind = "decision"
	// StepReason is an answer in plain text to a reason step.
	StepReason StepKind = "reason"
	// StepModelError is a request that ended without a reply; Code is the error
	// kind, which the [ModelCall] has too.
	StepModelError StepKind = "llm_error"
	// StepToolRefused is a call of a tool that does not exist or may not be called
	// now; Code says which.
	StepToolRefused StepKind = "tool_refused"
	// StepViolation is a call made in a reason step and vetoed.
	StepViolation StepKind = "violation"
	// StepGuard is a verdict on an action; with a status other than StatusOK the
	// action was refused and Code says by which rule.
	StepGuard StepKind = "guard"
	// StepParseError is an answer that could not be used; Code is its kind, such
	// as "truncated" or "several_decisions". It counts once per answer.
	StepParseError StepKind = "parse_error"
	// StepRepair is one more request made because of a parse error.
	StepRepair StepKind = "repair"
	// StepLengthened is an answer that was cut for length and is asked for once more, with
	// more room.
	StepLengthened StepKind = "lengthened"
	// StepItemRepair is an item that could not be sent back to the provider unchanged;
	// Code is the kind of repair.
	StepItemRepair StepKind = "item_repair"
	// StepUnknownItem is an item of a kind without a meaning here; Code says whether it is
	// sent back.
	StepUnknownItem StepKind = "unknown_item"
	// StepTextBeside and StepRefusalBeside are text or a refusal beside calls, which
	// count alone; StepSeveralMessages is an answer read from several messages.
	StepTextBeside      StepKind = "text_beside_call"
	StepRefusalBeside   StepKind = "refusal_beside_call"
	StepSeveralMessages StepKind = "several_messages"
	// StepAdvice is a remark in the prompt on decisions that go in circles; Name is
	// the kind of repetition.
	StepAdvice StepKind = "advice"
	// StepReflect and StepConsolidate are answers of turns that reflect. StepLearnError is
	// one that could not be used, with its parse kind as Code. StepLearnItemRepair is an
	// item of one that could not be sent back unchanged.
	StepReflect         StepKind = "reflect"
	StepConsolidate     StepKind = "consolidate"
	StepLearnError      StepKind = "learn_error"
	StepLearnItemRepair StepKind = "learn_item_repair"
	// StepDelta is a proposed change of a playbook: Name is the operation, and Code,
	// with StatusError, why it was rejected.
	StepDelta StepKind = "playbook_delta"
	// StepConsolidation ends a turn that reflected; Code says why it changed nothing.
	StepConsolidation StepKind = "consolidation"
	// StepAgentStopped says that the agent takes no more turns because its endpoint
	// was given up; Code is the error kind that ended it.
	StepAgentStopped StepKind = "agent_stopped"
	// StepUnneeded is a module call beside a decision, which was not made.
	StepUnneeded StepKind = "call_unneeded"
	// StepCitation counts the sources that a decision named.
	StepCitation StepKind = "citation"
	// StepOutOfOrder is a call that was not offered at its stage and was taken all the same;
	// Name is its tool.
	StepOutOfOrder StepKind = "out_of_order"
	// StepOffPlan is a call or an action that the turn's plan does not list; Name is the tool
	// or the action. With StatusError it was refused.
	StepOffPlan StepKind = "off_plan"
	// StepReasonSkipped is a reason step of a plan that did not happen; Code says whether
	// the model continued without it or a limit prevented it.
	StepReasonSkipped StepKind = "reason_skipped"
	// StepContinue is a tick in which a standing order acted without a request.
	StepContinue StepKind = "execute_until_continue"
)

// StepStatus is how a step went.
type StepStatus string

// The step statuses.
const (
	// StatusOK: as asked.
	StatusOK StepStatus = "ok"
	// StatusDegraded: used, after a recorded repair, cut or fallback.
	StatusDegraded StepStatus = "degraded"
	// StatusError: refused or failed; Code says why.
	StatusError StepStatus = "error"
)

// Step is one fact of a turn.
type Step struct {
	Tick    int64  `json:"tick"`
	AgentID string `json:"agent_id"`
	// Step is the step of the [ModelCall] whose answer led here, 0 before the
	// turn's first.
	Step   int        `json:"step"`
	Kind   StepKind   `json:"kind"`
	Status StepStatus `json:"status"`
	// Code is a fixed word that says which or why, empty where the kind says it all.
	Code string `json:"code,omitempty"`
	// CallID is the function call the step belongs to; Minted says that the engine
	// made the id because the provider's was missing or repeated.
	CallID string `json:"call_id,omitempty"`
	Minted bool   `json:"minted,omitempty"`
	// Name is the called module, tool or rule.
	Name string `json:"name,omitempty"`
	// Detail holds a few typed facts as JSON; empty when there are none.
	Detail json.RawMessage `json:"detail,omitempty"`
	// Repairs name what the parser forgave in the answer, each as often as it
	// was needed. They are on one step per answer.
	Repairs []string `json:"repairs,omitempty"`
	// Level says how much the step deserves a person's attention, empty for most.
	Level StepLevel `json:"level,omitempty"`
}

// StepLevel says how much a step deserves attention.
type StepLevel string

// The levels. LevelInfo is a reason step that ended as it should; LevelWarn is
// something that a model may not do and was kept from.
const (
	LevelInfo StepLevel = "info"
	LevelWarn StepLevel = "warn"
)

// DecidedBy says who chose an action.
type DecidedBy string

// The deciders.
const (
	// ByModel: the model's own decision.
	ByModel DecidedBy = "model"
	// ByStanding: an order or chain chosen in an earlier tick went on.
	ByStanding DecidedBy = "standing"
	// BySeat: the move of a seat.
	BySeat DecidedBy = "seat"
	// ByEngine: the turn ended without a usable decision and degraded to wait.
	ByEngine DecidedBy = "engine"
)

// Chose reports whether the agent took the decision itself, by its model or its seat.
func (d DecidedBy) Chose() bool { return d == ByModel || d == BySeat }

// Basis says what a decision rests on that the model did not commit itself.
type Basis string

// The bases.
const (
	// ByDraft: the best candidate of the newest draft.
	ByDraft Basis = "draft"
	// ByPlan: the first action of the plan that passed every check.
	ByPlan Basis = "plan"
)

// What a turn does whose end fails, see [Settings.Fallback].
const (
	FallbackBest = "best"
	FallbackWait = "wait"
)

// Decision ends a turn. It is written after the world has applied the action, so that it
// includes the outcome.
//
// Invariants:
//  1. Executed is what the world got; Adjusted is Proposed after clamping;
//     Proposed is null when the model proposed nothing usable.
//  2. DecidedBy is ByEngine exactly when WaitReason is not empty.
//  3. SourcesUsed holds only ids that occur in SourcesRetrieved.
type Decision struct {
	Tick      int64     `json:"tick"`
	AgentID   string    `json:"agent_id"`
	DecidedBy DecidedBy `json:"decided_by"`
	// By is what the action was taken from when the turn failed before a decision, FailedBy
	// how it failed; both are empty for a decision that the model committed. An alternative
	// that was tried after the world had refused a decision has By alone.
	By       Basis      `json:"by,omitempty"`
	FailedBy WaitReason `json:"failed_by,omitempty"`
	// ChainStep is the number of the step of a chain that a continued decision is an attempt of, from
	// 1; 0 for an order and for any other decision.
	ChainStep int `json:"chain_step,omitempty"`
	// Proposed, Adjusted and Executed are actions in the flat encoding of
	// [world.EncodeAction], or null.
	Proposed json.RawMessage `json:"proposed"`
	Adjusted json.RawMessage `json:"adjusted"`
	Executed json.RawMessage `json:"executed"`
	// Adjustments are the amounts that clamping changed.
	Adjustments []world.Adjustment `json:"adjustments,omitempty"`
	// Authority is what allowed the executed action. A wait of the engine has none, unless it
	// counts as a deviation.
	Authority *Authority `json:"authority,omitempty"`
	// Parents are the agents whose texts or terms the action may rest on, see
	// [world.Intent.Parents].
	Parents []string `json:"parents,omitempty"`
	// WaitReason says why the engine made the agent wait; empty for a wait that was
	// chosen. ErrorClass is its class.
	WaitReason WaitReason `json:"wait_reason,omitempty"`
	ErrorClass ErrorClass `json:"error_class,omitempty"`
	// Why is the model's own one-line reason, as given in its decision, or else the goal of its
	// plan. It is capped, and empty if the model gave none.
	Why string `json:"why,omitempty"`
	// Template is the wording of the instructions, without the persona, of a decision with model
	// calls. The prompt does not show its id, so it is not among the sources in view; if it
	// is named, that counts as unknown.
	Template *Source `json:"template,omitempty"`
	// SourcesRetrieved are the sources in view of the turn, SourcesUsed the ids
	// the decision rests on, in order of first mention.
	SourcesRetrieved []Source `json:"sources_retrieved"`
	SourcesUsed      []string `json:"sources_used"`
	// SourcesCited are all ids the model named, those used among them. Of the
	// others SourcesUnknown exist and were not in view, SourcesInvented exist
	// nowhere.
	SourcesCited    []Citation `json:"sources_cited,omitempty"`
	SourcesUnknown  int        `json:"sources_unknown,omitempty"`
	SourcesInvented int        `json:"sources_invented,omitempty"`
	// Calls counts the model calls of the turn, Tokens adds up what they took; nil without any.
	Calls  int              `json:"calls"`
	Tokens *llmclient.Usage `json:"tokens,omitempty"`
	// Commit says how a model's decision was committed. CallsSaved is how many calls that
	// saved: a draft and its decision are in one answer, so only a skipped one counts.
	Commit     Commit `json:"commit,omitempty"`
	CallsSaved int    `json:"calls_saved,omitempty"`
	// Outcome is a [world.Outcome]; null when the world was not asked.
	Outcome json.RawMessage `json:"outcome"`
	// Timing is nil in the canonical form, and where no model was asked.
	Timing *DecisionTiming `json:"timing,omitempty"`
}

// DecisionTiming is what of a decision depends on the clock.
type DecisionTiming struct {
	// DurationMS is how long the turn took, its model calls included.
	DurationMS int64 `json:"duration_ms"`
}

// AuthorityBy is by what an action was allowed.
type AuthorityBy string

// What an action can be allowed by.
const (
	// AuthorityOwn: no text of others was in view, and it answers no terms of theirs.
	AuthorityOwn AuthorityBy = "own"
	// AuthorityUnguarded: texts of others were in view, or it answers their terms, and the check that
	// would have judged it was left out.
	AuthorityUnguarded AuthorityBy = "unguarded"
	// AuthorityPlan: it is the first planned action that was possible.
	AuthorityPlan AuthorityBy = "plan"
	// AuthorityDeviation: it is another planned action, less of it, or a wait.
	AuthorityDeviation AuthorityBy = "deviation"
	// AuthorityUnplanned: it needs no plan, as mining for one tick.
	AuthorityUnplanned AuthorityBy = "unplanned"
	// AuthorityRule: a rule of the scenario lets another agent ask for it.
	AuthorityRule AuthorityBy = "rule"
	// AuthorityFallback: the turn failed, and this was the best it had.
	AuthorityFallback AuthorityBy = "fallback"
)

// DeviationWindow is in how many ticks of a row deviations from plans are counted together.
const DeviationWindow = 50

// Authority is what allowed an action.
type Authority struct {
	By AuthorityBy `json:"by"`
	// Planned is the number of the planned action, from 1; 0 for none.
	Planned int `json:"planned,omitempty"`
	// Rule is the number of the rule among those of the agent, from 1; 0 for none. Asker
	// is the agent that asked, Terms the id of the request, offer or message.
	Rule  int    `json:"rule,omitempty"`
	Asker string `json:"asker,omitempty"`
	Terms string `json:"terms,omitempty"`
	// Deviation is how many ticks of deviation it counts.
	Deviation int64 `json:"deviation,omitempty"`
}

// Citation is one source that a decision named.
type Citation struct {
	// ID is the id as the model wrote it, without what no id can hold.
	ID      string         `json:"id"`
	Channel Channel        `json:"channel"`
	Status  CitationStatus `json:"status"`
}

// Channel says how a decision named a source.
type Channel string

// The channels.
const (
	// ChannelSelf is the model's own list of what it used.
	ChannelSelf Channel = "self"
	// ChannelText is a citation in brackets in any text of the turn: plan, reasoning, arguments.
	ChannelText Channel = "text"
	// ChannelBoth is a source named in both ways.
	ChannelBoth Channel = "both"
)

// CitationStatus says what a named source was to the decision that named it.
type CitationStatus string

// The citation statuses. Only a source in view can be credited: naming one is no proof
// that it was there.
const (
	// CitedUsed: the source was in view.
	CitedUsed CitationStatus = "used"
	// CitedUnknown: the agent's memory, its playbook or a document holds it, and it was not shown.
	CitedUnknown CitationStatus = "unknown"
	// CitedInvented: it exists nowhere.
	CitedInvented CitationStatus = "invented"
)

// Commit says how a model's decision is committed.
type Commit = string

// The ways to a decision. CommitSkip is no setting: it is the end of a plan without
// anything to do.
const (
	// CommitTwoStep shows the model what the dry runs of its draft found; the model
	// commits, and what it commits is checked again.
	CommitTwoStep Commit = "two-step"
	// CommitOneStep commits the best candidate of a draft that no check refused, without
	// another request.
	CommitOneStep Commit = "one-step"
	// CommitSkip: all steps of the plan were skip, so the agent waits.
	CommitSkip Commit = "skip"
)

// WaitReason says why a turn ended in a wait the model did not choose. A reason
// made from an error kind is the prefix and the kind, such as "llm_error:timeout".
type WaitReason string

// The fixed wait reasons and the prefixes of the composed ones.
const (
	WaitGuardRejected WaitReason = "guard_rejected"
	WaitWouldRefuse   WaitReason = "world_would_refuse"
	WaitReasoning     WaitReason = "reasoning_step_failed"
	WaitWindow        WaitReason = "context_window_full"
	WaitRounds        WaitReason = "rounds_used_up"
	WaitModelPrefix              = "llm_error:"
	WaitParsePrefix              = "parse_error:"
	WaitSeatPrefix               = "seat_error:"
)

// ErrorClass says what caused a wait.
type ErrorClass string

// The error classes.
const (
	// ClassModel: there was no answer.
	ClassModel ErrorClass = "llm"
	// ClassParse: no answer could be used.
	ClassParse ErrorClass = "parse"
	// ClassSeat: the seat of the agent made no move.
	ClassSeat ErrorClass = "seat"
	// ClassGuard: the guard refused everything that was proposed.
	ClassGuard ErrorClass = "guard"
	// ClassWorld: the world would have refused what was proposed, by its dry run.
	ClassWorld ErrorClass = "world"
	// ClassLimit: the context window was full, or the rounds of the turn were used up.
	ClassLimit ErrorClass = "limit"
)

// Class sorts the reason; empty for no reason.
func (w WaitReason) Class() ErrorClass {
	switch {
	case strings.HasPrefix(string(w), WaitModelPrefix):
		return ClassModel
	case strings.HasPrefix(string(w), WaitParsePrefix), w == WaitReasoning:
		return ClassParse
	case strings.HasPrefix(string(w), WaitSeatPrefix):
		return ClassSeat
	case w == WaitGuardRejected:
		return ClassGuard
	case w == WaitWouldRefuse:
		return ClassWorld
	case w == WaitWindow, w == WaitRounds:
		return ClassLimit
	}
	return ""
}
