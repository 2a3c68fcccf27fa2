package dashboard

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// growing is the trace of a run that a test writes.
type growing struct {
	dir run.Dir
	// text is what was written so far.
	text bytes.Buffer
	w    *trace.Writer
	h    *history
	read chan bool
}

// grow begins a run of two ticks, of which the second one is open with some calls, and its history.
func grow(t *testing.T, calls int) *growing {
	t.Helper()
	g := &growing{dir: run.Dir(t.TempDir()), read: make(chan bool, 100)}
	g.w = trace.NewChainedWriter(&g.text, "")
	g.write(t, trace.Header{Format: trace.FormatVersion, Agents: []trace.HeaderAgent{{ID: "agent-1"}}}, trace.TickEnd{Tick: 1})
	for step := range calls {
		g.write(t, call(step+1))
	}
	g.put(t, g.text.Bytes())
	h, err := openHistory(g.dir.As(nil), func() { g.read <- true })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.cancel)
	<-g.read
	if r := h.reached(); r.Tick != 1 || r.Damage != "" {
		t.Fatalf("reached %+v", r)
	}
	g.h = h
	return g
}

func call(step int) trace.ModelCall {
	return trace.ModelCall{Tick: 2, AgentID: "agent-1", Step: step, Model: "m", Answer: trace.Answer{Usage: llmclient.Usage{Input: 1}}}
}

func (g *growing) write(t *testing.T, records ...trace.Record) {
	t.Helper()
	for _, r := range records {
		if err := g.w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
}

// put replaces the trace on disk; what is there already stays the same file.
func (g *growing) put(t *testing.T, text []byte) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(string(g.dir), run.TraceFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(text, 0)
	if err = errors.Join(err, f.Truncate(int64(len(text))), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// reaches waits until the history has read what is there, and holds the calls of tick 2 against want.
func (g *growing) reaches(t *testing.T, tick, calls int64) {
	t.Helper()
	<-g.read
	g.h.mu.RLock()
	defer g.h.mu.RUnlock()
	if g.h.err != nil || g.h.done != tick {
		t.Fatalf("the history ends in tick %d, want %d: %v", g.h.done, tick, g.h.err)
	}
	if rows := g.h.figures.Columns()["calls"]; tick == 2 && rows[len(rows)-1] != calls {
		t.Errorf("tick 2 has %d calls, want %d", rows[len(rows)-1], calls)
	}
}

// TestAnOpenTickIsReadOnce changes what was read of an open tick. Whoever reads it again finds that
// its chain is broken.
func TestAnOpenTickIsReadOnce(t *testing.T) {
	g := grow(t, 3)
	g.write(t, call(4), trace.TickEnd{Tick: 2})
	g.put(t, []byte(strings.Replace(g.text.String(), `"step":1`, `"step":7`, 1)))
	g.reaches(t, 2, 4)
}

// TestALineCutShortIsReadWhenItIsWhole looks at a trace while a line is being written.
func TestALineCutShortIsReadWhenItIsWhole(t *testing.T) {
	g := grow(t, 3)
	whole := g.text.Len()
	g.write(t, call(4))
	g.put(t, g.text.Bytes()[:whole+(g.text.Len()-whole)/2])
	g.reaches(t, 1, 0)
	g.write(t, trace.TickEnd{Tick: 2})
	g.put(t, g.text.Bytes())
	g.reaches(t, 2, 4)
}

// TestAnOpenTickThatWasRepairedIsReadAgain cuts calls off the open tick and writes others, as a
// resume does.
func TestAnOpenTickThatWasRepairedIsReadAgain(t *testing.T) {
	for _, long := range []bool{false, true} {
		g := grow(t, 3)
		again := growing{dir: g.dir, h: g.h, read: g.read}
		again.w = trace.NewChainedWriter(&again.text, "")
		again.write(t, trace.Header{Format: trace.FormatVersion, Agents: []trace.HeaderAgent{{ID: "agent-1"}}}, trace.TickEnd{Tick: 1}, call(1))
		again.put(t, again.text.Bytes())
		again.reaches(t, 1, 0)
		again.write(t, trace.Resume{Tick: 1})
		calls := int64(1)
		for step := 2; long && step < 9; step++ {
			again.write(t, call(step))
			calls++
		}
		again.write(t, trace.TickEnd{Tick: 2})
		again.put(t, again.text.Bytes())
		again.reaches(t, 2, calls)
	}
}

// TestAnotherRunInTheSamePlace replaces a run between two looks at it.
func TestAnotherRunInTheSamePlace(t *testing.T) {
	g := grow(t, 3)
	other := growing{}
	other.w = trace.NewChainedWriter(&other.text, "")
	other.write(t, trace.Header{Format: trace.FormatVersion, RulesVersion: "other", Agents: []trace.HeaderAgent{{ID: "agent-1"}}}, trace.TickEnd{Tick: 1}, trace.TickEnd{Tick: 2})
	g.put(t, other.text.Bytes())
	<-g.read
	if err := g.h.failed(); !errors.Is(err, run.ErrReplaced) || g.h.damaged() {
		t.Errorf("the history ends with %v", err)
	}
}

// TestARunThatGoesOnHasNotEnded ends a run and resumes it.
func TestARunThatGoesOnHasNotEnded(t *testing.T) {
	g := grow(t, 0)
	ended := func() bool {
		g.h.mu.RLock()
		defer g.h.mu.RUnlock()
		return g.h.end != nil
	}
	g.write(t, trace.RunEnd{Tick: 1, RunStatus: trace.RunInterrupted})
	g.put(t, g.text.Bytes())
	if g.reaches(t, 1, 0); !ended() {
		t.Error("the run has not ended")
	}
	g.write(t, trace.Resume{Tick: 1})
	g.put(t, g.text.Bytes())
	if g.reaches(t, 1, 0); ended() {
		t.Error("the run has ended, and goes on")
	}
	g.write(t, trace.TickEnd{Tick: 2})
	g.put(t, g.text.Bytes())
	g.reaches(t, 2, 0)
}
