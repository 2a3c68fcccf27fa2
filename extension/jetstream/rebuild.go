package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/run"
)

// rebuild makes the server hold what the directory says: after it, nothing on the server is needed that
// could not be deleted.
func (c *coordinator) rebuild(ctx context.Context) error {
	// What the server has and the directory has not comes first: it may be all there is of a
	// paid answer.
	charged := budget.Amount{}
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
	kept, err := c.dir.ledger()
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
				if _, err := c.link.publish(ctx, c.id, subject, marshal(x), nil); err != nil {
					return err
				}
			}
		}
		if err := c.restoreCell(ctx, id, list, leased[cellKey(c.id, id)]); err != nil {
			return err
		}
	}
	if err := c.unqueue(ctx); err != nil {
		return err
	}
	return c.restoreLedger(ctx, kept, charged)
}

// unqueue takes cells that are not to be played any more out of the queue, and from those who play them.
func (c *coordinator) unqueue(ctx context.Context) error {
	return c.link.insist(ctx, "look through the queue", func(ctx context.Context) error {
		stream, err := c.link.js.Stream(ctx, jobStream)
		if err != nil {
			return err
		}
		info, err := stream.Info(ctx, nats_js.WithSubjectFilter(jobSubject+c.id+".*"))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			key := strings.TrimPrefix(subject, jobSubject)
			if c.open(batch.ID(strings.TrimPrefix(key, c.id+"."))) {
				continue
			}
			if err := errors.Join(c.link.fence(ctx, key), stream.Purge(ctx, nats_js.WithPurgeSubject(subject))); err != nil {
				return err
			}
		}
		return nil
	})
}

// restoreCell makes the state of a cell in the bucket, or brings the one there up to date with the
// directory. leased is the last epoch that the ledger knows of.
func (c *coordinator) restoreCell(ctx context.Context, id batch.ID, list []Exchange, leased int64) error {
	if batch.Dir(c.Dir).Done(id) {
		return c.finished(id)
	}
	number, base, err := c.dir.last(id)
	if err != nil {
		return err
	}
	s := cellState{Epoch: max(number, leased), Base: base}
	reached := map[int64]int64{} // the last tick that exchanges after an attempt have answers of
	for _, x := range list {
		s.Epoch = max(s.Epoch, x.Epoch)
		reached[x.Base] = max(reached[x.Base], x.Tick)
	}
	ticks := int64(0)
	if base > 0 {
		played, err := run.Dir(c.dir.attempt(id, base)).State()
		if err != nil {
			return err
		}
		ticks = played.Tick
		if len(played.Open.Exchanges) > 0 {
			ticks++
		}
	}
	if base > 0 && ticks < reached[0] {
		s.Base = 0 // a local run, which does not read exchanges, has not come as far
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
	caughtUp := func(on cellState) cellState {
		// Attempts of local runs are continued, and their numbers are taken.
		if number > max(on.Base, -on.Base) && (base < 0 || ticks > 0 && ticks >= reached[on.Base]) {
			on.Base = base
		}
		if number >= on.Epoch {
			on.Owner = ""
		}
		on.Epoch = max(on.Epoch, s.Epoch)
		if on.Failed { // starting again is asking for another try
			on.Failed = false
			on.Failures = 0
			on.Deaths = 0
		}
		return on
	}
	if err == nil && restored != (cellState{}) && restored != caughtUp(restored) {
		err = c.link.changeCell(ctx, key, func(on *cellState) error {
			*on = caughtUp(*on)
			return nil
		})
	}
	return err
}

// restoreLedger makes the state of the batch of the one that was kept, or opens the one on the
// server again, with the limits of today. charged is what all known exchanges took.
func (c *coordinator) restoreLedger(ctx context.Context, kept batchState, charged budget.Amount) error {
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
		s.Limit = c.Limit
		s.Done = false
		s.Exhausted = false
		for name, l := range s.Leases {
			l.Waiting = false
			s.Leases[name] = l
		}
		// Local runs have spent meanwhile; and leases that no ledger knows of have at least their exchanges.
		s.Settled = s.Settled.Plus(c.Spent.Less(s.Local))
		s.Local = s.Local.AtLeast(c.Spent)
		s.Settled = s.Settled.Plus(charged.Less(s.taken()))
		return nil
	})
}
