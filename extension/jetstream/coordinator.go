package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// Coordinate hands out the cells of o that have no result, within limit, to the workers that play over a link. It
// returns when all cells have a result or failed too often, the budget is exhausted, the comparison is decided, or
// o.Drain ends: then the same call continues. o.Dir is the batch directory as [batch.Dir.Create] made it, which one
// coordinator at a time has; of o it uses Cells, Retries, Lease, Compare, Metrics and Progress beside. The error is
// that the batch directory cannot be read or written. notice is told what a person should know.
func Coordinate(l *Link, o batch.Options, limit trace.Limit, notice func(string)) (batch.Ending, error) {
	return coordinate(l, o, limit, notice, o.Decided)
}

// coordinate is [Coordinate], which ends early once decided says so of the results.
func coordinate(l *Link, o batch.Options, limit trace.Limit, notice func(string),
	decided func([]batch.Cell, []batch.Result) (bool, error)) (batch.Ending, error) {
	if o.Lease == 0 {
		o.Lease = batch.LeaseDefault
	}
	unlock, err := run.Dir(o.Dir).Lock()
	if _, held := errors.AsType[*run.LockedError](err); held {
		return "", fmt.Errorf("coordinate: another process coordinates this batch: %w", err)
	} else if err != nil {
		return "", fmt.Errorf("coordinate: %w", err)
	}
	defer unlock()
	c := &coordinator{Options: o, limit: limit, notice: notice, decide: decided, link: l, dir: directory(o.Dir),
		states: map[batch.ID]*cell{}, stored: map[string]bool{}}
	known, err := o.Dir.Begin(o.Cells)
	if err != nil {
		return "", err
	}
	for _, of := range o.Cells {
		c.states[of.ID] = &cell{Cell: of}
	}
	for _, r := range known {
		if batch.Final(r.Status) {
			c.states[r.ID].done = true
			c.over++
		}
		c.known.Add(r)
	}
	id, err := c.dir.id()
	if err != nil {
		return "", fmt.Errorf("coordinate: %w", err)
	}
	c.decided, err = decided(o.Cells, known)
	if err != nil {
		return "", err
	}
	c.show(nil)
	c.store = &store{link: l, id: id, ctx: o.Drain}
	err = c.coordinate(o.Drain)
	if results, readErr := o.Dir.Results(c.Cells); readErr == nil {
		_ = o.Dir.WriteResults(results) // it can be made again
	}
	switch {
	case o.Drain.Err() != nil:
		return batch.Interrupted, nil
	case err != nil:
		return "", err
	case c.decided:
		return batch.DecidedEarly, nil
	case c.exhausted:
		return batch.BudgetReached, nil
	}
	return batch.Complete, nil
}

// coordinator makes a batch directory and what is on the server equal: the server holds what workers need, the
// directory all that they send.
type coordinator struct {
	batch.Options
	limit  trace.Limit
	notice func(string)
	decide func([]batch.Cell, []batch.Result) (bool, error)
	link   *Link
	store  *store
	dir    directory

	// keeping is held while an exchange is kept; stored are the keys of those on disk, and revision is the
	// latest that was read of the server.
	keeping  sync.Mutex
	stored   map[string]bool
	revision uint64

	// mu guards how far the batch is.
	mu     sync.Mutex
	states map[batch.ID]*cell
	// over counts the cells with a result, and those that were given up.
	over               int
	exhausted, decided bool
	// known are the results that are known, also of attempts that failed.
	known batch.Tally
	// broken is why the directory cannot be written any more.
	broken error
	// short is the last entry of the leases that did not suffice for a call.
	short int64
}

// cell is how far a cell is.
type cell struct {
	batch.Cell
	// done says that its result is in the directory, failed that it was given up.
	done, failed bool
	// failures counts the attempts that failed, the last of which is latest; playing is the attempt that a worker
	// plays, 0 for none.
	failures        int
	latest, playing int64
}

// open says that it is still to be played.
func (c *cell) open() bool { return !c.done && !c.failed }

