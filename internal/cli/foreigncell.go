package cli

import (
	"context"

	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// foreignCells returns a player of cells whose settings came from elsewhere; see [agentworld.Program].
func (m batches) foreignCells(ctx context.Context, flags *pflag.FlagSet, jobs int) (play batch.Player,
	calls context.Context, done func(), err error) {
	c, err := m.configure(flags)
	if err != nil {
		return nil, nil, nil, err
	}
	note := func(text string) { plaintext.Fprintf(m.Stderr, "note: %s\n", plaintext.Line(text)) }
	shared := access.NewLimiters(jobs)
	more := m.collectLess()
	calls, drained := m.drained(ctx, shared.Traffic, m.newProgressPrinter(false).Note)
	play = func(ctx context.Context, a batch.Attempt) (r batch.Result, err error) {
		err = m.shielded(func() error {
			c, of, err := m.planJob(c, a.Settings)
			if err != nil {
				return err
			}
			of.Access.Limiters = shared
			r, err = m.playCell(ctx, a, c, of, cellListener{note: note, withheld: func(w access.Withheld) {
				note(withheld(w, c.Values.Find("llm.api_key").Origin.String(),
					"set "+settings.EnvPrefix+"BASE_URL to it on this machine"))
			}})
			return err
		})
		return r, err
	}
	return play, calls, func() { drained(); more() }, nil
}

// planJob is the run of a cell that came over the network: its settings are another's, keys are ours.
func (m batches) planJob(c config, s trace.Settings) (config, session.Config, error) {
	if s.Recording != nil {
		return c, session.Config{}, badInput("the cell plays recorded answers, which only its own machine has")
	}
	reach := m.reach(c, c.Values)
	c.Settings = s
	return c, m.sessionOf(c, reach), nil
}
