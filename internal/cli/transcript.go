package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// transcript is what a trace holds about one agent in one tick.
type transcript struct {
	tick  int64
	agent string
	// header is the run's, for context.
	header trace.Header
	// decision is nil when the run ended within the tick.
	decision *trace.Decision
	// parent is what the agent did in the same tick of the run this one was forked from.
	// It is nil if the agent did nothing or there is no such run. parentDir is the directory
	// of that run, empty if it was not found.
	parent    *trace.Decision
	parentDir string
	// order is the decision that gave the standing order which the tick continued, nil for none.
	order *trace.Decision
	// idle is the agent in a tick without a decision, else nil.
	idle *idle
	// steps and calls are in the order of the trace, which is that of the turn:
	// an agent takes one step at a time.
	steps []trace.Step
	calls []trace.ModelCall
	// refused are the turn's requests that a cap refused; they were not sent.
	refused []trace.Refusal
	// parts are the bodies the calls refer to.
	parts trace.Blobs
	// inTick are the agents that decided in the tick, first and last bound the ticks with
	// decisions, last being 0 without any: to answer for a decision that there is not.
	inTick      []string
	first, last int64
}

// loadTranscript reads one decision from a run's trace, of which also sees all records but
// the parts.
func (m *Main) loadTranscript(runDir string, tick int64, agent string, also func(trace.Record)) (*transcript, error) {
	t := &transcript{tick: tick, agent: agent}
	err := m.eachRecord(runDir, func(r trace.Record) {
		t.add(r)
		also(r)
	}, trace.TypeBlob)
	if err == nil && t.undecided() && !isAgent(t.header, agent) {
		err = t.missing()
	}
	return t, err
}

// undecided reports that the trace holds nothing of the agent in the tick.
func (t *transcript) undecided() bool {
	return t.decision == nil && len(t.steps) == 0 && len(t.calls) == 0
}

// loadParts reads the parts that the calls refer to. Parts come before the calls that name
// them, and only few are needed, so keeping all of them in memory meanwhile would cost as
// much as the whole run.
func (m *Main) loadParts(runDir string, t *transcript) error {
	needed := t.hashes()
	return m.eachRecord(runDir, func(r trace.Record) {
		if p, ok := r.(trace.Blob); ok && needed[p.Hash] {
			t.parts.Add(p)
		}
	}, trace.TypeModelCall, trace.TypeStep, trace.TypeDecision, trace.TypeEvent)
}

// add keeps a record if it belongs to the decision asked for. Parts are left for
// the second reading.
func (t *transcript) add(r trace.Record) {
	asked := func(tick int64, agent string) bool { return tick == t.tick && agent == t.agent }
	switch r := r.(type) {
	case trace.Header:
		t.header = r
	case trace.Decision:
		if t.first == 0 {
			t.first = r.Tick
		}
		t.last = max(t.last, r.Tick)
		if r.Tick == t.tick {
			t.inTick = append(t.inTick, r.AgentID)
		}
		if asked(r.Tick, r.AgentID) {
			t.decision = &r
		}
	case trace.Step:
		if asked(r.Tick, r.AgentID) {
			t.steps = append(t.steps, r)
		}
	case trace.ModelCall:
		if asked(r.Tick, r.AgentID) {
			t.calls = append(t.calls, r)
		}
	case trace.Refusal:
		if asked(r.Tick, r.AgentID) {
			t.refused = append(t.refused, r)
		}
	}
}

// hashes are the parts the calls refer to. An empty hash, for an empty list of tools, is
// never the hash of a part.
func (t *transcript) hashes() map[string]bool {
	needed := map[string]bool{}
	for _, c := range t.calls {
		for _, hash := range slices.Concat([]string{c.Instructions, c.Tools}, c.Input, c.Answer.Output) {
			needed[hash] = true
		}
	}
	delete(needed, "")
	return needed
}

// missing explains that there is no such decision and which there are. An agent
// decides only in ticks in which it is due, so asking for another one is the
// ordinary mistake.
func (t *transcript) missing() error {
	switch {
	case t.last == 0:
		return badInput("the trace holds no decision yet")
	case !isAgent(t.header, t.agent):
		return noAgent(t.header, t.agent)
	case len(t.inTick) == 0:
		return badInput("no decision in tick %d; the trace has decisions from tick %d to %d", t.tick, t.first, t.last)
	}
	return badInput("%s made no decision in tick %d, being under way, waiting or without power; decisions then: %s",
		t.agent, t.tick, listed(t.inTick))
}

// left is where the run left another, ok in a tick after that.
func (t *transcript) left() (f trace.Fork, ok bool) {
	forks := t.header.Forks
	if len(forks) == 0 || t.tick < forks[len(forks)-1].Tick {
		return f, false
	}
	return forks[len(forks)-1], true
}

// prompt is a model call with the parts in place of their hashes: exactly what was
// sent and received, read from the trace and not derived again.
type prompt struct {
	Record       trace.ModelCall `json:"record"`
	Instructions string          `json:"instructions"`
	// Tools is the tool list as sent, null when there was none.
	Tools json.RawMessage `json:"tools"`
	// Input and Output are in the order of the request and of the answer; Output is empty
	// when the call failed.
	Input  wireItems `json:"input"`
	Output wireItems `json:"output"`
	// toolNames are the names in Tools.
	toolNames []string
}

// wireItems are items that are encoded as they travel on the wire.
type wireItems []llmclient.Item

// MarshalJSON implements json.Marshaler. A nil list is [] and not null.
func (list wireItems) MarshalJSON() ([]byte, error) {
	raws := make([][]byte, len(list))
	for i, it := range list {
		raws[i] = it.Raw
	}
	return slices.Concat([]byte("["), bytes.Join(raws, []byte(",")), []byte("]")), nil
}

// prompt looks up the parts of a call. The error names the part that is missing
// or damaged; a part is checked against its hash, so what is shown is what was
// sent, or nothing.
func (t *transcript) prompt(c trace.ModelCall) (p prompt, err error) {
	bodies := [2][]byte{nil, []byte("null")}
	for i, hash := range []string{c.Instructions, c.Tools} {
		if hash == "" {
			continue // nothing was sent
		}
		bodies[i], err = t.parts.Body(hash)
		if err != nil {
			return p, err
		}
	}
	p = prompt{Record: c, Instructions: string(bodies[0]), Tools: bodies[1]}
	var tools []struct{ Name string }
	if json.Unmarshal(p.Tools, &tools) != nil {
		return p, fmt.Errorf("part %s is not a tool list", c.Tools)
	}
	for _, tool := range tools {
		p.toolNames = append(p.toolNames, tool.Name)
	}
	p.Input, err = t.parts.Items(c.Input)
	if err != nil {
		return p, err
	}
	p.Output, err = t.parts.Items(c.Answer.Output)
	return p, err
}

// listedMax bounds how many names an error lists.
const listedMax = 20

// listed joins names for an error, the first listedMax of them.
func listed(names []string) string {
	if len(names) <= listedMax {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:listedMax], ", ") + fmt.Sprintf(" and %d more", len(names)-listedMax)
}
