package cli

import (
	"cmp"
	"context"
	"os"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/batch/jetstream"
	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// workerHelp is the long help of the worker.
const workerHelp = `Play cells of batches for a coordinator on another machine.

"batch run FILE --nats URL" hands cells out over a NATS server with JetStream; with
"--nats embedded" it starts one. A worker takes one cell at a time and sends the run back.
Settings come with the cell. Keys do not: they come from this machine's environment or
config.toml, and go only to endpoints that it names or has used before. docs/workers.md has
an example with two machines.

Ctrl-C ends the runs after their last whole tick and gives the cells back. A worker that is
killed loses at most the calls in flight. Exit codes: 0 nothing is left to do, 2 bad input,
130 interrupted.`

// workerCommand plays cells of batches.
func (m *Main) workerCommand() *cobra.Command {
	var f natsFlags
	var jobs int
	var dir string
	var untilDone bool
	c := &cobra.Command{
		Use: "worker --nats URL", Short: "play cells of batches for a coordinator elsewhere", Long: workerHelp, Args: cobra.NoArgs,
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

// work plays cells until nothing is left, or ctx ends.
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
	plaintext.Fprintf(m.Stderr, "worker: up to %d cells at a time\n", jobs)
	shared := &limiters{limits: limiter.Limits{InFlightMax: int(c.Concurrency) * jobs, RequestsPerMinute: c.RequestsPerMinute, TokensPerMinute: c.TokensPerMinute}}
	defer m.collectLess()()
	err = jetstream.Work(ctx, l, jetstream.WorkerOptions{
		Jobs: jobs, Dir: m.path(dir), UntilDone: untilDone, Notice: m.natsNotice,
		Play: func(ctx context.Context, a batch.Attempt) (batch.Result, error) {
			plaintext.Fprintf(m.Stderr, "cell %s: %s, attempt %d\n", a.Cell.ID, plaintext.Line(a.Cell.Name()), a.Number)
			var r batch.Result
			err := m.shielded(func() error {
				p, err := m.planJob(c, a.Settings)
				if err == nil {
					r, err = m.playCell(ctx, a, p, shared, m.natsNotice)
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

// planJob plans the run of a cell that came over the network: its settings are another's,
// keys are ours.
func (m *Main) planJob(c config, s trace.Settings) (p plan, err error) {
	if s.Recording != nil {
		return p, badInput("the cell plays recorded answers, which only its own machine has")
	}
	c.Settings = s
	p = plan{config: c, endpoints: newEndpoints(c)}
	if p.faults, err = stub.ParseFaults(p.Faults); err != nil {
		return p, err
	}
	if p.manners, err = stub.ParseManners(p.StubManner); err != nil {
		return p, err
	}
	if _, p.agentIDs, err = recordedScenario(p.Settings); err != nil {
		return p, err
	}
	p.trusts = m.trusted(p.values)
	if p.Live() && !p.APIKey.Empty() {
		if url, err := openai.ParseBaseURL(cmp.Or(p.BaseURL, openai.BaseURLDefault)); err != nil || !p.trusts(url, "") {
			p.withheld = withheld(find(p.values, "llm.api_key").origin.String(), url, "set "+envPrefix+"BASE_URL to it on this machine")
			p.APIKey = openai.Secret{}
			m.natsNotice(p.withheld)
		}
	}
	p.own, err = m.chooseAgents(p.config, "agent-model", p.agentIDs)
	return p, err
}
