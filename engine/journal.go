package engine

import (
	"io"
	"sync"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// journal is where a run goes on record.
type journal struct {
	mu  sync.Mutex
	log *run.Log
	// kept says that the log is a file.
	kept bool
	// held is what the trace holds already; nil for a new one.
	held *held
	// later, when set, takes what would write instead of its being done, with whether that
	// ends a tick. What is only derived to be compared need not be on disk before it is
	// used, and encoding it can go on beside the turns.
	later func(write func() error, ended bool) error
}

// createJournal opens a new trace file in dir.
func createJournal(dir string) (*journal, error) {
	l, err := run.Dir(dir).CreateLog()
	if err != nil {
		return nil, err
	}
	return &journal{log: l, kept: true}, nil
}

func newJournal(w io.Writer) *journal { return &journal{log: run.NewLog(trace.NewWriter(w))} }

// into lets the journal write to the end of the trace in dir from now on. Parts that were
// marked as stored stay so.
func (j *journal) into(dir run.Dir, s state.State) error {
	j.kept = true
	return j.log.Continue(dir, s)
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
		if err := j.log.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// exchange records a request and its answer, before anybody uses the answer, and what
// it counted against the caps.
func (j *journal) exchange(key trace.CallKey, ask behavior.Ask, a llmclient.Answer, charge *trace.Charge) error {
	if j.later != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		return j.later(func() error { return j.log.Exchange(newCall(key, ask, a, charge), ask.Request, a) }, false)
	}
	// What takes long is made before the others are kept waiting.
	return j.log.Exchange(newCall(key, ask, a, charge), ask.Request, a)
}

// newCall is the record of an exchange without the hashes of its parts.
func newCall(key trace.CallKey, ask behavior.Ask, a llmclient.Answer, charge *trace.Charge) trace.ModelCall {
	request := ask.Request
	return trace.ModelCall{
		Tick: key.Tick, AgentID: key.Agent, Step: key.Step, Stage: ask.Stage, Model: request.Model, ToolChoice: request.Choice.Wire(),
		RequestHash: request.Hash(), InputChars: request.Chars(), ToolChars: request.ToolChars(),
		Sections: append([]trace.Section{}, ask.Sections...), Charge: charge,
		Timing: &trace.CallTiming{LatencyMS: a.LatencyMS, Attempts: a.Attempts, FailedAttempts: a.FailedAttempts, Recorded: a.Recorded},
	}
}
