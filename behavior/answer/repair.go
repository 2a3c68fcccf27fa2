package answer

// Repair names one repair that let an argument through although it was not
// written as the schema asks. Each is recorded and counted under its own name; a
// repaired value passes the same checks as a clean one. The names are stable:
// traces and reports count by them.
type Repair string

// The repairs.
const (
	// EmptyArguments: the argument text was empty and was read as {}.
	EmptyArguments Repair = "empty_arguments"
	// DoubleEncoded: the arguments were a JSON string that held JSON.
	DoubleEncoded Repair = "double_encoded"
	// DuplicateKey: an object named a field twice; the last value counts.
	DuplicateKey Repair = "duplicate_key"
	// TextFromObject: an object was given where JSON text was asked for.
	TextFromObject Repair = "text_from_object"
	// NumberFromString: a number was given as a string, such as "20".
	NumberFromString Repair = "number_from_string"
	// FractionDropped: a number was rounded down to an integer.
	FractionDropped Repair = "fraction_dropped"
	// NameVariant: an action or event name was wordsIn in another case or with
	// other separators, such as moveAgent.
	NameVariant Repair = "name_variant"
	// UnusedArgument: a value was given that the action has no use for.
	UnusedArgument Repair = "unused_argument"
	// NamedParameter: a parameter was written under its own name instead of in its
	// slot, such as compound_mass_g for amount. It is counted once per action.
	NamedParameter Repair = "named_parameter"
	// TextCleaned: a free text was cut to its bound or lost characters that cannot
	// be shown on one line.
	TextCleaned Repair = "text_cleaned"
	// ThresholdName: the value of a condition was called value_lte or value_gte.
	ThresholdName Repair = "threshold_name"
	// DefaultUntil: a standing order named no condition; a rejected attempt, which
	// always ends one, became its condition.
	DefaultUntil Repair = "default_until"
	// DefaultMaxTicks: a standing order left out how long it may last.
	DefaultMaxTicks Repair = "default_max_ticks"

	// The repairs of reading text that is not quite JSON. Each is counted once per
	// text that needed it.

	// ExtraComma: a comma before a closing bracket, or several in a row.
	ExtraComma Repair = "extra_comma"
	// MissingComma: nothing between two elements.
	MissingComma Repair = "missing_comma"
	// SingleQuotes: strings in single quotes.
	SingleQuotes Repair = "single_quotes"
	// WidePunctuation: typographic quotes, full-width colons or wide spaces.
	WidePunctuation Repair = "wide_punctuation"
	// QuoteToken: a chat template's token where a quote belongs.
	QuoteToken Repair = "quote_token"
	// UnquotedKey: a field's name without quotes.
	UnquotedKey Repair = "unquoted_key"
	// UnquotedText: a single word without quotes as a value.
	UnquotedText Repair = "unquoted_text"
	// ForeignLiteral: None, True, False or undefined.
	ForeignLiteral Repair = "foreign_literal"
	// Comment: a comment of a programming language.
	Comment Repair = "comment"
	// EscapeRepaired: a character in a string that should have been escaped, or an
	// escape that JSON does not have.
	EscapeRepaired Repair = "escape_repaired"
	// DoubledBraces: an object alone in a second pair of braces.
	DoubledBraces Repair = "doubled_braces"
	// InvisibleRemoved: a byte order mark or characters of no width outside of
	// values.
	InvisibleRemoved Repair = "invisible_characters_removed"
	// Unfenced: the object was in a fenced code block.
	Unfenced Repair = "unfenced"
	// StrayBracket: brackets around the object that belong to nothing.
	StrayBracket Repair = "stray_bracket"
	// CallSyntax: the object was between the marks with which a chat template writes a call.
	CallSyntax Repair = "call_syntax"
	// ProseAround: other text around the object was passed over.
	ProseAround Repair = "prose_around_json"
	// ListOfOne: the object was the only element of a list.
	ListOfOne Repair = "list_of_one"

	// The repairs of names.

	// ActionAlias: an action was called by another word of the registry's table.
	ActionAlias Repair = "action_alias"
	// FieldAlias: a field was called by another name of the registry's table.
	FieldAlias Repair = "field_alias"
	// EventList: the conditions of a standing order were no list of objects with one event
	// each. EventDropped: some of several names of events were none.
	EventList    Repair = "event_list"
	EventDropped Repair = "event_dropped"

	// The repairs of finding calls in a text.

	// TextInsteadOfCall: the answer is text where a call was expected.
	TextInsteadOfCall Repair = "text_instead_of_call"
	// ThinkingRemoved: what was only thought about was passed over.
	ThinkingRemoved Repair = "thinking_removed"
	// ObjectIgnored: with the calls there was an object that is no call, or the same call again.
	ObjectIgnored Repair = "object_ignored"
	// ActionLine and FinishLine: the call is a labelled line, an older way of asking
	// models for actions ("Action: move_agent[llm-outpost]").
	ActionLine Repair = "action_line"
	FinishLine Repair = "finish_line"
	// BareInput: such a line gives a value without the name of its parameter.
	BareInput Repair = "bare_input"
	// LaterDiscarded: what follows the first action, observations above all, was made up
	// by the model.
	LaterDiscarded Repair = "later_steps_discarded"
	// BracketAdded: a bracket does not close before the end of its line.
	BracketAdded Repair = "unbalanced_bracket"

	// The repairs of finding the call that an object means.

	// ToolAlias: a tool was called by another spelling of its name.
	ToolAlias Repair = "tool_alias"
	// ArgumentsInName: the arguments of a call are in its name.
	ArgumentsInName Repair = "arguments_in_name"
	// CallKey: a name or its arguments are under another key than the API's.
	CallKey Repair = "call_key"
	// ReasonTool: what was thought is in a call of a tool that does not exist.
	ReasonTool Repair = "reason_as_tool"
	// CustomCall: the call is one of a custom tool, with a text in place of arguments.
	CustomCall Repair = "custom_tool_call"
	// ActionAsTool: an action was called as if it were a tool.
	ActionAsTool Repair = "action_as_tool"
	// ToolFromFields: the tool follows from the fields of the object.
	ToolFromFields Repair = "tool_from_fields"
	// WrapperKey: the call is inside of another object.
	WrapperKey Repair = "wrapper_key"
	// JSONInString: an object or list is encoded in a string.
	JSONInString Repair = "json_in_string"
	// DraftShorthand: a draft gives its one action in place of the list of candidates.
	DraftShorthand Repair = "draft_shorthand"
	// TypeKey: the name of an action is under "type".
	TypeKey Repair = "type_key"

	// The repairs of reading a decision.

	// FlatAction: the fields of the action are next to its name.
	FlatAction Repair = "flat_action"
	// DecisionKey: the action's name is under "decision".
	DecisionKey Repair = "decision_key"
	// Unwrapped: the decision is an object under "decision".
	Unwrapped Repair = "unwrapped"
	// NestedUntil: the parts of a standing order are next to the action.
	NestedUntil Repair = "nested_execute_until"
	// ReasonKey: the reason has another name than "why".
	ReasonKey Repair = "reason_key"
	// WrappedAction: the action of a candidate is in a field of its own.
	WrappedAction Repair = "wrapped_action"
	// ActionForCandidate: a decision names a candidate that there is not, and writes its
	// action in full.
	ActionForCandidate Repair = "action_for_candidate"
	// CandidateOrder: a candidate brings the standing order that is the decision's to give.
	CandidateOrder Repair = "candidate_order"
	// NameResolved: a place, an agent or a factory was called by its name, and exactly one
	// thing the agent knows has that name.
	NameResolved Repair = "name_resolved"
	// ChoicePart: a name of a fixed list was wordsIn in another way or by its last parts,
	// which only one of the list has: control_chip for recipe.assembler.control_chip.
	ChoicePart Repair = "choice_part"

	// The repairs of reading a plan, and of lists.

	// ListFromText, ListFromNull and ListFromOne: a list was one text, null, or its only
	// element.
	ListFromText Repair = "list_from_text"
	ListFromNull Repair = "list_from_null"
	ListFromOne  Repair = "list_from_one"
	// StepFromText: a step of a plan is a text that is none of the kinds.
	StepFromText Repair = "plan_step_from_text"
	// StepKindVariant: the kind of a step was another word for it, or under another key.
	// StepKindUnknown: it was none; the step asks for nothing.
	StepKindVariant Repair = "plan_step_kind"
	StepKindUnknown Repair = "plan_step_unknown"
	// OpenAmount: an action that a plan left its amount open was done with the greatest
	// feasible one.
	OpenAmount Repair = "open_amount"
	// PlanNext: a plan names what comes next in place of steps.
	PlanNext Repair = "plan_next"
	// PlanInFull: the plan of a lean turn is more than a sentence.
	PlanInFull Repair = "plan_in_full"
)
