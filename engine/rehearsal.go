package engine

import (
	"fmt"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Rehearsal is one turn of a run that is not played: what an endpoint is asked in its first tick, and
// what is fed back about its answers. Nothing is recorded and the world stays as it is.
type Rehearsal struct {
	r     *runner
	turn  *behavior.Turn
	model string
	// decision ends the turn, nil while it goes on.
	decision *behavior.Decision
}

// Rehearse begins the turn of the first agent with a model that is due. It returns nil if none is.
func (p *Prepared) Rehearse() *Rehearsal {
	defer p.look()()
	r := p.r
	due := r.asking(r.world.Due())
	if len(due) == 0 {
		return nil
	}
	n := due[0]
	return &Rehearsal{r: r, turn: r.agent(n).Begin(r.world.View(n)), model: r.endpoint(n).model}
}

// Next returns the next request, as a run would send it; false once the turn has ended.
func (h *Rehearsal) Next() (llmclient.Request, bool) {
	for h.decision == nil {
		switch step := h.turn.Next().(type) {
		case behavior.Ask:
			return h.r.spending.bounded(step, h.model), true
		case behavior.Call:
			h.turn.Result(h.r.runtime.Registry().Call(h.turn.Env(), step.CallID, step.Tool, step.Arguments))
		case behavior.ToolCall: // nothing that it decides is done
			h.turn.ToolResult(trace.ToolResult{Code: trace.ToolNotCalled})
		case behavior.Decision:
			h.decision = &step
		}
	}
	return llmclient.Request{}, false
}

// Answer feeds back the answer to the request that Next returned.
func (h *Rehearsal) Answer(a llmclient.Answer) { h.turn.Answer(a) }

// Ended says in one line how the turn ended, and whether its model decided. It must be called only
// after the end.
func (h *Rehearsal) Ended() (how string, decided bool) {
	d := h.decision
	if d == nil {
		panic("engine: a rehearsal is asked for its end before it")
	}
	name := "nothing"
	if d.Executed != nil {
		name = d.Executed.ActionName()
	}
	if d.DecidedBy == trace.ByModel && d.By == "" {
		return fmt.Sprintf("the model decided %s", name), true
	}
	why := string(d.WaitReason)
	if why == "" {
		why = string(d.FailedBy)
	}
	return fmt.Sprintf("the model did not decide (%s): %s", why, name), false
}
