package budget

import (
	"fmt"
	"math"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// Unit is a thing that a cap can be on.
type Unit int

// The units, in the order in which caps are checked.
const (
	Calls Unit = iota
	Tokens
	Cost
	units
)

// String names the unit in codes and messages.
func (u Unit) String() string {
	switch u {
	case Calls:
		return "calls"
	case Tokens:
		return "tokens"
	case Cost:
		return "cost"
	}
	panic(fmt.Sprintf("budget: unknown unit %d", int(u)))
}

// show writes n of the unit for people.
func (u Unit) show(n int64) string {
	if u == Cost {
		return price.Money(n).String()
	}
	return fmt.Sprint(n)
}

// Scope is what a cap is over.
type Scope string

// The scopes, in the order in which caps are checked.
const (
	Run   Scope = "run"
	Agent Scope = "agent"
	Tick  Scope = "tick"
)

// Amount is an amount of each unit; cost is a [price.Money].
type Amount [units]int64

// unlimited is the amount without a bound.
const unlimited = math.MaxInt64

// Plus returns the sum; it stays at the largest number instead of wrapping. No part
// may be negative.
func (a Amount) Plus(b Amount) Amount {
	for u := range a {
		if b[u] > unlimited-a[u] {
			a[u] = unlimited
		} else {
			a[u] += b[u]
		}
	}
	return a
}

// Leaves returns what is left of a limit after a was spent: at least 0, and no bound
// where the limit has none.
func (a Amount) Leaves(l trace.Limit) Amount {
	left := AmountOf(l)
	for u := range left {
		if left[u] == 0 {
			left[u] = unlimited
		} else {
			left[u] = max(0, left[u]-a[u])
		}
	}
	return left
}

// Times returns n times the amount; it stays at the largest number instead of wrapping.
func (a Amount) Times(n int64) Amount {
	for u := range a {
		if n > 0 && a[u] > unlimited/n {
			a[u] = unlimited
		} else {
			a[u] *= n
		}
	}
	return a
}

// AtMost returns the smaller part of both, by unit.
func (a Amount) AtMost(b Amount) Amount {
	for u := range a {
		a[u] = min(a[u], b[u])
	}
	return a
}

// AtLeast returns the larger part of both, by unit.
func (a Amount) AtLeast(b Amount) Amount {
	for u := range a {
		a[u] = max(a[u], b[u])
	}
	return a
}

// minus takes b out of what is left; no bound stays none.
func (a Amount) minus(b Amount) Amount {
	for u := range a {
		if a[u] != unlimited {
			a[u] -= b[u]
		}
	}
	return a
}

// AmountOf is a limit by unit, 0 for none.
func AmountOf(l trace.Limit) Amount { return Amount{l.Calls, l.Tokens, int64(l.Cost)} }
