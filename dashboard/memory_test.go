package dashboard

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"example.com/agentworld"
)

// serverOf is a server over a directory of short runs, which no one asks yet.
func serverOf(t *testing.T, runs int) (s *Server, ids []string) {
	t.Helper()
	dir := t.TempDir()
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = 20
	for n := range runs {
		ids = append(ids, fmt.Sprint("run-", n))
		settings.Seed = uint64(n)
		if _, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: filepath.Join(dir, ids[n])}); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = New(Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	t.Cleanup(func() { _ = s.Serve(ctx) })
	return s, ids
}

// opened is the history of a run, read to its end.
func opened(t *testing.T, s *Server, id string) *history {
	t.Helper()
	h, err := s.history(id)
	if err != nil {
		t.Fatal(err)
	}
	<-h.readOnce
	return h
}

// bytes is what the histories of a server take.
func (s *Server) bytes() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.open {
		n += h.bytes()
	}
	return n
}

// TestRunsThatAreLookedAtStayOpen looks at ten runs in turn, with memory for less than two.
func TestRunsThatAreLookedAtStayOpen(t *testing.T) {
	s, ids := serverOf(t, 10)
	first := map[string]*history{}
	for round := range 3 {
		for _, id := range ids {
			h := opened(t, s, id)
			if round == 0 {
				first[id] = h
				s.mu.Lock()
				s.bytesMax = h.bytes() * 3 / 2
				s.mu.Unlock()
			} else if h != first[id] {
				t.Fatalf("round %d: %s was read again", round, id)
			}
			if w, err := h.at(11); err != nil || w.Tick() != 11 {
				t.Errorf("%s has no tick 11: %v", id, err)
			}
			s.fit()
		}
	}
	whole := int64(0)
	for _, h := range first {
		whole += 64<<10 + 20*tickBytes + int64(len(h.header.Settings.ScenarioTOML)) + 1000*int64(len(h.header.Agents)) + 2*h.worldBytes
	}
	// What a world, an index and a header take is there in any case.
	if n := s.bytes(); n > s.bytesMax+whole {
		t.Errorf("the histories take %d bytes, at most %d and %d", n, s.bytesMax, whole)
	}
}

// TestRunsThatNobodyLooksAtGoFirst leaves three of four runs: the one seen longest ago goes, and no
// more than needed.
func TestRunsThatNobodyLooksAtGoFirst(t *testing.T) {
	s, ids := serverOf(t, 4)
	for i, id := range ids {
		opened(t, s, id)
		s.mu.Lock()
		s.seen[id] = time.Now().Add(-time.Duration(10-i) * idleAfter)
		s.mu.Unlock()
	}
	s.fit()
	if len(s.open) != 4 {
		t.Fatalf("%d runs are open, and there is room for all", len(s.open))
	}
	s.seen[ids[0]] = time.Now() // looked at again
	s.bytesMax = s.bytes() - 1
	s.fit()
	if s.open[ids[0]] == nil || s.open[ids[1]] != nil || s.open[ids[2]] == nil || s.open[ids[3]] == nil || s.bytes() > s.bytesMax {
		t.Errorf("open are %v with %d bytes of %d", s.open, s.bytes(), s.bytesMax)
	}
}

// TestRunsThatNobodyLooksAtAreClosed opens more runs than are polled for no one.
func TestRunsThatNobodyLooksAtAreClosed(t *testing.T) {
	s, ids := serverOf(t, 1)
	h := opened(t, s, ids[0])
	s.mu.Lock()
	for n := range openMax + 10 {
		id := fmt.Sprint("idle-", n)
		s.open[id], s.seen[id] = &history{cancel: func() {}, play: h.play}, time.Now().Add(-2*idleAfter)
	}
	s.mu.Unlock()
	s.fit()
	if len(s.open) != openMax || s.open[ids[0]] == nil {
		t.Errorf("%d runs are open", len(s.open))
	}
}
