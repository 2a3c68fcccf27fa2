package cli

import (
	"context"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// cellListener is told of a cell. Waits for an endpoint are noted where the batch prints.
type cellListener struct {
	note     func(string)
	progress func(engine.Progress)
	// withheld is called with keys that the cell's endpoints do not get.
	withheld func(access.Withheld)
}

// Notice implements [session.Listener].
func (l cellListener) Notice(n access.Notice) {
	if w, ok := n.(access.Withheld); ok {
		l.withheld(w)
		return
	}
	l.note(noticeText(n))
}

// Progress implements [session.Listener].
func (l cellListener) Progress(p engine.Progress) {
	if l.progress != nil {
		l.progress(p)
	}
}

// playCell plays a cell of a batch, or continues it: the settings of of are those that were planned, c
// says where they come from. What a run would print goes to the log of the attempt.
func (m batches) playCell(ctx context.Context, a batch.Attempt, c config, of session.Config, l cellListener) (
	batch.Result, error) {
	log := terminal.NewScreen(a.Log, programName)
	defer log.Flush()
	l.progress = a.Progress
	of.Dir, of.Leased = a.Dir, true
	of.Around = a.Around
	of.Hooks = session.Hooks{Drain: a.Drain, Listener: l, Exchange: func(x engine.Exchange) {
		if f := x.Answer.Failure; f != nil && f.Kind != llmclient.ErrInterrupted {
			plaintext.Fprintf(log, "tick %d, %s: %s\n", x.Key.Tick, x.Key.Agent, f.Text())
		}
	}}
	defer m.collectLess()()
	s, err := session.New(of)
	if a.Resume {
		s, err = session.Resume(of, session.Continued{Planned: true})
	}
	if err != nil {
		return batch.Result{}, err
	}
	defer s.Close()
	if !s.Complete() {
		if err := s.Open(ctx); err != nil {
			return batch.Result{}, err
		}
		c.Settings = s.Settings()
		p := plan{config: c, session: s}
		m.announce(log, c, s.Endpoints(), p.calls(), p.spending())
	}
	result, err := s.Run(ctx)
	if err != nil {
		return batch.Result{}, err
	}
	if result.Deriving { // nothing new was recorded
		return batch.Result{Status: trace.RunInterrupted, Metrics: map[string]float64{}}, nil
	}
	return batch.ResultOf(a.Cell, a.Number, result.Report, result.Head), nil
}
