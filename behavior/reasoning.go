package behavior

import (
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// takeThought takes the answer to a reason step, in which no tool may be called: nothing runs, and each
// call gets its own error output. Text with the calls is kept as the reasoning of the step.
func (t *Turn) takeThought(text string) {
	thought := strings.TrimSpace(text) != ""
	var used []answer.Repair
	for i, s := range t.conversation.Calls {
		if said, ok := answer.Thought(s.Call); ok {
			text = strings.TrimSpace(text + "\n" + said)
			thought = true
			used = []answer.Repair{answer.ReasonTool}
			t.conversation.Respond(i, thoughtTaken)
		}
	}
	if len(t.conversation.Calls) > 0 {
		t.refuseInThought(thought)
		if !thought {
			if t.protocol.reason.violations > violationsMax {
				t.fail(trace.WaitReasoning, nil)
			}
			return
		}
	}
	t.reasoned(text, used...)
	t.advance()
	if t.protocol.stage != trace.StageReason {
		t.conversation.Say(t.agent.words.Steps.ReasonDone)
	}
}

// refuseInThought refuses the calls of a reason step. Without a thought the step is tried again.
func (t *Turn) refuseInThought(thought bool) {
	if !t.conversation.settled() {
		t.protocol.reason.violations++
	}
	for i, s := range t.conversation.Calls {
		if s.done {
			continue
		}
		f := t.agent.words.newFeedback(CodeReasonViolation)
		if !thought {
			f.TriesLeft = violationsMax - t.protocol.reason.violations + 1
		}
		t.conversation.reject(i, f)
		t.conversation.Note(trace.Step{Kind: trace.StepViolation, Status: trace.StatusError, Level: trace.LevelWarn,
			Code: CodeReasonViolation, CallID: s.ID, Name: t.agent.vocabulary.Tool(s.Tool)})
	}
	t.conversation.Flush()
}

// takeThoughtCall takes a call of a tool that is no tool but a name of thinking, if the turn has a reason
// step left for it.
func (t *Turn) takeThoughtCall(i int) bool {
	call := t.conversation.Calls[i].Call
	if t.agent.vocabulary.Tool(call.Tool) != answer.NoTool || t.protocol.reasonSteps >= t.agent.cfg.ReasonStepsMax {
		return false
	}
	text, ok := answer.Thought(call)
	if ok {
		t.protocol.reasonSteps++
		t.reasoned(text, answer.ReasonTool)
		t.conversation.Respond(i, thoughtTaken)
	}
	return ok
}

// reasoned notes what was thought. A tool that a model thinks with does not exist; what it was
// called with is taken all the same, and answered by thoughtTaken.
func (t *Turn) reasoned(text string, used ...answer.Repair) {
	t.protocol.gotFurther()
	t.conversation.Note(trace.Step{
		Kind: trace.StepReason, Level: trace.LevelInfo, Repairs: repairNames(used),
		Detail: llmclient.Marshal(reasonDetail{capText(text), runeCount(text)}),
	})
}

var thoughtTaken = map[string]string{"status": "ok"}

// reasonDetail is what a reason step said, cut, and how long it was.
type reasonDetail struct {
	Text  string `json:"text"`
	Chars int    `json:"chars"`
}
