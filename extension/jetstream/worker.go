package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/folder"
	"example.com/agentworld/trace"
)

// WorkerOptions are a worker.
type WorkerOptions struct {
	// Play plays a cell.
	Play batch.Player
	// Jobs is how many cells are played at once, at least 1.
	Jobs int
	// Refuse, when set, says why a cell cannot be played here: it is left to others.
	Refuse func(Job) error
	// Dir holds the run directories while they are played. It is made.
	Dir string
	// UntilDone ends the worker once the batches are done that it has had cells of, or all if it
	// has had none yet; or if the server is gone for a minute while it plays nothing.
	UntilDone bool
	// Drain, when set, ends the worker in good order once it ends: answers under way are taken, and no
	// cell and no call begins.
	Drain context.Context
	// Notice is told what a person should know; nil drops it.
	Notice func(string)
	// Stall is how long nothing may happen in a run, neither a call nor a tick, before it is
	// given up; 0 is 15 minutes.
	Stall time.Duration
}

const (
	// dirTimeout bounds the way of a run directory to or from the object store.
	dirTimeout = 30 * time.Minute
	// fetchWait is how long the queue is asked for a job at a time.
	fetchWait = time.Second
	stallMax  = 15 * time.Minute
	// retryWait is how long a cell rests that failed, or found no budget.
	retryWait = 2 * time.Second
	// logBytesMax bounds what of a run's own words is kept.
	logBytesMax = 1 << 20
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
	if o.Stall == 0 {
		o.Stall = stallMax
	}
	if o.Drain == nil {
		o.Drain = ctx
	}
	drain, stop := context.WithCancel(o.Drain)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	o.Drain = drain
	w := &worker{WorkerOptions: o, link: l, seen: map[string]bool{}, told: map[string]bool{}}
	if err := l.insist(drain, "find a batch", l.open); err != nil {
		return nil // it has ended
	}
	var slots sync.WaitGroup
	for range max(1, o.Jobs) {
		slots.Go(func() { w.work(ctx) })
	}
	slots.Wait()
	return nil
}

type worker struct {
	WorkerOptions
	link *Link

	mu sync.Mutex
	// seen are the batches that it has had cells of, told the refusals that it has told of.
	seen, told map[string]bool
}

// work plays one cell after the other.
func (w *worker) work(ctx context.Context) {
	heard := time.Now()
	for w.Drain.Err() == nil {
		m, lease, err := w.next(w.Drain)
		if err == nil {
			heard = time.Now()
		}
		switch {
		case err == nil && m != nil:
			w.take(ctx, m, lease)
		case err == nil && w.UntilDone && w.done(w.Drain):
			return
		case w.UntilDone && time.Since(heard) > goneMax:
			w.Notice("the server is gone, and no cell is in work")
			return
		case err != nil:
			pause(w.Drain, 200*time.Millisecond)
		}
	}
}

// goneMax is after what time without a server a worker takes it that the batch is done.
const goneMax = time.Minute

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// next fetches one job; none is nil. The consumer is looked up each time: a deleted store has another.
func (w *worker) next(ctx context.Context) (m nats_js.Msg, lease time.Duration, err error) {
	look, cancel := w.link.while(ctx, requestTimeout)
	defer cancel()
	c, err := w.link.js.Consumer(look, jobStream, workers)
	if err != nil {
		return nil, 0, err
	}
	some, err := c.Fetch(1, nats_js.FetchMaxWait(fetchWait))
	if err != nil {
		return nil, 0, err
	}
	for m = range some.Messages() {
	}
	return m, c.CachedInfo().Config.AckWait, some.Error()
}

// done says that the batches are done that the worker knows of. What others have left on the server
// does not keep it.
func (w *worker) done(ctx context.Context) bool {
	look, cancel := w.link.while(ctx, requestTimeout)
	defer cancel()
	w.mu.Lock()
	ids := slices.Collect(maps.Keys(w.seen))
	w.mu.Unlock()
	if len(ids) == 0 {
		var err error
		ids, err = w.link.batches.Keys(look)
		if err != nil {
			return false
		}
	}
	for _, id := range ids {
		if s, _, err := w.link.readBatch(look, id); err != nil || !s.Done && !s.Exhausted {
			return false
		}
	}
	return len(ids) > 0
}

