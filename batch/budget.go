package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// ErrBudget says that the budget of a batch is used up.
var ErrBudget = errors.New("the budget of the batch is used up")

// Spender keeps calls within the budget of a batch.
type Spender interface {
	// Reserve reserves the most that a call can take, and waits if only calls under way keep it
	// from fitting. settle takes what it was billed. The error is [ErrBudget], that of ctx, or a
	// failure to lease more.
	Reserve(ctx context.Context, most budget.Amount) (settle func(billed budget.Amount), err error)
}

// Ledger keeps the calls of a process within a budget that several processes share. Each leases
// slices of it, which it writes down before it spends them; what a killed process had leased
// counts as spent. Shards that do not share a directory get equal parts.
//
// What is leased is a numbered series of entries in the [Store], each with the whole of it. An entry
// is put by one process alone, which had read all entries before: so no lock is needed, and it holds
// wherever the Store does.
//
// Invariant: of each unit with a bound, spent and what is under way are never more than leased, and
// what all ledgers of a directory have leased is never more than the budget. What is spent of others
// is written down at the end.
type Ledger struct {
	store Store
	// name is what it leases for, own that no other ledger has the name.
	name  string
	own   bool
	shard Shard
	limit trace.Limit

	mu      sync.Mutex
	changed chan struct{}
	// at is the number of the last entry that this process has seen.
	at     int64
	leased budget.Amount
	spent  budget.Amount
	under  budget.Amount
	calls  int
}

// ErrCurrencies says that cells have prices in different currencies.
var ErrCurrencies = errors.New("prices cannot be added up")

// Payable checks that the costs of a cell with these settings can be added to those of the cells before
// it. currency is theirs, empty for none; the result is that of all of them. Within a bound on cost each
// model and tier that the cell asks needs a price.
func Payable(currency string, s trace.Settings, limit trace.Limit) (string, error) {
	if limit.Cost > 0 {
		if err := s.Payable(); err != nil {
			return currency, fmt.Errorf("a budget on cost: %w", err)
		}
	}
	for _, p := range s.Prices {
		if currency != "" && currency != p.Currency {
			return currency, fmt.Errorf("%w: some are in %s, some in %s", ErrCurrencies, currency, p.Currency)
		}
		currency = p.Currency
	}
	return currency, nil
}

// slicesOf is into how many slices a budget is leased: more would ask the disk more often, fewer
// leave more unused when a process is killed.
const slicesOf = 64

// OpenLedger begins to spend for a shard. The limit must have a bound, and a part for each shard. All processes
// of a shard lease for it; one with a name of its own leases for that.
func OpenLedger(store Store, limit trace.Limit, shard Shard, name string) (*Ledger, error) {
	for u, bound := range budget.AmountOf(limit) {
		if bound > 0 && bound < int64(shard.Of) {
			return nil, fmt.Errorf("a budget of %d %s cannot be divided between %d shards; allowed: at least one for each",
				bound, budget.Unit(u), shard.Of)
		}
	}
	l := &Ledger{store: store, name: name, own: name != "", shard: shard, limit: limit, changed: make(chan struct{})}
	if !l.own {
		l.name = fmt.Sprintf("shard-%d-of-%d.json", shard.Index, max(1, shard.Of))
	}
	var err error
	_, l.at, err = leases(store, 0)
	return l, err
}

const budgetDir = "budget"

// Seen is the number of the last entry that this process has seen.
func (l *Ledger) Seen() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// LeaseKey is the key of an entry of what is leased, counted from 1.
func LeaseKey(number int64) string { return fmt.Sprintf("%s/lease-%09d.json", budgetDir, number) }

// entry is what is leased, by the names of shards.
type entry struct {
	Leased map[string]budget.Amount `json:"leased"`
}

// leases returns what was leased, by the names of processes, and the number of the entry that says so;
// after is one that was there, 0 for none. There are none without a budget.
func leases(store Store, after int64) (leases map[string]budget.Amount, at int64, err error) {
	leases = map[string]budget.Amount{}
	for at = max(0, after-1); ; at++ {
		data, ok, err := store.Get(LeaseKey(at + 1))
		switch {
		case err != nil:
			return nil, at, fmt.Errorf("read the budget of the batch: %w", err)
		case !ok && after > 0 && at < after: // a store that was made again has fewer
			after, at = 0, -1
			continue
		case !ok:
			return leases, at, nil
		}
		var e entry
		if err := json.Unmarshal(data, &e); err != nil {
			return nil, at, fmt.Errorf("%s is damaged: %w; it says what was spent: remove the directory %s of the batch to "+
				"begin at nothing", LeaseKey(at+1), err, budgetDir)
		}
		leases = e.Leased
	}
}

// changeLeases puts a further entry with what change makes of the leases, which it may refuse by
// returning false. It is asked again if another process came first. at is the last entry seen; after
// is one that is known to be there, 0 for none.
func changeLeases(store Store, after int64, change func(leases map[string]budget.Amount) bool) (at int64, err error) {
	for {
		leases, at, err := leases(store, after)
		if err != nil {
			return after, err
		}
		if !change(leases) {
			return at, nil
		}
		first, err := store.Put(LeaseKey(at+1), llmclient.Marshal(entry{leases}))
		if err != nil {
			return at, err
		}
		if first {
			return at + 1, nil
		}
		after = at
	}
}

