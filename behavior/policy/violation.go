package policy

import "example.com/agentworld/world"

// Reason is why an action was refused. Reasons are stable names, counted in reports; each
// has one fixed text for models.
type Reason string

// The reasons.
const (
	// ReasonForbidden: a rule of the scenario forbids the action and no narrower one allows it.
	ReasonForbidden Reason = "policy_forbids"
	// ReasonAmount: every rule that allows the action allows less of it at a time.
	ReasonAmount Reason = "policy_amount"
	// ReasonTotal: the rules allow less than this amount in what is left of their window.
	ReasonTotal Reason = "policy_total"
	// ReasonRate: the trade brings less than every rule that allows it wants.
	ReasonRate Reason = "policy_rate"
	// ReasonNotPlanned: the plan does not have the action, or the action answers open terms, which a
	// plan cannot authorize; and no rule lets others ask for it.
	ReasonNotPlanned Reason = "not_planned"
	// ReasonArgumentNotPlanned: the plan has the action with another argument.
	ReasonArgumentNotPlanned Reason = "argument_not_planned"
	// ReasonArgumentOpen: the plan leaves out an argument that it must give.
	ReasonArgumentOpen Reason = "argument_left_open"
	// ReasonNotFirst: an earlier action of the plan is possible, and this one gives something
	// away.
	ReasonNotFirst Reason = "not_first_planned"
	// ReasonDeviations: the action is a deviation from the plan of more ticks than are left.
	ReasonDeviations Reason = "deviation_limit"
	// ReasonRelayed: a rule lets the agent ask, but an agent that the rule does not name may have
	// led to what is asked.
	ReasonRelayed Reason = "relayed_terms"
	// ReasonUnseen: a rule lets an agent ask for a journey to the place where it is seen, and it
	// is not seen there, perhaps not yet.
	ReasonUnseen Reason = "asker_not_seen"
	// ReasonOffPlan: the plan of the turn does not list the action, and the run binds the agent to
	// its plan.
	ReasonOffPlan Reason = "off_plan"
	// ReasonUnavailable: the action could not be checked.
	ReasonUnavailable Reason = "guard_unavailable"
)

// Reasons lists all reasons in a fixed order.
func Reasons() []Reason {
	return []Reason{
		ReasonForbidden, ReasonAmount, ReasonTotal, ReasonRate, ReasonNotPlanned, ReasonArgumentNotPlanned,
		ReasonArgumentOpen, ReasonNotFirst,
		ReasonDeviations, ReasonRelayed, ReasonUnseen, ReasonOffPlan, ReasonUnavailable,
	}
}

// Violation is a refusal with its numbers. It holds names of the registry, ids and numbers, and
// no free text.
type Violation struct {
	Reason Reason `json:"rule"`
	// Action is the name of the refused action, of the inner one for a standing order.
	Action string `json:"action"`
	// Argument is the slot of the argument at fault, or [ArgumentOrder]; empty if the
	// action as a whole is refused.
	Argument string `json:"argument,omitempty"`
	// Rule is the number of the rule of the scenario that refuses it, among those of the
	// agent from 1; 0 for none.
	Rule int `json:"policy_rule,omitempty"`
	// Requested and Maximum are what was asked for, and what a rule allows or the plan gives;
	// nil where none applies.
	Requested *int64 `json:"requested,omitempty"`
	Maximum   *int64 `json:"maximum,omitempty"`
	// OfAsk says that Maximum is what is left of a request, a number that another agent chose.
	OfAsk bool `json:"of_ask,omitempty"`
	// Minimum is what a trade has to bring at least; by a rule Unit is then a resource.
	Minimum *int64 `json:"minimum,omitempty"`
	// First is the number of the planned action that comes first, from 1.
	First int `json:"first,omitempty"`
	// Unit is the unit of the numbers: g, units, ticks, batches or data.
	Unit string `json:"unit,omitempty"`
}

// TooMuch reports whether a rule would allow less of the same.
func (v *Violation) TooMuch() bool { return v.Reason == ReasonAmount || v.Reason == ReasonTotal }

// exceeded is the violation of an amount beyond a limit of a rule.
func exceeded(op *Operation, reason Reason, r *rule, most int64) *Violation {
	v := &Violation{Reason: reason, Action: op.spec.Name, Rule: r.number, Requested: new(op.amount), Maximum: &most}
	switch p := op.args[world.SlotAmount].param; {
	case op.spec.Name == ArgumentOrder:
		v.Argument, v.Unit = ArgumentOrder, world.Ticks
	case p != nil:
		v.Argument, v.Unit = world.SlotAmount.String(), p.Unit
	}
	return v
}