// take plays the cell of a job, unless it has its result.
func (w *worker) take(ctx context.Context, m nats_js.Msg, lease time.Duration) {
	var j job
	body, err := w.link.body(ctx, m.Headers(), m.Data())
	if err == nil {
		err = json.Unmarshal(body, &j)
	}
	switch {
	case w.Drain.Err() != nil:
		_ = m.Nak()
		return
	case err != nil:
		w.Notice(fmt.Sprintf("a job cannot be read: %v", err))
		_ = m.Term()
		return
	}
	w.mu.Lock()
	w.seen[j.Batch] = true
	w.mu.Unlock()
	s, _, err := w.link.readBatch(ctx, j.Batch)
	if err == nil && s.Exhausted {
		_ = m.NakWithDelay(retryWait)
		return
	}
	if err == nil {
		_, err = w.link.results.Get(ctx, j.key())
	}
	if err == nil || errors.Is(err, errFenced) {
		_ = m.Ack() // nothing is left to do
		return
	}
	if !missing(err) {
		_ = m.NakWithDelay(retryWait)
		return
	}
	if why := w.refuse(j.Job); why != nil {
		_ = m.NakWithDelay(retryWait)
		pause(w.Drain, retryWait) // so that others get it
		return
	}
	c, err := w.link.claimCell(ctx, j.key())
	switch {
	case errors.Is(err, errGivenUp), errors.Is(err, errFenced):
		_ = m.Term()
	case err != nil:
		_ = m.Nak()
	default:
		a := &attempt{worker: w, job: j, claim: c, message: m, lease: lease}
		a.play(ctx)
	}
}

// refuse says why a cell cannot be played here, and tells each reason once.
func (w *worker) refuse(j Job) error {
	if w.Refuse == nil {
		return nil
	}
	why := w.Refuse(j)
	if why == nil {
		return nil
	}
	w.mu.Lock()
	known := w.told[why.Error()]
	w.told[why.Error()] = true
	w.mu.Unlock()
	if !known {
		w.Notice(fmt.Sprintf("cell %s is left to others: %v", j.Cell.ID, why))
	}
	return why
}

// missing says that a key or an object does not exist.
func missing(err error) bool {
	return errors.Is(err, nats_js.ErrKeyNotFound) || errors.Is(err, nats_js.ErrObjectNotFound)
}

// attempt is a cell in work.
type attempt struct {
	*worker
	job     job
	claim   *claim
	message nats_js.Msg
	lease   time.Duration
	pulse   pulse
	log     cappedLog
}

// play plays the cell and tells the others how that ended.
func (a *attempt) play(ctx context.Context) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	a.pulse.touch()
	var beating sync.WaitGroup
	beating.Go(func() { a.beat(ctx, end) })
	dir := filepath.Join(a.Dir, fmt.Sprintf("%s-%s-%d", a.job.Batch, a.job.Cell.ID, a.claim.cell.Epoch))
	result, err := a.run(ctx, end, dir)
	cause := context.Cause(ctx)
	// What is sent from here on is sent also after an interruption.
	last, cancel := outlast(ctx)
	defer cancel()
	if err := a.conclude(last, dir, result, err, cause); err != nil && !errors.Is(err, errFenced) {
		a.Notice(fmt.Sprintf("cell %s: %v", a.job.Cell.ID, err))
	}
	end(nil)
	beating.Wait()
	_ = os.RemoveAll(dir)
}

// beat keeps the job while something happens in the run.
func (a *attempt) beat(ctx context.Context, end context.CancelCauseFunc) {
	for {
		pause(ctx, a.lease/3)
		if ctx.Err() != nil {
			return
		}
		if a.pulse.idle() > a.Stall {
			end(errStalled)
			return
		}
		_ = a.message.InProgress()
	}
}

// errStalled ends a run in which nothing happens.
var errStalled = errors.New("nothing happened in the run for too long")

// run plays the cell in dir.
func (a *attempt) run(ctx context.Context, end context.CancelCauseFunc, dir string) (batch.Result, error) {
	base := a.claim.cell.Base
	known, proven, err := a.link.history(ctx, a.job.Batch, a.job.Cell.ID, base)
	if err != nil {
		return batch.Result{}, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return batch.Result{}, err
	}
	if base > 0 {
		if err := a.link.fetchDir(ctx, attemptFile(a.job.key(), base), dir); err != nil {
			return batch.Result{}, err
		}
	}
	share, err := newAllotment(ctx, a.link, a.job, a.claim.cell.Epoch, proven, 2*a.lease)
	if err != nil {
		return batch.Result{}, err
	}
	j := &journal{link: a.link, job: a.job, claim: a.claim, known: known, share: share, end: end, ctx: ctx,
		drain: a.Drain, pulse: &a.pulse}
	began := time.Now()
	result, err := a.Play(ctx, batch.Attempt{
		Cell: a.job.Cell, Number: a.claim.cell.Epoch, Settings: a.job.Settings, Dir: dir, Resume: base > 0, Drain: a.Drain,
		Around:   func(s engine.Source) engine.Source { return source{j, s} },
		Log:      &a.log,
		Progress: func(engine.Progress) { a.pulse.touch() },
	})
	result.Cell = a.job.Cell
	result.Attempt = a.claim.cell.Epoch
	result.WallMS = time.Since(began).Milliseconds()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	// A lease that is not given back counts as spent until somebody else claims the cell.
	if lost := share.close(last); lost != nil {
		a.Notice(fmt.Sprintf("cell %s: %v", a.job.Cell.ID, lost))
	}
	return result, err
}

