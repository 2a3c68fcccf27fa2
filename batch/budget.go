package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
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
// Invariant: of each unit with a bound, spent and what is under way are never more than leased, and
// what all ledgers of a directory have leased is never more than the budget. What is spent of others
// is written down at the end.
type Ledger struct {
	dir   Dir
	shard Shard
	limit trace.Limit

	mu      sync.Mutex
	changed chan struct{}
	leased  budget.Amount
	spent   budget.Amount
	under   budget.Amount
	calls   int
}

// slicesOf is into how many slices a budget is leased: more would ask the disk more often, fewer
// leave more unused when a process is killed.
const slicesOf = 64

// OpenLedger begins to spend. The limit must have a bound, and a part for each shard.
func OpenLedger(d Dir, limit trace.Limit, shard Shard) (*Ledger, error) {
	for u, bound := range budget.AmountOf(limit) {
		if bound > 0 && bound < int64(shard.Of) {
			return nil, fmt.Errorf("a budget of %d %s cannot be divided between %d shards; allowed: at least one for each", bound, budget.Unit(u), shard.Of)
		}
	}
	if err := os.MkdirAll(d.path(budgetDir), 0o700); err != nil {
		return nil, fmt.Errorf("open the budget of the batch: %w", err)
	}
	if _, err := d.Leased(); err != nil {
		return nil, err
	}
	return &Ledger{dir: d, shard: shard, limit: limit, changed: make(chan struct{})}, nil
}

const budgetDir = "budget"

// file is what this process leases from, one for all processes of a shard.
func (l *Ledger) file() string {
	return l.dir.path(budgetDir, fmt.Sprintf("shard-%d-of-%d.json", l.shard.Index, max(1, l.shard.Of)))
}

// locked calls f while no other process leases.
func (l *Ledger) locked(ctx context.Context, f func() error) error {
	for {
		unlock, err := run.Dir(l.dir.path(budgetDir)).Lock()
		if err == nil {
			return errors.Join(f(), unlock())
		}
		if _, busy := errors.AsType[*run.LockedError](err); !busy {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// read returns what all processes have leased together, and those of this shard.
func (l *Ledger) read() (all, own budget.Amount, err error) {
	leases, err := l.dir.leases()
	for _, leased := range leases {
		all = all.Plus(leased)
	}
	return all, leases[filepath.Base(l.file())], err
}

// workersFile is what workers elsewhere have taken of the budget, in the same form.
const workersFile = "workers.json"

// KeepTaken writes down what workers elsewhere have taken of the budget in all: processes that play
// the batch here count it.
func (d Dir) KeepTaken(all budget.Amount) error {
	err := os.MkdirAll(d.path(budgetDir), 0o700)
	if err == nil {
		err = replaceFile(d.path(budgetDir, workersFile), llmclient.Marshal(all))
	}
	if err != nil {
		return fmt.Errorf("keep what workers have taken of the budget: %w", err)
	}
	return nil
}

// leases returns what was leased by the names of the files that say so: one for each shard, and
// [workersFile]. There are none without a budget.
func (d Dir) leases() (map[string]budget.Amount, error) {
	entries, err := os.ReadDir(d.path(budgetDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the budget of the batch: %w", err)
	}
	leases := map[string]budget.Amount{}
	for _, e := range entries {
		if e.Name() != workersFile && !(strings.HasPrefix(e.Name(), "shard-") && strings.HasSuffix(e.Name(), ".json")) {
			continue
		}
		path := d.path(budgetDir, e.Name())
		var leased budget.Amount
		data, err := readFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(data, &leased)
		}
		if err != nil {
			return nil, fmt.Errorf("%s is damaged: %w; it says what was spent: write that into it, as [calls,tokens,cost], or remove it to begin at nothing", path, err)
		}
		leases[e.Name()] = leased
	}
	return leases, nil
}

// Leased is what processes that play the batch in this directory have leased of its budget
// and not given back, without what workers elsewhere have. It is nothing without a budget.
func (d Dir) Leased() (here budget.Amount, err error) {
	leases, err := d.leases()
	delete(leases, workersFile)
	for _, leased := range leases {
		here = here.Plus(leased)
	}
	return here, err
}

// part is the limit of a shard: an equal part. What is left over goes to the first shards.
func (l *Ledger) part() trace.Limit {
	p := l.limit
	if l.shard.Of > 1 {
		of, index := int64(l.shard.Of), int64(l.shard.Index)
		p.Calls, p.Tokens, p.Cost = part(p.Calls, of, index), part(p.Tokens, of, index), part(p.Cost, of, index)
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
	err = l.locked(ctx, func() error {
		all, own, err := l.read()
		if err != nil {
			return err
		}
		left := all.Leaves(l.limit).AtMost(own.Leaves(l.part()))
		var slice budget.Amount
		for u, bound := range budget.AmountOf(l.limit) {
			if missing[u] > left[u] {
				return nil
			}
			if missing[u] > 0 {
				slice[u] = min(max(missing[u], bound/slicesOf), left[u])
			}
		}
		if err := replaceFile(l.file(), llmclient.Marshal(own.Plus(slice))); err != nil {
			return err
		}
		l.leased, ok = l.leased.Plus(slice), true
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("lease from the budget of the batch: %w", err)
	}
	return ok, nil
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
			if fits, err = l.lease(ctx, missing); err != nil {
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
	err := l.locked(context.Background(), func() error {
		_, own, err := l.read()
		if err != nil {
			return err
		}
		for u := range own {
			// A provider that billed more than it might has used up more than the lease.
			own[u] = max(0, own[u]-l.leased[u]+l.spent[u])
		}
		l.leased = l.spent
		return replaceFile(l.file(), llmclient.Marshal(own))
	})
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