// coordinate sets up the server, and then copies what comes until nothing is missing.
func (c *coordinator) coordinate(ctx context.Context) error {
	if err := c.link.insistFor(ctx, "set up the server", 30*time.Second, c.link.make); err != nil {
		return err
	}
	if err := c.rebuild(ctx); err != nil {
		return fmt.Errorf("coordinate: %w", err)
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	var parts sync.WaitGroup
	parts.Go(func() { c.repeat(working, "exchanges", c.follow) })
	parts.Go(func() { c.repeat(working, "cells", c.watch) })
	err := c.wait(working)
	stop()
	parts.Wait()
	_ = c.Dir.KeepPlaying(map[batch.ID]int64{}) // a failure does no harm: the list expires
	if err == nil {
		c.close(ctx)
	}
	return err
}

// tickPause is how often it is looked at whether anything is left to do.
const tickPause = 200 * time.Millisecond

// wait returns once nothing is left to do. Meanwhile it writes down which cells are played, and makes the server's
// store again if somebody deleted it under a running coordinator.
func (c *coordinator) wait(ctx context.Context) error {
	var shown map[batch.ID]int64
	var shownAt time.Time
	for ; ctx.Err() == nil; pause(ctx, tickPause) {
		over, err := c.isOver()
		if over || err != nil {
			return err
		}
		now := c.playing()
		if !maps.Equal(now, shown) || time.Since(shownAt) > c.Lease/4 {
			if err := c.Dir.KeepPlaying(now); err != nil {
				return fmt.Errorf("coordinate: %w", err)
			}
			shown, shownAt = now, time.Now()
		}
		look, cancel := c.link.while(ctx, requestTimeout)
		_, err = c.link.js.KeyValue(look, keyBucket)
		cancel()
		if errors.Is(err, nats_js.ErrBucketNotFound) {
			c.notice("the server has lost its store; it is made again from the batch directory")
			if err := errors.Join(c.link.make(ctx), c.rebuild(ctx)); err != nil && ctx.Err() == nil {
				c.notice(fmt.Sprintf("coordinate: %v; trying again", err))
			}
		}
		c.lookForRoom()
	}
	return context.Cause(ctx)
}

// isOver says that nothing is left to do. The error is why nothing can be done.
func (c *coordinator) isOver() (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return true, fmt.Errorf("coordinate: %w", c.broken)
	}
	return c.exhausted || c.decided || c.over >= len(c.Cells), nil
}

// playing are the cells that are played, with the numbers of their attempts.
func (c *coordinator) playing() map[batch.ID]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.played()
}

// played is playing with the lock held.
func (c *coordinator) played() map[batch.ID]int64 {
	list := map[batch.ID]int64{}
	for id, one := range c.states {
		if one.playing > 0 && one.open() {
			list[id] = one.playing
		}
	}
	return list
}

// lookForRoom ends the batch if a worker found no room for a call, nobody plays, and nothing was given back since.
func (c *coordinator) lookForRoom() {
	c.mu.Lock()
	short, playing := c.short, len(c.played())
	c.mu.Unlock()
	if short == 0 || playing > 0 {
		return
	}
	_, more, err := c.store.Get(batch.LeaseKey(short + 1))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exhausted = err == nil && !more && c.short == short && len(c.played()) == 0
}

// repeat calls f again and again, whatever the connection does. f returns early on errors.
func (c *coordinator) repeat(ctx context.Context, what string, f func(context.Context) error) {
	for told := false; ctx.Err() == nil; pause(ctx, 250*time.Millisecond) {
		err := f(ctx)
		var final errFinal
		switch {
		case ctx.Err() != nil:
		case errors.As(err, &final):
			c.mu.Lock()
			c.broken = final.error
			c.mu.Unlock()
			return
		case err != nil && !told:
			c.notice(fmt.Sprintf("%s: %v; trying again", what, err))
			told = true
		case err == nil:
			told = false
		}
	}
}

// rewatch is how long a watch is trusted; it is made again then.
const rewatch = 20 * time.Second

// observe shows see the entries whose keys begin with prefixes, as they are and as they change.
func (c *coordinator) observe(ctx context.Context, prefixes []string, see func(nats_js.KeyValueEntry) error,
	opts ...nats_js.WatchOpt) error {
	var below []string
	for _, prefix := range prefixes {
		below = append(below, c.store.name(prefix)+".>")
	}
	w, err := c.link.keys.WatchFiltered(ctx, below, append(opts, nats_js.IgnoreDeletes())...)
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
			if err := see(entry); err != nil {
				return err
			}
		}
	}
}

// follow copies exchanges into the directory, from the last one on that it has copied.
func (c *coordinator) follow(ctx context.Context) error {
	c.keeping.Lock()
	from := c.revision + 1
	c.keeping.Unlock()
	return c.observe(ctx, []string{exchangesKey}, func(entry nats_js.KeyValueEntry) error {
		_, _, err := c.keep(ctx, entry)
		return err
	}, nats_js.ResumeFromRevision(from))
}

// keep writes an exchange into the directory unless it is there.
func (c *coordinator) keep(ctx context.Context, entry nats_js.KeyValueEntry) (x Exchange, added bool, err error) {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if !c.stored[entry.Key()] {
		x, err = c.store.exchange(ctx, entry.Value())
		if err != nil {
			return x, false, err
		}
		if c.states[x.Cell] == nil {
			return x, false, nil // of a cell that the batch file no longer has
		}
		if err := c.dir.appendExchange(x); err != nil {
			return x, false, errFinal{fmt.Errorf("keep an exchange of cell %s: %w", x.Cell, err)}
		}
		c.stored[entry.Key()], added = true, true
	}
	c.revision = max(c.revision, entry.Revision())
	return x, added, nil
}

