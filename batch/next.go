package batch

import (
	"errors"
	"time"
)

// Shard is a part of a batch: every Of-th group of cells that are equal in scenario, seed and repeat,
// beginning with the Index-th, counted from 1, so that what is compared is played together. With
// fewer groups than shards it is every Of-th cell. The zero value is the whole batch.
type Shard struct{ Index, Of int }

// shardsOf says in which of so many shards, counted from 0, each cell is.
func shardsOf(cells []Cell, of int) []int {
	of = max(1, of)
	type instance struct {
		scenario string
		seed     uint64
		repeat   int64
	}
	groups := map[instance]int{}
	list := make([]int, len(cells))
	for i, c := range cells {
		key := instance{c.Scenario, c.Seed, c.Repeat}
		if _, known := groups[key]; !known {
			groups[key] = len(groups)
		}
		list[i] = groups[key] % of
	}
	if len(groups) < of {
		for i := range list {
			list[i] = i % of
		}
	}
	return list
}

// divide divides the cells between this process and those of other shards.
func (b *player) divide() {
	for i, shard := range shardsOf(b.Cells, b.Shard.Of) {
		if b.Shard.Of <= 1 || shard == b.Shard.Index-1 {
			b.mine = append(b.mine, b.Cells[i])
		} else {
			b.others = append(b.others, b.Cells[i])
			b.shards = append(b.shards, shard)
		}
	}
}

// stand says how a cell stands. What another process has finished is taken up. The lock is held.
func (b *player) stand(cell Cell, store Store) (s state, latest int64, err error) {
	if b.done[cell.ID] {
		return done, 0, nil
	}
	if b.Runs != nil {
		if _, ok, err := store.Get(ResultKey(cell.ID)); ok || err != nil {
			b.done[cell.ID] = err == nil
			return done, 0, err
		}
		s, at, err := standing(store, cell.ID, b.Lease)
		return s, at.Number, err
	}
	s, at, err := b.Dir.look(store, cell.ID, b.Lease)
	if err != nil || s != done {
		return s, at.Number, err
	}
	r, _, err := b.Dir.result(cell.ID, ResultFile)
	if _, damaged := errors.AsType[*damagedError](err); damaged {
		if _, err := b.Dir.SetAside(cell.ID); err != nil {
			return s, at.Number, err
		}
		s, at, err = b.Dir.look(store, cell.ID, b.Lease)
		return s, at.Number, err
	}
	r.Cell = cell
	b.keep(r)
	return s, at.Number, err
}

// next claims a cell, or waits until one may be free. It is nil if nothing is left to do.
func (b *player) next() (*claim, Cell, error) {
	for {
		if b.Drain.Err() != nil {
			return nil, Cell{}, nil
		}
		select {
		case b.Slots <- struct{}{}:
		case <-b.Drain.Done():
			return nil, Cell{}, nil
		}
		c, cell, others, err := b.take()
		if c != nil && err == nil {
			return c, cell, nil
		}
		<-b.Slots
		if err != nil || !others {
			return nil, cell, err
		}
		select {
		case <-b.Drain.Done():
		case <-time.After(min(max(b.Lease/20, 20*time.Millisecond), time.Second)):
		}
	}
}

// take claims the first cell that may be played. others says that there was none, but that others
// play cells which may become free.
func (b *player) take() (_ *claim, _ Cell, others bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	store := b.Store
	if b.Runs == nil {
		store = b.Dir.Store() // the time is asked for again
	}
	for len(b.mine) > 0 && b.done[b.mine[0].ID] {
		b.mine = b.mine[1:]
	}
	for _, cell := range b.mine {
		s, _, err := b.stand(cell, store)
		if err != nil {
			return nil, cell, false, err
		}
		if s == playing && !b.own[cell.ID] {
			others = true
		}
		if s == done || s == playing || b.failures[cell.ID] > b.Retries {
			continue
		}
		if c, err := b.claim(cell.ID); c != nil || err != nil {
			b.own[cell.ID] = true
			return c, cell, false, err
		}
		others = true
	}
	if others && b.Shard.Of <= 1 {
		return nil, Cell{}, true, nil
	}
	c, cell, err := b.takeAbandoned(store)
	return c, cell, false, err
}

// takeAbandoned claims the first cell of another shard that somebody has begun here and nobody plays; nil without
// one. The lock is held.
func (b *player) takeAbandoned(store Store) (*claim, Cell, error) {
	begun, live := map[int]bool{}, map[int]bool{}
	var abandoned []Cell
	var shards []int
	for i, cell := range b.others {
		shard := b.shards[i]
		s, latest, err := b.stand(cell, store)
		if err != nil {
			return nil, cell, err
		}
		begun[shard] = begun[shard] || s == done || latest > 0
		live[shard] = live[shard] || s == playing
		if s == waiting || s == stale {
			abandoned, shards = append(abandoned, cell), append(shards, shard)
		}
	}
	for i, cell := range abandoned {
		if !begun[shards[i]] || live[shards[i]] || b.failures[cell.ID] > b.Retries {
			continue
		}
		if c, err := b.claim(cell.ID); c != nil || err != nil {
			b.own[cell.ID] = true
			return c, cell, err
		}
	}
	return nil, Cell{}, nil
}

// claim takes a cell that may be free; nil if it is not.
func (b *player) claim(id ID) (*claim, error) {
	if b.Runs == nil {
		return b.Dir.claim(id, b.Lease)
	}
	l, err := b.Store.Claim(AttemptKey(id), b.Lease)
	if l == nil || err != nil {
		return nil, err
	}
	return &claim{Lease: l, dir: b.Dir, id: id, number: l.Number()}, nil
}