// conclude publishes the result, or gives the cell back.
func (a *attempt) conclude(ctx context.Context, dir string, result batch.Result, failed, cause error) error {
	switch {
	case errors.Is(cause, errFenced) || errors.Is(failed, errFenced):
		return nil
	case errors.Is(cause, errExhausted), errors.Is(cause, errNoRoom):
		return a.giveBack(ctx, retryWait, func(*cellState) {})
	case errors.Is(cause, errStalled):
		return a.giveBack(ctx, 0, a.failure(trace.RunInternalError, cause.Error()))
	case cause != nil, a.Drain.Err() != nil && !batch.Final(result.Status):
		return a.giveBack(ctx, 0, func(*cellState) {})
	case failed != nil:
		return a.giveBack(ctx, retryWait, func(s *cellState) {
			a.failure(trace.RunInternalError, failed.Error())(s)
			if unusable(failed) {
				s.Base = 0
			}
		})
	case result.Status == trace.RunReplayDiffers, result.Status == trace.RunRecordingDamaged:
		// Another attempt would find the same.
		return a.giveBack(ctx, 0, func(s *cellState) {
			a.failure(result.Status, result.Reason)(s)
			s.Failed = true
		})
	}
	if result.Spoilt {
		// The stored answers are of a run that is over: the next one is another.
		return a.giveBack(ctx, retryWait, func(s *cellState) {
			a.failure(result.Status, result.Reason)(s)
			s.Base = -a.claim.cell.Epoch
		})
	}
	if err := a.claim.check(ctx); err != nil {
		return err
	}
	if a.log.text.Len() > 0 {
		_ = folder.Dir(dir).Replace(logFile, folder.Content(a.log.text.Bytes())) // it is only for people
	}
	name := attemptFile(a.job.key(), a.claim.cell.Epoch)
	if err := a.link.sendDir(ctx, name, dir); err != nil {
		return a.giveBack(ctx, retryWait, a.failure(trace.RunInternalError, err.Error()))
	}
	if !batch.Final(result.Status) {
		return a.giveBack(ctx, retryWait, func(s *cellState) {
			a.failure(result.Status, result.Reason)(s)
			s.Base = a.claim.cell.Epoch
		})
	}
	if err := a.claim.check(ctx); err != nil {
		return err
	}
	err := a.link.insist(ctx, "publish the result", func(ctx context.Context) error {
		_, err := a.link.results.Create(ctx, a.job.key(), marshal(ended{result, name}))
		if conflict(err) {
			return nil // it has its result, this one if the first answer was lost
		}
		return err
	})
	if err == nil {
		_ = a.message.Ack()
	}
	return err
}

// logFile is the file of a run directory for what the run would have printed.
const logFile = "log.txt"

// failure counts a failure. The cell is given up if it has been tried often enough.
func (a *attempt) failure(status trace.RunStatus, reason string) func(*cellState) {
	return func(s *cellState) {
		s.Failures++
		s.Status, s.Reason = status, reason
		s.Failed = s.Failures > a.job.Retries
	}
}

// giveBack lets somebody else take the cell, after a while.
func (a *attempt) giveBack(ctx context.Context, after time.Duration, change func(*cellState)) error {
	gaveUp := false
	err := a.claim.release(ctx, func(s *cellState) {
		change(s)
		gaveUp = s.Failed
	})
	if err != nil {
		return err
	}
	if gaveUp {
		_ = a.message.Term()
		return nil
	}
	_ = a.message.NakWithDelay(max(after, time.Millisecond))
	return nil
}

// cappedLog keeps the first megabyte written to it.
type cappedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *cappedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p[:min(len(p), max(0, logBytesMax-l.text.Len()))])
	return len(p), nil
}
