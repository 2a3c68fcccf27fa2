package cli

import (
	"context"
	"strings"
	"sync"

	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine"
)

// asker puts the questions of a page, one after the other, and keeps all of them together within
// the caps of the command.
type asker struct {
	m *Main
	c config

	mu    sync.Mutex
	meter *engine.Meter
}

// newAsker returns an asker whose models and caps are those that c has for the command ask.
func (m *Main) newAsker(c config) *asker {
	return &asker{m: m, c: c, meter: engine.NewMeter(c.Settings)}
}

// ask puts a question and keeps the answer with the run. The error says for people why there is
// none.
func (a *asker) ask(ctx context.Context, q dashboard.Question) error {
	question, f := strings.TrimSpace(q.Text), askFlags{agent: q.Agent, tick: q.Tick}
	if err := f.check(true, question); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	of, p, err := a.m.prepareAsk(q.Dir, question, a.c, f)
	if err != nil {
		return err
	}
	a.meter.Know(p.Prices) // of the models of this run
	of.options.Meter = a.meter
	_, err = a.m.askAll(ctx, p, of)
	return err
}
