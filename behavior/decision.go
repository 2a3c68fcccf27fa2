package behavior

import (
	"encoding/json"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/seat"
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
	Stage trace.Stage
	// Request is complete. Its Input continues the previous Ask's, see [Conversation].
	Request llmclient.Request
	// Free is how many tokens the window has left for the answer.
	Free int
	// Sections are what each part of the opening prompt took and lost.
	Sections []trace.Section
	// Observation is what a seat is asked with, which the request then is the text of; nil for a model.
	Observation *seat.Observation
}

// Call is a module call. The caller runs it and gives the result to
// [Turn.Result].
type Call struct {
	// CallID binds the result to the call.
	CallID string
	// Tool is the wire name of the module, Arguments the model's raw arguments.
	Tool, Arguments string
}

// ToolCall is a call of a tool of the run's user. The caller makes it, unless the turn commits nothing, and
// gives what came of it to [Turn.ToolResult].
type ToolCall struct {
	// CallID binds the result to the call.
	CallID string
	// Tool is its name, Arguments a JSON object that fits its parameters.
	Tool      string
	Arguments json.RawMessage
}

// Decision ends a turn: exactly one action to execute.
type Decision struct {
	// Decision is the record of it, up to what [Decision.Record] adds.
	trace.Decision
	// Proposed is the action as the model wrote it, Adjusted the same after
	// clamping, Executed what the world gets. Proposed and Adjusted are nil when
	// the model proposed nothing usable; Executed is never nil.
	Proposed, Adjusted, Executed world.Action
	// Tainted says that untrusted text may have caused the action: it was in view, and the agent
	// had not planned the action before.
	Tainted bool
	// Planned says that the plan, made before any untrusted text was in view, gives the action in every
	// slot but its text, as the first that was possible. Its outcome is then the plan's.
	Planned bool
	// Named are the used sources that the turn named before any untrusted text was in view: all of
	// them if none was.
	Named []string
	// Known are the ids in Proposed and Executed that the agent's own typed state or
	// its goals hold. Any other is a model's word, perhaps repeated from a text: it
	// never returns to a prompt.
	Known []string
	// Place is where the agent was, empty when nothing looked.
	Place string
	// Seen is what the turn met that is worth remembering: its place, and the texts of
	// others that the model read.
	Seen []memory.Entry
	// Looked are the topics of rules that the turn looked up.
	Looked []string
	// Otherwise are what the turn would have decided next, best first, each checked
	// like this one; the world may try them when it refuses Executed. Fallback is the
	// number of decisions that the world refused before this one.
	Otherwise []Decision
	Fallback  int

	// operation is what counts towards limits once the world accepted it. own says that the plan
	// gives the whole action, inFull all of it but its text; round that a refusal under texts cost a
	// further round.
	operation          policy.Operation
	own, inFull, round bool
	// intentions are the newest plans after the turn, nil where no turn was taken.
	intentions *intentions
	// veiled says that texts were in view, and that the plan does not give the whole action: whoever
	// wrote them may have chosen its numbers.
	veiled bool
	// evidence is what the action was evaluated by, and later what its steps after the first need. step
	// is the number of the step that a continued decision begins, 0 if it begins none.
	evidence policy.Evidence
	later    []policy.Progress
	step     int
	// sealed says that no plan came that texts waited for, listed that one did.
	sealed, listed bool
	// called counts the calls of tools of the user's, by tool.
	called map[string]int64
	// read are the texts and terms that the turn was shown after its plan, authors those whose
	// words were in view.
	read    []reading
	authors []string
	// repairs name what it took to make a fallback executable.
	repairs []string
	// headroom is that of the next turn.
	headroom headroom
	// faults are what was wrong in the turn, the newest last. underTexts says that untrusted text was in
	// view. skipped is how many candidates there were when the number 0 was decided.
	faults     []fault
	underTexts bool
	skipped    int
	// saw is what the turn saw of places.
	saw []sighting
	// heard is the number of the last news in view.
	heard int64
	// listedSources is the decision's own list of what it used, as the model wrote it.
	listedSources []string
	// given are the agents whose texts or terms a seat was given.
	given []string
	// picked is the candidate that was committed directly in place of the first.
	picked int
}

// Record is the decision as a trace keeps it, with what the world made of it.
func (d Decision) Record(o world.Outcome) trace.Decision {
	r := d.Decision
	r.Executed = encodedAction(d.Executed)
	r.Adjusted = r.Executed
	if !world.Same(d.Adjusted, d.Executed) {
		r.Adjusted = encodedAction(d.Adjusted)
	}
	r.Proposed = r.Adjusted
	if !world.Same(d.Proposed, d.Adjusted) {
		r.Proposed = encodedAction(d.Proposed)
	}
	r.ErrorClass, r.Outcome = r.WaitReason.Class(), llmclient.Marshal(o)
	r.SourcesRetrieved, r.SourcesUsed = append([]trace.Source{}, r.SourcesRetrieved...),
		append([]string{}, r.SourcesUsed...)
	return r
}

func encodedAction(a world.Action) json.RawMessage {
	if a == nil {
		return json.RawMessage("null")
	}
	return world.EncodeAction(a)
}

// Intent is what the world is asked for on behalf of agent number n.
func (d Decision) Intent(n int) world.Intent {
	in := world.Intent{Agent: n, Action: d.Executed, Parents: d.Parents}
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
func (ToolCall) isStep() {}
func (Decision) isStep() {}
