package world

// ParamKind is the type of an action's parameter.
type ParamKind string

// The parameter kinds.
const (
	// ParamAmount is an integer quantity; Clamp may change it.
	ParamAmount ParamKind = "amount"
	// ParamPlace is the id of a place.
	ParamPlace ParamKind = "place"
	// ParamAgent is the id of an agent.
	ParamAgent ParamKind = "agent"
	// ParamFactory is the id of a factory.
	ParamFactory ParamKind = "factory"
	// ParamOrder is the id of an own order.
	ParamOrder ParamKind = "order"
	// ParamChoice is one of the names in Param.Choices.
	ParamChoice ParamKind = "choice"
	// ParamText is free text of at most Param.Max characters.
	ParamText ParamKind = "text"
)

// Param describes one parameter of an action.
type Param struct {
	// Name is the field's name in every encoding of the action.
	Name string
	// Kind is the parameter's type.
	Kind ParamKind
	// Unit names what an amount counts: g, units, ticks, batches.
	Unit string
	// Min and Max bound an amount by rule, whatever the agent's state; Max also
	// bounds a text, in characters.
	Min, Max int64
	// Give marks an amount the agent would part with: clamping never makes a
	// non-positive one positive.
	Give bool
	// Choices lists the values of a ParamChoice.
	Choices []string
	// Doc is one line for prompts and docs.
	Doc string
	// Aliases are other names for the field that readers of model output accept;
	// they appear in no schema and no prompt.
	Aliases []string
}

// ActionSpec describes one action. The registry of specs is the single source of
// tool schemas, argument validation, clamping, prompt text and docs.
type ActionSpec struct {
	// Name is the action's name.
	Name string
	// Doc says in one line what the action does and costs.
	Doc string
	// Params are in schema order.
	Params []Param
	// Aliases are other words for the action that readers of model output accept;
	// they appear in no schema and no prompt.
	Aliases []string
}

// Args are an action's arguments by parameter name.
type Args map[string]Value

// Value is one argument: Int for a ParamAmount, Text for every other kind.
type Value struct {
	Int  int64
	Text string
}

// StandingTicksMax bounds ExecuteUntil.MaxTicks; StandingTicksDefault is used
// where a model leaves it out.
const (
	StandingTicksMax     = 256
	StandingTicksDefault = 6
)

// StopEvent describes an event that may end a standing order.
type StopEvent struct {
	// Name is the event's name in a Condition.
	Name string
	// TakesValue says that a condition needs a threshold.
	TakesValue bool
	// Doc is one line for prompts and docs.
	Doc string
	// Aliases are other names for the field that readers of model output accept;
	// they appear in no schema and no prompt.
	Aliases []string
}
