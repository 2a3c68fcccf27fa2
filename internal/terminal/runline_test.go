package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// printed is what was printed so far: the line is drawn while a test reads it.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// newLine returns a run's line and what it prints to.
func newLine(updates bool, columns int) (*RunLine, *printed) {
	var out printed
	l := &RunLine{
		Printer: &Printer{Screen: NewScreen(&out, "program"), Terminal: updates, Columns: func() int { return columns }}, Now: time.Now,
		Prices: []price.Price{{Model: "m", Rates: price.Rates{Input: price.FromMicros(1000), Output: price.FromMicros(2000)}}},
	}
	began := time.Now()
	l.Traffic = func() access.Traffic { return access.Traffic{Sent: l.open, Since: began} } // all are sent at once
	return l, &out
}

// drawn are the updating lines in an output, in the order in which they were drawn.
func drawn(output string) []string { return strings.Split(output, LineStart) }

// TestLineMovesDuringATick follows one long tick with two calls.
func TestLineMovesDuringATick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, out := newLine(true, 120)
		var now atomic.Pointer[access.Traffic]
		now.Store(&access.Traffic{})
		l.Traffic = func() access.Traffic { return *now.Load() }
		l.Start(engine.Progress{Ticks: 3, Currency: "USD", Cap: trace.Limit{Calls: 50, Tokens: 200_000, Cost: price.FromMicros(2_000_000)}})
		_, tickEnds := l.Begin(t.Context(), engine.Span{Kind: engine.SpanTick, Tick: 1})
		_, first := l.Begin(t.Context(), engine.Span{Kind: engine.SpanModelCall, Tick: 1, Model: "m"})
		time.Sleep(4 * time.Second)
		_, second := l.Begin(t.Context(), engine.Span{Kind: engine.SpanModelCall, Tick: 1, Model: "m"})
		began := time.Now()
		time.Sleep(90 * time.Second)
		until := time.Now().Add(30*time.Second + 400*time.Millisecond)
		now.Store(&access.Traffic{Sent: 1, Since: began, Until: until})
		synctest.Wait()
		time.Sleep(300 * time.Millisecond)
		lines := drawn(out.String())
		last := lines[len(lines)-1]
		for _, want := range []string{"tick 1/3", "1m34s", "1 call 1m30s  endpoint waits 30s  1 queued", "0/50 calls", "0.00/2.00 USD", "0/200k tokens"} {
			if !strings.Contains(last, want) {
				t.Errorf("%q is not in the line %q", want, last)
			}
		}
		if most := int(94300*time.Millisecond/redrawEvery) + 1; len(lines) < 90 || len(lines) > most+1 {
			t.Errorf("%d lines were drawn in 94 s, want at most %d", len(lines), most)
		}
		first(engine.Ending{Answer: &llmclient.Answer{Reply: &llmclient.Reply{Usage: llmclient.Usage{Input: 100, Output: 50}}}})
		time.Sleep(redrawEvery)
		lines = drawn(out.String())
		if last := lines[len(lines)-1]; !strings.Contains(last, "1 call 1m30s  0") && !strings.Contains(last, "1 call 1m30s  1/50") || !strings.Contains(last, "1/50 calls") || !strings.Contains(last, "0.20/2.00 USD") || !strings.Contains(last, "150/200k tokens") {
			t.Errorf("after an answer: %q", last)
		}
		now.Store(&access.Traffic{Own: true, Since: began, Until: until}) // the other one waits for its turn
		time.Sleep(redrawEvery)
		lines = drawn(out.String())
		if last := lines[len(lines)-1]; !strings.Contains(last, "tick 1/3  1m34s  own rate limit 29s  1 queued  1/50 calls") {
			t.Errorf("with a limit of the user's own: %q", last)
		}
		second(engine.Ending{Answer: &llmclient.Answer{Failure: &llmclient.Failure{}}})
		tickEnds(engine.Ending{})
		l.Show(engine.Progress{Tick: 1, Ticks: 3, Decisions: 2, Errors: 1, Currency: "USD"})
		time.Sleep(10 * time.Second)
		l.Finish()
		if text := out.String(); !strings.HasSuffix(text, "\n") || !strings.Contains(text, "ETA 2m59s") || strings.Contains(text, "ETA 0s") {
			t.Errorf("the end is %q", text[max(0, len(text)-200):])
		}
	})
}

