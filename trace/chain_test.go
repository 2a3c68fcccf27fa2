package trace

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// file is a source that asks for chains, as a run directory does.
type file struct {
	io.Reader
	ended int
}

func (*file) Before() (Chain, int64) { return "", 1 }

func (*file) ReadOn(*LineError) bool { return false }

func (f *file) Ended(Chain, *LineError, func(error) *LineError) error {
	f.ended++
	return nil
}

// chained are the lines of a trace of three ticks with two records each, chained.
func chained(t *testing.T) [][]byte {
	t.Helper()
	var b bytes.Buffer
	w := NewChainedWriter(&b, "")
	records := []Record{Header{Format: FormatVersion}}
	for tick := range int64(3) {
		records = append(records, Step{Tick: tick + 1, AgentID: "a", Step: 1, Kind: StepPlan}, TickEnd{Tick: tick + 1, Digest: "d"})
	}
	for _, r := range append(records, RunEnd{Tick: 3}) {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	lines := bytes.SplitAfter(b.Bytes(), []byte("\n"))
	return lines[:len(lines)-1]
}

// TestBrokenChain changes each line of a trace, ends it at each line, or loses pages of it: what
// only a crash can have left is where the trace ends, everything else a broken chain.
func TestBrokenChain(t *testing.T) {
	whole := chained(t)
	read := func(lines ...[]byte) (count int, err error) {
		r := NewReader(&file{Reader: bytes.NewReader(bytes.Join(lines, nil))})
		for err == nil {
			if _, err = r.NextLine(); err == nil {
				count++
			}
		}
		return count, err
	}
	spoilt := func(line []byte) []byte { return bytes.Replace(line, []byte(`"tick":`), []byte(`"Tick":`), 1) }
	lost := func(line []byte) []byte { return append(make([]byte, len(line)-1), '\n') }
	for last := 1; last <= len(whole); last++ {
		if n, err := read(whole[:last]...); n != last || err != io.EOF {
			t.Errorf("%d lines: %d were read, %v", last, n, err)
		}
		for at := range last {
			// Lines 1 and 2, 3 and 4, 5 and 6 are ticks, 7 is the end of the run.
			tick := func(line int) int { return (line + 1) / 2 }
			for name, change := range map[string]func([]byte) []byte{"changed": spoilt, "lost": lost} {
				lines := append([][]byte{}, whole[:last]...)
				lines[at] = change(lines[at])
				want := ErrChain
				if open := max(1, tick(at)); last-1 < 7 && tick(last-1) <= open && at < 7 || at == last-1 {
					want = ErrTorn
				}
				n, err := read(lines...)
				if name == "changed" && at == 0 {
					continue // what is no header any more has no chain before it either way
				}
				if n != at || !errors.Is(err, want) {
					t.Errorf("line %d of %d %s: %d lines were read, %v, want %v", at+1, last, name, n, err, want)
				}
			}
		}
	}
}

// TestNoChain: a trace of an older version is distinguished from one that a crash left.
func TestNoChain(t *testing.T) {
	var b bytes.Buffer
	if err := NewWriter(&b).Write(Header{Format: FormatVersion}); err != nil {
		t.Fatal(err)
	}
	if _, err := NewReader(&file{Reader: &b}).NextLine(); !errors.Is(err, ErrNoChain) {
		t.Errorf("%v, want %v", err, ErrNoChain)
	}
	if _, err := NewReader(&file{Reader: strings.NewReader("\x00\x00\n")}).NextLine(); !errors.Is(err, ErrTorn) {
		t.Errorf("a page that was lost: %v, want %v", err, ErrTorn)
	}
}
