package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// runs is a [batch.Runs] on a server: runs are packed directories in the object store, answers are exchanges in the
// stream.
type runs struct{ *store }

// Adopt implements [batch.Runs]. A run that is not there any more, or damaged, is begun again, with the
// answers that are stored.
func (s runs) Adopt(l batch.Lease, id batch.ID, dir string) (resume bool, err error) {
	c := l.(*claim)
	if c.base <= 0 {
		return false, os.Mkdir(dir, 0o700)
	}
	ctx, cancel := outlast(s.ctx)
	defer cancel()
	err = s.link.fetchDir(ctx, attemptFile(s.id, id, c.base), dir)
	if unusable(err) {
		return false, errors.Join(s.Continue(l, id, 0), os.Mkdir(dir, 0o700))
	}
	return true, err
}

// Keep implements [batch.Runs].
func (s runs) Keep(l batch.Lease, id batch.ID, dir string) error {
	if !l.Holds() {
		return nil
	}
	ctx, cancel := outlast(s.ctx)
	defer cancel()
	err := s.link.sendDir(ctx, attemptFile(s.id, id, l.Number()), dir)
	if err != nil {
		return err
	}
	return s.Continue(l, id, l.Number())
}

// Continue implements [batch.Runs].
func (s runs) Continue(l batch.Lease, _ batch.ID, attempt int64) error {
	c := l.(*claim)
	err := c.change(func(state *cellState) { state.Base = attempt })
	if errors.Is(err, errUnclaimed) {
		return nil // that of another owner holds
	}
	c.base = attempt
	return err
}

// Answers implements [batch.Runs].
func (s runs) Answers(ctx context.Context, l batch.Lease, a batch.Attempt, ask engine.Source,
	end func(error)) engine.Source {
	return &journal{runs: s, claim: l.(*claim), cell: a.Cell.ID, ask: ask, ctx: ctx, end: end}
}

// journal is a source of answers: those that earlier attempts stored, and those of ask, which it stores.
type journal struct {
	runs
	claim *claim
	cell  batch.ID
	ask   engine.Source
	// ctx is the attempt's, which end ends; that of a call may have ended because its turn has.
	ctx context.Context
	end func(error)

	// known are the stored exchanges since the attempt that the run continues, read at the first call.
	once    sync.Once
	known   map[trace.CallKey]Exchange
	failure error
}

// Respond implements [engine.Source].
func (j *journal) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	j.once.Do(func() { j.known, j.failure = j.history(j.ctx, j.cell, j.claim.base) })
	if j.failure != nil {
		return j.stop(j.failure)
	}
	if x, ok := j.known[key]; ok {
		return j.stored(x, key, r)
	}
	answer := j.ask.Respond(ctx, key, r)
	if !lasting(answer) {
		return answer
	}
	x := Exchange{Cell: j.cell, Base: j.claim.base, Epoch: j.claim.epoch, Tick: key.Tick, Agent: key.Agent, Step: key.Step,
		RequestHash: r.Hash()}
	x.record(answer)
	first, err := j.Put(x.name(), marshal(x)) // also while the attempt is being ended: it is paid for
	switch {
	case err != nil:
		return j.stop(err)
	case first:
		return answer
	}
	entry, err := j.entry(x.name())
	if err == nil && entry == nil {
		err = errUnclaimed // the store was deleted meanwhile
	}
	if err == nil {
		x, err = j.exchange(j.ctx, entry.Value())
	}
	if err != nil {
		return j.stop(err)
	}
	return j.stored(x, key, r)
}

// farewell bounds what an attempt that is being ended still sends.
const farewell = 10 * time.Second

// outlast is a context that ends a while after ctx.
func outlast(ctx context.Context) (context.Context, context.CancelFunc) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(farewell, cancel) })
	return last, func() { stop(); cancel() }
}

// stored is the answer of an exchange, if it was asked the same.
func (j *journal) stored(x Exchange, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if hash := r.Hash(); x.RequestHash != hash {
		return llmclient.Failed(llmclient.ErrNotRecorded, fmt.Sprintf(
			"cell %s, tick %d, agent %s, step %d: attempt %d asked %.12s, this one asks %.12s: the attempts are not of one "+
				"engine and one set of settings",
			j.cell, key.Tick, key.Agent, key.Step, x.Epoch, x.RequestHash, hash))
	}
	answer, err := x.restore()
	if err != nil {
		return llmclient.Failed(llmclient.ErrRecordingDamaged, err.Error())
	}
	return answer
}

// stop ends the attempt.
func (j *journal) stop(err error) llmclient.Answer {
	j.end(err)
	return llmclient.Failed(llmclient.ErrInterrupted, err.Error())
}

// exchange reads the exchange of an entry. One whose text is gone from the object store, or is no exchange, is
// an error that does not pass.
func (s *store) exchange(ctx context.Context, content []byte) (x Exchange, err error) {
	text, err := s.text(ctx, content)
	if missing(err) {
		return x, errFinal{fmt.Errorf("the text of a stored exchange is gone: %w", err)}
	} else if err != nil {
		return x, err
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return x, errFinal{fmt.Errorf("a stored exchange is damaged: %w", err)}
	}
	return x, nil
}

// history reads the exchanges of a cell that belong to base, by call.
func (s *store) history(ctx context.Context, cell batch.ID, base int64) (known map[trace.CallKey]Exchange, err error) {
	known = map[trace.CallKey]Exchange{}
	err = s.each(ctx, exchangesAfter(cell, base), func(ctx context.Context, entry nats_js.KeyValueEntry) error {
		x, err := s.exchange(ctx, entry.Value())
		if err == nil {
			known[x.key()] = x
		}
		return err
	})
	return known, err
}

// eachTimeout bounds one attempt to read all exchanges.
const eachTimeout = 10 * time.Minute

// each shows see all entries whose keys begin with a prefix.
func (s *store) each(ctx context.Context, prefix string,
	see func(context.Context, nats_js.KeyValueEntry) error) error {
	return s.link.insistFor(ctx, "read "+prefix, eachTimeout, func(ctx context.Context) error {
		w, err := s.link.keys.Watch(ctx, s.name(prefix)+".>", nats_js.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer w.Stop()
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case entry := <-w.Updates():
				if entry == nil {
					return nil // all that was there has been seen
				}
				if err := see(ctx, entry); err != nil {
					return err
				}
			}
		}
	})
}
