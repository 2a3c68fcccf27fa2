package behavior

import (
	"encoding/json"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// PendingCall is one function call of an answer and, once known, its output.
type PendingCall struct {
	answer.Call
	ID string
	// custom says that the call wants the output of a custom tool's.
	custom bool
	// module marks a call the caller has to run.
	module bool
	// tool marks a call of a tool of the user's, which the caller has to make.
	tool bool
	// done says that the output is final: a text, or a value that is encoded late.
	done   bool
	output string
	result any
	// wrong is the output of a call that went wrong, nil for any other. It is encoded late,
	// because only the whole answer shows whether it costs a repair.
	wrong *feedback
}

// guide is the result of a call that may name the tool to call next.
type guide interface{ nextTool() *string }

// Respond sets the output of call i.
func (c *Conversation) Respond(i int, v any) { c.Calls[i].done, c.Calls[i].result = true, v }

// reject sets the output of call i to what was wrong with it.
func (c *Conversation) reject(i int, f feedback) { c.Calls[i].done, c.Calls[i].wrong = true, &f }

// Refuse answers a call of a tool that is unknown or not allowed now. The output for an unknown
// tool lists all tools there are.
func (c *Conversation) Refuse(i int, code string, allowed []string) {
	f := c.words().newFeedback(code)
	f.Allowed = allowed
	for _, tool := range c.Vocabulary.Tools {
		if code == CodeUnknownTool {
			f.Known = append(f.Known, tool.Name)
		}
	}
	c.reject(i, f)
}

// RefuseArguments answers a call whose arguments were refused and returns the code. If the call
// held no JSON and room says that there is room, the output repeats the schema of its tool.
// Otherwise the field at fault says more in less room.
func (c *Conversation) RefuseArguments(i int, e *answer.ArgumentError, room func(json.RawMessage) bool) (code string) {
	f := c.words().wrongArguments(argumentCode(c.Calls[i].Arguments, e), e)
	for _, tool := range c.Vocabulary.Tools {
		if f.Code == CodeArgumentsNotJSON && tool.Name == c.Calls[i].Tool && room(tool.Parameters) {
			f.Parameters = tool.Parameters
		}
	}
	c.reject(i, f)
	return f.Code
}

func (c *Conversation) settled() bool {
	return !slices.ContainsFunc(c.Calls, func(p PendingCall) bool { return !p.done })
}

// Flush appends the outputs of the last answer's calls in the model's order. Calls that went wrong
// in the same way are answered once in full: the others point to that output.
func (c *Conversation) Flush() {
	c.leadOnce()
	said := map[string]string{}
	for _, p := range c.Calls {
		output := p.text()
		if p.wrong != nil {
			output = encode(p.wrong)
			if first, again := said[output]; again {
				output = encode(sameError{p.wrong.Status, p.wrong.Code, first, p.wrong.Executed})
			} else {
				said[output] = p.ID
			}
		}
		c.Input = append(c.Input, llmclient.Output(p.ID, output, p.custom))
	}
	c.Calls = nil
}

// leadOnce leaves the outputs of an answer one tool to call next: that of the last call that went wrong
// and names one, or else of the last call that names one.
func (c *Conversation) leadOnce() {
	var lead *PendingCall
	for i := range c.Calls {
		p := &c.Calls[i]
		if next := p.nextTool(); next != nil && *next != "" && (lead == nil || lead.wrong == nil || p.wrong != nil) {
			lead = p
		}
	}
	for i := range c.Calls {
		p := &c.Calls[i]
		next := p.nextTool()
		// Calls that went wrong in the same way are answered once.
		same := lead != nil && lead.wrong != nil && p.wrong != nil && lead.wrong.Next == p.wrong.Next
		if next != nil && p != lead && !same {
			*next = ""
		}
	}
}

// text is the output of a call that went well.
func (p *PendingCall) text() string {
	if p.result != nil {
		return encode(p.result)
	}
	return p.output
}

// nextTool is what the output of a call names as the tool to call next, nil if it cannot name one.
func (p *PendingCall) nextTool() *string {
	if p.wrong != nil {
		return &p.wrong.Next
	}
	if g, guides := p.result.(guide); guides {
		return g.nextTool()
	}
	return nil
}

// sameError points to the output of another call of an answer, which failed in the same way.
type sameError struct {
	Status   string `json:"status"`
	Code     string `json:"code"`
	SameAs   string `json:"same_as"`
	Executed bool   `json:"executed"`
}

// Repair spends one of the further requests that are left for answers that could not be used; ok is
// false if there is none. Calls still open are answered as not executed, and those that went wrong tell
// which retry the next answer is. An answer without calls gets a message, with the tools that may be
// called.
func (c *Conversation) Repair(problem answer.Problem, allowed []string, left int) (ok bool) {
	c.note(trace.Step{Kind: trace.StepParseError, Status: trace.StatusError, Code: string(problem)})
	if left <= 0 {
		return false
	}
	c.note(trace.Step{Kind: trace.StepRepair, Code: string(problem)})
	if len(c.Calls) == 0 {
		f := c.words().aboutAnswer(problem, allowed)
		f.TriesLeft = left
		c.Say(encode(f))
	}
	for i := range c.Calls {
		if !c.Calls[i].done {
			c.reject(i, c.words().newFeedback(CodeNotExecuted))
		}
		if f := c.Calls[i].wrong; f != nil {
			f.TriesLeft = left
		}
	}
	c.Flush()
	return true
}
