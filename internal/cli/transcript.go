package cli

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// transcript is what a trace holds about one agent in one tick.
type transcript struct {
	// header is the run's, for context.
	header trace.Header
	// decision is nil when the run ended within the tick.
	decision *trace.Decision
	// parent is what the agent did in the same tick of the run this one was forked
	// from, nil when it did nothing or there is no such run; parentDir is that run's
	// directory, empty when it is not at hand.
	parent    *trace.Decision
	parentDir string
	// steps and calls are in the order of the trace, which is that of the turn:
	// an agent takes one step at a time.
	steps []trace.Step
	calls []trace.ModelCall
	// refused are the turn's requests that a cap refused; they were not sent.
	refused []trace.Refusal
	// parts are the bodies the calls refer to.
	parts trace.Parts
}

// presence remembers which decisions a trace holds, to answer a question for one
// that it does not.
type presence struct {
	// agents are all agents of the run, from its header.
	agents []string
	// inTick are the agents that decided in the tick asked for.
	inTick []string
	// first and last bound the ticks with decisions; last is 0 when there is none.
	first, last int64
}

// addParent adds what the agent did in the run that a fork left, in a tick after that.
func (t *transcript) addParent(m *Main, runDir string, f explainFlags) {
	forks := t.header.Forks
	if len(forks) == 0 || f.tick < forks[len(forks)-1].Tick {
		return
	}
	if t.parentDir = m.parentOf(runDir, forks[len(forks)-1].Parent); t.parentDir == "" {
		return
	}
	parent, err := m.loadTranscript(t.parentDir, f.tick, f.agent)
	if run.Damaged(err) {
		t.parentDir = ""
	}
	t.parent = parent.decision
}

// loadTranscript reads one decision from a run's trace, by way of the run's index when
// that knows the tick. Otherwise it reads the trace twice: parts come before the calls
// that name them, and only few are needed, so keeping all of them in memory would cost
// as much as the whole run.
func (m *Main) loadTranscript(runDir string, tick int64, agent string) (transcript, error) {
	if t, ok := m.indexedTranscript(runDir, tick, agent); ok {
		return t, nil
	}
	var t transcript
	var seen presence
	if err := m.eachRecord(runDir, func(r trace.Record) {
		t.add(r, tick, agent)
		seen.add(r, tick)
	}); err != nil {
		return transcript{}, err
	}
	if t.decision == nil && len(t.steps) == 0 && len(t.calls) == 0 {
		return transcript{}, seen.missing(tick, agent)
	}
	needed := t.hashes()
	err := m.eachRecord(runDir, func(r trace.Record) {
		if p, ok := r.(trace.Part); ok && needed[p.Hash] {
			t.parts.Add(p)
		}
	})
	return t, err
}

// indexedTranscript reads one decision from the tick it was made in, and the parts from
// the stretch of ticks before it, which holds them. ok is false when that does not give
// the whole decision; what is wrong then shows when the trace is read from its start.
func (m *Main) indexedTranscript(runDir string, tick int64, agent string) (t transcript, ok bool) {
	x, _, err := run.Dir(m.path(runDir)).Index(false)
	if err != nil {
		return transcript{}, false
	}
	if _, ok := x.At(tick); !ok {
		return transcript{}, false
	}
	if t.header, err = run.Dir(m.path(runDir)).Header(); err != nil {
		return transcript{}, false
	}
	upToIt := func(r trace.Record) bool { end, whole := r.(trace.TickEnd); return !whole || end.Tick < tick }
	err = m.eachFrom(runDir, x, tick, trace.TypePart, func(r trace.Record) bool {
		t.add(r, tick, agent)
		return upToIt(r)
	})
	if err != nil || len(t.calls)+len(t.steps) == 0 && t.decision == nil {
		return transcript{}, false
	}
	needed := t.hashes()
	err = m.eachFrom(runDir, x, tick-tick%trace.PartTicks, trace.TypeEvent, func(r trace.Record) bool {
		if p, ok := r.(trace.Part); ok && needed[p.Hash] {
			t.parts.Add(p)
		}
		return upToIt(r)
	})
	return t, err == nil && t.complete(needed)
}

// complete reports whether all parts were found.
func (t *transcript) complete(needed map[string]bool) bool {
	for hash := range needed {
		if _, ok := t.parts.Part(hash); !ok && hash != "" {
			return false
		}
	}
	return true
}

// add keeps a record if it belongs to the decision asked for. Parts are left for
// the second reading.
func (t *transcript) add(r trace.Record, tick int64, agent string) {
	switch r := r.(type) {
	case trace.Header:
		t.header = r
	case trace.Decision:
		if r.Tick == tick && r.AgentID == agent {
			t.decision = &r
		}
	case trace.Step:
		if r.Tick == tick && r.AgentID == agent {
			t.steps = append(t.steps, r)
		}
	case trace.ModelCall:
		if r.Tick == tick && r.AgentID == agent {
			t.calls = append(t.calls, r)
		}
	case trace.Refusal:
		if r.Tick == tick && r.AgentID == agent {
			t.refused = append(t.refused, r)
		}
	}
}

// hashes are the parts the calls refer to. An empty hash, for an empty list of
// tools, may be among them and is never the hash of a part.
func (t *transcript) hashes() map[string]bool {
	needed := map[string]bool{}
	for _, c := range t.calls {
		for _, hash := range slices.Concat([]string{c.Instructions, c.Tools}, c.Input, c.Answer.Output) {
			needed[hash] = true
		}
	}
	return needed
}

// add takes note of the agents a run has and of the ticks with decisions.
func (p *presence) add(r trace.Record, tick int64) {
	switch r := r.(type) {
	case trace.Header:
		for _, a := range r.Agents {
			p.agents = append(p.agents, a.ID)
		}
	case trace.Decision:
		if p.first == 0 {
			p.first = r.Tick
		}
		p.last = max(p.last, r.Tick)
		if r.Tick == tick {
			p.inTick = append(p.inTick, r.AgentID)
		}
	}
}

// missing explains that there is no such decision and which there are. An agent
// decides only in ticks in which it is due, so asking for another one is the
// ordinary mistake.
func (p *presence) missing(tick int64, agent string) error {
	switch {
	case p.last == 0:
		return badInput("the trace holds no decision yet")
	case !slices.Contains(p.agents, agent):
		return badInput("no agent %s in this run; allowed: %s", shown(agent), listed(p.agents))
	case len(p.inTick) == 0:
		return badInput("no decision in tick %d; the trace has decisions from tick %d to %d", tick, p.first, p.last)
	}
	return badInput("%s made no decision in tick %d, being under way, waiting or without power; decisions then: %s", oneLine(agent), tick, listed(p.inTick))
}

// listedMax bounds how many names an error lists.
const listedMax = 20

// listed joins names for an error, the first listedMax of them.
func listed(names []string) string {
	if len(names) <= listedMax {
		return oneLine(strings.Join(names, ", "))
	}
	return oneLine(strings.Join(names[:listedMax], ", ")) + fmt.Sprintf(" and %d more", len(names)-listedMax)
}
