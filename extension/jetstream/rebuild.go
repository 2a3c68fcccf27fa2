package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
)

// rebuild makes the server hold what the directory says: after it, nothing on the server is needed that
// could not be deleted. The offer comes last.
func (c *coordinator) rebuild(ctx context.Context) error {
	// What the server has and the directory has not comes first: it may be all there is of a
	// paid answer.
	byCell := map[batch.ID][]Exchange{}
	for id := range c.states {
		list, err := c.dir.exchanges(id)
		if err != nil {
			return err
		}
		c.keeping.Lock()
		for _, x := range list {
			c.stored[c.store.name(x.name())] = true
		}
		c.keeping.Unlock()
		byCell[id] = list
	}
	c.keeping.Lock()
	c.revision = 0 // of another store
	c.keeping.Unlock()
	onServer := map[string]bool{}
	err := c.store.each(ctx, exchangesKey, func(ctx context.Context, entry nats_js.KeyValueEntry) error {
		onServer[entry.Key()] = true
		x, added, err := c.keep(ctx, entry)
		if added {
			byCell[x.Cell] = append(byCell[x.Cell], x)
		}
		return err
	})
	if err != nil {
		return err
	}
	for id, list := range byCell {
		for _, x := range list {
			if !onServer[c.store.name(x.name())] {
				if _, err := c.store.Put(x.name(), marshal(x)); err != nil {
					return err
				}
			}
		}
		if err := c.restoreCell(ctx, c.states[id], list); err != nil {
			return err
		}
	}
	err = errors.Join(c.restoreBudget(), c.store.Set(shortKey, []byte("0"))) // there may be more room today
	if err != nil {
		return err
	}
	list, err := c.dir.folder().Read(batch.CellsKey, fileBytesMax)
	if err == nil {
		err = c.store.Set(batch.CellsKey, list)
	}
	if err != nil {
		return err
	}
	return c.offer(ctx, false)
}

// offer offers the batch to workers, or says that it is over. One that is the same is not written again: workers
// begin again with another one.
func (c *coordinator) offer(ctx context.Context, over bool) error {
	list, err := c.dir.folder().Read(batch.CellsKey, fileBytesMax)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(list)
	o := offer{Over: over, Limit: c.limit, Retries: c.Retries, Lease: c.Lease, Cells: hex.EncodeToString(sum[:8])}
	return c.link.insist(ctx, "offer the batch", func(ctx context.Context) error {
		before, err := c.link.offer(ctx, c.store.id)
		if err == nil && before != o {
			_, err = c.link.keys.Put(ctx, c.store.name(offerKey), marshal(o))
		}
		return err
	})
}

// restoreBudget puts the entries of what is leased that the server does not have, and brings both together if
// local runs leased meanwhile.
func (c *coordinator) restoreBudget() error {
	here := c.Dir.Store()
	for n := int64(1); ; n++ {
		text, ok, err := here.Get(batch.LeaseKey(n))
		if err != nil {
			return err
		}
		if !ok {
			return batch.TakeLeases(c.store, here)
		}
		if _, err := c.store.Put(batch.LeaseKey(n), text); err != nil {
			return err
		}
	}
}

// restoreCell makes the state of a cell on the server, or brings the one there up to date with the
// directory. list are the exchanges of the cell.
func (c *coordinator) restoreCell(ctx context.Context, one *cell, list []Exchange) error {
	id := one.ID
	if c.Dir.Done(id) {
		text, err := c.dir.folder().Read(batch.ResultKey(id), fileBytesMax)
		if err == nil {
			_, err = c.store.Put(batch.ResultKey(id), text)
		}
		return err
	}
	settings, err := c.Settings(one.Cell)
	if err == nil {
		_, err = c.store.Put(settingsKey(id), llmclient.Marshal(settings))
	}
	if err != nil {
		return err
	}
	number, base, err := c.dir.last(id)
	if err != nil {
		return err
	}
	epoch := number
	reached := map[int64]int64{} // the last tick that exchanges after an attempt have answers of
	for _, x := range list {
		epoch = max(epoch, x.Epoch)
		reached[x.Base] = max(reached[x.Base], x.Tick)
	}
	ticks := int64(0)
	if base > 0 {
		played, err := run.Dir(c.Dir.Run(id, base)).State()
		if err != nil {
			return err
		}
		ticks = played.Tick
		if len(played.Open.Exchanges) > 0 {
			ticks++
		}
		err = c.offerRun(ctx, id, base)
		if err != nil {
			return err
		}
	}
	_, err = c.store.change(batch.AttemptKey(id), func(s *cellState, at time.Time) error {
		switch {
		case at.IsZero() && (base <= 0 || ticks >= reached[0]):
			s.Base = base
		case at.IsZero(): // a local run, which does not read exchanges, has not come as far
		case number > max(s.Base, -s.Base) && (base < 0 || ticks > 0 && ticks >= reached[s.Base]):
			s.Base = base // attempts of local runs are continued, and their numbers are taken
		}
		if number >= s.Epoch {
			s.Owner = ""
		}
		s.Epoch = max(s.Epoch, epoch)
		if s.Closed { // starting again is asking for another try
			s.Closed = false
			s.Deaths = 0
		}
		return nil
	})
	return err
}

// offerRun sends the run of an attempt to the server, unless it is there.
func (c *coordinator) offerRun(ctx context.Context, id batch.ID, attempt int64) error {
	name := attemptFile(c.store.id, id, attempt)
	err := c.link.insist(ctx, "look for "+name, func(ctx context.Context) error {
		_, err := c.link.files.GetInfo(ctx, name)
		if missing(err) {
			return errFinal{err}
		}
		return err
	})
	if missing(err) {
		err = c.link.sendDir(ctx, name, c.dir.attempt(id, attempt))
	}
	return err
}
