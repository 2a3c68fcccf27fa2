package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/batch/jetstream"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// workerHelp is the long help of the worker.
const workerHelp = `Play cells of batches for a coordinator on another machine.

"batch run FILE --nats URL" hands cells out over a NATS server with JetStream; with
"--nats embedded" it starts one. A worker takes one cell at a time and sends the run back.
Settings come with the cell. Keys do not: they come from this machine's environment or
config.toml, and go only to endpoints that it names or has used before. docs/workers.md has
an example with two machines.

Ctrl-C takes the answers in flight, sends no further call and gives the cells back; a second one
breaks the calls off. A worker that is killed loses at most the calls in flight. Exit codes: 0 nothing is left to do, 2 bad input,
130 interrupted.`

// workerCommand plays cells of batches.
func (m *Main) workerCommand() *cobra.Command {
	var f natsFlags
	var jobs int
	var dir string
	var untilDone bool
	c := &cobra.Command{
		Use: "worker --nats URL", Short: "play cells of batches for a coordinator elsewhere", Long: workerHelp,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case f.url == "" || f.url == natsEmbedded:
				return badInput("a worker needs a NATS server; allowed: --nats with its URL, such as nats://127.0.0.1:4222")
			case jobs < 1 || jobs > 256:
				return badInput("--jobs %d is out of range; allowed: 1 to 256", jobs)
			}
			if err := f.check(); err != nil {
				return err
			}
			config, err := m.configure(c.Flags())
			if err != nil {
				return err
			}
			return m.work(c.Context(), config, f, jobs, dir, untilDone)
		},
	}
	f.add(c.Flags(), "URL of the NATS server, such as tls://host:4222")
	c.Flags().IntVar(&jobs, "jobs", 1, "runs at the same time, 1 to 256")
	c.Flags().StringVar(&dir, "dir", "", "directory for runs in work (default a temporary one)")
	c.Flags().BoolVar(&untilDone, "until-done", false, "end when the batch is done, instead of waiting for another")
	addConfigFlag(c.Flags())
	return c
}

// work plays cells until nothing is left. At the end of ctx it takes the answers in flight.
func (m *Main) work(ctx context.Context, c config, f natsFlags, jobs int, dir string, untilDone bool) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "agentworld-worker-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	l, err := m.connect(f, nil, untilDone)
	if err != nil {
		return err
	}
	defer l.Close()
	plaintext.Fprintf(m.Stderr, "worker: up to %s at a time\n", plaintext.Count(jobs, "cell"))
	shared := access.NewLimiters(jobs)
	defer m.collectLess()()
	calls, done := m.drained(ctx, shared.Traffic, m.newProgressPrinter(false).Note)
	defer done()
	err = jetstream.Work(calls, l, jetstream.WorkerOptions{
		Jobs: jobs, Dir: m.path(dir), Drain: ctx, UntilDone: untilDone, Notice: m.natsNotice, Refuse: otherVersion,
		Play: func(ctx context.Context, a batch.Attempt) (batch.Result, error) {
			plaintext.Fprintf(m.Stderr, "cell %s: %s, attempt %d\n", a.Cell.ID, plaintext.Line(a.Cell.Name()), a.Number)
			var r batch.Result
			err := m.shielded(func() error {
				c, of, err := m.planJob(c, a.Settings)
				if err == nil {
					of.Access.Limiters = shared
					r, err = m.playCell(ctx, a, c, of, cellListener{note: m.natsNotice,
						withheld: func(w access.Withheld) { m.withheldFromCell(c, w) }})
				}
				return err
			})
			return r, err
		},
	})
	if err == nil && ctx.Err() != nil {
		return failWith(exitInterrupted, ctx.Err())
	}
	return err
}

// versionsOf are those of this program for a run.
func versionsOf(s trace.Settings) batch.Versions {
	return batch.Versions{Engine: engine.Version, Rules: world.RulesVersion, Prompt: engine.PromptVersion(s)}
}

// otherVersion says that a cell is not what it would be here: another version of the program has planned
// it, and its runs would not be those of the batch.
func otherVersion(j jetstream.Job) error {
	v := versionsOf(j.Settings)
	if batch.IDOf(j.Settings, v, j.Cell.Repeat) == j.Cell.ID {
		return nil
	}
	return fmt.Errorf("the coordinator is another version of the program; here: engine %s, rules %s, prompt %s", v.Engine,
		v.Rules, v.Prompt)
}

// planJob is the run of a cell that came over the network: its settings are another's, keys are ours.
func (m *Main) planJob(c config, s trace.Settings) (config, session.Config, error) {
	if s.Recording != nil {
		return c, session.Config{}, badInput("the cell plays recorded answers, which only its own machine has")
	}
	reach := m.reach(c, c.Values)
	c.Settings = s
	return c, m.sessionOf(c, reach), nil
}

// withheld says that a key of this machine is not sent.
func (m *Main) withheldFromCell(c config, w access.Withheld) {
	m.natsNotice(withheld(w, c.Values.Find("llm.api_key").Origin.String(),
		"set "+settings.EnvPrefix+"BASE_URL to it on this machine"))
}