// TestLineFits draws every width, and what matters most stays.
func TestLineFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, out := newLine(true, 0)
		var width atomic.Int64
		l.Columns = func() int { return int(width.Load()) }
		l.Start(engine.Progress{})
		l.Show(engine.Progress{Tick: 12, Ticks: 30, Decisions: 60, Errors: 2, Rejected: 1, InputTokens: 600_000, Currency: "円円", Charged: trace.Limit{Cost: price.FromMicros(420_000), Tokens: 612_000}, Cap: trace.Limit{Cost: price.FromMicros(1_000_000)}})
		for range 6 {
			l.Begin(t.Context(), engine.Span{Kind: engine.SpanModelCall, Tick: 13, Model: "m"})
		}
		time.Sleep(12 * time.Second)
		for columns := range 130 {
			width.Store(int64(columns))
			l.move()
			lines := drawn(out.String()) // the clock may have drawn it, too
			text, room := lines[len(lines)-1], columns-1
			if columns == 0 {
				room = columnsDefault - 1
			}
			if plaintext.Cells(text) > room {
				t.Errorf("%d columns: %q takes %d", columns, text, plaintext.Cells(text))
			}
			for least, want := range map[int]string{
				12: "tick 13/30", 24: "6 calls 12s", 35: "円円", 45: "0.42/1.00 円円", 80: "612k tokens", 115: "1 rejected",
			} {
				if columns >= least && !strings.Contains(text, want) {
					t.Errorf("%d columns: %q is not in %q", columns, want, text)
				}
			}
		}
		l.Finish()
	})
}

// TestLineKeepsCapsAndTime: with three caps a narrow line has a share of each, or the greatest, and a
// long wait takes neither these nor the time so far from 80 columns.
func TestLineKeepsCapsAndTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLine(true, 0)
		began := time.Now()
		l.began, l.last = began, engine.Progress{
			Tick: 11, Ticks: 30, Decisions: 55, Errors: 3, Currency: "USD",
			Charged: trace.Limit{Calls: 57, Cost: price.FromMicros(420_000), Tokens: 612_000}, Cap: trace.Limit{Calls: 90, Cost: price.FromMicros(1_000_000), Tokens: 900_000},
		}
		l.tick, l.ticked, l.open = 12, began, 8
		quiet, busy := access.Traffic{}, access.Traffic{Sent: 6, Since: began.Add(664 * time.Second), Until: began.Add(784 * time.Second)}
		own := busy
		own.Own = true
		now := began.Add(754 * time.Second)
		for _, c := range []struct {
			columns int
			traffic access.Traffic
			want    string
		}{
			{39, quiet, "tick 12/30  12m34s  68% tokens"},
			{40, quiet, "tick 12/30  63% calls 42% USD 68% tokens"},
			{48, quiet, "tick 12/30  12m34s  63% calls 42% USD 68% tokens"},
			{39, busy, "tick 12/30  6 calls 1m30s  68% tokens"},
			{79, busy, "tick 12/30  12m34s  6 calls 1m30s  waits 30s  63% calls 42% USD 68% tokens"},
			{79, own, "tick 12/30  12m34s  6 calls 1m30s  rate limit 30s  63% calls 42% USD 68% tokens"},
		} {
			l.Traffic = func() access.Traffic { return c.traffic }
			if got := fitted(l.parts(now), c.columns); got != c.want {
				t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
			}
		}
	})
}

