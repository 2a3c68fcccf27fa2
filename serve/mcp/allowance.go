package mcp

import (
	"context"
	"sync"

	"example.com/agentworld/engine/ask"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
)

// Allowance is what a user lets assistants spend, over the life of the server and by all clients together.
type Allowance struct {
	// Runs bounds how many runs are started, seats taken and questions put, all together.
	Runs int
	// Cost bounds what they cost, 0 for nothing, in Currency.
	Cost     price.Money
	Currency string
	// Run returns what a run of an embedded scenario is made of but for its directory. live says that it asks
	// models that cost money.
	Run func(scenario string) (c session.Config, live bool, err error)
	// Ask puts a question and returns what it cost. Before that it calls take once, which counts the question and
	// returns what it may cost, 0 for nothing. A question that was answered before is answered without.
	Ask func(ctx context.Context, q Question, take func() (price.Money, error)) (answer ask.Record, cost price.Money,
		err error)
}

// Question is a question to an agent of a run.
type Question struct {
	Dir run.Dir
	// Run is what the run is called.
	Run   string
	Agent string
	// Tick is the last one that the agent knows of, 0 for the last whole one.
	Tick int64
	Text string
}

// ledger counts what is used of an allowance.
type ledger struct {
	of Allowance

	mu sync.Mutex
	// used counts runs, seats and questions; spent is what they cost, aside what is set aside for those under way.
	used         int
	spent, aside price.Money
}

// grant is a part of the allowance for one run or question.
type grant struct {
	from *ledger
	most price.Money
}

// left is what is left, for results.
type left struct {
	Runs     int    `json:"runs_left"`
	Cost     string `json:"cost_left"`
	Currency string `json:"currency,omitempty"`
}

func (l *ledger) left() left {
	l.mu.Lock()
	defer l.mu.Unlock()
	return left{l.of.Runs - l.used, l.rest().String(), l.of.Currency}
}

// rest is the money that nobody has.
func (l *ledger) rest() price.Money { return max(0, l.of.Cost-l.spent-l.aside) }

func (l *ledger) money(m price.Money) string {
	if l.of.Currency == "" {
		return m.String()
	}
	return m.String() + " " + l.of.Currency
}

// take takes a part of the allowance: one of its runs, and the money that is wanted, 0 for all that is left. What
// costs nothing takes no money. The error says with numbers what is used up.
func (l *ledger) take(wanted price.Money, costs bool) (*grant, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := l.rest()
	switch {
	case l.used >= l.of.Runs:
		return nil, refuse("%d of %d runs, seats and questions are used up; only the user can allow more (--allow-runs)",
			l.used, l.of.Runs)
	case !costs:
		l.used++
		return &grant{from: l}, nil
	case rest == 0 || wanted > rest:
		return nil, refuse("of %s that the user allowed (--cap-cost) %s are spent and %s are set aside for what is under "+
			"way; %s are left, and %s were asked for", l.money(l.of.Cost), l.money(l.spent), l.money(l.aside), l.money(rest),
			l.wanted(wanted))
	case wanted == 0:
		wanted = rest
	}
	l.used++
	l.aside += wanted
	return &grant{l, wanted}, nil
}

func (l *ledger) wanted(m price.Money) string {
	if m == 0 {
		return "some"
	}
	return l.money(m)
}

// end gives back what was not spent.
func (g *grant) end(spent price.Money) {
	g.from.mu.Lock()
	defer g.from.mu.Unlock()
	g.from.aside -= g.most
	g.from.spent = g.from.spent.Plus(spent)
}

// undo gives back all of it: nothing began.
func (g *grant) undo() {
	g.end(0)
	g.from.mu.Lock()
	defer g.from.mu.Unlock()
	g.from.used--
}
