package export

import (
	"errors"

	"example.com/agentworld/explain"
	"example.com/agentworld/trace"
)

// Conversations calls line for each turn of a decision for which a model or seat was asked, in whole ticks, in the
// order of the trace. It returns the row of the run, as [Recording.Rows] does. The error is one of line, an
// [*explain.NoAgentError], an [*explain.PartError], or says where the trace cannot be read; the turns of the whole
// ticks before that place were passed on.
func (rec Recording) Conversations(line func(Conversation) error) (RunRow, error) {
	w := rec.walk(nil, nil)
	ahead := foresight{turns: map[string][]int64{}, first: map[hashKey]int64{}, last: map[string]int64{}}
	w.whole = ahead.add
	damage := w.read()
	if w.run.Ticks == 0 {
		return w.run, damage
	}
	ahead.first = nil
	return w.run, errors.Join(rec.lines(w, &ahead, line), damage)
}

// lines reads the trace once more, up to the last whole tick that w has seen.
func (rec Recording) lines(w *walk, ahead *foresight, line func(Conversation) error) error {
	blobs := &trace.Blobs{}
	var in explain.Tick
	for record, err := range explain.Records(rec.Trace, nil, 0, turnTypes...) {
		if err != nil {
			return err
		}
		if blob, is := record.(trace.Blob); is {
			blobs.Add(blob)
			continue
		}
		in.Add(record)
		if end, is := record.(trace.TickEnd); !is || end.Tick != in.Tick {
			continue
		}
		for _, d := range in.Decisions {
			if rec.Agent != "" && rec.Agent != d.AgentID {
				continue
			}
			last, tools := lastCall(&in, d)
			if last == nil {
				continue
			}
			c := Conversation{Of: w.run.Of, Tick: d.Tick, Agent: d.AgentID, DecidedBy: d.DecidedBy, Executed: d.Executed,
				Outcome: given(d.Outcome), WaitReason: d.WaitReason, Authority: d.Authority, Trust: trustOf(d)}
			ahead.reward(&c)
			used := explain.UsedTools(w.header.SettingsAt(d.Tick-1), tools)
			if err := c.converse(*last, d, used, blobs); err != nil {
				return &explain.PartError{Err: err}
			}
			if err := line(c); err != nil {
				return err
			}
		}
		blobs.Keep(func(hash string) bool { return ahead.last[hash] > in.Tick })
		if in.Tick >= w.run.Ticks {
			return nil
		}
		in = explain.Tick{}
	}
	return nil
}

// turnTypes are the records that conversations are made of.
var turnTypes = []trace.Type{
	trace.TypeBlob, trace.TypeModelCall, trace.TypeToolCall, trace.TypeDecision, trace.TypeResume, trace.TypeTickEnd,
}

// lastCall is the last call of the turn that a decision ended, nil if it ended none or nobody was asked, with the calls
// of tools that the turn made.
func lastCall(in *explain.Tick, d trace.Decision) (last *trace.ModelCall, tools []trace.ToolCall) {
	if d.DecidedBy == trace.ByStanding {
		return nil, nil
	}
	for i := range in.Calls {
		c := &in.Calls[i]
		if c.AgentID == d.AgentID && !learns(c.Stage) && (last == nil || c.Step > last.Step) {
			last = c
		}
	}
	for _, t := range in.Tools {
		if t.AgentID == d.AgentID {
			tools = append(tools, t)
		}
	}
	return last, tools
}

// foresight is what a conversation needs to know of later ticks.
type foresight struct {
	// scores are those after each tick, from that before the first on; nil without a task.
	scores []int64
	// turns are the ticks of each agent's turns.
	turns map[string][]int64
	// last is the last tick in which a part is used, of those that are used in several. A part is kept so long.
	last map[string]int64
	// first is the first tick of the epoch in which a part is used.
	first map[hashKey]int64
	epoch int64
	// ticks counts the whole ticks.
	ticks int64
}

// hashKey is the beginning of a hash, enough to tell the parts of an epoch apart. Two that are alike would only be kept
// longer.
type hashKey [16]byte

// add takes a whole tick.
func (f *foresight) add(w *walk) error {
	in := &w.in
	f.ticks = in.Tick
	if w.scorer != nil && f.scores == nil {
		f.scores = []int64{w.begunWith}
	}
	if w.scorer != nil {
		f.scores = append(f.scores, w.score)
	}
	for _, d := range in.Decisions {
		if last, _ := lastCall(in, d); last != nil {
			f.turns[d.AgentID] = append(f.turns[d.AgentID], d.Tick)
		}
	}
	if epoch := in.Tick / trace.EpochTicks; epoch != f.epoch {
		f.epoch = epoch
		clear(f.first)
	}
	for _, c := range in.Calls {
		f.uses(c.Instructions, in.Tick)
		f.uses(c.Tools, in.Tick)
		for _, hash := range c.Input {
			f.uses(hash, in.Tick)
		}
		for _, hash := range c.Answer.Output {
			f.uses(hash, in.Tick)
		}
	}
	return nil
}

// uses takes in the use of a part.
func (f *foresight) uses(hash string, tick int64) {
	var key hashKey
	copy(key[:], hash)
	first, known := f.first[key]
	switch {
	case !known:
		f.first[key] = tick
	case first < tick:
		f.last[hash] = tick
	}
}

// reward fills in what the turn brought: the change of the score until the next turn of its agent.
func (f *foresight) reward(c *Conversation) {
	turns := f.turns[c.Agent]
	f.turns[c.Agent] = turns[1:] // they come in the same order
	c.RewardTo = f.ticks
	if len(turns) > 1 {
		c.RewardTo = turns[1] - 1
	}
	if f.scores != nil {
		after := f.scores[c.RewardTo]
		c.Score, c.Reward = new(after), new(after-f.scores[c.Tick-1])
	}
}
