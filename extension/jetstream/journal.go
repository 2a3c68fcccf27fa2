package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// journal gives a cell the answers that earlier attempts stored, and stores those of this one.
type journal struct {
	link  *Link
	job   job
	claim *claim
	// known are the stored exchanges since the attempt that the run continues.
	known map[trace.CallKey]Exchange
	share *allotment
	// end ends the attempt.
	end context.CancelCauseFunc
	// ctx is the attempt's; that of a call may have ended because its turn has.
	ctx context.Context
	// drain ends when no call may begin any more.
	drain context.Context
	pulse *pulse
}

// pulse is when something last happened in a run.
type pulse struct {
	// last is in Unix seconds, asking counts the calls in flight.
	last, asking atomic.Int64
}

// touch says that something happens.
func (p *pulse) touch() { p.last.Store(time.Now().Unix()) }

// idle is how long nothing has happened. A call in flight may wait for long: it has limits of its own.
func (p *pulse) idle() time.Duration {
	if p.asking.Load() > 0 {
		return 0
	}
	return time.Since(time.Unix(p.last.Load(), 0))
}

// source is engine.Source over a journal.
type source struct {
	*journal
	model engine.Source
}

// Respond implements [engine.Source].
func (s source) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	s.pulse.asking.Add(1)
	defer func() {
		s.pulse.touch()
		s.pulse.asking.Add(-1)
	}()
	if x, ok := s.known[key]; ok {
		return s.stored(x, key, r)
	}
	waiting, ready := context.WithCancel(s.ctx)
	defer ready()
	defer context.AfterFunc(s.drain, ready)()
	taken, call, err := s.share.reserve(waiting, r)
	switch {
	case waiting.Err() != nil:
		if err == nil {
			s.share.settle(taken, budget.Amount{})
		}
		return unsent("interrupted before it was sent")
	case err != nil:
		return s.stop(err)
	}
	// Reserving may have taken longer than a lease.
	if err := s.claim.check(s.ctx); err != nil {
		s.share.settle(taken, budget.Amount{})
		return s.stop(err)
	}
	answer := s.model.Respond(ctx, key, r)
	x := Exchange{Cell: s.job.Cell.ID, Base: s.claim.cell.Base, Epoch: s.claim.cell.Epoch, Tick: key.Tick,
		Agent: key.Agent, Step: key.Step, RequestHash: r.Hash(), Answer: recordAnswer(answer)}
	x.Charge = taken
	if s.share != nil && lasting(answer) { // the bill of an interrupted call is unknown
		billed := call.Charge(answer)
		x.Charge = budget.Amount{1, billed.Tokens, int64(billed.Cost)}
	}
	s.share.settle(taken, x.Charge)
	if !lasting(answer) {
		return answer
	}
	existed, err := s.store(x)
	switch {
	case err != nil:
		return s.stop(err)
	case !existed:
		return answer
	}
	first, err := s.link.exchange(s.ctx, x.subject(s.job.Batch))
	if err != nil {
		return s.stop(err)
	}
	return s.stored(first, key, r)
}

// unsent is the answer to a call that was not sent, in a run that ends.
func unsent(why string) llmclient.Answer {
	return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrInterrupted, Message: why, Unsent: true}}
}

// store publishes an exchange, also while the attempt is being ended: it is paid for.
func (s source) store(x Exchange) (existed bool, err error) {
	ctx, cancel := outlast(s.ctx)
	defer cancel()
	inbox, wait, forget := s.link.confirms.want(s.link.losing())
	defer forget()
	existed, err = s.link.publish(ctx, s.job.Batch, x.subject(s.job.Batch), marshal(x),
		nats.Header{confirmHeader: {inbox}})
	if err == nil && !existed {
		wait(ctx)
	}
	return existed, err
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
func (s source) stored(x Exchange, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if hash := r.Hash(); x.RequestHash != hash {
		return llmclient.Failed(llmclient.ErrNotRecorded, fmt.Sprintf(
			"cell %s, tick %d, agent %s, step %d: attempt %d asked %.12s, this one asks %.12s: the attempts are not of one "+
				"engine and one set of settings",
			s.job.Cell.ID, key.Tick, key.Agent, key.Step, x.Epoch, x.RequestHash, hash))
	}
	answer, err := x.Answer.restore()
	if err != nil {
		return llmclient.Failed(llmclient.ErrRecordingDamaged, err.Error())
	}
	return answer
}

// stop ends the attempt.
func (s source) stop(err error) llmclient.Answer {
	s.end(err)
	return llmclient.Failed(llmclient.ErrInterrupted, err.Error())
}

// exchange reads the exchange with a subject.
func (l *Link) exchange(ctx context.Context, subject string) (x Exchange, err error) {
	err = l.insist(ctx, "read "+subject, func(ctx context.Context) error {
		m, err := l.held(ctx, subject)
		if errors.Is(err, nats_js.ErrMsgNotFound) {
			return errFinal{errFenced} // the store was deleted meanwhile
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

// history reads the exchanges of a cell: those that belong to base, by call, and what each
// epoch is known to have spent.
func (l *Link) history(ctx context.Context, id string, cell batch.ID, base int64) (known map[trace.CallKey]Exchange,
	proven map[int64]budget.Amount, err error) {
	known, proven = map[trace.CallKey]Exchange{}, map[int64]budget.Amount{}
	seen := map[string]bool{} // reading may begin again
	err = l.replay(ctx, cellSubject(id, cell)+">", func(m nats_js.Msg) error {
		x, err := l.decode(ctx, m.Headers(), m.Data())
		if err != nil {
			return err
		}
		if x.Base == base {
			known[x.key()] = x
		}
		if !seen[m.Subject()] {
			proven[x.Epoch] = proven[x.Epoch].Plus(x.Charge)
		}
		seen[m.Subject()] = true
		return nil
	})
	return known, proven, err
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
