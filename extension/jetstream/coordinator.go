package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// CoordinatorOptions are a batch that workers play.
type CoordinatorOptions struct {
	// Dir is the batch directory. It is locked: one coordinator works on it at a time.
	Dir string
	// Jobs are the cells, in the order in which they are handed out.
	Jobs []Job
	// Retries is how often a cell is played again that failed for a reason outside of the run,
	// such as a provider that was down.
	Retries int
	// Limit bounds what all cells take; 0 parts are no bound. Spent is what attempts took that
	// had no worker of ours.
	Limit, Spent budget.Amount
	// Lease is how long a worker may be silent before its cell is handed to another; 0 is
	// [batch.LeaseDefault].
	Lease time.Duration
	// Done, when set, is called with each result once it is in the directory, also with those
	// that are there from the beginning, and with how a cell failed that is given up, one call at
	// a time. If it says enough, no further cell is needed.
	Done func(batch.Result) (enough bool)
	// Playing, when set, is called with the cells that workers play and the numbers of their
	// attempts whenever those change, never at the same time as Done.
	Playing func(map[batch.ID]int64)
	// Notice is told what a person should know; nil drops it.
	Notice func(string)
}

// Outcome is how a batch ended.
type Outcome struct {
	// Results counts the cells with a result.
	Results int
	// Failed are the cells that were given up, with the reason.
	Failed map[batch.ID]string
	// Exhausted says that the budget did not suffice, Decided that Done had enough.
	Exhausted, Decided bool
}

// Coordinate hands out the cells that have no result. It returns when all have one or are given
// up, the budget is exhausted, or no further cell is needed. If ctx ends before, the same call
// continues. The error is that the batch directory cannot be read or written, or ctx's.
func Coordinate(ctx context.Context, l *Link, o CoordinatorOptions) (Outcome, error) {
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Lease == 0 {
		o.Lease = batch.LeaseDefault
	}
	unlock, err := run.Dir(o.Dir).Lock()
	if _, held := errors.AsType[*run.LockedError](err); held {
		return Outcome{}, fmt.Errorf("coordinate: another process coordinates this batch: %w", err)
	} else if err != nil {
		return Outcome{}, fmt.Errorf("coordinate: %w", err)
	}
	defer unlock()
	c := &coordinator{CoordinatorOptions: o, link: l, dir: directory(o.Dir), jobs: map[batch.ID]Job{},
		stored: map[string]bool{}}
	for _, j := range o.Jobs {
		c.jobs[j.Cell.ID] = j
	}
	c.standing = newStanding(c.jobs, o.Done, o.Playing)
	c.id, err = c.dir.id()
	if err != nil {
		return Outcome{}, fmt.Errorf("coordinate: %w", err)
	}
	err = c.coordinate(ctx)
	return c.outcome(), err
}

type coordinator struct {
	CoordinatorOptions
	link *Link
	dir  directory
	id   string
	jobs map[batch.ID]Job
	*standing

	// keeping is held while an exchange is kept; stored are the subjects of those on disk.
	keeping sync.Mutex
	stored  map[string]bool
}

// coordinate sets up the server, and then copies what comes until nothing is missing.
func (c *coordinator) coordinate(ctx context.Context) error {
	if err := c.link.insistFor(ctx, "set up the server", 30*time.Second,
		func(ctx context.Context) error { return c.link.make(ctx, c.Lease) }); err != nil {
		return err
	}
	if err := c.rebuild(ctx); err != nil {
		return fmt.Errorf("coordinate: %w", err)
	}
	over, err := c.over()
	if !over {
		err = c.copy(ctx)
	}
	if err == nil {
		c.close(ctx)
	}
	return err
}

