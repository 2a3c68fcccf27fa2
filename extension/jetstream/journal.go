package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
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
	j.once.Do(func() { j.known, j.failure = j.link.history(j.ctx, j.id, j.cell, j.claim.base) })
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
	existed, err := j.store.exchange(x)
	switch {
	case err != nil:
		return j.stop(err)
	case !existed:
		return answer
	}
	first, err := j.link.exchange(j.ctx, x.subject(j.id))
	if err != nil {
		return j.stop(err)
	}
	return j.stored(first, key, r)
}

// exchange publishes an exchange, also while the attempt is being ended: it is paid for.
func (s *store) exchange(x Exchange) (existed bool, err error) {
	ctx, cancel := outlast(s.ctx)
	defer cancel()
	return s.link.publish(ctx, s.id, x.subject(s.id), marshal(x))
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

// exchange reads the exchange with a subject.
func (l *Link) exchange(ctx context.Context, subject string) (x Exchange, err error) {
	err = l.insist(ctx, "read "+subject, func(ctx context.Context) error {
		m, err := l.held(ctx, subject)
		if errors.Is(err, nats_js.ErrMsgNotFound) {
			return errFinal{errUnclaimed} // the store was deleted meanwhile
		}
		if err != nil {
			return err
		}
		x, err = l.decode(ctx, m.Header, m.Data)
		return err
	})
	return x, err
}

// decode reads an exchange from a message. A body that is gone from the object store, or is no
// exchange, is an error that does not pass.
func (l *Link) decode(ctx context.Context, header nats.Header, data []byte) (x Exchange, err error) {
	data, err = l.body(ctx, header, data)
	if missing(err) {
		return x, errFinal{fmt.Errorf("the body of a stored exchange is gone: %w", err)}
	} else if err != nil {
		return x, err
	}
	if err := json.Unmarshal(data, &x); err != nil {
		return x, errFinal{fmt.Errorf("a stored exchange is damaged: %w", err)}
	}
	return x, nil
}

// history reads the exchanges of a cell that belong to base, by call.
func (l *Link) history(ctx context.Context, id string, cell batch.ID, base int64) (known map[trace.CallKey]Exchange,
	err error) {
	known = map[trace.CallKey]Exchange{}
	err = l.replay(ctx, fmt.Sprintf("%s%d.>", cellSubject(id, cell), base), func(m nats_js.Msg) error {
		x, err := l.decode(ctx, m.Headers(), m.Data())
		if err == nil {
			known[x.key()] = x
		}
		return err
	})
	return known, err
}

// replayTimeout bounds one attempt to read all exchanges.
const replayTimeout = 10 * time.Minute

// replay shows see all messages that the stream of exchanges holds on subjects.
func (l *Link) replay(ctx context.Context, subjects string, see func(nats_js.Msg) error) error {
	return l.insistFor(ctx, "read the exchanges", replayTimeout, func(ctx context.Context) error {
		stream, err := l.js.Stream(ctx, exchangeStream)
		if err != nil {
			return err
		}
		c, err := stream.OrderedConsumer(ctx,
			nats_js.OrderedConsumerConfig{FilterSubjects: []string{subjects}, MaxResetAttempts: 3})
		if err != nil {
			return err
		}
		info, err := c.Info(ctx)
		if err != nil {
			return err
		}
		pending := info.NumPending
		for pending > 0 {
			some, err := c.Fetch(int(min(pending, 64)), nats_js.FetchMaxWait(2*time.Second))
			if err != nil {
				return err
			}
			got := uint64(0)
			for m := range some.Messages() {
				if err := see(m); err != nil {
					return err
				}
				got++
			}
			if err := some.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
				return err
			}
			if got == 0 {
				return errors.New("messages did not come")
			}
			pending -= min(pending, got)
		}
		return nil
	})
}
