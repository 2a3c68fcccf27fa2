package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"example.com/agentworld/batch"
	"example.com/agentworld/trace"
)

// WorkerOptions are a worker.
type WorkerOptions struct {
	// Play plays a cell. It leaves one to others by an error that has [batch.ErrNotHere].
	Play batch.Player
	// Jobs is how many cells are played at once, at least 1.
	Jobs int
	// Dir holds the run directories while they are played. It is made.
	Dir string
	// UntilDone ends the worker once the batches are done that it knows of; or if the server is gone for a
	// minute while it plays nothing.
	UntilDone bool
	// Drain, when set, ends the worker in good order once it ends: answers under way are taken, and no
	// cell and no call begins.
	Drain context.Context
	// Notice is told what a person should know; nil drops it.
	Notice func(string)
}

// offer is a batch as its workers see it, in the entry [offerKey].
type offer struct {
	// Over says that nothing is left to do, or nothing that the budget allows.
	Over bool `json:"over"`
	// Limit bounds all cells together; Retries is how often a cell is played again that failed for a reason
	// outside of the run, and Lease how long a worker may be silent.
	Limit   trace.Limit   `json:"limit"`
	Retries int           `json:"retries"`
	Lease   time.Duration `json:"lease"`
	// Cells is the hash of the list of cells.
	Cells string `json:"cells"`
}

// limited says that a budget is set.
func (o offer) limited() bool { return o.Limit != trace.Limit{} }

const (
	// offerKey is the key of the offer, shortKey of the number of the entry of leases after which some worker
	// found no room for a call.
	offerKey = "offer"
	shortKey = "budget/short"
	// lookPause is how often a worker looks for batches, and for changes of theirs.
	lookPause = 500 * time.Millisecond
	// goneMax is after what time without a server a worker takes it that the batch is done.
	goneMax = time.Minute
)

// Work plays cells until o.Drain or ctx ends, or nothing is left to do if o says so. The end of ctx
// breaks off the calls under way. Others may continue the runs. The error is that Dir cannot be used.
func Work(ctx context.Context, l *Link, o WorkerOptions) error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("work: %w", err)
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Drain == nil {
		o.Drain = ctx
	}
	drain, stop := context.WithCancel(o.Drain)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	o.Drain = drain
	w := &worker{WorkerOptions: o, link: l, slots: make(chan struct{}, max(1, o.Jobs)), playing: map[string]played{},
		seen: map[string]bool{}, told: map[string]bool{}}
	if err := l.insist(drain, "find a batch", l.open); err != nil {
		return nil // it has ended
	}
	defer w.batches.Wait()
	heard := time.Now()
	for ; drain.Err() == nil; pause(drain, lookPause) {
		over, err := w.look(ctx)
		switch {
		case err == nil && over && o.UntilDone:
			return nil
		case err == nil || len(w.slots) > 0:
			heard = time.Now()
		case o.UntilDone && time.Since(heard) > goneMax:
			w.Notice("the server is gone, and no cell is in work")
			return nil
		}
	}
	return nil
}

type worker struct {
	WorkerOptions
	link    *Link
	slots   chan struct{}
	batches sync.WaitGroup

	mu sync.Mutex
	// playing are the batches that cells are played of, seen those that were, told the refusals that were told.
	playing    map[string]played
	seen, told map[string]bool
}

// played is a batch that is played, and what ends that.
type played struct {
	offer offer
	stop  context.CancelFunc
}

// look begins to play the batches that are offered, and ends those that are offered otherwise by now. over says
// that those that it played are over, or all if it has played none yet.
func (w *worker) look(ctx context.Context) (over bool, err error) {
	look, cancel := w.link.while(w.Drain, requestTimeout)
	defer cancel()
	keys, err := w.link.keys.ListKeysFiltered(look, "*."+offerKey)
	if err != nil {
		return false, err
	}
	defer keys.Stop()
	offers := map[string]offer{}
	for key := range keys.Keys() {
		id := strings.TrimSuffix(key, "."+offerKey)
		o, err := w.link.offer(look, id)
		if err != nil {
			return false, err
		}
		offers[id] = o
		if !o.Over {
			w.begin(ctx, id, o)
		}
	}
	if err := look.Err(); err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, p := range w.playing {
		if offers[id] != p.offer { // also of one that is gone
			p.stop()
		}
	}
	for id, o := range offers {
		if !o.Over && (w.seen[id] || len(w.seen) == 0) {
			return false, nil
		}
	}
	return len(offers) > 0 && len(w.playing) == 0, nil
}