// copy hands out cells and copies what comes back, until nothing is left to do.
func (c *coordinator) copy(ctx context.Context) error {
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
	_ = batch.Dir(c.Dir).KeepPlaying(map[batch.ID]int64{}) // a failure does no harm: the list expires
	return err
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

// follow copies exchanges from the server to the directory until the connection fails.
func (c *coordinator) follow(ctx context.Context) error {
	stream, err := c.link.js.Stream(ctx, exchangeStream)
	if err != nil {
		return err
	}
	consumer, err := stream.OrderedConsumer(ctx,
		nats_js.OrderedConsumerConfig{FilterSubjects: []string{exchangeSubject + c.id + ".>"}})
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
		x, err = c.link.decode(ctx, m.Headers(), m.Data())
		if err != nil {
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

// confirm tells a worker that its exchange is on disk. If that is lost, the worker continues later.
func (c *coordinator) confirm(m nats_js.Msg) {
	if inbox := m.Headers().Get(confirmHeader); inbox != "" {
		_ = c.link.nc.Publish(inbox, nil)
	}
}

// rewatch is how long a watch is trusted; everything is read again then.
const rewatch = 20 * time.Second

// watch shows see the entries of the batch's cells in a bucket, as they are and as they change.
func (c *coordinator) watch(ctx context.Context, bucket nats_js.KeyValue,
	see func(context.Context, batch.ID, []byte) error) error {
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
	err := c.fetchAttempt(ctx, id, e.Result.Attempt, e.File)
	if unusable(err) {
		return c.reject(ctx, id, err)
	}
	if err != nil {
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
	attempt, err := filepath.Rel(c.Dir, filepath.Dir(dir))
	if err == nil {
		err = c.dir.folder().MkdirAll(attempt) // nothing on the way there is a link
	}
	if err != nil {
		return errFinal{err}
	}
	err = c.link.fetchDir(ctx, name, dir)
	if err == nil || unusable(err) || ctx.Err() != nil {
		return err
	}
	return errFinal{err}
}

// unusable says that a run directory is not on the server, or damaged there.
func unusable(err error) bool { return missing(err) || errors.Is(err, errUnusable) }

// reject counts a result or a failed attempt whose run directory is unusable as a failure: the cell is
// played from its beginning, with the answers that are stored.
func (c *coordinator) reject(ctx context.Context, id batch.ID, why error) error {
	key := cellKey(c.id, id)
	c.Notice(fmt.Sprintf("cell %s: %v", id, why))
	err := c.link.changeCell(ctx, key, func(s *cellState) error {
		s.Owner, s.Base = "", 0
		s.Status, s.Reason = trace.RunInternalError, why.Error()
		s.Failures++
		s.Failed = s.Failures > c.Retries
		return nil
	})
	if err != nil && !errors.Is(err, errFenced) {
		return err
	}
	return c.link.results.Delete(ctx, key)
}

// finished counts a cell whose result is in the directory.
func (c *coordinator) finished(id batch.ID) error {
	list, err := batch.Dir(c.Dir).Results([]batch.Cell{c.jobs[id].Cell})
	if err != nil || len(list) != 1 {
		return errFinal{fmt.Errorf("read the result of cell %s: %w", id, err)}
	}
	c.finish(list[0])
	return nil
}

// note keeps the run directory of an attempt that failed, and notes cells that are given up.
func (c *coordinator) note(ctx context.Context, id batch.ID, value []byte) error {
	var s cellState
	if err := json.Unmarshal(value, &s); err != nil {
		return fmt.Errorf("the state of cell %s is none: %w", id, err)
	}
	c.owned(id, s.Epoch, s.Owner != "" && !s.Failed)
	if s.Base < 0 {
		if err := batch.Dir(c.Dir).Abandon(id, -s.Base); err != nil {
			return errFinal{err}
		}
	}
	if s.Base > 0 && !c.isDone(id) {
		err := c.fetchAttempt(ctx, id, s.Base, attemptFile(cellKey(c.id, id), s.Base))
		if unusable(err) && !s.Failed {
			return c.reject(ctx, id, err)
		}
		if err != nil && !unusable(err) {
			return err
		}
	}
	if !s.Failed || !c.open(id) {
		return nil
	}
	r := batch.Result{Cell: c.jobs[id].Cell, Attempt: s.Epoch, Status: s.Status, Reason: s.Reason,
		ModelSource: c.jobs[id].Settings.ModelSource, Metrics: map[string]float64{}}
	if err := batch.Dir(c.Dir).Fail(r); err != nil {
		return errFinal{err}
	}
	c.giveUp(r)
	return nil
}

// keepPlaying writes down which cells are played, if that has changed since shown or is long ago.
func (c *coordinator) keepPlaying(shown map[batch.ID]int64, at time.Time) (map[batch.ID]int64, time.Time, error) {
	now := c.played()
	if maps.Equal(now, shown) && time.Since(at) < c.Lease/4 {
		return shown, at, nil
	}
	if err := batch.Dir(c.Dir).KeepPlaying(now); err != nil {
		return shown, at, errFinal{err}
	}
	return now, time.Now(), nil
}

// offerPause is how often the queue is compared with what is left to do.
const offerPause = time.Second

// offer puts the cells that have no result into the queue if they are not there, and keeps the ledger.
// An acknowledgement that should not have been given costs no more than this.
func (c *coordinator) offer(ctx context.Context) error {
	var kept []byte
	var exhausted, shownAt time.Time
	var shown map[batch.ID]int64
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
			m := job{Batch: c.id, Job: j, Retries: c.Retries}
			if _, queued := info.State.Subjects[m.subject()]; queued || !c.open(j.Cell.ID) {
				continue
			}
			if _, err := c.link.publish(ctx, c.id, m.subject(), marshal(m), nil); err != nil {
				return err
			}
		}
		shown, shownAt, err = c.keepPlaying(shown, shownAt)
		if err != nil {
			return err
		}
		s, _, err := c.link.readBatch(ctx, c.id)
		if err != nil {
			return err
		}
		if err := c.settle(ctx, s); err != nil {
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
			c.exhaust()
		}
	}
	return nil
}

// settle closes the leases of cells that are no longer played.
func (c *coordinator) settle(ctx context.Context, s batchState) error {
	for _, x := range s.Leases {
		id := batch.ID(strings.TrimPrefix(x.Cell, c.id+"."))
		if c.open(id) {
			continue
		}
		if err := c.link.fence(ctx, x.Cell); err != nil {
			return err
		}
		_, proven, err := c.link.history(ctx, c.id, id, 0)
		if err != nil {
			return err
		}
		if err := c.link.settleLeases(ctx, c.id, func(of lease) bool { return of.Cell == x.Cell }, proven); err != nil {
			return err
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

// close says that the batch is over, ends the cells that are not needed, and removes what it kept on
// the server. What cannot be removed does no harm.
func (c *coordinator) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	o := c.outcome()
	_ = c.link.changeBatch(ctx, c.id, func(s *batchState) error {
		s.Done = !o.Exhausted
		return nil
	})
	if s, _, err := c.link.readBatch(ctx, c.id); err == nil && s.limited() {
		_ = c.dir.keepLedger(s)
	}
	if o.Exhausted {
		return
	}
	c.purge(ctx, jobStream, jobSubject)
	for id := range c.jobs {
		if c.open(id) {
			_ = c.link.fence(ctx, cellKey(c.id, id))
		}
	}
	if o.Results < len(c.jobs) {
		return
	}
	c.purge(ctx, exchangeStream, exchangeSubject)
	for id := range c.jobs {
		_ = c.link.cells.Purge(ctx, cellKey(c.id, id))
		_ = c.link.results.Purge(ctx, cellKey(c.id, id))
	}
	objects, err := c.link.files.List(ctx)
	for _, o := range objects {
		if err == nil && (strings.HasPrefix(o.Name, "attempt/"+c.id+".") || strings.HasPrefix(o.Name, messageFiles(c.id))) {
			_ = c.link.files.Delete(ctx, o.Name)
		}
	}
}

// purge removes the batch's messages from a stream.
func (c *coordinator) purge(ctx context.Context, stream, subject string) {
	if s, err := c.link.js.Stream(ctx, stream); err == nil {
		_ = s.Purge(ctx, nats_js.WithPurgeSubject(subject+c.id+".>"))
	}
}
