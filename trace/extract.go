package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// Extract says what of a run a reduced trace keeps.
type Extract string

// ExtractAnswers keeps every recorded answer and what the model saw, as hashes:
// enough to give the answers again, and no prompt. See [WriteAnswers].
const ExtractAnswers Extract = "answers"

// facts returns the part of a header that identifies the run, without its texts: it omits
// prompts, goals, personas, lessons, forks, the scenario's text and the endpoint.
func (h Header) facts() Header {
	s := h.Settings
	s.ScenarioTOML = ""
	s.Playbook = ""
	s.Words = ""
	s.BaseURL = ""
	s.SystemPrompt = ""
	s.ShortTermGoal = ""
	s.LongTermGoal = ""
	s.PromptSwitches = nil
	s.AgentModels = slices.Clone(s.AgentModels)
	for i, a := range s.AgentModels {
		s.AgentModels[i] = AgentModel{Agent: a.Agent, Model: a.Model}
	}
	agents := make([]HeaderAgent, len(h.Agents))
	for i, a := range h.Agents {
		agents[i] = HeaderAgent{ID: a.ID}
	}
	h.Settings = s
	h.Agents = agents
	h.Extract = ExtractAnswers
	h.Timing = nil
	// What a fork changed is made of the same texts.
	h.Forks = nil
	return h
}

// AnswerCounts says what [WriteAnswers] kept.
type AnswerCounts struct {
	// Answers are those kept, LastTick the last tick that has one.
	Answers, LastTick int64
}

// WriteAnswers copies to w what a recording needs of the trace in r: the facts of
// its header, and for each model call its key, the hashes of what the model saw, and
// the answer with its items. A call whose answer is not [Answer.Lasting] is left out.
// find returns a blob that was stored in an earlier tick than the one that needs it. Memory is
// bounded by the blobs of one tick and the hashes of all answers. The error is [ErrNoHeader], a
// [*LineError], a blob that
// is missing, or a failed write; a torn last line ends the trace.
func WriteAnswers(r *Reader, w *Writer, find func(hash string) (Blob, error)) (AnswerCounts, error) {
	h, err := r.Header()
	if err == io.EOF {
		err = ErrNoHeader
	}
	if err != nil {
		return AnswerCounts{}, err
	}
	e := answerExtract{w: w, find: find}
	if err := w.Write(h.facts()); err != nil {
		return e.counts, err
	}
	tick := int64(0)
	for record, err := range r.Records() {
		if err == nil && record.recordTick() != tick {
			tick, err = record.recordTick(), e.flush()
		}
		if err != nil {
			return e.counts, err
		}
		switch record := record.(type) {
		case Blob:
			e.items.Add(record)
		case ModelCall:
			if record.Answer.Lasting() {
				e.held = append(e.held, record)
			}
		}
	}
	return e.counts, e.flush()
}

// answerExtract holds back the calls of one tick, which concurrency has put into the
// trace in any order.
type answerExtract struct {
	w      *Writer
	find   func(hash string) (Blob, error)
	counts AnswerCounts
	items  Blobs
	held   []ModelCall
}

// flush writes the calls of a tick by agent and step, and before each the blobs of its
// answer that were not written.
func (e *answerExtract) flush() error {
	slices.SortStableFunc(e.held, func(a, b ModelCall) int {
		return cmp.Or(strings.Compare(a.AgentID, b.AgentID), cmp.Compare(a.Step, b.Step))
	})
	for _, c := range e.held {
		e.w.reach(c.Tick)
		for _, hash := range c.Answer.Output {
			if e.w.stored[blobKey{BlobItem, hash}] {
				continue
			}
			p, ok := e.items.Blob(hash)
			if !ok {
				var err error
				p, err = e.find(hash)
				if err != nil {
					return fmt.Errorf("answer of %s in tick %d, step %d: %w", c.AgentID, c.Tick, c.Step, err)
				}
			}
			p.Tick, p.Kind = c.Tick, BlobItem
			if err := e.w.Write(p); err != nil {
				return err
			}
		}
		err := e.w.Write(ModelCall{
			Tick: c.Tick, AgentID: c.AgentID, Step: c.Step, Stage: c.Stage, Model: c.Model, Instructions: c.Instructions,
			Tools: c.Tools, Input: c.Input, ToolChoice: c.ToolChoice, Sections: []Section{}, Answer: c.Answer,
		})
		if err != nil {
			return err
		}
		e.counts.Answers, e.counts.LastTick = e.counts.Answers+1, c.Tick
	}
	e.held, e.items = e.held[:0], Blobs{}
	return nil
}

// Lasting reports whether the answer can be used again in another run. An answer
// interrupted from outside cannot.
func (a Answer) Lasting() bool {
	if a.Failure == nil {
		return true
	}
	switch a.Failure.Kind {
	case llmclient.ErrInterrupted, llmclient.ErrAbandoned, llmclient.ErrNotRecorded, llmclient.ErrRecordingDamaged:
		return false
	}
	return true
}
