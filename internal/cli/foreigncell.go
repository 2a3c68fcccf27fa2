package cli

import (
	"context"

	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
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
			// Its settings are another's, keys are ours.
			if a.Settings.Recording != nil {
				return badInput("the cell plays recorded answers, which only its own machine has")
			}
			of := m.sessionOf(c, m.reach(c, c.Values))
			of.Settings, of.Access.Limiters = a.Settings, shared
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
