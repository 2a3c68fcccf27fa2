package interview

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// QuestionCharsMax bounds a question.
const QuestionCharsMax = 4000

// Agent is an agent after a tick of a recorded run.
type Agent struct {
	// ID is the agent's, Tick the last tick that it knows of.
	ID   string
	Tick int64
	// Settings are those of the run in the tick of its last turn.
	Settings trace.Settings
	// Call is the last call of the last turn that it decided itself, with its parts: the
	// instructions, the tools that were offered, the input and the answer.
	Call         trace.ModelCall
	Instructions string
	Tools        []llmclient.Tool
	Input        []llmclient.Item
	Answer       llmclient.Answer
	// Decisions are that of the turn, and those of its standing order up to Tick.
	Decisions []trace.Decision
}

// With says who answers, and how tokens are counted.
type With struct {
	// Model is asked; empty is the model that decided.
	Model string
	// CountTokens returns an upper bound of the tokens of a text. It must not be nil.
	CountTokens func(string) int
}

// ErrWindow marks a question for which the context window has no room.
var ErrWindow = errors.New("there is no room for a question in the context window")

// Begin puts a question. The caller ensures that it has 1 to [QuestionCharsMax] characters. The error
// wraps [ErrWindow], or is that of texts in the trace that are none.
func (a Agent) Begin(question string, with With) (*Turn, error) {
	if with.Model == "" {
		with.Model = a.Call.Model
	}
	said, err := words.With(a.Settings.Language, a.Settings.Words)
	if err != nil {
		return nil, err
	}
	vocabulary := &answer.Vocabulary{Tools: a.Tools, WindowTokens: a.Settings.ContextWindowTokens}
	t := &Turn{agent: a, with: with, static: with.CountTokens(a.Instructions)}
	for _, tool := range a.Tools {
		t.static += with.CountTokens(string(tool.Wire()))
	}
	t.conversation = behavior.Conversation{
		Tick: a.Tick, AgentID: a.ID, Vocabulary: vocabulary, Language: said,
		Reflects: true, Input: slices.Clone(a.Input),
	}
	if with.Model == a.Call.Model {
		t.conversation.Kept(a.Call.Breakpoints)
	}
	t.recall()
	text := &said.Interview
	lines := slices.Concat([]string{text.Heading.Text(a.Tick)}, a.since(text), []string{text.Asked})
	t.conversation.Say(strings.Join(lines, "\n"))
	t.conversation.Complete()
	t.conversation.Input = append(t.conversation.Input, llmclient.Message("user", question))
	if with.Model != a.Call.Model {
		// One model cannot read what another one encrypted.
		t.conversation.DropReasoning()
	}
	if t.free() < answerTokensLeast {
		t.conversation.DropReasoning()
	}
	if free := t.free(); free < answerTokensLeast {
		return nil, fmt.Errorf("%w of %d tokens: %d are free, an answer needs %d", ErrWindow, a.Settings.ContextWindowTokens,
			free, answerTokensLeast)
	}
	return t, nil
}

// recall takes the agent's last answer into the conversation. What it called is answered with
// the outcome of its decision.
func (t *Turn) recall() {
	t.conversation.Sent(false)
	text, _ := t.conversation.Take(t.agent.Answer)
	if len(t.conversation.Calls) == 0 && strings.TrimSpace(text) != "" {
		t.conversation.Read(text, nil) // calls that were written down as text; none is as good
	}
	for i := range t.conversation.Calls {
		t.conversation.Respond(i, result{Status: "ended", Tick: t.agent.Call.Tick})
	}
	t.conversation.Flush()
}

// result answers the calls of the agent's last answer.
type result struct {
	Status string `json:"status"`
	Tick   int64  `json:"tick"`
}

// sinceMax bounds the decisions that a question repeats; the newest are kept.
const sinceMax = 12

// since are lines with the decisions and their outcomes.
func (a Agent) since(text *words.Interview) (lines []string) {
	list := a.Decisions
	if left := len(list) - sinceMax; left > 0 {
		lines = append(lines, text.LeftOut.Text(left))
		list = list[left:]
	}
	for _, d := range list {
		by := ""
		if d.DecidedBy == trace.ByStanding {
			by = text.Order
		}
		lines = append(lines, text.Decided.Text(d.Tick, by, string(d.Executed), outcome(d.Outcome, text)))
	}
	return lines
}

// outcome is an outcome in words, with the world's numbers.
func outcome(raw json.RawMessage, text *words.Interview) string {
	var o world.Outcome
	switch {
	case json.Unmarshal(raw, &o) != nil:
		return string(raw)
	case o.Accepted:
		line := text.Accepted
		for _, c := range o.Changes {
			line += fmt.Sprintf(", %s %+d", c.Resource, c.Amount)
		}
		return line
	case o.Rejection == nil:
		return text.Refused
	}
	return text.Refused + " " + string(o.Rejection.Code)
}
