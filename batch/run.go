package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/metric"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// Options are how a batch is played.
type Options struct {
	Dir   Dir
	Cells []Cell
	// Settings are all that shapes the run of a cell.
	Settings func(Cell) (trace.Settings, error)
	// Jobs bounds the cells that are played at once, at least 1.
	Jobs int
	// Store is where the processes that play the batch agree, and Runs where runs are kept; nil are those of
	// Dir. With Runs, Dir is a directory of this process alone, for runs in work.
	Store Store
	Runs  Runs
	// Slots, when set, bounds the cells that are played at once of several batches: each takes a place.
	Slots chan struct{}
	// Shard is the part that this process plays. It plays cells of another shard only if
	// that shard has begun in this directory and has no live process.
	Shard Shard
	// Retries is how often a cell is tried again after a failure of the infrastructure.
	Retries int
	// Lease is after what time a process that was not heard of has lost its cells; 0 is LeaseDefault.
	Lease time.Duration
	// Play plays a cell.
	Play Player
	// Drain, when set, ends the playing in good order once it ends: answers under way are taken, and no
	// cell and no call begins.
	Drain context.Context
	// Spender bounds all cells together, nil for no bound. Counts says that it bounds tokens or cost.
	Spender Spender
	Counts  bool
	// Compare, if it stops when it is decided, ends the batch early. Metrics are those of the user's own that
	// it may be about; a [Player] computes them.
	Compare *Compare
	Metrics metric.List
	// Progress, when set, is called when something has changed, one call at a time.
	Progress func(Progress)
}

// Decided says that the primary metric of every arm is decided, so that a batch that stops then needs no
// further cell. It is false for a batch that does not. Results get the metrics that they do not have. The error
// is that of [Comparisons].
func (o Options) Decided(cells []Cell, results []Result) (bool, error) {
	if o.Compare == nil || !o.Compare.StopWhenDecided {
		return false, nil
	}
	if err := o.Dir.Measure(context.Background(), o.Metrics, results, o.Jobs); err != nil {
		return false, err
	}
	return decided(o.Compare, report.AllMetrics(o.Metrics.Own()...), cells, results)
}

// LeaseDefault is the lease of a cell.
const LeaseDefault = time.Minute

// Progress is how far a batch is.
type Progress struct {
	// Tally are the results that this process knows of, good until the call returns that is told of them.
	*Tally
	// Playing are the runs of this process, by cell.
	Playing map[ID]engine.Progress
	// Ended is the cell that has just ended, nil if there is none.
	Ended *Result
}

// Ending is why a process stopped playing.
type Ending string

// The endings of [Play].
const (
	// Complete: nothing is left to do for this process.
	Complete Ending = "complete"
	// Interrupted: it was asked to end. The same call continues.
	Interrupted Ending = "interrupted"
	// BudgetReached: what is left does not fit into the budget.
	BudgetReached Ending = "budget_reached"
	// DecidedEarly: the comparison is decided.
	DecidedEarly Ending = "decided"
)

// errFenced says that somebody else plays the cell by now.
var errFenced = errors.New("another process has taken the cell over")

// errDecided says that no further cell is needed.
var errDecided = errors.New("the comparison is decided")

