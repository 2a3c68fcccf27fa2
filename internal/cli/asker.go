package cli

import (
	"context"
	"errors"
	"strings"
	"sync"

	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
)

// asker puts the questions of a page, one after the other, and keeps all of them together within
// the caps of the command.
type asker struct {
	m *Main
	c config
	// ctx ends when the program is interrupted. The answer in flight is then awaited and kept.
	ctx context.Context

	mu    sync.Mutex
	meter *engine.Meter
}

// newAsker returns an asker whose models and caps are those that c has for the command ask. It puts
// no question after ctx has ended.
func (m *Main) newAsker(ctx context.Context, c config) *asker {
	return &asker{m: m, c: c, ctx: ctx, meter: engine.NewMeter(c.Settings)}
}

// askAgents puts a question and keeps the answer with the run, also for a page that was closed meanwhile:
// it is paid for. The error says for people why there is none.
func (a *asker) ask(page context.Context, q dashboard.Question) error {
	question, f := strings.TrimSpace(q.Text), askFlags{Agent: q.Agent, Tick: q.Tick}
	if err := f.check(true, question); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx.Err() != nil {
		return errInterruptedAsk
	}
	if page.Err() != nil { // closed while other questions were answered
		return page.Err()
	}
	i, p, err := prepareAsk(a.m, q.Dir, q.Run, question, a.c, f, a.meter)
	if err == nil {
		_, err = askAll(a.ctx, a.m, p, i, false)
	}
	if err != nil {
		return errors.New(openai.Masked(errorText(err), append(a.m.keysOfEnvironment(), a.m.keys...)...))
	}
	return nil
}

// idle waits until no question is under way.
func (a *asker) idle() {
	a.mu.Lock()
	defer a.mu.Unlock()
}
