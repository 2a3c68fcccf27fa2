package trace

import (
	"fmt"
	"slices"
	"strings"
)

// Check is one of the independent protections against texts of other agents. Checks
// can be left out to measure what each one contributes; a run that is not such a
// measurement has all of them.
type Check = string

// The checks. Package behavior/policy carries out plan, policy, deviations and taint, package
// behavior the others.
const (
	// CheckOrder: texts of other agents are shown only after the plan.
	CheckOrder Check = "order"
	// CheckPlan: once texts are in view only what was planned, or what a rule lets others
	// ask for, is committed.
	CheckPlan Check = "plan"
	// CheckRules: the rules of the scenario hold.
	CheckRules Check = "policy"
	// CheckDeviations: of what was planned the first that is possible is free, the rest counts,
	// and so do the rounds that refusals cost.
	CheckDeviations Check = "deviations"
	// CheckTaint: terms that may come from others than their sender do not count.
	CheckTaint Check = "taint"
	// CheckEnvelope: texts are encoded, capped, and in a marked section under a sender that the
	// world set.
	CheckEnvelope Check = "envelope"
	// CheckMemory: what was made from untrusted texts stays untrusted.
	CheckMemory Check = "memory"
	// CheckLessons: lessons neither derive from untrusted text nor show it.
	CheckLessons Check = "lessons"
)

// ChecksAll is the word for all checks where checks are named.
const ChecksAll = "all"

// Checks lists all checks in a fixed order.
func Checks() []Check {
	return []Check{CheckOrder, CheckPlan, CheckRules, CheckDeviations, CheckTaint, CheckEnvelope, CheckMemory,
		CheckLessons}
}

// ParseChecks reads names of checks; [ChecksAll] means all of them. The result is in the order of
// [Checks], each once. The error names the word that is no check and lists the checks there are.
func ParseChecks(names []string) ([]Check, error) {
	var named []Check
	for _, name := range names {
		switch {
		case name == ChecksAll:
			named = append(named, Checks()...)
		case slices.Contains(Checks(), name):
			named = append(named, name)
		default:
			return nil, fmt.Errorf("%q is no check of the guard; there are %s and %s", name, strings.Join(Checks(), ", "),
				ChecksAll)
		}
	}
	return slices.DeleteFunc(Checks(), func(l Check) bool { return !slices.Contains(named, l) }), nil
}
