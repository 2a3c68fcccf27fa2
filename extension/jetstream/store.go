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
	"github.com/nats-io/nuid"

	"example.com/agentworld/batch"
)

// store is a [batch.Store] on a server: a key of a batch is an entry of the bucket. A claim is one entry, whose
// number is the epoch of its key.
type store struct {
	link *Link
	// id is that of the batch.
	id string
	// ctx is how long the server is waited for; once it has ended, each call waits for farewell.
	ctx context.Context

	mu sync.Mutex
	// clock is the time of the server at the moment read of this process.
	clock, read time.Time
	// aged, when set, is by how much an entry is older than its time says.
	aged func(at time.Time) time.Duration
}

// clockKey is written to learn the time of the server.
const clockKey = "clock"

// name is the name of a key in the bucket. Its parts are tokens of a subject, so that all below a prefix can be
// watched and removed.
func (s *store) name(key string) string { return s.id + "." + strings.ReplaceAll(key, "/", ".") }

// settingsKey is the key of the settings of a cell.
func settingsKey(id batch.ID) string { return "cells/" + string(id) + "/settings.json" }

// insist calls f until it succeeds or fails for good.
func (s *store) insist(what string, f func(context.Context) error) error {
	ctx, cancel := outlast(s.ctx)
	defer cancel()
	return s.link.insist(ctx, what, f)
}

// Whether the text of an entry is in it, or in an object that it names.
const (
	inEntry  = '='
	inObject = '@'
)

// sealed is the content of an entry: a name made for it, which tells it from an equal one of another process, and
// its text or the object that has it.
func (s *store) sealed(text []byte) (content []byte, err error) {
	made := nuid.Next()
	if len(text) <= messageBytesMax {
		return append([]byte(made+string(inEntry)), text...), nil
	}
	name := s.objects() + made
	return []byte(made + string(inObject) + name), s.insist("store "+name, func(ctx context.Context) error {
		_, err := s.link.files.PutBytes(ctx, name, text)
		return err
	})
}

// objects begins the names of the objects with texts of entries.
func (s *store) objects() string { return "message/" + s.id + "/" }

// text is that of an entry.
func (s *store) text(ctx context.Context, content []byte) (text []byte, err error) {
	made := len(nuid.Next())
	switch {
	case len(content) <= made:
		return nil, errors.New("an entry on the server is damaged")
	case content[made] != inObject:
		return content[made+1:], nil
	}
	name := string(content[made+1:])
	err = s.link.insist(ctx, "fetch "+name, func(ctx context.Context) error {
		text, err = s.link.files.GetBytes(ctx, name)
		if missing(err) {
			return errFinal{err}
		}
		return err
	})
	return text, err
}

// Put implements [batch.Store].
func (s *store) Put(key string, data []byte) (first bool, err error) {
	content, err := s.sealed(data)
	if err != nil {
		return false, err
	}
	err = s.insist("put "+key, func(ctx context.Context) error {
		_, err := s.link.keys.Create(ctx, s.name(key), content)
		if !conflict(err) {
			first = err == nil
			return err
		}
		entry, err := s.link.keys.Get(ctx, s.name(key))
		if err != nil {
			return err
		}
		// The answer to an earlier try of ours may have been lost.
		first = string(entry.Value()) == string(content)
		return nil
	})
	return first, err
}

// Set implements [batch.Store].
func (s *store) Set(key string, data []byte) error {
	content, err := s.sealed(data)
	if err != nil {
		return err
	}
	return s.insist("set "+key, func(ctx context.Context) error {
		_, err := s.link.keys.Put(ctx, s.name(key), content)
		return err
	})
}

// Get implements [batch.Store].
func (s *store) Get(key string) (data []byte, ok bool, err error) {
	entry, err := s.entry(key)
	if entry == nil || err != nil {
		return nil, false, err
	}
	data, err = s.text(s.ctx, entry.Value())
	return data, err == nil, err
}

// entry is that of a key, nil if it has none.
func (s *store) entry(key string) (entry nats_js.KeyValueEntry, err error) {
	err = s.insist("get "+key, func(ctx context.Context) error {
		entry, err = s.link.keys.Get(ctx, s.name(key))
		if errors.Is(err, nats_js.ErrKeyNotFound) {
			entry, err = nil, nil
		}
		return err
	})
	return entry, err
}

// cellState is who may work on a cell.
type cellState struct {
	// Epoch is the number of the last claim; it only rises. Attempts are named after it.
	Epoch int64 `json:"epoch"`
	// Owner is a name made for the claim; empty while the cell has no owner. Host is that of the owner.
	Owner string `json:"owner,omitempty"`
	Host  string `json:"host,omitempty"`
	// Base is the attempt that the next one continues, 0 for none. It is negative if the next one
	// starts over after that attempt, whose answers are not its own.
	Base int64 `json:"base,omitempty"`
	// Closed says that nobody may claim the cell. Deaths counts owners that were never heard of again.
	Closed bool `json:"closed,omitempty"`
	Deaths int  `json:"deaths,omitempty"`
}

// deathsMax is how many workers may die over a cell before it is given up.
const deathsMax = 5

// errUnclaimed ends a change of a cell that is not this process's to change.
var errUnclaimed = errors.New("the cell has another owner by now")

