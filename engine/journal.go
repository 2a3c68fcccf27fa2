package engine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"agentworld/behavior"
	"agentworld/llmclient"
	"agentworld/trace"
)

// journal is a trace that several goroutines write to. Each exchange is one
// critical section, so that the parts it needs are in the file before the record
// that names them.
type journal struct {
	mu   sync.Mutex
	w    *trace.Writer
	sync func() error
	// close releases the file; nil when there is none.
	close func() error
	// instructions and tools cache the hashes of the static parts, which are the
	// bulk of every request.
	static map[string]string
}

// createJournal opens a new trace file in dir.
func createJournal(dir string) (*journal, error) {
	f, err := os.OpenFile(filepath.Join(dir, TraceFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	j := newJournal(f)
	j.sync, j.close = f.Sync, f.Close
	return j, nil
}

func newJournal(w io.Writer) *journal {
	return &journal{w: trace.NewWriter(w), sync: func() error { return nil }, static: map[string]string{}}
}

func (j *journal) write(records ...trace.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range records {
		if err := j.w.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// exchange records a request and its answer, before anybody uses the answer.
func (j *journal) exchange(key CallKey, ask behavior.Ask, a llmclient.Answer) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	request := ask.Request
	instructions, err := j.staticPart(key.Tick, trace.PartInstructions, request.Instructions)
	if err != nil {
		return err
	}
	tools, err := j.staticPart(key.Tick, trace.PartTools, string(llmclient.ToolList(request.Tools)))
	if err != nil {
		return err
	}
	input, err := j.w.Items(key.Tick, request.Input)
	if err != nil {
		return err
	}
	answer, err := j.w.Answer(key.Tick, a)
	if err != nil {
		return err
	}
	return j.w.Write(trace.ModelCall{
		Tick: key.Tick, AgentID: key.Agent, Step: key.Step, Stage: string(ask.Stage), Model: request.Model,
		Instructions: instructions, Tools: tools, Input: input, ToolChoice: request.Choice.Wire(),
		RequestHash: request.Hash(), InputChars: request.Chars(), ToolChars: request.ToolChars(),
		Sections: sectionRecords(ask.Sections), Answer: answer,
		Timing: &trace.CallTiming{LatencyMS: a.LatencyMS, Attempts: a.Attempts, Recorded: a.Recorded},
	})
}

// staticPart stores a part that repeats in every request, hashing it once.
func (j *journal) staticPart(tick int64, kind trace.PartKind, body string) (string, error) {
	if hash, ok := j.static[string(kind)+body]; ok {
		return hash, nil
	}
	hash, err := j.w.Part(tick, kind, []byte(body))
	if err == nil {
		j.static[string(kind)+body] = hash
	}
	return hash, err
}

// end makes everything written so far survive a power failure.
func (j *journal) end() error {
	if err := j.sync(); err != nil {
		return fmt.Errorf("sync trace: %w", err)
	}
	return nil
}

func (j *journal) finish() error {
	if j.close == nil {
		return nil
	}
	if err := j.close(); err != nil {
		return fmt.Errorf("close trace: %w", err)
	}
	return nil
}

func sectionRecords(sections []behavior.Section) []trace.Section {
	records := make([]trace.Section, len(sections))
	for i, s := range sections {
		records[i] = trace.Section{Name: s.Name, Chars: s.Chars, Tokens: s.Tokens, ClippedChars: s.Clipped, Clipped: s.Clipped > 0}
	}
	return records
}
