package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Answers gives the recorded answers of a run, or of an answers file, again. An answer
// is found by agent, tick and step, and by what was asked where that can differ; never
// by the order in which requests arrive. It reads the trace along with the run, one tick
// ahead, and forgets earlier ticks.
type Answers struct {
	// OwnTicks says that the run's own ticks are played again: a turn that was ended with
	// its tick ends so again. Set it before the first request.
	OwnTicks bool

	path   string
	how    *Reading
	header trace.Header
	// ahead are the ticks that follow, and closed ends their reading.
	ahead   chan recordedTick
	closed  chan struct{}
	reading sync.WaitGroup

	mu sync.Mutex
	// tick is the last tick asked for, and at is what the trace holds of it. next is the
	// first tick after it, nil until it is needed.
	tick int64
	at   recordedTick
	next *recordedTick
	// broken is why nothing after the present tick, or the last call kept of it, can be
	// read; io.EOF at the end.
	broken error
}

// Answered is a recorded answer.
type Answered struct {
	// RequestHash is that of the request, empty in an answers file.
	RequestHash string
	Answer      llmclient.Answer
	// Attempts counts the HTTP requests made for the answer.
	Attempts int
	// LatencyMS is how long it took then, in milliseconds.
	LatencyMS int64
	// err says that a part of the answer is missing or damaged.
	err    error
	prompt llmclient.Prompt
	// lasting says that the answer can be given in another run.
	lasting bool
}

// ErrDamaged marks a recording that cannot be read on.
var ErrDamaged = errors.New("is damaged")

// OpenAnswers opens the recording at path, a run directory that is read in a way, or an answers file.
// The error says what is wrong with it.
func OpenAnswers(path string, how *Reading) (*Answers, error) {
	f, err := OpenRecording(path, how)
	if err != nil {
		return nil, err
	}
	lines := trace.NewReader(f)
	h, err := recordingHeader(path, lines)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	a := &Answers{path: path, how: how, header: h, ahead: make(chan recordedTick), closed: make(chan struct{})}
	a.reading.Go(func() {
		defer f.Close()
		reader := tickReader{path: path, how: how, extract: h.Extract != "", lines: lines}
		for {
			t := reader.next()
			select {
			case a.ahead <- t:
			case <-a.closed:
				return
			}
			if t.err != nil {
				return
			}
		}
	})
	return a, nil
}

// Answers opens the recorded answers of the run.
func (d Source) Answers() (*Answers, error) { return OpenAnswers(string(d.Dir), d.how) }

// Close releases the recording.
func (a *Answers) Close() error {
	close(a.closed)
	a.reading.Wait()
	return nil
}

// ByKey returns the answer recorded for a key, whatever was asked; ok is false if there
// is none. The error says that the trace cannot be read up to there.
func (a *Answers) ByKey(key trace.CallKey) (answered Answered, ok bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.readTo(key.Tick)
	calls := a.at.calls[key]
	if len(calls) == 0 {
		if a.broken != nil && a.broken != io.EOF {
			return Answered{}, false, fmt.Errorf("the recording ended: %w", a.broken)
		}
		return Answered{}, false, nil
	}
	// A request made twice was asked again after an interruption; the last answer is
	// what the recorded run went on with.
	answered = calls[len(calls)-1]
	if answered.err != nil {
		return Answered{}, false, fmt.Errorf("recorded answer to %s in tick %d, step %d: %w", key.Agent, key.Tick, key.Step,
			answered.err)
	}
	return answered, true, nil
}

// ByPrompt returns the answer to a request that showed the model the same prompt. The
// error says what is recorded instead, and is [ErrDamaged] if that is unknown.
func (a *Answers) ByPrompt(key trace.CallKey, request llmclient.Request) (Answered, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.readTo(key.Tick)
	prompt := request.Prompt()
	var recorded *llmclient.Prompt
	err := a.broken
	for _, c := range a.at.calls[key] {
		abandoned := c.Answer.Failure != nil && c.Answer.Failure.Kind == llmclient.ErrAbandoned
		if !c.lasting && !(a.OwnTicks && abandoned) {
			continue
		}
		if c.err != nil {
			err = c.err
			break
		}
		recorded = &c.prompt
		if recorded.Differs(prompt).Name == "" {
			c.Answer.Recorded, c.Answer.Attempts = true, c.Attempts
			return c, nil
		}
	}
	switch {
	case err != nil && err != io.EOF:
		return Answered{}, fmt.Errorf("%s, tick %d, step %d: the recording %s %w: %w", key.Agent, key.Tick, key.Step,
			filepath.Base(filepath.Clean(a.path)), ErrDamaged, err)
	case recorded == nil:
		return Answered{}, fmt.Errorf("%s, tick %d, step %d: %s", key.Agent, key.Tick, key.Step, a.absent(key))
	}
	return Answered{}, fmt.Errorf("%s, tick %d, step %d: %s", key.Agent, key.Tick, key.Step,
		a.difference(recorded.Differs(prompt), request))
}

// ToolCall returns the record of the same call of a tool; ok is false if there is none. The error is
// [ErrDamaged] if that is unknown.
func (a *Answers) ToolCall(call trace.ToolCall) (recorded trace.ToolCall, ok bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.readTo(call.Tick)
	// A call made twice was made again after an interruption; the last one counts.
	for _, c := range slices.Backward(a.at.tools) {
		if c.Same(call) {
			return c, true, nil
		}
	}
	if a.broken != nil && a.broken != io.EOF {
		return call, false, fmt.Errorf("%s, tick %d, step %d: the recording %s %w: %w", call.AgentID, call.Tick, call.Step,
			filepath.Base(filepath.Clean(a.path)), ErrDamaged, a.broken)
	}
	return call, false, nil
}

// Digest returns the digest recorded at the end of a tick.
func (a *Answers) Digest(tick int64) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.readTo(tick)
	if a.at.end.Tick != tick {
		return "", fmt.Errorf("read the trace up to tick %d: %w", tick, cmp.Or(a.broken, errors.New("it is not recorded")))
	}
	return a.at.end.Digest, nil
}

// Tick returns the records of a tick in the order of the trace, and those after the tick before. The
// error says that the trace cannot be read up to the end of the tick.
func (a *Answers) Tick(tick int64) ([]trace.Record, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.readTo(tick)
	if a.at.end.Tick == 0 && a.broken != nil && a.broken != io.EOF {
		return nil, fmt.Errorf("read trace of %s: %w", a.path, a.broken)
	}
	return a.at.records, nil
}

// ReadTo reads the trace up to the end of a tick.
func (a *Answers) ReadTo(tick int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.readTo(tick)
}

// readTo reads the trace up to the end of the given tick, whole or not.
func (a *Answers) readTo(tick int64) {
	for a.tick < tick {
		a.at = recordedTick{}
		if a.next == nil && a.broken == nil {
			next := <-a.ahead
			a.next = &next
		}
		if a.next == nil || a.next.tick > tick {
			a.tick = tick // of which nothing is recorded
			return
		}
		a.at = *a.next
		a.next = nil
		a.tick = a.at.tick
		a.broken = a.at.err
	}
}