// watch copies all other entries of the batch into the directory. Each time it reads all of them again.
func (c *coordinator) watch(ctx context.Context) error {
	return c.observe(ctx, []string{"cells", "budget"}, func(entry nats_js.KeyValueEntry) error {
		return c.see(ctx, strings.TrimPrefix(entry.Key(), c.store.id+"."), entry.Value())
	})
}

// see copies an entry into the directory.
func (c *coordinator) see(ctx context.Context, name string, content []byte) error {
	parts := strings.SplitN(name, ".", 3)
	if parts[0] == "budget" {
		return c.seeLease(ctx, parts[1], content)
	}
	if len(parts) < 3 || c.states[batch.ID(parts[1])] == nil {
		return nil
	}
	one := c.states[batch.ID(parts[1])]
	switch c.store.name("cells/" + parts[1] + "/" + parts[2]) {
	case c.store.name(batch.AttemptKey(one.ID)):
		return c.seeState(ctx, one, content)
	case c.store.name(batch.ResultKey(one.ID)):
		return c.seeResult(ctx, one, content)
	case c.store.name(batch.FailureKey(one.ID)):
		return c.seeFailure(ctx, one, content)
	}
	return nil
}

// seeLease keeps an entry of what is leased, or notes that one did not suffice.
func (c *coordinator) seeLease(ctx context.Context, name string, content []byte) error {
	text, err := c.store.text(ctx, content)
	if err != nil {
		return err
	}
	number, isLease := strings.CutPrefix(name, "lease-")
	if isLease {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil // nobody of ours made it
		}
		if _, err := c.Dir.Store().Put(batch.LeaseKey(n), text); err != nil {
			return errFinal{fmt.Errorf("keep the budget: %w", err)}
		}
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.short, _ = strconv.ParseInt(string(text), 10, 64)
	return nil
}

// seeResult puts the result of a cell into the directory.
func (c *coordinator) seeResult(ctx context.Context, one *cell, content []byte) error {
	if one.done {
		return nil
	}
	text, err := c.store.text(ctx, content)
	if err != nil {
		return err
	}
	r, err := batch.ReadResult(one.ID, text)
	if err == nil {
		err = c.fetchAttempt(ctx, one.ID, r.Attempt)
	} else {
		err = fmt.Errorf("%w: the result is none: %w", errUnusable, err)
	}
	if unusable(err) {
		return c.reject(ctx, one, r.Attempt, err)
	}
	if err != nil {
		return err
	}
	if _, err := c.Dir.Finish(r); err != nil {
		return errFinal{err}
	}
	return c.finished(one)
}

// fetchAttempt makes the directory of an attempt. One that is there is as it should be: it is
// renamed into place when it is whole.
func (c *coordinator) fetchAttempt(ctx context.Context, id batch.ID, number int64) error {
	dir := c.dir.attempt(id, number)
	name, err := filepath.Rel(string(c.Dir), dir)
	if err == nil {
		err = c.dir.folder().Directory(name)
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, os.ErrNotExist) {
		err = c.dir.folder().MkdirAll(filepath.Dir(name)) // nothing on the way there is a link
	}
	if err != nil {
		return errFinal{err}
	}
	err = c.link.fetchDir(ctx, attemptFile(c.store.id, id, number), dir)
	if err == nil || unusable(err) || ctx.Err() != nil {
		return err
	}
	return errFinal{err}
}

// reject counts a result or a failed attempt whose run directory is unusable as a failure: the cell is
// played from its beginning, with the answers that are stored.
func (c *coordinator) reject(ctx context.Context, one *cell, attempt int64, why error) error {
	c.notice(fmt.Sprintf("cell %s: %v", one.ID, why))
	_, err := c.store.change(batch.AttemptKey(one.ID), func(s *cellState, _ time.Time) error {
		s.Owner, s.Base = "", 0
		return nil
	})
	if err == nil {
		err = c.link.keys.Delete(ctx, c.store.name(batch.ResultKey(one.ID)))
	}
	if err != nil {
		return err
	}
	r := batch.Result{Cell: one.Cell, Attempt: attempt, Status: trace.RunInternalError, Reason: why.Error()}
	return c.failed(one, r)
}

