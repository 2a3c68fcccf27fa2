package run

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Log is a trace that several goroutines write to. An exchange is one critical section and one write, so
// that a record never precedes the blobs that it names.
type Log struct {
	mu sync.Mutex
	w  *trace.Writer
	// of is the run that the log continues, as it was read.
	of Source
	// file is nil for a log without a file. lines are those that are not in the file yet.
	file  *traceFile
	lines bytes.Buffer
	// written counts the exchanges in the file, synced those that survive a power failure. syncing says
	// that a goroutine syncs the file, and done signals the end of that. failed is why nothing more can
	// be written.
	written, synced int64
	syncing         bool
	done            *sync.Cond
	failed          error
	// claim, when set, is asked before each write whether the run is still this process's.
	claim *Claim
	// heads are the hashes of the instructions and tools of requests, which are the bulk of each, in the
	// present epoch of ticks.
	heads map[headKey]*head
	epoch int64
	// see, when set, is shown every record but blobs, in the order of the trace.
	see func(trace.Record)
	// state is the state of the run, for a log with a file.
	state state.State
	// recorded are the calls of the open tick that the trace already holds, leading the number of the
	// tick's first records that it holds, and tools its calls of tools. They are derived again and not written
	// twice.
	recorded map[trace.CallKey]bool
	leading  int
	tools    []trace.ToolCall
}

// headKey identifies the head of a request: requests share lists of tools and change none.
type headKey struct {
	model, instructions string
	firstTool           *llmclient.Tool
	tools               int
}

// head is what requests with the same instructions and tools share: the hashes of both blobs, and the
// beginning of the hash of a request.
type head struct {
	instructions, tools string
	// chars are those of the instructions.
	chars int
	begun llmclient.Head
}

// NewLog returns a log of records that w takes.
func NewLog(w *trace.Writer) *Log {
	l := &Log{w: w, heads: map[headKey]*head{}}
	l.done = sync.NewCond(&l.mu)
	return l
}

// CreateLog begins the trace of a new run. It replaces a trace that ends before its first record.
func (d Dir) CreateLog() (*Log, error) {
	if _, err := d.Header(); errors.Is(err, ErrNothingRecorded) {
		err := onDisk.Remove(d.folder(), TraceFile)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("begin the trace again: %w", err)
		}
	}
	f, err := d.openTraceFile(os.O_CREATE | os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if err := onDisk.SyncDir(d.folder()); err != nil { // so that the file has its name after a power failure
		return nil, errors.Join(fmt.Errorf("sync run directory: %w", err), f.close())
	}
	l := NewLog(trace.NewWriter(nil))
	l.w.Redirect(&l.lines, "")
	l.file = f
	return l, nil
}

// Continue lets the log continue at the end of the trace in d, whose state is s. It does not write again
// what the trace holds of the open tick, nor blobs that it has written before.
func (l *Log) Continue(d Source, s state.State) error {
	f, err := d.openTraceFile(0)
	if err != nil {
		return err
	}
	chain, err := d.Head()
	if err != nil {
		return errors.Join(err, f.close())
	}
	l.w.Redirect(&l.lines, chain)
	s.Open.Damage = nil // it is cut off
	l.file = f
	l.of = d
	l.state = s
	l.recorded = s.Open.Keys()
	l.leading = s.Open.Leading
	l.tools = s.Open.Tools
	for _, p := range s.Open.Stored {
		p.Tick = s.Tick + 1
		l.w.MarkStored(p)
	}
	return nil
}

// Under makes the log ask a claim before each write whether the run is still this process's.
func (l *Log) Under(c *Claim) { l.claim = c }

// OnRecord registers see, which is called with every record of the trace but blobs, in order. It gets the
// records of a continued trace immediately, and new records as they are written.
func (l *Log) OnRecord(see func(trace.Record)) error {
	l.see = see
	if see == nil || l.state.Header.Format == 0 {
		return nil
	}
	f, err := l.of.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	for lines := trace.NewReader(f); ; {
		record, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the trace so far: %w", err)
		}
		if _, blob := record.(trace.Blob); !blob {
			see(record)
		}
	}
}

// Head returns the chain of the last line written.
func (l *Log) Head() trace.Chain {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Chain()
}

// Write appends records. At the end of a tick or of the run, everything so far is synced to survive a power
// failure. After a tick, a file of the size that the run wants is closed and the next one begun.
func (l *Log) Write(records ...trace.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range records {
		switch r.(type) {
		case trace.Switch, trace.Fork, trace.CapChange, trace.Control:
			l.leading--
			if l.leading >= 0 {
				continue
			}
		}
		if err := l.put(r); err != nil {
			return err
		}
	}
	return l.flush()
}