// offer reads the offer of a batch; one that is gone is over.
func (l *Link) offer(ctx context.Context, id string) (o offer, err error) {
	entry, err := l.keys.Get(ctx, id+"."+offerKey)
	if errors.Is(err, nats_js.ErrKeyNotFound) {
		return offer{Over: true}, nil
	}
	if err == nil {
		err = json.Unmarshal(entry.Value(), &o)
	}
	return o, err
}

// begin plays a batch, unless it is played.
func (w *worker) begin(ctx context.Context, id string, o offer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, is := w.playing[id]; is {
		return
	}
	drain, stop := context.WithCancel(w.Drain)
	w.playing[id] = played{o, stop}
	w.batches.Go(func() {
		defer stop()
		if err := w.play(ctx, drain, id, o); err != nil && w.Drain.Err() == nil {
			w.Notice(err.Error())
			pause(w.Drain, 2*time.Second)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.playing, id)
	})
}

// play plays cells of a batch until none is left, or drain ends.
func (w *worker) play(ctx, drain context.Context, id string, o offer) error {
	s := &store{link: w.link, id: id, ctx: drain}
	data, ok, err := s.Get(batch.CellsKey)
	if err != nil || !ok {
		return err
	}
	_, cells, err := batch.ReadCells(data)
	if err != nil {
		return err
	}
	dir := batch.Dir(filepath.Join(w.Dir, id))
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return err
	}
	p := batch.Options{Dir: dir, Store: s, Runs: runs{s}, Jobs: cap(w.slots), Slots: w.slots, Retries: o.Retries,
		Lease: o.Lease, Drain: drain, Counts: o.Limit.Tokens > 0 || o.Limit.Cost > 0,
		Play:  w.player(id),
		Cells: cells,
		Settings: func(c batch.Cell) (settings trace.Settings, err error) {
			data, ok, err := s.Get(settingsKey(c.ID))
			if err == nil && !ok {
				err = fmt.Errorf("cell %s has no settings: %w", c.ID, batch.ErrNotHere)
			}
			if err == nil {
				err = json.Unmarshal(data, &settings)
			}
			return settings, err
		},
	}
	var ledger *batch.Ledger
	if o.limited() {
		ledger, err = batch.OpenLedger(s, o.Limit, batch.Shard{}, "worker-"+nuid.Next())
		if err != nil {
			return err
		}
		p.Spender = ledger
	}
	ending, err := batch.Play(ctx, p)
	if ledger != nil {
		err = errors.Join(err, ledger.Close())
	}
	if ending == batch.BudgetReached && err == nil {
		err = s.Set(shortKey, fmt.Append(nil, ledger.Seen()))
		// What others give back may suffice.
		for next := false; err == nil && !next && drain.Err() == nil; pause(drain, lookPause) {
			_, next, err = s.Get(batch.LeaseKey(ledger.Seen() + 1))
		}
	}
	return err
}

// player plays cells of a batch, and tells each reason for not playing one once.
func (w *worker) player(id string) batch.Player {
	return func(ctx context.Context, a batch.Attempt) (batch.Result, error) {
		w.mu.Lock()
		w.seen[id] = true
		w.mu.Unlock()
		r, err := w.Play(ctx, a)
		if errors.Is(err, batch.ErrNotHere) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if !w.told[err.Error()] {
				w.Notice(fmt.Sprintf("cell %s: %v", a.Cell.ID, err))
			}
			w.told[err.Error()] = true
		}
		return r, err
	}
}
