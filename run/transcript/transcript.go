// Package transcript reads what one agent did in one tick of a run: the records of its turn, with
// the prompts and answers that they name.
//
//	index, _, err := dir.Index(false)
//	t, err := transcript.Read(dir, index, tick, agent)
//	t.Decision, t.Steps, t.Calls
//	parts, err := t.Parts(t.Calls[0])   // what was sent and received, byte for byte
package transcript

import (
	"errors"
	"io"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Transcript is what one agent did in one tick, in the order of the trace. If a resume derived the
// tick again, only the last derivation counts; calls are not repeated. [Read] and [ReadAll] make it.
type Transcript struct {
	// Decision is nil where the agent decided nothing.
	Decision *trace.Decision
	Steps    []trace.Step
	Calls    []trace.ModelCall
	Refusals []trace.Refusal
	// Events are those that concern the agent.
	Events []world.Event

	blobs *trace.Blobs
}

// Read reads what an agent did in a tick. The index must be of the run and reach the tick. The error
// says where the trace cannot be read.
func Read(dir run.Dir, x *state.Index, tick int64, agent string) (*Transcript, error) {
	list, err := ReadAll(dir, x, tick, []string{agent})
	return list[0], err
}

// ReadAll is [Read] for several agents, each named once, in their order: the trace is read once for
// all of them. Without an index it reads nothing, and the transcripts are empty.
func ReadAll(dir run.Dir, x *state.Index, tick int64, agents []string) ([]*Transcript, error) {
	list, of := make([]*Transcript, len(agents)), map[string]*Transcript{}
	blobs := &trace.Blobs{}
	for i, id := range agents {
		list[i] = &Transcript{blobs: blobs}
		of[id] = list[i]
	}
	if x == nil {
		return list, nil
	}
	needed := map[string]bool{}
	err := Each(dir, x, tick, tick, func(r trace.Record) {
		switch r := r.(type) {
		case trace.Resume:
			for _, t := range list {
				t.Decision = nil
				t.Steps = nil
				t.Events = nil
				t.Refusals = nil
			}
		case trace.Decision:
			if t := of[r.AgentID]; t != nil {
				t.Decision = &r
			}
		case trace.Step:
			if t := of[r.AgentID]; t != nil {
				t.Steps = append(t.Steps, r)
			}
		case trace.ModelCall:
			if t := of[r.AgentID]; t != nil {
				t.Calls = append(t.Calls, r)
				for _, hash := range slices.Concat([]string{r.Instructions, r.Tools}, r.Input, r.Answer.Output) {
					needed[hash] = hash != ""
				}
			}
		case trace.Refusal:
			if t := of[r.AgentID]; t != nil {
				t.Refusals = append(t.Refusals, r)
			}
		case trace.Event:
			for _, id := range r.Event.Concerns() {
				if t := of[id]; t != nil {
					t.Events = append(t.Events, r.Event)
				}
			}
		}
	}, trace.TypeResume, trace.TypeDecision, trace.TypeStep, trace.TypeModelCall, trace.TypeRefusal, trace.TypeEvent)
	if err != nil || len(needed) == 0 {
		return list, err
	}
	return list, readBlobs(dir, x, tick, needed, blobs)
}

// Each calls see with the records of some types in the ticks from one to another, in their order.
// The index must be of the run. The error says where the trace cannot be read.
func Each(dir run.Dir, x *state.Index, from, to int64, see func(trace.Record), types ...trace.Type) error {
	f, err := dir.OpenFrom(x, from)
	if err != nil {
		return err
	}
	defer f.Close()
	for r := trace.NewReader(f); ; {
		record, err := r.NextOf(append([]trace.Type{trace.TypeTickEnd}, types...)...)
		if err == io.EOF || errors.Is(err, trace.ErrTorn) {
			return nil
		}
		if err != nil {
			return err
		}
		end, ended := record.(trace.TickEnd)
		switch {
		case trace.TickOf(record) > to || ended && end.Tick == to:
			return nil
		case !ended:
			see(record)
		}
	}
}

// readBlobs reads the bodies with the hashes needed into blobs. A body is stored once in an epoch,
// so the search begins where the epoch of the tick does.
func readBlobs(dir run.Dir, x *state.Index, tick int64, needed map[string]bool, blobs *trace.Blobs) error {
	f, err := dir.OpenFrom(x, max(1, tick/trace.EpochTicks*trace.EpochTicks))
	if err != nil {
		return err
	}
	defer f.Close()
	for r := trace.NewReader(f); ; {
		record, err := r.NextOf(trace.TypeBlob, trace.TypeTickEnd)
		if err == io.EOF || errors.Is(err, trace.ErrTorn) {
			return nil
		}
		if err != nil {
			return err
		}
		switch record := record.(type) {
		case trace.Blob:
			if needed[record.Hash] {
				blobs.Add(record)
			}
		case trace.TickEnd:
			if record.Tick >= tick {
				return nil
			}
		}
	}
}

// Parts are what a call sent and received.
type Parts struct {
	Instructions string
	// Tools is the tool list as it was sent, nil without one.
	Tools []byte
	// Input and Output are in the order of request and answer; Output is empty where the call
	// failed.
	Input, Output []llmclient.Item
}

// Parts are those of a call of the transcript. Each is checked against its hash; the error names
// the one that is missing or damaged.
func (t *Transcript) Parts(c trace.ModelCall) (p Parts, err error) {
	var bodies [2][]byte
	for i, hash := range []string{c.Instructions, c.Tools} {
		if hash == "" {
			continue // nothing was sent
		}
		bodies[i], err = t.blobs.Body(hash)
		if err != nil {
			return p, err
		}
	}
	p.Instructions, p.Tools = string(bodies[0]), bodies[1]
	p.Input, err = t.blobs.Items(c.Input)
	if err == nil {
		p.Output, err = t.blobs.Items(c.Answer.Output)
	}
	return p, err
}

// Answer is that of a call of the transcript. The error names the item that is missing or damaged.
func (t *Transcript) Answer(c trace.ModelCall) (llmclient.Answer, error) {
	return c.Answer.Restore(t.blobs)
}

// Item is an item with a hash; ok is false where a call of the transcript has none.
func (t *Transcript) Item(hash string) (llmclient.Item, bool) {
	body, err := t.blobs.Body(hash)
	if err != nil {
		return llmclient.Item{}, false
	}
	return llmclient.ParseItem(body)
}
