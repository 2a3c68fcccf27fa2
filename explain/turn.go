package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Turn is what one agent did in one tick, in the order of the trace.
type Turn struct {
	// Decision is nil where the agent decided nothing.
	Decision *trace.Decision
	Steps    []trace.Step
	Calls    []trace.ModelCall
	Tools    []trace.ToolCall
	Refusals []trace.Refusal
	// Events are those that concern the agent.
	Events []world.Event

	blobs *trace.Blobs
}

// Turn is what an agent did in the tick. The bodies of its calls are not known.
func (t *Tick) Turn(agent string) *Turn {
	of := &Turn{blobs: &trace.Blobs{}}
	for _, d := range t.Decisions {
		if d.AgentID == agent {
			of.Decision = &d
		}
	}
	for _, s := range t.Steps {
		if s.AgentID == agent {
			of.Steps = append(of.Steps, s)
		}
	}
	for _, c := range t.Calls {
		if c.AgentID == agent {
			of.Calls = append(of.Calls, c)
		}
	}
	for _, c := range t.Tools {
		if c.AgentID == agent {
			of.Tools = append(of.Tools, c)
		}
	}
	for _, r := range t.Refusals {
		if r.AgentID == agent {
			of.Refusals = append(of.Refusals, r)
		}
	}
	for _, e := range t.Events {
		if slices.Contains(e.Concerns(), agent) {
			of.Events = append(of.Events, e)
		}
	}
	return of
}

// ReadTurn reads what an agent did in a tick. The index must be of the run and reach the tick; without
// one the trace is read from its first line. The error says where the trace cannot be read.
func ReadTurn(of Run, x *state.Index, tick int64, agent string) (*Turn, error) {
	list, err := ReadTurns(of, x, tick, []string{agent})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// ReadTurns is [ReadTurn] for several agents, in their order: the trace is read once for all of them.
func ReadTurns(of Run, x *state.Index, tick int64, agents []string) ([]*Turn, error) {
	var in Tick
	for t, err := range Ticks(of, x, tick, tick) {
		if err != nil {
			return nil, err
		}
		in = t
	}
	list := make([]*Turn, len(agents))
	for i, agent := range agents {
		list[i] = in.Turn(agent)
	}
	return list, readBodies(of, x, tick, list)
}

// readBodies reads the bodies of the calls of some turns in a tick. A body is stored once in an epoch,
// so the search begins where the epoch of the tick does.
func readBodies(of Run, x *state.Index, tick int64, turns []*Turn) error {
	blobs := &trace.Blobs{}
	needed := map[string]bool{}
	for _, t := range turns {
		t.blobs = blobs
		for _, c := range t.Calls {
			for _, hash := range slices.Concat([]string{c.Instructions, c.Tools}, c.Input, c.Answer.Output) {
				needed[hash] = hash != ""
			}
		}
	}
	if len(needed) == 0 {
		return nil
	}
	from := max(1, tick/trace.EpochTicks*trace.EpochTicks)
	for record, err := range Records(of, x, from, trace.TypeBlob, trace.TypeTickEnd) {
		if err != nil {
			return err
		}
		if blob, is := record.(trace.Blob); is && needed[blob.Hash] {
			blobs.Add(blob)
		}
		if end, is := record.(trace.TickEnd); is && end.Tick >= tick {
			return nil
		}
	}
	return nil
}

// Prompt is a model call with the parts in place of their hashes: exactly what was sent and received,
// read from the trace and not derived again.
type Prompt struct {
	Record       trace.ModelCall `json:"record"`
	Instructions string          `json:"instructions"`
	// Tools is the tool list as sent, null when there was none.
	Tools json.RawMessage `json:"tools"`
	// Input and Output are in the order of the request and of the answer; Output is empty when the call
	// failed.
	Input  Items `json:"input"`
	Output Items `json:"output"`

	// tools are those in Tools.
	tools []llmclient.Tool
}

// Items are items that are encoded as they travel on the wire.
type Items []llmclient.Item

// MarshalJSON implements json.Marshaler. A nil list is [] and not null.
func (list Items) MarshalJSON() ([]byte, error) {
	raws := make([][]byte, len(list))
	for i, it := range list {
		raws[i] = it.Raw
	}
	return slices.Concat([]byte("["), bytes.Join(raws, []byte(",")), []byte("]")), nil
}

// Prompt is [Turn.Parts] of a call whose tools can be read. The error also names a part that is no list
// of tools.
func (t *Turn) Prompt(c trace.ModelCall) (p Prompt, err error) {
	p, err = t.Parts(c)
	if err == nil && json.Unmarshal(p.Tools, &p.tools) != nil {
		err = fmt.Errorf("part %s is not a tool list", c.Tools)
	}
	return p, err
}

// Parts looks up the parts of a call of the turn. Each is checked against its hash, so what is shown is
// what was sent, or nothing; Tools may be no JSON. The error names the part that is missing or damaged.
func (t *Turn) Parts(c trace.ModelCall) (p Prompt, err error) {
	bodies := [2][]byte{nil, []byte("null")}
	for i, hash := range []string{c.Instructions, c.Tools} {
		if hash == "" {
			continue // nothing was sent
		}
		bodies[i], err = t.blobs.Body(hash)
		if err != nil {
			return p, err
		}
	}
	p = Prompt{Record: c, Instructions: string(bodies[0]), Tools: bodies[1]}
	p.Input, err = t.blobs.Items(c.Input)
	if err == nil {
		p.Output, err = t.blobs.Items(c.Answer.Output)
	}
	return p, err
}

// Offered are the tools that the call offered.
func (p Prompt) Offered() []llmclient.Tool { return p.tools }

// ToolNames are the names of the tools that the call offered.
func (p Prompt) ToolNames() (names []string) {
	for _, t := range p.tools {
		names = append(names, t.Name)
	}
	return names
}

// Answer is that of a call of the turn. The error names the item that is missing or damaged.
func (t *Turn) Answer(c trace.ModelCall) (llmclient.Answer, error) {
	return c.Answer.Restore(t.blobs)
}

// Item is an item with a hash; ok is false where a call of the turn has none.
func (t *Turn) Item(hash string) (llmclient.Item, bool) {
	body, err := t.blobs.Body(hash)
	if err != nil {
		return llmclient.Item{}, false
	}
	return llmclient.ParseItem(body)
}
