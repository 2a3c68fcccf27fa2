package run_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// ticks is how many ticks the runs of these tests have.
const ticks = 8

// header is that of a run whose files are closed at a size.
func header(segmentBytes int64) trace.Header {
	return trace.Header{Format: trace.FormatVersion, Settings: trace.Settings{Ticks: ticks}, Timing: &trace.HeaderTiming{SegmentBytes: &segmentBytes}}
}

// play writes the ticks after one into a log: two agents ask and are answered in each.
func play(l *run.Log, after int64) error {
	for tick := after + 1; tick <= ticks; tick++ {
		for n := 1; n <= 2; n++ {
			id := fmt.Sprintf("agent-%d", n)
			request := llmclient.Request{Model: "m", Instructions: "Keep powered.", Input: []llmclient.Item{llmclient.Message("user", fmt.Sprintf("tick %d of %s %s", tick, id, strings.Repeat("x", 900)))}}
			answer := llmclient.Answer{Reply: &llmclient.Reply{ID: "r", Status: "completed", Items: []llmclient.Item{llmclient.Message("assistant", fmt.Sprintf("wait %d", tick))}}}
			call := trace.ModelCall{Tick: tick, AgentID: id, Step: 1, ToolChoice: request.Choice.Wire(), Sections: []trace.Section{}}
			if err := l.Exchange(call, request, answer); err != nil {
				return err
			}
		}
		if err := l.Write(trace.TickEnd{Tick: tick, Digest: fmt.Sprint("digest-", tick), WorldTime: tick}); err != nil {
			return err
		}
	}
	return l.Close()
}

// begin writes a run into a new directory and returns what ended it.
func begin(t *testing.T, segmentBytes int64) (run.Dir, error) {
	t.Helper()
	dir := run.Dir(t.TempDir())
	l, err := dir.CreateLog()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(header(segmentBytes)); err != nil {
		return dir, err
	}
	return dir, play(l, 0)
}

