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
	present := ledger{w.ledger.names, slices.Clone(w.ledger.balances), w.ledger.resources}
	for i := range w.agents {
		a := &w.agents[i]
		change := w.electricityOf(a) - w.ledger.of(a.account, electricity)
		present.all(a.account)[electricity] += change
		if change > 0 {
			present.all(sourceAmbient)[electricity] -= change
		} else {
			present.all(sinkIdle)[electricity] -= change
		}
	}
	for p := range w.sites {
		at := w.sites[p].account
		grown := w.reserveOf(int32(p)) - w.ledger.of(at, compound)
		present.all(at)[compound] += grown
		present.all(sourceRegeneration)[compound] -= grown
	}
	for i := range w.factories {
		f := &w.factories[i]
		if w.isPlant(f) {
			made := w.outputOf(f).stored - w.ledger.of(f.store, electricity)
			present.all(f.store)[electricity] += made
			present.all(sourceRadiation)[electricity] -= made
		}
	}
	return listBalances(present, w.law.Resources)
}

// listBalances sorts non-zero balances by account, then by resource.
func listBalances(l ledger, resources []string) []Balance {
	names := l.names
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	var list []Balance
	for _, i := range order {
		for r, n := range l.all(account(i)) {
			if n != 0 {
				list = append(list, Balance{names[i], resources[r], n})
			}
		}
	}
	return list
}
