package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
)

// batchState is a batch as its workers see it, in the bucket of batches.
//
// Invariant: Settled and the amounts of all leases are within Limit, as long as no provider bills
// more than the most that a call was expected to take.
type batchState struct {
	// Done says that nothing is left to do.
	Done bool `json:"done"`
	// Limit bounds all cells together; 0 is no bound.
	Limit budget.Amount `json:"limit"`
	// Settled is what closed leases took, and runs without workers; Local is the latter alone.
	Settled budget.Amount `json:"settled"`
	Local   budget.Amount `json:"local"`
	// Leases are what attempts may spend, by [leaseName].
	Leases map[string]lease `json:"leases"`
	// Exhausted says that no call fits any more.
	Exhausted bool `json:"exhausted"`
}

// lease is a part of the budget that an attempt may spend.
type lease struct {
	Amount budget.Amount `json:"amount"`
	// Largest is the most that any single call of the attempt was expected to take. With at most
	// flightsMax calls at a time, it bounds what a dead owner spent without an exchange.
	Largest budget.Amount `json:"largest"`
	// Waiting says that its owner cannot continue, and has nothing to give back.
	Waiting bool `json:"waiting,omitempty"`
	// Cell and Epoch are whose it is.
	Cell  string `json:"cell"`
	Epoch int64  `json:"epoch"`
}

// flightsMax bounds the calls in flight of an attempt under a budget.
const flightsMax = 8

// leaseCalls is how many calls like the next one a lease is for.
const leaseCalls = 16

// leaseName is the name of the lease of an attempt.
func leaseName(cell string, epoch int64) string { return fmt.Sprintf("%s.%d", cell, epoch) }

// left is what no lease holds, the largest number where there is no bound.
func (s *batchState) left() budget.Amount {
	left := s.Limit
	for u, limit := range s.Limit {
		if limit == 0 {
			left[u] = math.MaxInt64
			continue
		}
		left[u] -= s.Settled[u]
		for _, l := range s.Leases {
			left[u] -= l.Amount[u]
		}
		left[u] = max(0, left[u])
	}
	return left
}

// taken is what workers hold or have spent.
func (s *batchState) taken() budget.Amount {
	all := s.Settled
	for _, l := range s.Leases {
		all = all.Plus(l.Amount)
	}
	return all.Less(s.Local)
}

// limited says that a budget is set.
func (s *batchState) limited() bool { return s.Limit != budget.Amount{} }

// readBatch returns the state of a batch and its revision.
func (l *Link) readBatch(ctx context.Context, id string) (s batchState, revision uint64, err error) {
	err = l.insist(ctx, "read the state of batch "+id, func(ctx context.Context) error {
		entry, err := l.batches.Get(ctx, id)
		if errors.Is(err, nats_js.ErrKeyNotFound) {
			return errFinal{errFenced}
		}
		if err != nil {
			return err
		}
		revision = entry.Revision()
		s = batchState{}
		return json.Unmarshal(entry.Value(), &s)
	})
	return s, revision, err
}

// changeBatch replaces the state of a batch by what change makes of it, which is asked again
// if somebody else came first. It must have the same effect if its own write was made before.
func (l *Link) changeBatch(ctx context.Context, id string, change func(*batchState) error) error {
	return l.insist(ctx, "change the ledger of batch "+id, func(ctx context.Context) error {
		s, revision, err := l.readBatch(ctx, id)
		if err != nil {
			return finally(err)
		}
		if s.Leases == nil {
			s.Leases = map[string]lease{}
		}
		if err := change(&s); err != nil {
			return errFinal{err}
		}
		_, err = l.batches.Update(ctx, id, marshal(s), revision)
		return err
	})
}

// errExhausted ends a cell whose next call the budget does not allow.
var errExhausted = errors.New("the batch's budget is exhausted")

// errNoRoom ends an attempt that waited too long for what others hold.
var errNoRoom = errors.New("others hold the rest of the batch's budget")

// allotment is what an attempt holds of the budget, on the worker.
type allotment struct {
	link  *Link
	id    string
	cell  string
	epoch int64
	// patience bounds the wait for what others hold.
	patience time.Duration
	bill     *engine.Bill
	// counts says that tokens or cost are bounded.
	counts  bool
	flights chan struct{}

	mu sync.Mutex
	// held is what the ledger has leased, spent and reserved what of it is gone. opened says that it
	// was asked.
	held, spent, reserved, largest budget.Amount
	opened                         bool
}