// Play plays the cells of a batch that have no result yet, as far as no other process plays them,
// and writes the file of all results. What was begun by a process that is gone is continued. The
// error is a failure to read or write the directory, after which the same call continues. The end of
// ctx breaks off calls under way; whatever else ends the playing lets them be answered.
func Play(ctx context.Context, o Options) (Ending, error) {
	if o.Lease == 0 {
		o.Lease = LeaseDefault
	}
	asked := o.Drain
	if asked == nil {
		asked = ctx
	}
	if o.Store == nil {
		o.Store = o.Dir.Store()
	}
	if o.Slots == nil {
		o.Slots = make(chan struct{}, max(1, o.Jobs))
	}
	drain, stop := context.WithCancelCause(asked)
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(ctx.Err()) })()
	o.Drain = drain
	b := &player{Options: o, stop: stop, failures: map[ID]int{}, own: map[ID]bool{}, done: map[ID]bool{},
		playing: map[ID]engine.Progress{}}
	b.divide()
	var results []Result
	var err error
	if o.Runs == nil {
		results, err = o.Dir.Begin(b.Cells)
	}
	if err != nil {
		return "", err
	}
	for _, r := range results {
		b.keep(r)
	}
	if done, err := o.Decided(b.Cells, results); err != nil {
		return "", err
	} else if done {
		return DecidedEarly, o.Dir.WriteResults(results)
	}
	var group errgroup.Group
	for range max(1, o.Jobs) {
		group.Go(func() error {
			for {
				c, cell, err := b.next()
				if err == nil && c != nil {
					err = b.play(ctx, c, cell)
					<-b.Slots
				}
				if err != nil {
					stop(err)
				}
				if err != nil || c == nil {
					return err
				}
			}
		})
	}
	err = group.Wait()
	if o.Runs == nil {
		results, readErr := o.Dir.Results(b.Cells)
		err = errors.Join(err, readErr)
		if readErr == nil {
			err = errors.Join(err, o.Dir.WriteResults(results))
		}
	}
	cause := context.Cause(drain)
	switch {
	case err != nil:
		return "", err
	case cause == nil:
		return Complete, nil
	case errors.Is(cause, ErrBudget):
		return BudgetReached, nil
	case errors.Is(cause, errDecided):
		return DecidedEarly, nil
	case asked.Err() == nil && ctx.Err() == nil: // the budget could not be read or written
		return "", cause
	}
	return Interrupted, nil
}

// player is a process that plays a batch.
type player struct {
	Options
	// mine are the cells of the shard, but for the first ones once they are done; others are those of other shards,
	// which have their numbers from 0 in shards.
	mine, others []Cell
	shards       []int
	stop         context.CancelCauseFunc

	mu       sync.Mutex
	failures map[ID]int
	own      map[ID]bool
	playing  map[ID]engine.Progress
	// known are the results that this process knows of, and done says which cells need no further look.
	known Tally
	done  map[ID]bool
}

// keep takes up a result. The lock is held.
func (b *player) keep(r Result) {
	b.done[r.ID] = Final(r.Status)
	b.known.Add(r)
}

// adopt makes the directory of an attempt, with the run that it continues.
func (b *player) adopt(c *claim) (resume bool, err error) {
	if b.Runs == nil {
		return c.adopt()
	}
	dir := inAttempt(c.id, c.number)
	if err := b.Dir.folder().MkdirAll(filepath.Dir(dir)); err != nil {
		return false, err
	}
	if err := b.Dir.folder().RemoveAll(dir); err != nil { // of an attempt before a store was made again
		return false, err
	}
	return b.Runs.Adopt(c.Lease, c.id, b.Dir.path(dir))
}

// settle keeps how an attempt ended: its result, or how it failed. over says that its run cannot be continued.
func (b *player) settle(c *claim, r Result, failed error, resumed bool) (err error) {
	over := r.Spoilt || failed != nil && resumed && !passing(failed)
	key, final := FailureKey(c.id), Final(r.Status)
	if final {
		key = ResultKey(c.id)
	}
	switch {
	case over && b.Runs == nil: // what cannot be continued is not tried again; the next attempt starts over
		err = b.Dir.Abandon(c.id, c.number)
	case b.Runs == nil:
	case r.Spoilt:
		err = b.Runs.Continue(c.Lease, c.id, -c.number)
	case over:
		err = b.Runs.Continue(c.Lease, c.id, 0)
	case failed == nil:
		err = b.Runs.Keep(c.Lease, c.id, b.Dir.path(inAttempt(c.id, c.number)))
	}
	if err == nil && b.Runs != nil && !c.holds() {
		return errFenced
	}
	text := append(llmclient.Marshal(r), '\n')
	if err == nil && final {
		_, err = b.Store.Put(key, text)
	} else if err == nil {
		err = b.Store.Set(key, text)
	}
	if err != nil {
		return fmt.Errorf("keep how cell %s ended: %w", c.id, err)
	}
	return nil
}

