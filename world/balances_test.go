package world

import (
	"cmp"
	"slices"
)

// Balance is the amount of one resource in one account.
type Balance struct {
	Account  string `json:"account"`
	Resource string `json:"resource"`
	Amount   int64  `json:"amount"`
}

// Balances lists all non-zero balances at the present tick, those of sources and
// sinks included, by account and then in the order of [Resources]. Charge used,
// gained or generated and compound regrown since they were last settled are
// counted but not stored. Per resource the amounts sum to zero.
func (w *World) Balances() []Balance {
	present := slices.Clone(w.ledger.balances)
	for i := range w.agents {
		a := &w.agents[i]
		change := w.electricityOf(a) - w.ledger.of(a.account, electricity)
		present[a.account][electricity] += change
		if change > 0 {
			present[sourceAmbient][electricity] -= change
		} else {
			present[sinkIdle][electricity] -= change
		}
	}
	for p := range w.sites {
		account := w.sites[p].account
		grown := w.reserveOf(int32(p)) - w.ledger.of(account, compound)
		present[account][compound] += grown
		present[sourceRegeneration][compound] -= grown
	}
	for i := range w.factories {
		f := &w.factories[i]
		if w.isPlant(f) {
			made := w.outputOf(f).stored - w.ledger.of(f.store, electricity)
			present[f.store][electricity] += made
			present[sourceRadiation][electricity] -= made
		}
	}
	return listBalances(w.ledger.names, present)
}

// listBalances sorts non-zero balances by account, then by resource.
func listBalances(names []string, balances []stock) []Balance {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	var list []Balance
	for _, i := range order {
		for r, n := range balances[i] {
			if n != 0 {
				list = append(list, Balance{names[i], resourceNames[r], n})
			}
		}
	}
	return list
}