// change replaces the state of a cell by what do makes of it, which is asked again if somebody else came first. An
// error of do is returned. at is when the state was written, by the clock of the server.
func (s *store) change(key string, do func(state *cellState, at time.Time) error) (state cellState, err error) {
	err = s.insist("claim "+key, func(ctx context.Context) error {
		var revision uint64
		var at time.Time
		state = cellState{}
		entry, err := s.link.keys.Get(ctx, s.name(key))
		switch {
		case errors.Is(err, nats_js.ErrKeyNotFound):
		case err != nil:
			return err
		default:
			revision, at = entry.Revision(), entry.Created()
			if err := json.Unmarshal(entry.Value(), &state); err != nil {
				return errFinal{fmt.Errorf("the state of %s is damaged: %w", key, err)}
			}
		}
		if err := do(&state, at); err != nil {
			return errFinal{err}
		}
		if revision == 0 {
			_, err = s.link.keys.Create(ctx, s.name(key), marshal(state)) // also in place of one that was removed
		} else {
			_, err = s.link.keys.Update(ctx, s.name(key), marshal(state), revision)
		}
		return err
	})
	return state, err
}

// state is that of a cell, and when it was written.
func (s *store) state(key string) (state cellState, at time.Time, err error) {
	entry, err := s.entry(key)
	if entry == nil || err != nil {
		return state, at, err
	}
	return state, entry.Created(), json.Unmarshal(entry.Value(), &state)
}

// now is the time of the server: asked for, or by the last answer.
func (s *store) now(asked bool) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if asked || s.read.IsZero() {
		err := s.insist("ask for the time", func(ctx context.Context) error {
			if _, err := s.link.keys.Put(ctx, s.name(clockKey), nil); err != nil {
				return err
			}
			entry, err := s.link.keys.Get(ctx, s.name(clockKey))
			if err == nil {
				s.clock, s.read = entry.Created(), time.Now()
			}
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
	}
	return s.clock.Add(time.Since(s.read)), nil
}

// silent says that an owner has not been heard of for a lease.
func (s *store) silent(at time.Time, lease time.Duration) (bool, error) {
	if s.aged != nil {
		at = at.Add(-s.aged(at))
	}
	now, err := s.now(false)
	if err == nil && now.Sub(at) > lease { // a clock may have been set
		now, err = s.now(true)
	}
	return err == nil && now.Sub(at) > lease, err
}

// Stand implements [batch.Store].
func (s *store) Stand(key string, lease time.Duration) (batch.Standing, error) {
	state, at, err := s.state(key)
	out := batch.Standing{Number: state.Epoch, Host: state.Host}
	switch {
	case err != nil || state.Closed:
		return out, err
	case state.Owner == "":
		out.Free = true
		out.Gone = true
		return out, nil
	}
	out.Silent, err = s.silent(at, lease)
	out.Free = out.Silent
	return out, err
}

// errTaken says that a cell cannot be claimed.
var errTaken = errors.New("somebody has the cell")

// Claim implements [batch.Store].
func (s *store) Claim(key string, lease time.Duration) (batch.Lease, error) {
	host, _ := os.Hostname()
	owner := nuid.Next()
	died := false
	state, err := s.change(key, func(state *cellState, at time.Time) error {
		died = false
		switch {
		case state.Owner == owner: // our write of before, whose answer was lost
			return nil
		case state.Closed:
			return errTaken
		case state.Owner != "":
			silent, err := s.silent(at, lease)
			if err == nil && !silent {
				err = errTaken
			}
			if err != nil {
				return err
			}
			state.Deaths++
			died = state.Deaths > deathsMax
		}
		if died {
			state.Closed, state.Owner = true, ""
			return nil
		}
		state.Epoch++
		state.Owner = owner
		state.Host = host
		return nil
	})
	if errors.Is(err, errTaken) || err == nil && died {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(s.ctx)
	c := &claim{store: s, key: key, epoch: state.Epoch, owner: owner, base: state.Base, stop: stop}
	c.beats.Go(func() { c.beat(ctx, lease/4) })
	return c, nil
}

// claim is a [batch.Lease] of a [store]. It ends when another claim is made.
type claim struct {
	store *store
	key   string
	epoch int64
	owner string
	// base is the attempt that this one continues, see [cellState].
	base int64

	stop  context.CancelFunc
	beats sync.WaitGroup
}

// Number implements [batch.Lease].
func (c *claim) Number() int64 { return c.epoch }

// Holds implements [batch.Lease].
func (c *claim) Holds() bool {
	state, _, err := c.store.state(c.key)
	return err == nil && c.ours(&state)
}

// ours says that a state is that of this claim.
func (c *claim) ours(state *cellState) bool { return state.Epoch == c.epoch && state.Owner == c.owner }

// change changes the state of the cell while this claim holds.
func (c *claim) change(do func(*cellState)) error {
	_, err := c.store.change(c.key, func(state *cellState, _ time.Time) error {
		if !c.ours(state) {
			return errUnclaimed
		}
		do(state)
		return nil
	})
	return err
}

// beat writes the claim again, until ctx ends or it is lost.
func (c *claim) beat(ctx context.Context, every time.Duration) {
	for pause(ctx, every); ctx.Err() == nil; pause(ctx, every) {
		if errors.Is(c.change(func(*cellState) {}), errUnclaimed) {
			return
		}
	}
}

// Release implements [batch.Lease].
func (c *claim) Release() error {
	c.stop()
	c.beats.Wait()
	err := c.change(func(state *cellState) { state.Owner = "" })
	if errors.Is(err, errUnclaimed) {
		return nil
	}
	return err
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// marshal is v in JSON.
func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("jetstream: a message is no JSON: %v", err))
	}
	return text
}
