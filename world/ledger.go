package world

import "fmt"

// account is the dense number of an account in the ledger.
type account int32

// The system accounts come first. Sources may go negative; all others may not.
const (
	sourceGenesis account = iota
	sourceRadiation
	sourceAmbient
	sourceProduction
	sinkIdle
	sinkMove
	sinkWork
	sinkMaterials
	sinkTailings
	systemAccounts
)

var systemAccountNames = [systemAccounts]string{
	"source:genesis", "source:radiation", "source:ambient", "source:production",
	"sink:idle", "sink:move", "sink:work", "sink:materials", "sink:tailings",
}

func (a account) isSource() bool { return a <= sourceProduction }

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

func newLedger() ledger {
	l := ledger{}
	for _, name := range systemAccountNames {
		l.open(name)
	}
	return l
}

func (l *ledger) open(name string) account {
	l.names = append(l.names, name)
	l.balances = append(l.balances, stock{})
	return account(len(l.names) - 1)
}

func (l *ledger) of(a account, r resource) int64 { return l.balances[a][r] }

// post moves a positive amount between two accounts.
func (l *ledger) post(from, to account, r resource, n int64) Posting {
	if n <= 0 {
		panic(fmt.Sprintf("world: posting of %d %s from %s to %s is not positive", n, r, l.names[from], l.names[to]))
	}
	l.balances[from][r] -= n
	l.balances[to][r] += n
	if l.balances[from][r] < 0 && !from.isSource() {
		panic(fmt.Sprintf("world: account %s is overdrawn to %d %s", l.names[from], l.balances[from][r], r))
	}
	return Posting{From: l.names[from], To: l.names[to], Resource: r.String(), Amount: n}
}