// play plays a claimed cell to its end, or until it is stopped. The error is one of the directory.
func (b *player) play(ctx context.Context, c *claim, cell Cell) (err error) {
	defer func() {
		b.mu.Lock()
		delete(b.own, cell.ID)
		delete(b.playing, cell.ID)
		b.mu.Unlock()
		err = errors.Join(err, c.release())
		if b.Runs != nil { // what others may need is kept
			err = errors.Join(err, b.Dir.folder().RemoveAll(inAttempt(cell.ID, c.number)))
		}
	}()
	settings, err := b.Settings(cell)
	if err != nil {
		return err
	}
	resume, err := b.adopt(c)
	if err != nil {
		return err
	}
	log, err := b.Dir.folder().OpenFile(inAttempt(cell.ID, c.number, logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("open the log of cell %s: %w", cell.ID, err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began := time.Now()
	a := Attempt{
		Cell: cell, Number: c.number, Settings: settings, Dir: b.Dir.Run(cell.ID, c.number), Resume: resume,
		Log: log, Drain: b.Drain, streamed: b.Runs != nil,
		Progress: func(p engine.Progress) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.playing[cell.ID] = p
			b.tell(nil)
		},
	}
	guard := guard{claim: c, drain: b.Drain, cancel: cancel, stop: b.stop, spender: b.Spender, counts: b.Counts}
	a.Holds, a.Reserve = guard.holds, guard.reserve
	a.Around = func(s engine.Source) engine.Source {
		g := &guarded{s, guard, engine.NewBill(settings, b.Counts)}
		if b.Runs == nil {
			return g
		}
		return b.Runs.Answers(ctx, c.Lease, a, g, cancel)
	}
	r, playErr := b.Play(ctx, a)
	if errors.Is(playErr, ErrNotHere) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.failures[cell.ID] = b.Retries + 1
		return nil
	}
	if playErr != nil {
		r = Result{Cell: cell, Status: trace.RunInternalError, Reason: playErr.Error()}
		_, _ = io.WriteString(log, "error: "+playErr.Error()+"\n")
	}
	r.Cell = cell
	r.Attempt, r.WallMS = c.number, time.Since(began).Milliseconds()
	if (ctx.Err() != nil || b.Drain.Err() != nil) && r.Status != trace.RunCompleted || !c.holds() {
		return nil // stopped, or another process continues it
	}
	err = b.settle(c, r, playErr, resume)
	if errors.Is(err, errFenced) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.ended(r)
}

// passing says that an error is about the machine and not about the records of a run, such as that of
// a full disk: what they hold was paid for, and can be continued later.
func passing(err error) bool {
	_, system := errors.AsType[syscall.Errno](err)
	_, path := errors.AsType[*fs.PathError](err)
	_, locked := errors.AsType[*run.LockedError](err)
	_, taken := errors.AsType[*run.TakenOverError](err)
	outside := system || path || locked || taken
	return outside && !run.Damaged(err)
}

// Final says that a run which ended so is not played again: its end is about the model or its own
// caps, not about the infrastructure.
func Final(s trace.RunStatus) bool {
	return s == trace.RunCompleted || s == trace.RunNoUsableAnswers || s == trace.RunBudgetReached
}

// ended takes up the result of a cell.
func (b *player) ended(r Result) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !Final(r.Status) {
		b.failures[r.ID]++
	}
	b.keep(r)
	delete(b.playing, r.ID)
	b.tell(&r)
	if done, err := b.Decided(b.Cells, b.known.Results); err != nil {
		return err
	} else if done {
		b.stop(errDecided)
	}
	return nil
}

// tell reports the progress. The lock is held.
func (b *player) tell(ended *Result) {
	if b.Progress != nil {
		b.Progress(Progress{&b.known, b.playing, ended})
	}
}