// goOn repairs the trace and writes what it does not hold, as another process without the
// answers of the open tick would.
func goOn(t *testing.T, dir run.Dir) {
	t.Helper()
	s, err := dir.State()
	if err != nil {
		t.Fatal(err)
	}
	w := trace.NewWriter(nil)
	f, err := dir.Open()
	if err != nil {
		t.Fatal(err)
	}
	for record, err := range trace.NewReader(f).All() {
		if err != nil {
			break // in the open tick
		}
		if p, ok := record.(trace.Blob); ok && p.Tick <= s.Tick {
			w.MarkStored(p)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	l := run.NewLog(w)
	s.Open.Cut, s.Open.Kept, s.Open.Exchanges = append(s.Open.Cut, s.Open.Kept...), nil, nil
	s.Open.Close()
	if err := dir.Repair(s); err != nil {
		t.Fatal(err)
	}
	if err := l.Continue(dir.As(nil), *s); err != nil {
		t.Fatal(err)
	}
	if err := play(l, s.Tick); err != nil {
		t.Fatal(err)
	}
}

func canonical(t *testing.T, dir run.Dir) string {
	t.Helper()
	f, err := dir.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if err := trace.Canonical(f, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// dying is a disk on which the process is killed at the n-th call of one kind.
type dying struct {
	run.SystemDisk
	kind string
	left *int
}

var errKilled = errors.New("killed")

func (d dying) call(kind string) error {
	if kind == d.kind {
		if *d.left--; *d.left == 0 {
			return errKilled
		}
	}
	return nil
}

func (d dying) Replace(in folder.Dir, name string, fill func(io.Writer) error) error {
	kind := "replace"
	if strings.HasSuffix(name, ".zst") {
		kind = "compress"
	}
	if err := d.call(kind); err != nil {
		return err
	}
	return d.SystemDisk.Replace(in, name, fill)
}

func (d dying) Append(in folder.Dir, name string, flags int) (run.Storage, error) {
	if err := d.call("open"); err != nil {
		return nil, err
	}
	return d.SystemDisk.Append(in, name, flags)
}

// TestRotationEndedAtAnyStep ends the process at each step of its second rotation, where
// a kill could: nothing is lost, and the run continues.
func TestRotationEndedAtAnyStep(t *testing.T) {
	whole, err := begin(t, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := canonical(t, whole)
	for step, at := range map[string]int{"compress": 2, "replace": 2, "open": 3} {
		restore := run.OnDisk(dying{kind: step, left: &at})
		dir, err := begin(t, 4<<10)
		restore()
		if !errors.Is(err, errKilled) {
			t.Fatalf("%s: the run did not end there: %v", step, err)
		}
		s, err := dir.State()
		if err != nil || s.Tick < 2 || len(s.Open.Exchanges) > 0 {
			t.Fatalf("%s: the run stands at tick %d: %v", step, s.Tick, err)
		}
		goOn(t, dir)
		if got := canonical(t, dir); got != want {
			t.Errorf("%s: the trace differs: %.3000s", step, cmp.Diff(want, got))
		}
	}
}

// filling is a disk with little room.
type filling struct {
	run.SystemDisk
	left *int
}

func (d filling) Append(in folder.Dir, name string, flags int) (run.Storage, error) {
	f, err := d.SystemDisk.Append(in, name, flags)
	return fullDisk{f, d.left}, err
}

// fullDisk takes so many bytes and then no more, like a disk that fills up: the last
// write gets in part of what it should.
type fullDisk struct {
	run.Storage
	left *int
}

var errFull = errors.New("no space left on device")

func (d fullDisk) Write(p []byte) (int, error) {
	if len(p) <= *d.left {
		*d.left -= len(p)
		return d.Storage.Write(p)
	}
	n, err := d.Storage.Write(p[:*d.left])
	*d.left = 0
	return n, errors.Join(err, errFull)
}

// TestFullDiskLosesNothing fills the disk at several points. The log ends with the cause;
// what was written stays readable, and the run continues when there is room.
func TestFullDiskLosesNothing(t *testing.T) {
	whole, err := begin(t, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := canonical(t, whole)
	size := func(dir run.Dir) int {
		b, err := os.ReadFile(string(dir) + "/" + run.TraceFile)
		if err != nil {
			t.Fatal(err)
		}
		return len(b)
	}
	for _, left := range []int{size(whole) / 3, size(whole) / 2, size(whole) - 100} {
		room := left
		restore := run.OnDisk(filling{left: &room})
		dir, err := begin(t, 0)
		restore()
		if !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes: %v", left, err)
		}
		if got := size(dir); got != left {
			t.Errorf("%d bytes on a disk with room for %d", got, left)
		}
		goOn(t, dir)
		if got := canonical(t, dir); got != want {
			t.Errorf("room for %d bytes: the trace differs: %.3000s", left, cmp.Diff(want, got))
		}
	}
}

// TestDamageInAClosedSegment: the error says how far the segment is whole.
func TestDamageInAClosedSegment(t *testing.T) {
	dir := t.TempDir()
	var plain, packed bytes.Buffer
	lines, text := trace.NewChainedWriter(&plain, ""), make([]byte, 300)
	for n := range 2000 {
		rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)}).Read(text)
		if err := lines.Write(trace.Blob{Tick: 1, Kind: trace.BlobItem, Hash: fmt.Sprint(n), Body: fmt.Sprintf("%x", text)}); err != nil {
			t.Fatal(err)
		}
	}
	w, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"trace-000001.jsonl.zst": packed.Bytes()[:packed.Len()*3/4], run.TraceFile: []byte(`{"type":"segment","tick":1,"number":2}` + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err = run.Dir(dir).State()
	damage, ok := errors.AsType[*run.DamageError](err)
	if !ok || damage.Lines < 500 || damage.Lines != bytes.Count(plain.Bytes()[:damage.Bytes], []byte("\n")) {
		t.Fatalf("%v, %+v", err, damage)
	}
	if want := fmt.Sprintf("it can be read up to line %d (byte %d)", damage.Lines+1, damage.Bytes); !strings.HasSuffix(damage.Error(), want) {
		t.Errorf("%q does not end with %q", damage, want)
	}
}

// TestAnAnswerAskedBefore: a model may repeat a text from a request of an earlier tick,
// which the trace does not store again.
func TestAnAnswerAskedBefore(t *testing.T) {
	dir := run.Dir(t.TempDir())
	l, err := dir.CreateLog()
	if err != nil {
		t.Fatal(err)
	}
	said := llmclient.Message("assistant", "I mine.")
	exchange := func(tick int64, asked, answered llmclient.Item) error {
		request := llmclient.Request{Model: "m", Input: []llmclient.Item{asked}}
		call := trace.ModelCall{Tick: tick, AgentID: "agent-1", Step: 1, ToolChoice: request.Choice.Wire(), Sections: []trace.Section{}}
		answer := llmclient.Answer{Reply: &llmclient.Reply{ID: "r", Status: "completed", Items: []llmclient.Item{answered}}}
		return errors.Join(l.Exchange(call, request, answer), l.Write(trace.TickEnd{Tick: tick, Digest: "d"}))
	}
	err = errors.Join(l.Write(header(0)), exchange(1, said, llmclient.Message("assistant", "So be it.")), exchange(2, llmclient.Message("user", "What now?"), said), l.Close())
	if err != nil {
		t.Fatal(err)
	}
	answers, err := run.OpenAnswers(string(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	answered, ok, err := answers.ByKey(trace.CallKey{Tick: 2, Agent: "agent-1", Step: 1})
	if err != nil || !ok || answered.Answer.Reply == nil || answered.Answer.Reply.Items[0].Text != said.Text {
		t.Errorf("%+v, %v, %v", answered.Answer, ok, err)
	}
}

// BenchmarkGroupCommit is how long an agent waits until its exchange with a live model is on
// disk, when so many record at once: all that wait share a sync.
func BenchmarkGroupCommit(b *testing.B) {
	for _, agents := range []int{1, 25, 1000} {
		b.Run(fmt.Sprint(agents), func(b *testing.B) {
			l, err := run.Dir(b.TempDir()).CreateLog()
			if err != nil {
				b.Fatal(err)
			}
			h := header(0)
			h.Settings.ModelSource = trace.SourceLive
			if err := l.Write(h); err != nil {
				b.Fatal(err)
			}
			said := llmclient.Answer{Reply: &llmclient.Reply{ID: "r", Status: "completed", Items: []llmclient.Item{llmclient.Message("assistant", "wait")}}}
			var waited atomic.Int64
			rounds := 0
			for b.Loop() {
				rounds++
				var group sync.WaitGroup
				for n := range agents {
					group.Go(func() {
						request := llmclient.Request{Model: "m", Input: []llmclient.Item{llmclient.Message("user", fmt.Sprint(rounds, n, strings.Repeat("x", 2000)))}}
						call := trace.ModelCall{Tick: 1, AgentID: fmt.Sprint(n), Step: rounds, ToolChoice: request.Choice.Wire(), Sections: []trace.Section{}}
						began := time.Now()
						if err := l.Exchange(call, request, said); err != nil {
							b.Error(err)
						}
						waited.Add(int64(time.Since(began)))
					})
				}
				group.Wait()
			}
			b.ReportMetric(float64(waited.Load())/float64(rounds*agents)/1e6, "ms-wait/exchange")
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
