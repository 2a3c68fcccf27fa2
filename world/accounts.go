package world

import (
	"cmp"
	"slices"
)

// Stock lists what agent n holds at the present tick, without zero amounts, in
// the order of [Resources].
func (w *World) Stock(n int) []Amount { return w.stockOf(&w.agents[n]).amounts() }

// Balances lists all non-zero balances at the present tick, those of sources and
// sinks included, by account and then in the order of [Resources]. Charge used,
// gained or generated and compound regrown since they were last settled are
// counted but not stored. Per resource the amounts sum to zero.
func (w *World) Balances() []Balance {
	present := slices.Clone(w.book.balances)
	for i := range w.agents {
		a := &w.agents[i]
		change := w.electricityOf(a) - w.book.of(a.account, electricity)
		present[a.account][electricity] += change
		if change > 0 {
			present[sourceAmbient][electricity] -= change
		} else {
			present[sinkIdle][electricity] -= change
		}
	}
	for p := range w.sites {
		account := w.sites[p].account
		grown := w.reserveOf(int32(p)) - w.book.of(account, compound)
		present[account][compound] += grown
		present[sourceRegeneration][compound] -= grown
	}
	for i := range w.factories {
		f := &w.factories[i]
		if w.isPlant(f) {
			made := w.outputOf(f).stored - w.book.of(f.store, electricity)
			present[f.store][electricity] += made
			present[sourceRadiation][electricity] -= made
		}
	}
	return listBalances(w.book.names, present)
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

// reviewGoals notes the goals of agent n that are met now for the first time.
// Only agents that changed are reviewed. A charge that runs down by itself cannot
// meet a goal, so that idle agents need no look.
func (w *World) reviewGoals(n int32) {
	for i := range w.goals[n] {
		p := &w.goals[n][i]
		if p.metAt >= 0 || w.measure(n, p.metric) < p.goal.AtLeast {
			continue
		}
		p.metAt = w.tick
		w.emit(Event{Kind: EventGoalMet, Agent: w.agents[n].id, Subject: p.goal.ID})
	}
}

// measure is the present value of a metric for agent n.
// A place counts while the agent stands there, not while it travels to it.
func (w *World) measure(n int32, m metric) int64 {
	a := &w.agents[n]
	switch m.kind {
	case "factory":
		var ready int64
		for _, k := range a.factories {
			if w.factories[k].ready && w.factories[k].kind == m.factory {
				ready++
			}
		}
		return ready
	case "place":
		if a.place == m.place {
			return 1
		}
		return 0
	}
	return w.stockOf(a)[m.resource]
}

// Goals lists the status of every agent's goals, by agent and then in the order
// of the scenario.
func (w *World) Goals() []GoalStatus {
	var list []GoalStatus
	for n, pursuits := range w.goals {
		for _, p := range pursuits {
			list = append(list, GoalStatus{p.goal, w.agents[n].id, p.metAt, w.measure(int32(n), p.metric)})
		}
	}
	return list
}
