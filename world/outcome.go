package world

// RejectionCode says why the world refused an action. Codes are stable names,
// counted in reports and shown to models.
type RejectionCode string

// The rejection codes.
const (
	RejectInvalidAmount       RejectionCode = "invalid_amount"
	RejectInsufficient        RejectionCode = "insufficient_resource"
	RejectStorageFull         RejectionCode = "storage_full"
	RejectAlreadyThere        RejectionCode = "agent_already_at_location"
	RejectUnreachable         RejectionCode = "unreachable_or_unknown"
	RejectNoRadiation         RejectionCode = "radiation_unavailable"
	RejectThermalOverload     RejectionCode = "thermal_overload"
	RejectDepleted            RejectionCode = "compound_depleted"
	RejectBelowMinimum        RejectionCode = "below_minimum"
	RejectFactoryNotFound     RejectionCode = "factory_not_found"
	RejectFactoryNotHere      RejectionCode = "factory_not_here"
	RejectFactoryBuilding     RejectionCode = "factory_under_construction"
	RejectFactoryLimit        RejectionCode = "factory_limit"
	RejectRecipeMismatch      RejectionCode = "recipe_needs_other_factory"
	RejectQueueFull           RejectionCode = "queue_full"
	RejectWornOut             RejectionCode = "worn_out"
	RejectNoOffer             RejectionCode = "no_offer"
	RejectOrderLimit          RejectionCode = "order_limit"
	RejectOrderNotFound       RejectionCode = "order_not_found"
	RejectOrderNotHere        RejectionCode = "order_not_here"
	RejectUnknownChoice       RejectionCode = "unknown_choice"
	RejectAgentNotHere        RejectionCode = "agent_not_here"
	RejectTransferToSelf      RejectionCode = "transfer_to_self"
	RejectShutdown            RejectionCode = "agent_shutdown"
	RejectTravelling          RejectionCode = "agent_travelling"
	RejectContended           RejectionCode = "contended"
	RejectInvalidStandingRule RejectionCode = "invalid_execute_until"
	RejectEmptyText           RejectionCode = "empty_text"
	RejectMessageToSelf       RejectionCode = "message_to_self"
	RejectOutboxFull          RejectionCode = "outbox_full"
	RejectTermsDisabled       RejectionCode = "terms_disabled"
	RejectRequestLimit        RejectionCode = "request_limit"
	RejectTermsNotFound       RejectionCode = "request_or_offer_not_found"
	RejectNotAsked            RejectionCode = "not_what_was_asked"
	RejectSameResource        RejectionCode = "same_resource"
	RejectChargeKept          RejectionCode = "charge_must_stay_above_low"
	RejectOfferLimit          RejectionCode = "offer_limit"
	RejectOfferNotFound       RejectionCode = "offer_not_found"
	RejectOfferNotHere        RejectionCode = "offer_not_here"
	RejectOwnOffer            RejectionCode = "own_offer"
)

// Rejection is the world's refusal of an action: a value, not a Go error. Its
// numbers are about the actor, its place or what it could see; a nil number does
// not apply.
type Rejection struct {
	// Code says why.
	Code RejectionCode `json:"code"`
	// Field is the parameter at fault, empty when it is not one parameter.
	Field string `json:"field,omitempty"`
	// Resource names what is missing or full.
	Resource string `json:"resource,omitempty"`
	// Requested is what the action asked for or would have cost.
	Requested *int64 `json:"requested,omitempty"`
	// Available is what there was.
	Available *int64 `json:"available,omitempty"`
	// Maximum is the most that is allowed; for below_minimum the least, for
	// agent_shutdown the charge that restarts the agent, and for
	// factory_under_construction the ticks left.
	Maximum *int64 `json:"maximum,omitempty"`
	// Unit is the unit of the numbers.
	Unit string `json:"unit,omitempty"`
}

// Adjustment records one amount that Clamp changed.
type Adjustment struct {
	// Action and Field name the parameter.
	Action string `json:"action"`
	Field  string `json:"field"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	// Bound says which limit held: rule (a constant of the rules), stock, place,
	// capacity, heat, queue or wear, or multiple where only whole lots count.
	Bound string `json:"bound"`
}

// Amount is a quantity of something, negative for a cost.
type Amount struct {
	// Resource is a resource name, "heat" or "ticks".
	Resource string `json:"resource"`
	Amount   int64  `json:"amount"`
}

// CheckStatus is the answer of a dry run.
type CheckStatus string

// The dry-run answers.
const (
	// CheckAccepted: alone in this tick, the action would be accepted.
	CheckAccepted CheckStatus = "accepted"
	// CheckRejected: the action would be rejected whatever others do.
	CheckRejected CheckStatus = "rejected"
	// CheckUnknown: the answer depends on what the agent cannot know.
	CheckUnknown CheckStatus = "unknown_until_tried"
)

// Check is the result of a dry run of an action on a [View].
type Check struct {
	Status CheckStatus `json:"status"`
	// Changes are the costs and effects of an accepted action.
	Changes []Amount `json:"changes,omitempty"`
	// Ticks is how long the action or its job takes, 0 when immediate.
	Ticks int64 `json:"ticks,omitempty"`
	// Rejection is set exactly when Status is CheckRejected.
	Rejection *Rejection `json:"rejection,omitempty"`
}

// Outcome is the result of an agent's last action.
type Outcome struct {
	// Tick is when the action was applied.
	Tick int64 `json:"tick"`
	// Action is the action in its flat encoding, see [EncodeAction].
	Action Action `json:"-"`
	// Accepted says whether the world carried it out.
	Accepted bool `json:"accepted"`
	// Changes are the real costs and effects.
	Changes []Amount `json:"changes,omitempty"`
	// Created is the id of a factory, order, request or offer the action made.
	Created string `json:"created,omitempty"`
	// Rejection is set exactly when Accepted is false.
	Rejection *Rejection `json:"rejection,omitempty"`
	// RefusedBefore is how many actions of the same [Intent] were refused before this
	// one; each of those is an event of its own.
	RefusedBefore int `json:"refused_before,omitempty"`
}
