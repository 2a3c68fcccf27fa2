package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// renumbered is a tick's lines as those of another tick.
func renumbered(lines [][]byte, from, to int64) []byte {
	old, fresh := fmt.Appendf(nil, `"tick":%d,`, from), fmt.Appendf(nil, `"tick":%d,`, to)
	var b bytes.Buffer
	for _, line := range lines {
		b.Write(bytes.Replace(line, old, fresh, 1))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// ticksOf splits a trace into its header and its ticks.
func ticksOf(t *testing.T, text []byte) (header []byte, ticks [][][]byte) {
	t.Helper()
	var open [][]byte
	for i, line := range bytes.Split(text, []byte("\n")) {
		if i == 0 {
			header = line
			continue
		}
		open = append(open, line)
		if trace.TypeOf(line) == trace.TypeTickEnd {
			ticks, open = append(ticks, open), nil
		}
	}
	return header, ticks
}

// writeLargeTrace makes a run directory with a trace of so many bytes, out of the ticks
// of a real run, over and over, in segments as a run closes them.
func writeLargeTrace(t *testing.T, dir string, text []byte, size, segment int64) (ticks int64) {
	t.Helper()
	header, real := ticksOf(t, text)
	open := append(bytes.Clone(header), '\n')
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	for written, number := int64(0), 1; written < size; {
		from := real[ticks%int64(len(real))]
		ticks++
		block := renumbered(from, 1+(ticks-1)%int64(len(real)), ticks)
		open, written = append(open, block...), written+int64(len(block))
		if int64(len(open)) < segment {
			continue
		}
		name := filepath.Join(dir, fmt.Sprintf("trace-%06d.jsonl.zst", number))
		if err := os.WriteFile(name, encoder.EncodeAll(open, nil), 0o644); err != nil {
			t.Fatal(err)
		}
		number++
		open = fmt.Appendf(nil, "{\"type\":\"segment\",\"tick\":%d,\"number\":%d,\"ticks_requested\":0}\n", ticks, number)
	}
	if err := os.WriteFile(filepath.Join(dir, run.TraceFile), open, 0o644); err != nil {
		t.Fatal(err)
	}
	return ticks
}

// TestLongInspectIsFast inspects a trace of 1 GB: within a second, once it has an index.
// The bound is checked here only.
func TestLongInspectIsFast(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to inspect 1 GB")
	}
	p := newProcess(t, nil, "llm_bootstrap", "--ticks", "60", "--run-dir", "run", "--quiet")
	if code := p.run(t); code != exitCompleted {
		t.Fatal(p.output())
	}
	text, err := os.ReadFile(filepath.Join(p.dir, "run", run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(p.dir, "large")
	if err := os.Mkdir(large, 0o755); err != nil {
		t.Fatal(err)
	}
	ticks := writeLargeTrace(t, large, text, 1<<30, 64<<20)
	middle := strconv.FormatInt(ticks/2, 10)
	for _, tt := range []struct {
		what  string
		args  []string
		bound time.Duration
	}{
		{"with no index yet", []string{"inspect", "large"}, time.Hour},
		{"the last tick", []string{"inspect", "large"}, time.Second},
		{"a tick in the middle", []string{"inspect", "large", "--tick", middle}, time.Second},
		{"an agent, as JSON", []string{"inspect", "large", "--agent", "agent-1", "--json"}, time.Second},
	} {
		again := newProcess(t, nil, tt.args...)
		again.Getwd = func() (string, error) { return p.dir, nil }
		started := time.Now()
		if code := again.run(t); code != exitCompleted {
			t.Fatal(again.output())
		}
		took := time.Since(started)
		fmt.Printf("inspect, 1 GB in %d ticks, %s: %.2f s\n", ticks, tt.what, took.Seconds())
		if took > tt.bound {
			t.Errorf("%s took %s, want at most %s", tt.what, took, tt.bound)
		}
	}
}