// newAllotment begins with nothing. First it settles the leases of earlier attempts at the cell.
func newAllotment(ctx context.Context, l *Link, j job, epoch int64, proven map[int64]budget.Amount,
	patience time.Duration) (*allotment, error) {
	id, cell := j.Batch, j.key()
	s, _, err := l.readBatch(ctx, id)
	if err != nil || !s.limited() {
		return nil, err
	}
	stale := func(x lease) bool { return x.Cell == cell && x.Epoch < epoch }
	if slices.ContainsFunc(slices.Collect(maps.Values(s.Leases)), stale) {
		if err := l.settleLeases(ctx, id, stale, proven); err != nil {
			return nil, err
		}
	}
	counts := s.Limit[budget.Tokens] > 0 || s.Limit[budget.Cost] > 0
	return &allotment{link: l, id: id, cell: cell, epoch: epoch, bill: engine.NewBill(j.Settings, counts), counts: counts,
		patience: patience, flights: make(chan struct{}, flightsMax)}, nil
}

// settleLeases closes leases of one cell whose owners are fenced: they took what their exchanges
// prove, and what they had in flight.
func (l *Link) settleLeases(ctx context.Context, id string, over func(lease) bool,
	proven map[int64]budget.Amount) error {
	return l.changeBatch(ctx, id, func(s *batchState) error {
		for name, x := range s.Leases {
			if over(x) {
				s.Settled = s.Settled.Plus(proven[x.Epoch].Plus(x.Largest.Times(flightsMax)).AtMost(x.Amount))
				delete(s.Leases, name)
			}
		}
		return nil
	})
}

// reserve takes what a request can be billed at most out of the lease, and leases more if that
// is not enough. The error is errExhausted, errNoRoom, errFenced or that of ctx.
func (a *allotment) reserve(ctx context.Context, r llmclient.Request) (taken budget.Amount, call budget.Call,
	err error) {
	if a == nil {
		return taken, call, nil
	}
	call = a.bill.Call(r)
	need := budget.Amount{1}
	if a.counts {
		need = call.Path(1)
	}
	select {
	case a.flights <- struct{}{}:
	case <-ctx.Done():
		return taken, call, context.Cause(ctx)
	}
	for begun := time.Now(); ; {
		a.mu.Lock()
		enough := a.held.Less(a.spent.Plus(a.reserved)).Covers(need) && a.largest.Covers(need)
		if !enough {
			err = a.extend(ctx, need)
			enough = err == nil
		}
		if enough {
			a.reserved = a.reserved.Plus(need)
			a.mu.Unlock()
			return need, call, nil
		}
		a.mu.Unlock()
		if errors.Is(err, errNoRoom) && time.Since(begun) < a.patience {
			err = nil
			select {
			case <-ctx.Done():
				err = context.Cause(ctx)
			case <-time.After(200 * time.Millisecond):
				continue
			}
		}
		<-a.flights
		return taken, call, err
	}
}

// extend leases enough for need, and for some more calls if that leaves most of the rest to
// others. A lease that somebody has settled is not opened again.
func (a *allotment) extend(ctx context.Context, need budget.Amount) error {
	var short error
	gone := a.spent.Plus(a.reserved)
	var held, largest budget.Amount
	err := a.link.changeBatch(ctx, a.id, func(s *batchState) error {
		short = nil
		name := leaseName(a.cell, a.epoch)
		if _, open := s.Leases[name]; a.opened && !open {
			return errFenced
		}
		own := lease{Amount: gone, Largest: a.largest.AtLeast(need), Cell: a.cell, Epoch: a.epoch}
		s.Leases[name] = own
		left := s.left()
		if !left.Covers(need) {
			// What is not used goes back.
			own.Waiting = a.reserved == budget.Amount{}
			s.Leases[name] = own
			short = errNoRoom
			if s.Exhausted || !slices.ContainsFunc(slices.Collect(maps.Values(s.Leases)),
				func(l lease) bool { return !l.Waiting }) {
				short, s.Exhausted = errExhausted, true
			}
			held, largest = gone, own.Largest
			return nil
		}
		var share budget.Amount
		for u := range share {
			share[u] = left[u] / 4
		}
		own.Amount = gone.Plus(need.Times(leaseCalls).AtMost(share).AtLeast(need))
		s.Leases[name] = own
		held, largest = own.Amount, own.Largest
		return nil
	})
	if err != nil {
		return err
	}
	a.held = held
	a.largest = largest
	a.opened = true
	return short
}

// settle counts what a call took that had reserved so much.
func (a *allotment) settle(taken, charge budget.Amount) {
	if a == nil {
		return
	}
	a.mu.Lock()
	a.reserved, a.spent = a.reserved.Less(taken), a.spent.Plus(charge)
	a.mu.Unlock()
	<-a.flights
}

// close returns what the attempt did not spend.
func (a *allotment) close(ctx context.Context) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	name := leaseName(a.cell, a.epoch)
	return a.link.changeBatch(ctx, a.id, func(s *batchState) error {
		if _, open := s.Leases[name]; open {
			s.Settled = s.Settled.Plus(a.spent.Plus(a.reserved))
			delete(s.Leases, name)
		}
		return nil
	})
}
