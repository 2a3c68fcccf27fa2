package policy

// Rule is why an action was refused. Rules are stable names, counted in reports; each
// has one fixed text for models.
type Rule string

// The rules.
const (
	// RuleForbidden: a rule of the scenario forbids the action and no narrower one allows it.
	RuleForbidden Rule = "mandate_forbids"
	// RuleAmount: every rule that allows the action allows less of it at a time.
	RuleAmount Rule = "mandate_amount"
	// RuleTotal: what rules allow in their window is used up to below this amount.
	RuleTotal Rule = "mandate_total"
	// RuleRate: the trade brings less than every rule that allows it wants.
	RuleRate Rule = "mandate_rate"
	// RuleNotPlanned: texts are in view, no planned action is of this action and no rule lets
	// others ask for it.
	RuleNotPlanned Rule = "not_planned"
	// RuleArgumentNotPlanned: the plan has the action with another argument.
	RuleArgumentNotPlanned Rule = "argument_not_planned"
	// RuleArgumentOpen: the plan leaves an argument open that it has to give.
	RuleArgumentOpen Rule = "argument_left_open"
	// RuleNotFirst: the plan has an action before it that is possible, and this one gives
	// something away.
	RuleNotFirst Rule = "not_first_planned"
	// RuleDeviations: the plan has an action before it that is possible, and no deviations are
	// left.
	RuleDeviations Rule = "deviation_limit"
	// RuleRelayed: a rule lets the agent ask, but what it asks may come from one that the rule
	// does not name.
	RuleRelayed Rule = "relayed_terms"
	// RuleUnseen: a rule lets somebody ask for a journey to where it is seen, and it is not seen
	// there, perhaps not yet.
	RuleUnseen Rule = "asker_not_seen"
	// RuleOffPlan: the plan of the turn does not list the action, and binds it.
	RuleOffPlan Rule = "off_plan"
	// RuleUnavailable: the action could not be checked.
	RuleUnavailable Rule = "guard_unavailable"
)

// Rules lists all rules in a fixed order.
func Rules() []Rule {
	return []Rule{
		RuleForbidden, RuleAmount, RuleTotal, RuleRate, RuleNotPlanned, RuleArgumentNotPlanned, RuleArgumentOpen, RuleNotFirst,
		RuleDeviations, RuleRelayed, RuleUnseen, RuleOffPlan, RuleUnavailable,
	}
}

// Violation is why an action was refused. It holds names of the registry, ids and
// numbers, and no text that anybody wrote.
type Violation struct {
	Rule Rule `json:"rule"`
	// Action is the name of the refused action, of the inner one for a standing order.
	Action string `json:"action"`
	// Argument is the slot of the argument at fault, or [ArgumentOrder]; empty when the
	// action as a whole is refused.
	Argument string `json:"argument,omitempty"`
	// Clause is the number of the rule of the scenario that refuses it, among those of the
	// agent from 1; 0 for none.
	Clause int `json:"clause,omitempty"`
	// Requested and Maximum are what was asked for, and what a rule allows or the plan gives;
	// nil where none applies.
	Requested *int64 `json:"requested,omitempty"`
	Maximum   *int64 `json:"maximum,omitempty"`
	// Minimum is what a trade has to bring of Unit, a resource then. First is the number of the
	// planned action that comes first.
	Minimum *int64 `json:"minimum,omitempty"`
	First   int    `json:"first,omitempty"`
	// Unit is the unit of the numbers: g, units, ticks, batches or data.
	Unit string `json:"unit,omitempty"`
}
