package cli

import (
	"context"

	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
)

// playCell plays a cell of a batch: c says where its settings come from. What a run would print goes to
// the log of the attempt.
func playCell(ctx context.Context, m *Main, a batch.Attempt, c config, by batch.Caller) (r batch.Result, err error) {
	by.Begins = func(s *session.Session) {
		log := terminal.NewScreen(a.Log, programName)
		defer log.Flush()
		c.Settings = s.Settings()
		p := plan{config: c, session: s}
		announce(m, log, c, s.Endpoints(), p.calls(), p.spending())
	}
	err = m.shielded(func() (err error) {
		r, err = a.Play(ctx, by)
		return err
	})
	return r, err
}

// foreignCells returns a player of cells whose settings came from elsewhere; see [agentworld.Program].
func foreignCells(ctx context.Context, m *Main, flags *pflag.FlagSet, jobs int) (play batch.Player,
	calls context.Context, done func(), err error) {
	c, err := m.configure(flags)
	if err != nil {
		return nil, nil, nil, err
	}
	note := func(text string) { plaintext.Fprintf(m.Stderr, "note: %s\n", plaintext.Line(text)) }
	shared := access.NewLimiters(jobs)
	m.collectLess()
	calls, drained := m.drained(ctx, shared.Traffic, m.newProgressPrinter(false).Note)
	play = func(ctx context.Context, a batch.Attempt) (batch.Result, error) {
		// Its settings are another's, keys are ours.
		if a.Settings.Recording != nil {
			return batch.Result{}, badInput("the cell plays recorded answers, which only its own machine has")
		}
		of := m.sessionOf(c, m.reach(c, c.Values))
		of.Access.Limiters = shared
		return playCell(ctx, m, a, c, batch.Caller{Config: of, Notice: func(n access.Notice) {
			if w, ok := n.(access.Withheld); ok {
				note(withheld(w, c.Values.Find("llm.api_key").Origin.String(), "cell",
					"set "+settings.EnvPrefix+"BASE_URL to it on this machine"))
				return
			}
			note(noticeText(n))
		}})
	}
	return play, calls, drained, nil
}