// finished counts a cell whose result is in the directory.
func (c *coordinator) finished(one *cell) error {
	list, err := c.Dir.Results([]batch.Cell{one.Cell})
	if err != nil || len(list) != 1 {
		return errFinal{fmt.Errorf("read the result of cell %s: %w", one.ID, err)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.done {
		return nil
	}
	if !one.failed {
		c.over++
	}
	one.done, one.failed = true, false
	c.tell(list[0])
	return nil
}

// tell tells how a cell ended. The lock is held.
func (c *coordinator) tell(r batch.Result) {
	c.known.Add(r)
	c.show(&r)
	decided, err := c.decide(c.Cells, c.known.Results)
	c.decided = c.decided || err == nil && decided
}

// show shows how far the batch is. The lock is held.
func (c *coordinator) show(ended *batch.Result) {
	if c.Progress == nil {
		return
	}
	playing := map[batch.ID]engine.Progress{}
	for id := range c.played() {
		playing[id] = engine.Progress{} // how far they are only their workers know
	}
	c.Progress(batch.Progress{Tally: &c.known, Playing: playing, Ended: ended})
}

// seeFailure keeps how an attempt failed.
func (c *coordinator) seeFailure(ctx context.Context, one *cell, content []byte) error {
	text, err := c.store.text(ctx, content)
	if err != nil {
		return err
	}
	r, err := batch.ReadResult(one.ID, text)
	if err != nil {
		return nil // nobody of ours made it
	}
	return c.failed(one, r)
}

// failed counts a failure of an attempt once. The cell is given up if it has been tried often enough.
func (c *coordinator) failed(one *cell, r batch.Result) error {
	c.mu.Lock()
	known := !one.open() || r.Attempt <= one.latest
	if !known {
		one.latest = r.Attempt
		one.failures++
	}
	failures := one.failures
	c.mu.Unlock()
	if known {
		return nil
	}
	if err := c.Dir.Fail(r); err != nil {
		return errFinal{err}
	}
	// Another attempt would find the same as one whose recording is damaged.
	if failures <= c.Retries && r.Status != trace.RunReplayDiffers && r.Status != trace.RunRecordingDamaged {
		return nil
	}
	return c.giveUp(one, r)
}

// giveUp closes a cell that is not tried any more.
func (c *coordinator) giveUp(one *cell, r batch.Result) error {
	_, err := c.store.change(batch.AttemptKey(one.ID), func(s *cellState, _ time.Time) error {
		s.Owner, s.Closed = "", true
		return nil
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.open() {
		one.failed = true
		c.over++
		c.notice(fmt.Sprintf("cell %s failed: %s", one.ID, r.Reason))
		c.tell(r)
	}
	return err
}

// seeState notes who plays a cell, and keeps the run that is continued.
func (c *coordinator) seeState(ctx context.Context, one *cell, content []byte) error {
	var s cellState
	if err := json.Unmarshal(content, &s); err != nil {
		return fmt.Errorf("the state of cell %s is none: %w", one.ID, err)
	}
	c.mu.Lock()
	before := one.playing
	one.playing = 0
	if s.Owner != "" {
		one.playing = s.Epoch
	}
	if one.playing != before && one.open() {
		c.show(nil)
	}
	c.mu.Unlock()
	if s.Base < 0 {
		if err := c.Dir.Abandon(one.ID, -s.Base); err != nil {
			return errFinal{err}
		}
	}
	if s.Base > 0 && !one.done {
		err := c.fetchAttempt(ctx, one.ID, s.Base)
		if unusable(err) && !s.Closed {
			return c.reject(ctx, one, s.Base, err)
		}
		if err != nil && !unusable(err) {
			return err
		}
	}
	if s.Closed && s.Deaths > deathsMax && one.open() {
		r := batch.Result{Cell: one.Cell, Attempt: s.Epoch, Status: trace.RunInternalError,
			Reason: fmt.Sprintf("%d workers died over it", s.Deaths)}
		if err := c.Dir.Fail(r); err != nil {
			return errFinal{err}
		}
		return c.giveUp(one, r)
	}
	return nil
}

// close says that the batch is over, ends the cells that are not needed, and removes what it kept on
// the server. What cannot be removed does no harm.
func (c *coordinator) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := c.offer(ctx, true); err != nil || c.exhausted {
		return
	}
	for id, one := range c.states {
		if one.open() {
			_, _ = c.store.change(batch.AttemptKey(id), func(s *cellState, _ time.Time) error {
				s.Owner, s.Closed = "", true
				return nil
			})
		}
	}
	for _, one := range c.states {
		if !one.done {
			return
		}
	}
	if s, err := c.link.js.Stream(ctx, "KV_"+keyBucket); err == nil {
		for _, prefix := range []string{exchangesKey, "cells"} {
			_ = s.Purge(ctx, nats_js.WithPurgeSubject("$KV."+keyBucket+"."+c.store.name(prefix)+".>"))
		}
	}
	objects, err := c.link.files.List(ctx)
	for _, o := range objects {
		ours := strings.HasPrefix(o.Name, "attempt/"+c.store.id+".") || strings.HasPrefix(o.Name, c.store.objects())
		if err == nil && ours {
			_ = c.link.files.Delete(ctx, o.Name)
		}
	}
}
