package ahead

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Log keeps the answers that were asked ahead, each before it is used, so that a run that goes on after a
// crash does not ask for them again. A nil log keeps nothing. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	file *os.File
	// run is what its lines are sealed with: the chain of the first line of the run's trace.
	run trace.Chain
}

// line is one line of a log: an answer, or the counts after a tick.
type line struct {
	Tick   int64   `json:"tick"`
	Answer *kept   `json:"answer,omitempty"`
	Counts *Counts `json:"counts,omitempty"`
}

// kept is an answer as a log holds it.
type kept struct {
	Agent          string                `json:"agent"`
	Step           int                   `json:"step"`
	RequestHash    string                `json:"request_hash"`
	Answer         trace.Answer          `json:"answer"`
	Items          []json.RawMessage     `json:"items"`
	LatencyMS      int64                 `json:"latency_ms"`
	Attempts       int                   `json:"attempts"`
	FailedAttempts []llmclient.ErrorKind `json:"failed_attempts,omitempty"`
}

// OpenLog opens the log of a run, which its chain identifies, to append to it, and reads what earlier processes kept.
// The answers to requests of the ticks up to tick are over. A line that a crash cut short is cut off. open makes the
// file if it is not there. The error names what was attempted.
func OpenLog(open func() (*os.File, error), run trace.Chain, tick int64) (*Log, *Kept, error) {
	f, err := open()
	if err != nil {
		return nil, nil, fmt.Errorf("keep what is asked ahead: %w", err)
	}
	k, whole, err := read(f, run, tick)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("read what was asked ahead: %w", err), f.Close())
	}
	return &Log{file: f, run: run}, k, nil
}

// Close closes the log.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}

// keep appends an answer. Failures are not kept.
func (l *Log) keep(id CallID, a llmclient.Answer) error {
	if l == nil || a.Reply == nil {
		return nil
	}
	k := &kept{Agent: id.Agent, Step: id.Step, RequestHash: id.Hash, Answer: trace.AnswerOf(a, nil),
		LatencyMS: a.LatencyMS, Attempts: a.Attempts, FailedAttempts: a.FailedAttempts, Items: []json.RawMessage{}}
	for _, it := range a.Reply.Items {
		k.Items = append(k.Items, it.Raw)
	}
	return l.write(line{Tick: id.Tick, Answer: k})
}

// note appends the counts after a tick.
func (l *Log) note(tick int64, c Counts) error {
	if l == nil {
		return nil
	}
	return l.write(line{Tick: tick, Counts: &c})
}

// write appends a line.
func (l *Log) write(v line) error {
	text, err := json.Marshal(v)
	if err != nil {
		panic("ahead: a line has no JSON: " + err.Error())
	}
	text, _ = trace.Seal(text, l.run)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("keep an answer asked ahead: %w", err)
	}
	return nil
}

// Kept is what earlier processes asked ahead of a run.
type Kept struct {
	// Lines counts the whole lines of the log. Lost of them are not as the run wrote them: damaged, or of another run or
	// of an older version. What they hold is asked for again.
	Lines, Lost int

	counts Counts
	open   map[CallID]llmclient.Answer
}

// ReadLog reads the log of a run, which its chain identifies. A log that is not there is empty. The error is a failure
// to read.
func ReadLog(open func() (*os.File, error), run trace.Chain) (*Kept, error) {
	f, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		return &Kept{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was asked ahead: %w", err)
	}
	defer f.Close()
	k, _, err := read(f, run, 0)
	return k, err
}

// read reads a log up to its last whole line, and says where that ends.
func read(f io.Reader, run trace.Chain, tick int64) (k *Kept, whole int64, err error) {
	k = &Kept{open: map[CallID]llmclient.Answer{}}
	for lines := bufio.NewReader(f); ; {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read what was asked ahead: %w", err)
		}
		whole += int64(len(text))
		k.Lines++
		v, ours := parse(text, run)
		switch {
		case !ours:
			k.Lost++
		case v.Counts != nil:
			k.counts = *v.Counts
			k.drop(v.Tick)
		case v.Answer != nil:
			k.take(v)
		}
	}
	k.counts.WastedUsage = k.counts.WastedUsage.Add(k.drop(tick))
	// What was asked after the last counts is open, or was lost with the process.
	k.counts.Asked = max(k.counts.Asked, k.counts.Used+k.counts.Wasted+int64(len(k.open)))
	k.counts.Wasted = k.counts.Asked - k.counts.Used - int64(len(k.open))
	return k, whole, nil
}

// tailBytes is how much of the end of a log is searched for the last counts: some ticks of answers.
const tailBytes = 4 << 20

// LastCounts are the counts after the last tick that the log of a run has, which its chain identifies, as far as they
// are near its end; known is false where there are none. The error is a failure to read.
func LastCounts(open func() (*os.File, error), run trace.Chain) (c Counts, known bool, err error) {
	f, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("read what was asked ahead: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		_, err = f.Seek(max(0, info.Size()-tailBytes), io.SeekStart)
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(f, tailBytes))
	}
	if err != nil {
		return c, false, fmt.Errorf("read what was asked ahead: %w", err)
	}
	for l := range bytes.Lines(text) {
		if !bytes.Contains(l, []byte(`"counts":{`)) {
			continue // answers are most of a log
		}
		if v, ours := parse(l, run); ours && v.Counts != nil {
			c = *v.Counts
			known = true
		}
	}
	return c, known, nil
}

// parse reads a line; ours is false if it is not as the run wrote it.
func parse(text []byte, run trace.Chain) (v line, ours bool) {
	object, ours := trace.Opened(bytes.TrimSuffix(text, []byte("\n")), run)
	return v, ours && json.Unmarshal(object, &v) == nil
}

// drop forgets the answers of ticks up to one, and says what they took.
func (k *Kept) drop(tick int64) (usage llmclient.Usage) {
	for id, a := range k.open {
		if id.Tick <= tick {
			usage = usage.Add(a.Reply.Usage)
			delete(k.open, id)
		}
	}
	return usage
}

// take takes the answer of a line.
func (k *Kept) take(v line) {
	if v.Answer.Answer.Failure != nil {
		return
	}
	a := v.Answer
	of := a.Answer
	reply := &llmclient.Reply{ID: of.ID, Model: of.Model, Status: of.Status, IncompleteReason: of.IncompleteReason,
		NonObjects: of.NonObjects, Repairs: of.Repairs, Usage: of.Usage}
	for _, raw := range a.Items {
		it, ok := llmclient.ParseItem(raw)
		if !ok {
			return
		}
		reply.Items = append(reply.Items, it)
	}
	id := CallID{CallKey: trace.CallKey{Tick: v.Tick, Agent: a.Agent, Step: a.Step}, Hash: a.RequestHash}
	k.open[id] = llmclient.Answer{Reply: reply, LatencyMS: a.LatencyMS, Attempts: a.Attempts,
		FailedAttempts: a.FailedAttempts}
}