// sum is what all have leased.
func sum(leases map[string]budget.Amount) (all budget.Amount) {
	for _, leased := range leases {
		all = all.Plus(leased)
	}
	return all
}

// Leased is what all processes that play the batch have leased of its budget and not given back, and spent. It
// is nothing without a budget.
func (d Dir) Leased() (all budget.Amount, err error) {
	leases, _, err := leases(d.Store(), 0)
	return sum(leases), err
}

// part is the limit of a shard: an equal part. What is left over goes to the first shards.
func (l *Ledger) part() trace.Limit {
	p := l.limit
	if l.shard.Of > 1 {
		of, index := int64(l.shard.Of), int64(l.shard.Index)
		p.Calls = part(p.Calls, of, index)
		p.Tokens = part(p.Tokens, of, index)
		p.Cost = part(p.Cost, of, index)
	}
	return p
}

// part is an equal part of a bound, that of index of so many.
func part[T ~int64](bound T, of, index int64) T {
	size := bound / T(of)
	if int64(bound)%of >= index {
		size++
	}
	return size
}

// lease writes down that more is going to be spent: of each unit that is missing a slice, or what is
// missing if that is more, as far as there is that much. ok is false if not even what is missing is
// left.
func (l *Ledger) lease(ctx context.Context, missing budget.Amount) (ok bool, err error) {
	var slice budget.Amount
	l.at, err = changeLeases(l.store, l.at, func(leases map[string]budget.Amount) bool {
		if l.own { // also what a store that was made again does not know of
			leases[l.name] = leases[l.name].AtLeast(l.leased)
		}
		slice, ok = l.slice(leases, missing)
		if ctx.Err() != nil {
			ok = false
		}
		if ok {
			leases[l.name] = leases[l.name].Plus(slice)
		}
		return ok
	})
	if err == nil && !ok {
		err = ctx.Err()
	}
	if err != nil {
		return false, fmt.Errorf("lease from the budget of the batch: %w", err)
	}
	if ok {
		l.leased = l.leased.Plus(slice)
	}
	return ok, nil
}

// slice is what can be leased where so much is missing; ok is false if not even that is left.
func (l *Ledger) slice(leases map[string]budget.Amount, missing budget.Amount) (slice budget.Amount, ok bool) {
	left := sum(leases).Leaves(l.limit).AtMost(leases[l.name].Leaves(l.part()))
	for u, bound := range budget.AmountOf(l.limit) {
		if missing[u] > left[u] {
			return slice, false
		}
		if missing[u] > 0 {
			slice[u] = min(max(missing[u], bound/slicesOf), left[u])
		}
	}
	return slice, true
}

// Reserve implements [Spender].
func (l *Ledger) Reserve(ctx context.Context, most budget.Amount) (settle func(budget.Amount), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		need := l.spent.Plus(l.under).Plus(most)
		missing, fits := budget.Amount{}, true
		for u, bound := range budget.AmountOf(l.limit) {
			if bound > 0 && need[u] > l.leased[u] {
				missing[u], fits = need[u]-l.leased[u], false
			}
		}
		if !fits {
			fits, err = l.lease(ctx, missing)
			if err != nil {
				return nil, err
			}
		}
		if fits {
			l.under = l.under.Plus(most)
			l.calls++
			return func(billed budget.Amount) { l.settle(most, billed) }, nil
		}
		if l.calls == 0 {
			return nil, ErrBudget
		}
		// A call under way may take less than was reserved for it.
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-changed:
		}
		l.mu.Lock()
		if err != nil {
			return nil, err
		}
	}
}

// settle counts a call that has ended.
func (l *Ledger) settle(most, billed budget.Amount) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for u := range l.under {
		l.under[u] -= most[u]
	}
	l.spent = l.spent.Plus(billed)
	l.calls--
	close(l.changed)
	l.changed = make(chan struct{})
}

// Close returns what was leased and not spent. No call is under way.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, err := changeLeases(l.store, l.at, func(leases map[string]budget.Amount) bool {
		own := leases[l.name]
		for u := range own {
			// A provider that billed more than it might has used up more than the lease.
			own[u] = max(0, own[u]-l.leased[u]+l.spent[u])
		}
		if l.own {
			own = l.spent
		}
		changed := own != leases[l.name]
		leases[l.name] = own
		return changed
	})
	if err == nil {
		l.at, l.leased = at, l.spent
	}
	if err != nil {
		return fmt.Errorf("return what is left of the budget: %w", err)
	}
	return nil
}

// Text is a budget for people, such as "1000 calls, 2.50 USD".
func (b Budget) Text() string {
	var parts []string
	if b.Calls > 0 {
		parts = append(parts, plaintext.Count(b.Calls, "call"))
	}
	if b.Tokens > 0 {
		parts = append(parts, plaintext.Count(b.Tokens, "token"))
	}
	if b.Cost != "" {
		parts = append(parts, "cost "+b.Cost)
	}
	return strings.Join(parts, ", ")
}
