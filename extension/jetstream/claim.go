package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	nats_js "github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"example.com/agentworld/batch"
	"example.com/agentworld/trace"
)

// cellState is who may work on a cell, in the bucket of cells.
type cellState struct {
	// Epoch is the number of the last claim; it only rises. Attempts are named after it.
	Epoch int64 `json:"epoch"`
	// Owner is a name made for the claim; empty while the cell has no owner.
	Owner string `json:"owner"`
	// Base is the attempt that the next one continues, 0 for none. It is negative if the next one
	// starts over after that attempt, whose answers are not its own.
	Base int64 `json:"base"`
	// Deaths counts owners that were never heard of again, Failures the attempts that failed
	// for a reason outside of the run.
	Deaths   int `json:"deaths"`
	Failures int `json:"failures"`
	// Status and Reason are how the last attempt failed; Failed says that no other is made.
	Status trace.RunStatus `json:"status,omitempty"`
	Reason string          `json:"reason,omitempty"`
	Failed bool            `json:"failed,omitempty"`
}

// deathsMax is how many workers may die over a cell before it is given up.
const deathsMax = 5

// errFenced ends the work on a cell that belongs to somebody else.
var errFenced = errors.New("the cell has another owner by now")

// errGivenUp says that no attempt at the cell is made any more.
var errGivenUp = errors.New("the cell was given up")

// claim is the right to work on a cell. It ends when another claim is made.
type claim struct {
	link *Link
	key  string
	cell cellState
}

// cellKey is the key of a cell in the buckets.
func cellKey(id string, cell batch.ID) string { return id + "." + string(cell) }

// readCell returns the state of a cell and its revision.
func (l *Link) readCell(ctx context.Context, key string) (s cellState, revision uint64, err error) {
	err = l.insist(ctx, "read the epoch of cell "+key, func(ctx context.Context) error {
		entry, err := l.cells.Get(ctx, key)
		if errors.Is(err, nats_js.ErrKeyNotFound) {
			return errFinal{errFenced} // the batch is done, or its store is another
		}
		if err != nil {
			return err
		}
		revision = entry.Revision()
		return json.Unmarshal(entry.Value(), &s)
	})
	return s, revision, err
}

// changeCell replaces the state of a cell by what change makes of it. change may refuse with an
// error, and is asked again if somebody else came first.
func (l *Link) changeCell(ctx context.Context, key string, change func(*cellState) error) error {
	return l.insist(ctx, "claim cell "+key, func(ctx context.Context) error {
		s, revision, err := l.readCell(ctx, key)
		if err != nil {
			return finally(err)
		}
		if err := change(&s); err != nil {
			return errFinal{err}
		}
		_, err = l.cells.Update(ctx, key, marshal(s), revision)
		return err
	})
}

// claimCell takes a cell over. A cell over which too many died is given up.
func (l *Link) claimCell(ctx context.Context, key string) (*claim, error) {
	c := &claim{link: l, key: key}
	owner, gaveUp := nuid.Next(), false
	err := l.changeCell(ctx, key, func(s *cellState) error {
		switch {
		case s.Owner == owner: // our write of before, whose answer was lost
			c.cell = *s
			return nil
		case s.Failed:
			return errGivenUp
		}
		if s.Owner != "" {
			s.Deaths++
		}
		gaveUp = s.Deaths > deathsMax
		if gaveUp {
			s.Failed = true
			s.Owner = ""
			s.Status = trace.RunInternalError
			s.Reason = fmt.Sprintf("%d workers died over it", s.Deaths)
			return nil
		}
		s.Epoch++
		s.Owner = owner
		c.cell = *s
		return nil
	})
	if err == nil && gaveUp {
		err = errGivenUp
	}
	return c, err
}

// check returns errFenced if the cell is somebody else's by now.
func (c *claim) check(ctx context.Context) error {
	s, _, err := c.link.readCell(ctx, c.key)
	if err == nil && (s.Epoch != c.cell.Epoch || s.Owner != c.cell.Owner) {
		err = errFenced
	}
	return err
}

// release gives the cell back. change says what the next owner finds.
func (c *claim) release(ctx context.Context, change func(*cellState)) error {
	return c.link.changeCell(ctx, c.key, func(s *cellState) error {
		if s.Epoch != c.cell.Epoch || s.Owner != c.cell.Owner {
			return errFenced
		}
		s.Owner = ""
		change(s)
		return nil
	})
}

// fence ends the claim on a cell, if there is one.
func (l *Link) fence(ctx context.Context, key string) error {
	err := l.changeCell(ctx, key, func(s *cellState) error {
		s.Owner = ""
		return nil
	})
	if errors.Is(err, errFenced) {
		return nil // there is no such cell to work on
	}
	return err
}

// marshal is v in JSON.
func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("jetstream: a message is no JSON: %v", err))
	}
	return text
}
