package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
)

// dashboardCommand serves the page over a directory of runs and batches until it is
// interrupted, which is how it is meant to end.
func dashboardCommand(m *Main) *cobra.Command {
	listen, host := "127.0.0.1:0", ""
	asks := false
	c := &cobra.Command{
		Use:   "dashboard [DIR]",
		Short: "serve a page that shows runs and batches, live and finished, until interrupted",
		Long: `Serve a page over a directory of runs and batches, or over one of them (default ` + runsDirDefault + `):
the world at any tick, every decision with its reasons, figures, comparisons. It prints the
address of the page. The page shows and changes nothing; only this machine can reach it.

With --ask the browser that opens the printed address can put questions to agents, as the
command ask does: with the model of the run or the one that a flag names, within the caps.
Ctrl-C then takes and keeps the answer in flight; again breaks it off.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			hosts, err := proxiedHosts("--host", host)
			if err != nil {
				return err
			}
			o, dir := dashboard.Options{Listen: listen, Hosts: hosts}, firstOr(args, runsDirDefault)
			if !asks {
				return serveDashboard(c.Context(), m, dir, o)
			}
			config, err := m.configure(c.Flags())
			if err != nil {
				return err
			}
			asker := newAsker(c.Context(), m, config)
			o.Ask = asker.ask
			serving, stop := context.WithCancel(context.WithoutCancel(c.Context()))
			defer stop()
			defer context.AfterFunc(c.Context(), func() { asker.idle(); stop() })()
			return serveDashboard(serving, m, dir, o)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().BoolVar(&asks, "ask", false, "let the page ask agents, which calls their models")
	c.Flags().StringVar(&listen, "listen", listen,
		"host:port to listen on, of this machine alone; port 0 takes a free one")
	c.Flags().StringVar(&host, "host", "",
		"names under which a proxy before the page is asked and which it passes on as Host, with commas between")
	borrowSettings(c.Flags(), askSettings, "llm.model", "llm.base_url")
	return c
}

func serveDashboard(ctx context.Context, m *Main, dir string, o dashboard.Options) error {
	if err := loopback("--listen", o.Listen); err != nil {
		return err
	}
	if dir == runsDirDefault { // the first run may be begun while the page is open
		_ = os.MkdirAll(m.path(dir), 0o700) // or it cannot be opened, which is said below
	}
	o.Dir = m.path(dir)
	server, err := dashboard.New(o)
	if err != nil {
		return badInput("%s at %s cannot be shown: %w; allowed: a directory of runs, and a free port", shown(dir),
			shown(o.Listen), cause(err))
	}
	plaintext.Fprintf(m.Stdout, "%s\n", cmp.Or(server.ControlURL(), server.URL()))
	if err := server.Serve(ctx); err != nil {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}

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
func newAsker(ctx context.Context, m *Main, c config) *asker {
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
