package policy

import "example.com/agentworld/trace"

// Rule is why an action was refused. Rules are stable names, counted in reports; each
// has one fixed text for models.
type Rule string

// The rules.
const (
	// RuleForbidden: a clause forbids the action and no narrower one allows it.
	RuleForbidden Rule = "mandate_forbids"
	// RuleAmount: every clause that allows the action allows less of it at a time.
	RuleAmount Rule = "mandate_amount"
	// RuleTotal: what clauses allow over the run is used up to below this amount.
	RuleTotal Rule = "mandate_total"
	// RuleNotPlanned: untrusted texts are in view, no planned action is of this
	// action and no clause lets their authors ask for it.
	RuleNotPlanned Rule = "not_planned"
	// RuleArgumentNotPlanned: the plan has the action with another argument.
	RuleArgumentNotPlanned Rule = "argument_not_planned"
	// RuleArgumentUntrusted: the plan leaves the argument open, and its value may
	// come from untrusted texts.
	RuleArgumentUntrusted Rule = "argument_untrusted"
	// RuleOrderNotPlanned: the action may be done, but not as this standing order.
	RuleOrderNotPlanned Rule = "order_not_planned"
	// RuleOffPlan: the plan of the turn does not list the action, and binds it.
	RuleOffPlan Rule = "off_plan"
	// RuleUnavailable: the action could not be audited.
	RuleUnavailable Rule = "guard_unavailable"
)

// Rules lists all rules in a fixed order.
func Rules() []Rule {
	return []Rule{
		RuleForbidden, RuleAmount, RuleTotal, RuleNotPlanned, RuleArgumentNotPlanned, RuleArgumentUntrusted,
		RuleOrderNotPlanned, RuleOffPlan, RuleUnavailable,
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
	// Trust is the least trust of what is in view, which the refused value may have. It
	// is rules where texts have no part in the refusal.
	Trust trace.Trust `json:"trust"`
	// Requested and Maximum are amounts or attempts: what was asked for, and what a
	// clause allows or the plan gives; nil where none applies.
	Requested *int64 `json:"requested,omitempty"`
	Maximum   *int64 `json:"maximum,omitempty"`
	// Unit is the unit of the numbers: g, units, ticks, batches or data.
	Unit string `json:"unit,omitempty"`
	// Authors are the agents whose texts the value may come from, sorted; an empty id
	// stands for a source whose author is unknown.
	Authors []string `json:"authors,omitempty"`
}
