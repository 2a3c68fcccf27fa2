package engine

import (
	"io"
	"sync"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// journal is a trace that several goroutines write to. Each exchange is one
// critical section, so that the parts it needs are in the file before the record
// that names them.
type journal struct {
	mu sync.Mutex
	w  *trace.Writer
	// file is nil when nothing is kept.
	file *traceFile
	// instructions and tools cache the hashes of what is the bulk of every request, for
	// the stretch of ticks numbered stretch.
	instructions map[string]string
	tools        map[toolList]string
	stretch      int64
	// held is what the trace holds already; nil for a new one.
	held *held
	// later, when set, takes what would write instead of its being done, with whether that
	// ends a tick. What is only derived to be compared need not be on disk before it is
	// used, and encoding it can go on beside the turns.
	later func(write func() error, ended bool) error
}

// createJournal opens a new trace file in dir.
func createJournal(dir string) (*journal, error) {
	f, err := createTrace(dir)
	if err != nil {
		return nil, err
	}
	j := newJournal(f)
	j.file = f
	return j, nil
}

func newJournal(w io.Writer) *journal {
	return &journal{w: trace.NewWriter(w), instructions: map[string]string{}, tools: map[toolList]string{}}
}

// into lets the journal write to the end of f from now on. Parts that were marked as
// stored stay so.
func (j *journal) into(f *traceFile) {
	j.w.Redirect(f)
	j.file = f
}

// write appends records, leaving out those that the trace holds.
func (j *journal) write(records ...trace.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.later != nil {
		ended := len(records) > 0 && records[len(records)-1].RecordType() == trace.TypeTickEnd
		return j.later(func() error { return j.put(records) }, ended)
	}
	return j.put(records)
}

func (j *journal) put(records []trace.Record) error {
	for _, r := range records {
		if j.held.record(r) {
			continue
		}
		if err := j.w.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// exchange records a request and its answer, before anybody uses the answer, and what
// it counted against the caps.
func (j *journal) exchange(key CallKey, ask behavior.Ask, a llmclient.Answer, charge *trace.Charge) error {
	if j.later != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		return j.later(func() error { return j.putCall(newCall(key, ask, a, charge), ask.Request, a) }, false)
	}
	// What takes long is made before the others are kept waiting.
	call := newCall(key, ask, a, charge)
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.putCall(call, ask.Request, a)
}

// newCall is the record of an exchange without the hashes of its parts.
func newCall(key CallKey, ask behavior.Ask, a llmclient.Answer, charge *trace.Charge) trace.ModelCall {
	request := ask.Request
	return trace.ModelCall{
		Tick: key.Tick, AgentID: key.Agent, Step: key.Step, Stage: ask.Stage, Model: request.Model, ToolChoice: request.Choice.Wire(),
		RequestHash: request.Hash(), InputChars: request.Chars(), ToolChars: request.ToolChars(),
		Sections: append([]trace.Section{}, ask.Sections...), Charge: charge,
		Timing: &trace.CallTiming{LatencyMS: a.LatencyMS, Attempts: a.Attempts, FailedAttempts: a.FailedAttempts, Recorded: a.Recorded},
	}
}

// putCall writes the parts of an exchange and then its record.
func (j *journal) putCall(call trace.ModelCall, request llmclient.Request, a llmclient.Answer) error {
	instructions, tools, err := j.static(call.Tick, request)
	if err != nil {
		return err
	}
	input, err := j.w.Items(call.Tick, request.Input)
	if err != nil {
		return err
	}
	answer, err := j.w.Answer(call.Tick, a)
	if err != nil {
		return err
	}
	call.Instructions, call.Tools, call.Input, call.Answer = instructions, tools, input, answer
	return j.w.Write(call)
}

// toolList identifies the tools of a request: those who make requests share lists and
// change none.
type toolList struct {
	first *llmclient.Tool
	count int
}

// static stores the parts that repeat in every request, hashing them once in a stretch.
func (j *journal) static(tick int64, r llmclient.Request) (instructions, tools string, err error) {
	if stretch := tick / trace.PartTicks; stretch != j.stretch {
		j.stretch = stretch
		clear(j.instructions)
		clear(j.tools)
	}
	instructions, ok := j.instructions[r.Instructions]
	if !ok {
		if instructions, err = j.w.Part(tick, trace.PartInstructions, []byte(r.Instructions)); err != nil {
			return "", "", err
		}
		j.instructions[r.Instructions] = instructions
	}
	list := toolList{count: len(r.Tools)}
	if list.count > 0 {
		list.first = &r.Tools[0]
	}
	if tools, ok = j.tools[list]; !ok {
		if tools, err = j.w.Part(tick, trace.PartTools, llmclient.ToolList(r.Tools)); err != nil {
			return "", "", err
		}
		j.tools[list] = tools
	}
	return instructions, tools, nil
}

// endTick makes a tick survive a power failure and, when the trace file has grown to
// limit bytes, begins a new one with the record first, which gets its number here. A
// limit of 0 is none.
func (j *journal) endTick(first trace.Segment, limit int64) error {
	if err := j.end(); err != nil || j.file == nil || limit == 0 || j.file.size < limit {
		return err
	}
	return j.file.rotate(first)
}

// end makes everything written so far survive a power failure.
func (j *journal) end() error {
	if j.file == nil {
		return nil
	}
	return j.file.sync()
}

func (j *journal) finish() error {
	if j.file == nil {
		return nil
	}
	return j.file.close()
}
