package world

import "slices"

// Action is what an agent can ask the world to do in a tick. It is a sealed set of
// small values, each in a file of its own: its parameters, the rule that
// accepts or refuses it, what it does, and what an agent knows of it beforehand.
// The fields of an action are its parameters, in the order of its spec. A new action
// is a new file, its name and a line in [actions].
type Action interface {
	// ActionName is the action's name, such as "mine_compound".
	ActionName() string
	// describe is its spec without the name. What depends on the moment is in the
	// affordances.
	describe(r *Industry) ActionSpec
	// rule is the ruling on it for an agent that can act.
	rule(f *facts, s senses) ruling
	// carryOut makes its effects when it was accepted. Amounts come from the ruling
	// and are never computed again.
	carryOut(w *World, n int32, r ruling) effect
}

// plainAction is an action that does something by itself; an execute_until does not.
type plainAction interface {
	Action
	// afford says whether the action is possible now and within which bounds; the name
	// is filled in. What it offers is accepted if the agent acts alone.
	afford(v *knowledge) Affordance
}

// clamper is an action with amounts, which it moves to the nearest feasible ones.
type clamper interface {
	clamp(v *knowledge) (Action, []Adjustment)
}

// actions are all plain actions in their fixed order, which schemas, prompts and
// affordances keep.
var actions = []plainAction{
	Wait{},
	WaitTicks{},
	Move{},
	Harvest{},
	Mine{},
	Refine{},
	BuildFactory{},
	ScheduleRecipe{},
	Transfer{},
	BuyPower{},
	SellPower{},
	PlaceOrder{},
	CancelOrder{},
	SendMessage{},
	PostNote{},
	Request{},
	Offer{},
	AcceptOffer{},
	Decline{},
	CancelOffer{},
}

// isTyped says that an action is about requests and offers, which a scenario enables.
func isTyped(a Action) bool {
	switch a.(type) {
	case Request, Offer, AcceptOffer, Decline, CancelOffer:
		return true
	}
	return false
}

// TypedActions lists the actions about requests and offers, which a scenario enables.
func TypedActions() (names []string) {
	for _, a := range actions {
		if isTyped(a) {
			names = append(names, a.ActionName())
		}
	}
	return names
}

// ActionName implements [Action], for every action.
func (Wait) ActionName() string           { return "wait" }
func (WaitTicks) ActionName() string      { return "wait_ticks" }
func (Move) ActionName() string           { return "move_agent" }
func (Harvest) ActionName() string        { return "harvest_radiation" }
func (Mine) ActionName() string           { return "mine_compound" }
func (Refine) ActionName() string         { return "refine_compound" }
func (BuildFactory) ActionName() string   { return "build_factory" }
func (ScheduleRecipe) ActionName() string { return "schedule_recipe" }
func (Transfer) ActionName() string       { return "transfer_resource" }
func (BuyPower) ActionName() string       { return "buy_power" }
func (SellPower) ActionName() string      { return "sell_power" }
func (PlaceOrder) ActionName() string     { return "place_power_order" }
func (CancelOrder) ActionName() string    { return "cancel_power_order" }
func (SendMessage) ActionName() string    { return "send_message" }
func (PostNote) ActionName() string       { return "post_note" }
func (Request) ActionName() string        { return "request" }
func (Offer) ActionName() string          { return "offer" }
func (AcceptOffer) ActionName() string    { return "accept_offer" }
func (Decline) ActionName() string        { return "decline" }
func (CancelOffer) ActionName() string    { return "cancel_offer" }
func (ExecuteUntil) ActionName() string   { return "execute_until" }

// effect is what an accepted action did that its ruling does not say.
type effect struct {
	postings []Posting
	// subject is whom or what the action is about, made the id of what it made, answers are the ids
	// of the requests that it counts towards.
	subject, made string
	answers       []string
}

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
	// ParamRequest, ParamOffer and ParamTerms are the ids of a request to the agent, of an
	// offer, and of either.
	ParamRequest ParamKind = "request"
	ParamOffer   ParamKind = "offer"
	ParamTerms   ParamKind = "request or offer"
	// ParamChoice is one of the names in Param.Choices.
	ParamChoice ParamKind = "choice"
	// ParamText is free text of at most Param.Max characters.
	ParamText ParamKind = "text"
)

// ChoicesOf is what the choices of a parameter are if a scenario may add to them, see [Industry].
type ChoicesOf string

// What the choices can be.
const (
	ListsResources ChoicesOf = "resource"
	ListsRecipes   ChoicesOf = "recipe"
	ListsKinds     ChoicesOf = "kind"
)

// Param describes one parameter of an action. Aliases are names that readers of model
// output accept; they appear in no schema and no prompt. A word is used exactly as
// written, so only words that can mean one thing are listed.
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
	// Optional marks an id that may be empty, for none.
	Optional bool
	// Choices lists the values of a ParamChoice, ChoiceAliases other names for them.
	Choices []string
	// Lists says what the choices are if a scenario may add to them, empty for fixed words.
	Lists         ChoicesOf
	ChoiceAliases map[string]string
	// Doc says in a few words what it is, for people.
	Doc string
	// Aliases are other names for the field. They hold for one action: "amount" is a
	// mass where something is dug and a count elsewhere.
	Aliases []string
}

// ActionSpec describes one action. The specs are the single source of tool schemas,
// argument validation and clamping.
type ActionSpec struct {
	// Name is the action's name.
	Name string
	// Numbers are what a text about the action may state, by the names of their places. They come
	// from the rules, so that no text can contradict them. The map must not be changed.
	Numbers map[string]int64
	// Params are in schema order.
	Params []Param
	// Aliases are other words for the action: "build" can be one, "power" cannot.
	Aliases []string
}

// Actions returns the specs of all actions in the built-in industry under the default rules, in
// their fixed order. The list is a copy, as it is asked for all the time; what its specs refer to
// must not be changed.
func Actions() []ActionSpec { return slices.Clone(specs) }

// Actions returns the specs with the industry's numbers and choices. Names, parameters and bounds
// are the same in all industries.
func (r *Industry) Actions() []ActionSpec {
	var list []ActionSpec
	for _, a := range actions {
		spec := a.describe(r)
		spec.Name = a.ActionName()
		list = append(list, spec)
	}
	spec := ExecuteUntil{}.describe(r)
	spec.Name = ExecuteUntil{}.ActionName()
	return append(list, spec)
}

// specs are those of [Actions], read only inside the package. They are made
// when all tables that specs refer to are there.
var specs []ActionSpec

func init() { specs = DefaultRules().Industry().Actions() }

// specNamed finds an action's spec in the built-in industry.
func specNamed(name string) (ActionSpec, bool) {
	for i := range specs {
		if specs[i].Name == name {
			return specs[i], true
		}
	}
	return ActionSpec{}, false
}

// amount is the amount that a limit of the action is about; it has one.
func (s ActionSpec) amount() Param {
	return s.Params[slices.IndexFunc(s.Params, func(p Param) bool { return p.Slot() == SlotAmount })]
}