// put takes a record, which reaches the file with the next flush.
func (l *Log) put(r trace.Record) error {
	if err := cmp.Or(l.failed, l.w.Write(r)); err != nil || l.file == nil {
		return err
	}
	if err := l.state.Add(r, state.Span{}); err != nil {
		return err
	}
	if l.see != nil {
		l.see(r)
	}
	whole := r.RecordType() == trace.TypeTickEnd
	if !whole && r.RecordType() != trace.TypeRunEnd {
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	limit := l.state.SegmentBytes
	l.failed = l.file.sync()
	if l.failed != nil || !whole || limit == nil || *limit == 0 || l.file.size < *limit {
		return l.failed
	}
	var chain trace.Chain
	chain, l.failed = l.file.rotate(l.state.Segment(l.file.number+1), l.w.Chain())
	if l.failed == nil {
		l.w.Redirect(&l.lines, chain)
	}
	return l.failed
}

// flush brings the lines into the file by one write.
func (l *Log) flush() error {
	if l.failed != nil || l.lines.Len() == 0 {
		return l.failed
	}
	if l.claim != nil {
		l.failed = l.claim.Check()
	}
	if l.failed != nil {
		l.lines.Reset()
		return l.failed
	}
	if _, err := l.file.Write(l.lines.Bytes()); err != nil {
		l.failed = fmt.Errorf("write trace: %w", err)
	}
	l.lines.Reset()
	return l.failed
}

// Exchange appends a request and its answer: the blobs of both, and then call with its hashes, lengths and
// answer. When Exchange returns, an answer of a live model survives a power failure. So no answer that was
// used is paid for twice. Concurrent callers share one sync.
func (l *Log) Exchange(call trace.ModelCall, r llmclient.Request, a llmclient.Answer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.recorded[call.Key()] {
		return nil
	}
	head, err := l.head(call.Tick, r)
	if err != nil {
		return err
	}
	call.Instructions = head.instructions
	call.Tools = head.tools
	call.RequestHash = head.begun.Hash(r)
	call.CacheKey, call.Breakpoints = r.CacheKey, r.Breakpoints
	call.InputChars, call.ToolChars = head.chars+r.InputChars(), r.ToolChars()
	call.Input, err = l.w.Items(call.Tick, r.Input)
	if err != nil {
		return err
	}
	call.Answer, err = l.w.Answer(call.Tick, a)
	if err != nil {
		return err
	}
	if err := cmp.Or(l.put(call), l.flush()); err != nil || l.file == nil {
		return err
	}
	l.written++
	if a.Recorded || !l.state.Header.SettingsAt(call.Tick-1).Live() {
		return nil
	}
	return l.commit(l.written)
}

// ToolCall appends a call of a tool with its result. As for [Log.Exchange], what a live run used survives a
// power failure.
func (l *Log) ToolCall(call trace.ToolCall) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.tools, call.Same) {
		return nil
	}
	if err := cmp.Or(l.put(call), l.flush()); err != nil || l.file == nil {
		return err
	}
	l.written++
	if !l.state.Header.SettingsAt(call.Tick - 1).Live() {
		return nil
	}
	return l.commit(l.written)
}

// commit returns when the first n exchanges survive a power failure. A caller that arrives during a sync
// waits for the next one, which all waiting callers share.
func (l *Log) commit(n int64) error {
	for l.synced < n && l.failed == nil {
		if l.syncing {
			l.done.Wait()
			continue
		}
		l.syncing = true
		written := l.written
		l.mu.Unlock()
		err := l.file.sync()
		l.mu.Lock()
		l.syncing, l.synced = false, written
		l.failed = cmp.Or(l.failed, err)
		l.done.Broadcast()
	}
	return l.failed
}

// head stores the blobs that repeat in every request. It hashes them once in an epoch.
func (l *Log) head(tick int64, r llmclient.Request) (*head, error) {
	if epoch := tick / trace.EpochTicks; epoch != l.epoch {
		l.epoch = epoch
		clear(l.heads)
	}
	key := headKey{model: r.Model, instructions: r.Instructions, tools: len(r.Tools)}
	if key.tools > 0 {
		key.firstTool = &r.Tools[0]
	}
	if known, ok := l.heads[key]; ok {
		return known, nil
	}
	h := &head{begun: r.Head(), chars: utf8.RuneCountInString(r.Instructions)}
	var err error
	h.instructions, err = l.w.Blob(tick, trace.BlobInstructions, []byte(r.Instructions))
	if err != nil {
		return nil, err
	}
	h.tools, err = l.w.Blob(tick, trace.BlobTools, llmclient.ToolList(r.Tools))
	if err != nil {
		return nil, err
	}
	l.heads[key] = h
	return h, nil
}

// Close releases the file.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.close()
}
