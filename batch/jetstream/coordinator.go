package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine/budget"
)

// CoordinatorOptions are a batch that workers play.
type CoordinatorOptions struct {
	// Dir is the batch directory. One coordinator works on it at a time.
	Dir string
	// Jobs are the cells, in the order in which they are handed out.
	Jobs []Job
	// Retries is how often a cell is played again that failed for a reason outside of the run,
	// such as a provider that was down.
	Retries int
	// Limit bounds what all cells take; 0 parts are no bound. Spent is what attempts took that
	// had no worker of ours.
	Limit, Spent budget.Amount
	// Lease is how long a worker may be silent before its cell is handed to another; 0 is 30 s.
	Lease time.Duration
	// Done, when set, is called with each result once it is in the directory, also with those
	// that are there from the beginning, one call at a time.
	Done func(batch.Result)
	// Notice is told what a person should know; nil for nobody.
	Notice func(string)
}

// Outcome is how a batch ended.
type Outcome struct {
	// Results counts the cells with a result.
	Results int
	// Failed are the cells that were given up, with the reason.
	Failed map[batch.ID]string
	// Exhausted says that the budget did not suffice.
	Exhausted bool
}

// leaseDefault is the lease of a job.
const leaseDefault = 30 * time.Second

// Coordinate hands out the cells that have no result, and returns when all have one or are given
// up, or the budget is exhausted. If ctx ends before, what is left can be continued by calling
// it again. The error is that the batch directory cannot be read or written, or ctx's.
func Coordinate(ctx context.Context, l *Link, o CoordinatorOptions) (Outcome, error) {
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Lease == 0 {
		o.Lease = leaseDefault
	}
	c := &coordinator{CoordinatorOptions: o, link: l, dir: directory(o.Dir), jobs: map[batch.ID]Job{}, done: map[batch.ID]bool{}, failed: map[batch.ID]string{}, stored: map[string]bool{}, changed: make(chan struct{}, 1)}
	for _, j := range o.Jobs {
		c.jobs[j.Cell.ID] = j
	}
	var err error
	if c.id, err = c.dir.id(); err != nil {
		return Outcome{}, fmt.Errorf("coordinate: %w", err)
	}
	err = c.coordinate(ctx)
	return Outcome{Results: len(c.done), Failed: c.failed, Exhausted: c.exhausted}, err
}

type coordinator struct {
	CoordinatorOptions
	link *Link
	dir  directory
	id   string
	jobs map[batch.ID]Job

	mu        sync.Mutex
	done      map[batch.ID]bool
	failed    map[batch.ID]string
	exhausted bool
	// keeping is held while an exchange is kept; stored are the subjects of those on disk.
	keeping sync.Mutex
	stored  map[string]bool
	// broken is why the directory cannot be written any more.
	broken error
	// changed says that done, failed, exhausted or broken may have.
	changed chan struct{}
}

