package ahead

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

// CreateLog opens the log of a run to append to it; it is made if it is not there. The error names what was
// attempted.
func CreateLog(open func() (*os.File, error)) (*Log, error) {
	f, err := open()
	if err != nil {
		return nil, fmt.Errorf("keep what is asked ahead: %w", err)
	}
	return &Log{file: f}, nil
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

// write appends a line: its hash, a blank and its JSON.
func (l *Log) write(v line) error {
	text, err := json.Marshal(v)
	if err != nil {
		panic("ahead: a line has no JSON: " + err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.Write(fmt.Appendf(nil, "%s %s\n", sumOf(text), text)); err != nil {
		return fmt.Errorf("keep an answer asked ahead: %w", err)
	}
	return nil
}

// sumOf is the beginning of the SHA-256 of a line's text.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Kept is what earlier processes asked ahead of a run.
type Kept struct {
	counts Counts
	open   map[CallID]llmclient.Answer
}

// ReadKept reads a log. The answers to requests of the ticks up to tick are over. A line that is damaged is
// left out: its answer is asked for again. A log that is not there is empty. The error is a failure to read.
func ReadKept(open func() (*os.File, error), tick int64) (*Kept, error) {
	k := &Kept{open: map[CallID]llmclient.Answer{}}
	f, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was asked ahead: %w", err)
	}
	defer f.Close()
	asked := int64(0)
	for lines := bufio.NewReader(f); ; {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read what was asked ahead: %w", err)
		}
		if v, whole := parse(text); whole {
			switch {
			case v.Counts != nil:
				k.counts = *v.Counts
				asked = k.counts.Asked
			case v.Answer != nil:
				k.take(v, tick)
			}
		}
		if err != nil {
			break
		}
	}
	// What was asked after the last counts is open, or was lost with the process.
	k.counts.Asked = max(asked, k.counts.Used+k.counts.Wasted+int64(len(k.open)))
	k.counts.Wasted = k.counts.Asked - k.counts.Used - int64(len(k.open))
	return k, nil
}

// tailBytes is how much of the end of a log is searched for the last counts: some ticks of answers.
const tailBytes = 4 << 20

// LastCounts are the counts after the last tick that a log has, as far as they are near its end; known is false where
// there are none. The error is a failure to read.
func LastCounts(open func() (*os.File, error)) (c Counts, known bool, err error) {
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
		if v, whole := parse(l); whole && v.Counts != nil {
			c = *v.Counts
			known = true
		}
	}
	return c, known, nil
}

// parse reads a line; whole is false if it is damaged.
func parse(text []byte) (v line, whole bool) {
	sum, object, _ := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte(" "))
	if string(sum) != sumOf(object) {
		return line{}, false
	}
	return v, json.Unmarshal(object, &v) == nil
}

// take takes the answer of a line, if its tick is not over.
func (k *Kept) take(v line, tick int64) {
	if v.Tick <= tick || v.Answer.Answer.Failure != nil {
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
