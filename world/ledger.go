package world

import (
	"fmt"
	"slices"
)

// account is the dense number of an account in the ledger.
type account int32

// The system accounts come first. Sources may go negative; all others may not.
const (
	// sourceGenesis is where everything at tick 0 came from.
	sourceGenesis account = iota
	// sourceRadiation is what was ever harvested.
	sourceRadiation
	// sourceAmbient is what shut-down agents gained.
	sourceAmbient
	// sourceProduction is hardware, data and products made.
	sourceProduction
	// sourceRegeneration is compound that places regrew.
	sourceRegeneration
	// sinkIdle is what agents used by being awake.
	sinkIdle
	// sinkMove is the price of all journeys.
	sinkMove
	// sinkWork is electricity used by mining, refining, building and recipes.
	sinkWork
	// sinkMaterials is hardware that became factories and products.
	sinkMaterials
	// sinkTailings is compound that was refined.
	sinkTailings
	systemAccounts
)

var systemAccountNames = [systemAccounts]string{
	"source:genesis", "source:radiation", "source:ambient", "source:production", "source:regeneration",
	"sink:idle", "sink:move", "sink:work", "sink:materials", "sink:tailings",
}

// isSource says that the account may go negative.
func (a account) isSource() bool { return a <= sourceRegeneration }

// Balance is the amount of one resource in one account.
type Balance struct {
	Account  string `json:"account"`
	Resource string `json:"resource"`
	Amount   int64  `json:"amount"`
}

// ledger is the double-entry book of the world. Invariants: per resource, all
// balances sum to zero; only sources are negative.
type ledger struct {
	names    []string
	balances []stock
}

// newLedger is a book with the system accounts, all empty.
func newLedger() ledger {
	l := ledger{}
	for _, name := range systemAccountNames {
		l.open(name)
	}
	return l
}

// open adds an empty account. Names are unique because ids are.
func (l *ledger) open(name string) account {
	l.names = append(l.names, name)
	l.balances = append(l.balances, stock{})
	return account(len(l.names) - 1)
}

// reserve makes room for n more accounts at once.
func (l *ledger) reserve(n int) {
	l.names = slices.Grow(l.names, n)
	l.balances = slices.Grow(l.balances, n)
}

// of is a stored balance; an agent's electricity needs settling first.
func (l *ledger) of(a account, r resource) int64 { return l.balances[a][r] }

// post moves a positive amount between two accounts and writes it down.
func (l *ledger) post(from, to account, r resource, n int64) Posting {
	l.move(from, to, r, n)
	return Posting{From: l.names[from], To: l.names[to], Resource: r.String(), Amount: n}
}

// move is the change of the two balances alone.
func (l *ledger) move(from, to account, r resource, n int64) {
	if n <= 0 {
		panic(fmt.Sprintf("world: posting of %d %s from %s to %s is not positive", n, r, l.names[from], l.names[to]))
	}
	l.balances[from][r] -= n
	l.balances[to][r] += n
	if l.balances[from][r] < 0 && !from.isSource() {
		panic(fmt.Sprintf("world: account %s is overdrawn to %d %s", l.names[from], l.balances[from][r], r))
	}
}