// coordinate sets up the server, and then copies what comes until nothing is missing.
func (c *coordinator) coordinate(ctx context.Context) error {
	if err := c.link.insistFor(ctx, "set up the server", 30*time.Second, func(ctx context.Context) error { return c.link.make(ctx, c.Lease) }); err != nil {
		return err
	}
	if err := c.rebuild(ctx); err != nil {
		return fmt.Errorf("coordinate: %w", err)
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	var parts sync.WaitGroup
	parts.Go(func() { c.repeat(working, "exchanges", c.follow) })
	parts.Go(func() {
		c.repeat(working, "results", func(ctx context.Context) error { return c.watch(ctx, c.link.results, c.collect) })
	})
	parts.Go(func() {
		c.repeat(working, "cells", func(ctx context.Context) error { return c.watch(ctx, c.link.cells, c.note) })
	})
	parts.Go(func() { c.repeat(working, "jobs", c.offer) })
	err := c.wait(working)
	stop()
	parts.Wait()
	if err == nil {
		c.finish(ctx)
	}
	return err
}

// wait returns once nothing is left to do.
func (c *coordinator) wait(ctx context.Context) error {
	for {
		c.mu.Lock()
		broken, left := c.broken, len(c.jobs)-len(c.done)-len(c.failed)
		exhausted := c.exhausted
		c.mu.Unlock()
		switch {
		case broken != nil:
			return fmt.Errorf("coordinate: %w", broken)
		case left <= 0 || exhausted:
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.changed:
		}
	}
}

// signal wakes wait.
func (c *coordinator) signal() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// fail ends the work: the directory cannot be written.
func (c *coordinator) fail(err error) {
	c.mu.Lock()
	c.broken = err
	c.mu.Unlock()
	c.signal()
}

// repeat calls f again and again, whatever the connection does. f returns early on errors.
func (c *coordinator) repeat(ctx context.Context, what string, f func(context.Context) error) {
	for told := false; ctx.Err() == nil; pause(ctx, 250*time.Millisecond) {
		err := f(ctx)
		var final errFinal
		switch {
		case ctx.Err() != nil:
		case errors.As(err, &final):
			c.fail(final.error)
			return
		case err != nil && !told:
			c.Notice(fmt.Sprintf("%s: %v; trying again", what, err))
			told = true
		case err == nil:
			told = false
		}
	}
}

// rebuild makes the server hold what the directory says: after it, nothing on the server is needed that
// could not be deleted.
func (c *coordinator) rebuild(ctx context.Context) error {
	// What the server has and the directory has not comes first: it may be all there is of a
	// paid answer.
	charged := c.Spent
	byCell := map[batch.ID][]Exchange{}
	for id := range c.jobs {
		list, err := c.dir.exchanges(id)
		if err != nil {
			return err
		}
		c.keeping.Lock()
		for _, x := range list {
			c.stored[x.subject(c.id)] = true
		}
		c.keeping.Unlock()
		byCell[id] = list
	}
	onServer := map[string]bool{}
	err := c.link.replay(ctx, exchangeSubject+c.id+".>", func(m nats_js.Msg) error {
		onServer[m.Subject()] = true
		x, added, err := c.keep(ctx, m)
		if added {
			byCell[x.Cell] = append(byCell[x.Cell], x)
		}
		return err
	})
	if err != nil {
		return err
	}
	kept, known, err := c.dir.ledger()
	if err != nil {
		return err
	}
	leased := map[string]int64{}
	for _, l := range kept.Leases {
		leased[l.Cell] = max(leased[l.Cell], l.Epoch)
	}
	for id, list := range byCell {
		for _, x := range list {
			charged = charged.Plus(x.Charge)
			if subject := x.subject(c.id); !onServer[subject] {
				if _, err := c.link.publish(ctx, subject, marshal(x), nil); err != nil {
					return err
				}
			}
		}
		if err := c.restoreCell(ctx, id, list, leased[cellKey(c.id, id)]); err != nil {
			return err
		}
	}
	if !known {
		kept.Settled = charged
	}
	return c.restoreLedger(ctx, kept, charged)
}

// restoreCell makes the state of a cell in the bucket if there is none.
// leased is the last epoch that the ledger knows of.
func (c *coordinator) restoreCell(ctx context.Context, id batch.ID, list []Exchange, leased int64) error {
	if batch.Dir(c.Dir).Done(id) {
		return c.finished(id)
	}
	number, base, err := c.dir.last(id)
	if err != nil {
		return err
	}
	s := cellState{Epoch: max(number, leased), Base: base}
	for _, x := range list {
		s.Epoch = max(s.Epoch, x.Epoch)
	}
	key := cellKey(c.id, id)
	if base > 0 {
		name := attemptFile(key, base)
		err = c.link.insist(ctx, "look for "+name, func(ctx context.Context) error {
			_, err := c.link.files.GetInfo(ctx, name)
			if missing(err) {
				return errFinal{err}
			}
			return err
		})
		if missing(err) {
			err = c.link.sendDir(ctx, name, c.dir.attempt(id, base))
		}
		if err != nil {
			return err
		}
	}
	var restored cellState
	err = c.link.insist(ctx, "restore cell "+key, func(ctx context.Context) error {
		_, err := c.link.cells.Create(ctx, key, marshal(s))
		if !conflict(err) {
			return err
		}
		entry, err := c.link.cells.Get(ctx, key)
		if err != nil {
			return err
		}
		return json.Unmarshal(entry.Value(), &restored)
	})
	// Starting again is asking for another try.
	if err == nil && restored.Failed {
		err = c.link.changeCell(ctx, key, func(s *cellState) error {
			s.Failed, s.Failures, s.Deaths = false, 0, 0
			return nil
		})
	}
	return err
}

// restoreLedger makes the state of the batch of the one that was kept, or opens the one on the
// server again, with the limits of today. charged is what all known exchanges took.
func (c *coordinator) restoreLedger(ctx context.Context, kept batchState, charged budget.Amount) error {
	if kept.Leases == nil {
		kept.Leases = map[string]lease{}
	}
	// Leases that the kept state does not know of have at least their exchanges.
	held := kept.Settled
	for _, l := range kept.Leases {
		held = held.Plus(l.Amount)
	}
	kept.Settled = kept.Settled.Plus(less(charged, held))
	kept.Limit, kept.Done, kept.Exhausted = c.Limit, false, false
	err := c.link.insist(ctx, "restore the ledger", func(ctx context.Context) error {
		_, err := c.link.batches.Create(ctx, c.id, marshal(kept))
		if conflict(err) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.link.changeBatch(ctx, c.id, func(s *batchState) error {
		s.Limit, s.Done, s.Exhausted = c.Limit, false, false
		for name, l := range s.Leases {
			l.Waiting = false
			s.Leases[name] = l
		}
		return nil
	})
}

// follow copies exchanges from the server to the directory until the connection fails.
func (c *coordinator) follow(ctx context.Context) error {
	stream, err := c.link.js.Stream(ctx, exchangeStream)
	if err != nil {
		return err
	}
	consumer, err := stream.OrderedConsumer(ctx, nats_js.OrderedConsumerConfig{FilterSubjects: []string{exchangeSubject + c.id + ".>"}})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(nats_js.PullHeartbeat(5*time.Second), nats_js.PullExpiry(15*time.Second))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, messages.Stop)()
	defer messages.Stop()
	for {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		if _, _, err := c.keep(ctx, m); err != nil {
			return err
		}
	}
}

// keep writes an exchange into the directory unless it is there, and then tells the worker.
func (c *coordinator) keep(ctx context.Context, m nats_js.Msg) (x Exchange, added bool, err error) {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if !c.stored[m.Subject()] {
		if x, err = c.link.decode(ctx, m.Headers(), m.Data()); err != nil {
			return x, false, err
		}
		if _, ours := c.jobs[x.Cell]; !ours {
			return x, false, nil // of a cell that the batch file no longer has
		}
		if err := c.dir.appendExchange(x); err != nil {
			return x, false, errFinal{fmt.Errorf("keep an exchange of cell %s: %w", x.Cell, err)}
		}
		c.stored[m.Subject()], added = true, true
	}
	c.confirm(m)
	return x, added, nil
}

// confirm tells a worker that its exchange is on disk. If that is lost, the worker goes on later.
func (c *coordinator) confirm(m nats_js.Msg) {
	if inbox := m.Headers().Get(confirmHeader); inbox != "" {
		_ = c.link.nc.Publish(inbox, nil)
	}
}

// rewatch is how long a watch is trusted; everything is read again then.
const rewatch = 20 * time.Second

// watch shows see the entries of the batch's cells in a bucket, as they are and as they change.
func (c *coordinator) watch(ctx context.Context, bucket nats_js.KeyValue, see func(context.Context, batch.ID, []byte) error) error {
	w, err := bucket.Watch(ctx, c.id+".*", nats_js.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer w.Stop()
	again := time.After(rewatch)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again:
			return nil
		case entry, ok := <-w.Updates():
			if !ok {
				return nil
			}
			if entry == nil {
				continue // all that was there has been seen
			}
			id := batch.ID(strings.TrimPrefix(entry.Key(), c.id+"."))
			if _, ours := c.jobs[id]; !ours {
				continue
			}
			if err := see(ctx, id, entry.Value()); err != nil {
				return err
			}
		}
	}
}

// collect puts the result of a cell into the directory.
func (c *coordinator) collect(ctx context.Context, id batch.ID, value []byte) error {
	if c.isDone(id) {
		return nil
	}
	var e ended
	if err := json.Unmarshal(value, &e); err != nil || e.Result.ID != id {
		return fmt.Errorf("the result of cell %s is none: %v", id, err)
	}
	if err := c.fetchAttempt(ctx, id, e.Result.Attempt, e.File); err != nil {
		return err
	}
	if _, err := batch.Dir(c.Dir).Finish(e.Result); err != nil {
		return errFinal{err}
	}
	return c.finished(id)
}

// fetchAttempt makes the directory of an attempt. One that is there is as it should be: it is
// renamed into place when it is whole.
func (c *coordinator) fetchAttempt(ctx context.Context, id batch.ID, number int64, name string) error {
	dir := c.dir.attempt(id, number)
	if _, err := os.Lstat(dir); err == nil {
		return nil
	}
	return c.link.fetchDir(ctx, name, dir)
}

// finished counts a cell whose result is in the directory.
func (c *coordinator) finished(id batch.ID) error {
	list, err := batch.Dir(c.Dir).Results([]batch.Cell{c.jobs[id].Cell})
	if err != nil || len(list) != 1 {
		return errFinal{fmt.Errorf("read the result of cell %s: %w", id, err)}
	}
	c.mu.Lock()
	known := c.done[id]
	c.done[id] = true
	delete(c.failed, id)
	if !known && c.Done != nil {
		c.Done(list[0])
	}
	c.mu.Unlock()
	c.signal()
	return nil
}

func (c *coordinator) isDone(id batch.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done[id]
}

// note keeps the run directory of an attempt that failed, and notes cells that are given up.
func (c *coordinator) note(ctx context.Context, id batch.ID, value []byte) error {
	var s cellState
	if err := json.Unmarshal(value, &s); err != nil {
		return fmt.Errorf("the state of cell %s is none: %w", id, err)
	}
	if s.Base > 0 && !c.isDone(id) {
		if err := c.fetchAttempt(ctx, id, s.Base, attemptFile(cellKey(c.id, id), s.Base)); err != nil {
			return err
		}
	}
	c.mu.Lock()
	failed := s.Failed && !c.done[id]
	if failed {
		c.failed[id] = s.Reason
	}
	c.mu.Unlock()
	c.signal()
	if !failed {
		return nil
	}
	r := batch.Result{Cell: c.jobs[id].Cell, Attempt: s.Epoch, Status: s.Status, Reason: s.Reason, ModelSource: c.jobs[id].Settings.ModelSource, Metrics: map[string]float64{}}
	if err := batch.Dir(c.Dir).Fail(r); err != nil {
		return errFinal{err}
	}
	return nil
}

// offerPause is how often the queue is compared with what is left to do.
const offerPause = time.Second

// offer puts the cells that have no result into the queue if they are not there, and keeps the ledger.
// An acknowledgement that should not have been given costs no more than this.
func (c *coordinator) offer(ctx context.Context) error {
	var kept []byte
	var exhausted time.Time
	for ; ctx.Err() == nil; pause(ctx, offerPause) {
		stream, err := c.link.js.Stream(ctx, jobStream)
		if err != nil {
			return c.absent(ctx, err)
		}
		info, err := stream.Info(ctx, nats_js.WithSubjectFilter(jobSubject+c.id+".*"))
		if err != nil {
			return err
		}
		for _, j := range c.Jobs {
			c.mu.Lock()
			_, failed := c.failed[j.Cell.ID]
			over := failed || c.done[j.Cell.ID]
			c.mu.Unlock()
			m := job{Batch: c.id, Job: j, Retries: c.Retries}
			if _, queued := info.State.Subjects[m.subject()]; queued || over {
				continue
			}
			if _, err := c.link.publish(ctx, m.subject(), marshal(m), nil); err != nil {
				return err
			}
		}
		s, _, err := c.link.readBatch(ctx, c.id)
		if err != nil {
			return err
		}
		if now := marshal(s); s.limited() && string(now) != string(kept) {
			if err := c.dir.keepLedger(s); err != nil {
				return errFinal{fmt.Errorf("keep the ledger: %w", err)}
			}
			kept = now
		}
		if s.Exhausted && exhausted.IsZero() {
			exhausted = time.Now()
		}
		// Running cells end first, so that others need not wait for their leases to run out.
		if s.Exhausted && (len(s.Leases) == 0 || time.Since(exhausted) > c.Lease) {
			c.mu.Lock()
			c.exhausted = true
			c.mu.Unlock()
			c.signal()
		}
	}
	return nil
}

// absent makes the server's streams again if somebody deleted them under a running coordinator.
func (c *coordinator) absent(ctx context.Context, err error) error {
	if !errors.Is(err, nats_js.ErrStreamNotFound) {
		return err
	}
	c.Notice("the server has lost its store; it is made again from the batch directory")
	return errors.Join(c.link.make(ctx, c.Lease), c.rebuild(ctx))
}

// finish says that the batch is over, and removes what it kept on the server. What cannot be removed
// does no harm.
func (c *coordinator) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	_ = c.link.changeBatch(ctx, c.id, func(s *batchState) error {
		s.Done = !c.exhausted
		return nil
	})
	if s, _, err := c.link.readBatch(ctx, c.id); err == nil && s.limited() {
		_ = c.dir.keepLedger(s)
	}
	if c.exhausted || len(c.failed) > 0 {
		return
	}
	for _, stream := range []struct{ name, subjects string }{{jobStream, jobSubject + c.id + ".>"}, {exchangeStream, exchangeSubject + c.id + ".>"}} {
		if s, err := c.link.js.Stream(ctx, stream.name); err == nil {
			_ = s.Purge(ctx, nats_js.WithPurgeSubject(stream.subjects))
		}
	}
	for id := range c.jobs {
		_ = c.link.cells.Purge(ctx, cellKey(c.id, id))
		_ = c.link.results.Purge(ctx, cellKey(c.id, id))
	}
	objects, err := c.link.files.List(ctx)
	for _, o := range objects {
		if err == nil && strings.HasPrefix(o.Name, "attempt/"+c.id+".") {
			_ = c.link.files.Delete(ctx, o.Name)
		}
	}
}
