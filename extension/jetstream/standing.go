package jetstream

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"example.com/agentworld/batch"
)

// standing is how far a batch is: which cells are done, given up or played, and whether anything is
// left to do. It is for several goroutines.
type standing struct {
	cells map[batch.ID]bool
	// tell is called with each result and each cell that is given up, show with the cells that are
	// played, one call at a time; both may be nil.
	tell func(batch.Result) (enough bool)
	show func(map[batch.ID]int64)

	mu        sync.Mutex
	done      map[batch.ID]bool
	failed    map[batch.ID]string
	exhausted bool
	decided   bool
	// playing are the cells that have an owner, with the numbers of their attempts.
	playing map[batch.ID]int64
	// broken is why the directory cannot be written any more.
	broken error
	// changed says that anything else here may have.
	changed chan struct{}
}

func newStanding(jobs map[batch.ID]Job, tell func(batch.Result) bool, show func(map[batch.ID]int64)) *standing {
	cells := map[batch.ID]bool{}
	for id := range jobs {
		cells[id] = true
	}
	return &standing{
		cells: cells, tell: tell, show: show, done: map[batch.ID]bool{}, failed: map[batch.ID]string{},
		playing: map[batch.ID]int64{}, changed: make(chan struct{}, 1),
	}
}

// outcome is how the batch would end now.
func (s *standing) outcome() Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Outcome{Results: len(s.done), Failed: maps.Clone(s.failed), Exhausted: s.exhausted, Decided: s.decided}
}

// over says that nothing is left to do. The error is why nothing can be done.
func (s *standing) over() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return true, fmt.Errorf("coordinate: %w", s.broken)
	}
	return s.exhausted || s.decided || len(s.done)+len(s.failed) >= len(s.cells), nil
}

// wait returns once nothing is left to do.
func (s *standing) wait(ctx context.Context) error {
	for {
		if over, err := s.over(); over {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.changed:
		}
	}
}

// change makes a change, and wakes wait.
func (s *standing) change(do func()) {
	s.mu.Lock()
	do()
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// fail ends the work: the directory cannot be written.
func (s *standing) fail(err error) { s.change(func() { s.broken = err }) }

// exhaust ends the work: the budget is used up.
func (s *standing) exhaust() { s.change(func() { s.exhausted = true }) }

// finish counts a cell whose result is in the directory, also one that was given up before.
func (s *standing) finish(r batch.Result) {
	s.change(func() {
		known := s.done[r.ID]
		s.done[r.ID] = true
		delete(s.failed, r.ID)
		delete(s.playing, r.ID)
		if !known {
			s.told(r)
		}
	})
}

// giveUp counts a cell that failed too often.
func (s *standing) giveUp(r batch.Result) {
	s.change(func() {
		if !s.done[r.ID] {
			s.failed[r.ID] = r.Reason
			s.told(r)
		}
	})
}

// told tells of a cell. The lock is held.
func (s *standing) told(r batch.Result) {
	if s.tell != nil && s.tell(r) {
		s.decided = true
	}
}

func (s *standing) isDone(id batch.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[id]
}

// open says that a cell is still to be played.
func (s *standing) open(id batch.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, failed := s.failed[id]
	return s.cells[id] && !failed && !s.done[id]
}

// owned notes whether a cell is played, and as which attempt.
func (s *standing) owned(id batch.ID, attempt int64, played bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.playing[id]
	if delete(s.playing, id); played && !s.done[id] {
		s.playing[id] = attempt
	}
	if s.show != nil && s.playing[id] != before {
		s.show(maps.Clone(s.playing))
	}
}

// played are the cells that are played, with the numbers of their attempts.
func (s *standing) played() map[batch.ID]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.playing)
}
