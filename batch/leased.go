package batch

import "example.com/agentworld/engine/budget"

// Leased is what processes that play the batch in this directory have leased of its budget
// and not given back. It is nothing without a budget.
func (d Dir) Leased() (budget.Amount, error) {
	all, _, err := (&Ledger{dir: d}).read()
	return all, err
}