// TestWhatIsPrintedComesAboveTheLine: a warning is a line of its own, whatever it is written
// with, and a line that is written in parts is not torn.
func TestWhatIsPrintedComesAboveTheLine(t *testing.T) {
	var out bytes.Buffer
	p := &Printer{Screen: NewScreen(&out, "program"), Terminal: true}
	p.Update("one", 1, 2)
	p.Note("careful\x1b[2J")
	plaintext.Fprintf(p.Screen, "in ")
	p.Update("two", 2, 2)
	plaintext.Fprintf(p.Screen, "parts\n")
	p.Finish()
	p.Finish()
	want := LineStart + "one" + LineStart + "careful\\u001b[2J\none" + LineStart + "in parts\ntwo\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// TestLongTicksAreSaid: without a terminal a line comes now and then also within a tick.
func TestLongTicksAreSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, out := newLine(false, 0)
		l.Start(engine.Progress{Ticks: 40})
		l.Show(engine.Progress{Tick: 1, Ticks: 40}) // has no line
		l.Begin(t.Context(), engine.Span{Kind: engine.SpanModelCall, Tick: 2})
		time.Sleep(35 * time.Second)
		l.Finish()
		want := ""
		for _, at := range []string{"10s", "20s", "30s"} {
			want += fmt.Sprintf("tick 2/40  %s  1 call %s  0 turns\n", at, at)
		}
		if out.String() != want {
			t.Errorf("printed:\n%swant:\n%s", out.String(), want)
		}
	})
}

func TestQuietKeepsNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, updates := range []bool{false, true} {
			l, out := newLine(updates, 0)
			l.Quiet = true
			l.Start(engine.Progress{Ticks: 1})
			time.Sleep(time.Hour)
			l.Show(engine.Progress{Tick: 1, Ticks: 1})
			l.Note("n")
			l.Finish()
			if out.String() != "n\n" {
				t.Errorf("printed %q, want only the note", out.String())
			}
		}
	})
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{-1: "0s", 59 * time.Second: "59s", 185 * time.Second: "3m05s", 130 * time.Minute: "2h10m", 76 * time.Hour: "3d04h"} {
		if got := Brief(d); got != want {
			t.Errorf("brief(%s) = %s, want %s", d, got, want)
		}
	}
}

func TestPlainProgressIsBounded(t *testing.T) {
	for _, ticks := range []int64{1, 3, 20, 21, 30, 1000} {
		l, out := newLine(false, 0)
		l.Start(engine.Progress{Ticks: ticks})
		for tick := int64(1); tick <= ticks; tick++ {
			l.Show(engine.Progress{Tick: tick, Ticks: ticks})
		}
		l.Finish()
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if want := min(ticks, progressLines); int64(len(lines)) != want {
			t.Errorf("%d ticks gave %d lines, want %d", ticks, len(lines), want)
		}
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, ProgressText(engine.Progress{Tick: ticks, Ticks: ticks})) {
			t.Errorf("%d ticks end with %q", ticks, last)
		}
	}
}

// TestLineNamesWhomTheRunWaitsFor follows turns of which one is late.
func TestLineNamesWhomTheRunWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, out := newLine(false, 80)
		l.Start(engine.Progress{Ticks: 3})
		ends := map[string]func(engine.Ending){}
		for _, agent := range []string{"agent-1", "agent-2", "agent-3"} {
			_, ends[agent] = l.Begin(t.Context(), engine.Span{Kind: engine.SpanTurn, Tick: 1, Agent: agent})
		}
		said := func() string {
			before := len(out.String())
			time.Sleep(silenceMax + redrawEvery)
			synctest.Wait()
			return out.String()[before:]
		}
		for _, want := range []string{"waits for agent-1 and 2 more 10s", "waits for agent-1, agent-3 20s", "waits for agent-3 30s"} {
			if got := said(); strings.Count(got, "\n") != 1 || !strings.Contains(got, want) {
				t.Errorf("the lines %q, want one with %q", got, want)
			}
			for _, agent := range []string{"agent-2", "agent-1"} {
				if end := ends[agent]; end != nil {
					end(engine.Ending{})
					delete(ends, agent)
					break
				}
			}
		}
		ends["agent-3"](engine.Ending{})
		_, quick := l.Begin(t.Context(), engine.Span{Kind: engine.SpanTurn, Tick: 2, Agent: "agent-1"})
		if l.awaited(time.Now()) != nil {
			t.Error("a turn that has just begun is waited for")
		}
		quick(engine.Ending{})
		l.Finish()
	})
}
