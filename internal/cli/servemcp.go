package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/pflag"

	"example.com/agentworld/engine/ask"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/serve/mcp"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// mcpFlags are the flags of --mcp.
type mcpFlags struct {
	Runs int `flag:"allow-runs" doc:"mcp: let assistants start runs, play agents and ask agents, so often in all"`
}

// mcpProtocol serves runs as tools.
func mcpProtocol() protocol {
	f := &mcpFlags{}
	return protocol{
		flag: "mcp", doc: "serve runs as tools of MCP",
		flags: func(flags *pflag.FlagSet) { addOptions(flags, f) },
		serve: func(ctx context.Context, m *Main, args []string, flags *pflag.FlagSet) error {
			return serveMCP(ctx, m, *f, args, flags)
		},
	}
}

// serveMCP serves the runs in a directory: over standard input and output, or over HTTP if an address is given.
func serveMCP(ctx context.Context, m *Main, f mcpFlags, args []string, flags *pflag.FlagSet) error {
	if len(args) > 1 {
		return badInput("serve --mcp takes at most one argument, a directory of runs; got %d", len(args))
	}
	listen, err := listenFlag(flags)
	if err != nil {
		return err
	}
	dir := firstOr(args, runsDirDefault)
	if dir == runsDirDefault { // the first run may be begun while an assistant is connected
		_ = os.MkdirAll(m.path(dir), 0o700) // or it cannot be opened, which is said below
	}
	o := mcp.Options{Dir: m.path(dir), Version: buildVersion()}
	o.Allowance, err = allowance(m, f, flags)
	if err != nil {
		return err
	}
	server, err := mcp.New(o)
	if err != nil {
		return badInput("%s cannot be served: %w; allowed: a directory of runs", shown(dir), cause(err))
	}
	if !flags.Changed("listen") {
		err = server.Stdio(ctx, m.Stdin, m.Stdout)
	} else {
		err = server.HTTP(ctx, listen, func(url string) { plaintext.Fprintf(m.Stdout, "%s\n", url) })
	}
	if taken := unheard(listen, err); taken != nil {
		return taken
	}
	if err != nil {
		return fmt.Errorf("serve runs: %w", err)
	}
	return nil
}

// allowance is what assistants may spend, nil for nothing.
func allowance(m *Main, f mcpFlags, flags *pflag.FlagSet) (*mcp.Allowance, error) {
	switch {
	case f.Runs < 0:
		return nil, badInput("--allow-runs %d is out of range; allowed: a number from 0", f.Runs)
	case f.Runs == 0:
		return nil, nil
	}
	c, err := m.configure(flags)
	if err != nil {
		return nil, err
	}
	if c.paid() && c.Caps.Run.Cost == 0 {
		return nil, badInput("--allow-runs lets an assistant spend money on models; say how much with --cap-cost, or use " +
			"--offline")
	}
	s := &assistants{m: m, flags: flags, config: c}
	if err := s.playable(); err != nil {
		return nil, badInput("%w; --allow-runs needs settings with which a built-in scenario can be played", err)
	}
	return &mcp.Allowance{Runs: f.Runs, Cost: c.Caps.Run.Cost, Run: s.run, Ask: s.ask}, nil
}

// assistants are who plays and asks through the server.
type assistants struct {
	m      *Main
	flags  *pflag.FlagSet
	config config
	// mu is held while settings are read and while a question is put: the program has one of each.
	mu sync.Mutex
}

// playable says why no built-in scenario can be played, nil if one can: the user is told, not the first assistant.
func (a *assistants) playable() (why error) {
	for _, name := range scenario.Names() {
		_, _, err := a.run(name)
		if err == nil {
			return nil
		}
		why = cmp.Or(why, err)
	}
	return why
}

// paid reports whether runs ask models that may cost money. Models of single agents need one of all others.
func (c config) paid() bool { return c.Model != "" && !c.Offline }

// run is what a run of a built-in scenario is made of, with the settings of this command.
func (a *assistants) run(scenario string) (of session.Config, live bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	values, err := a.m.gather(a.flags, scenario)
	if err != nil {
		return of, false, a.hidden(err)
	}
	c, err := newConfig(trace.DefaultSettings(), values)
	if err != nil {
		return of, false, a.hidden(err)
	}
	live = c.paid()
	if !live {
		c.Caps.Run.Cost = 0 // what costs nothing has no prices to keep it by
	}
	p, err := a.m.newPlan(c, nil, nil)
	if err != nil {
		return of, false, a.hidden(err)
	}
	of = p.asked
	of.Listener = &noticed{of: p.hears}
	return of, live, a.hidden(p.session.Close())
}

// ask puts a question, as [mcp.Allowance] has it. A question that was answered before takes nothing.
func (a *assistants) ask(ctx context.Context, q mcp.Question, take func() (price.Money, error)) (r ask.Record,
	cost price.Money, err error) {
	f := askFlags{Agent: q.Agent, Tick: q.Tick}
	if err := f.check(true, q.Text); err != nil {
		return r, 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.config
	c.Caps.Run.Cost = 0 // as long as it is open whether a model is paid
	i, p, err := prepareAsk(a.m, string(q.Dir), q.Run, q.Text, c, f, nil)
	if err != nil {
		return r, 0, a.hidden(err)
	}
	known := i.Open() == 0
	if !known {
		most, err := take()
		if err != nil {
			return r, 0, err
		}
		if p.Live() && most == 0 {
			return r, 0, badInput("the model of that run costs money, and the user allowed none (--cap-cost)")
		}
		if p.Live() {
			c.Caps.Run.Cost = most
			i, p, err = prepareAsk(a.m, string(q.Dir), q.Run, q.Text, c, f, nil)
			if err != nil {
				return r, 0, a.hidden(err)
			}
		}
	}
	records, err := askAll(ctx, a.m, p, i, false)
	if len(records) > 0 {
		r = records[0]
		if !known {
			cost = price.FromMicros(r.CostMicros)
		}
	}
	return r, cost, a.hidden(err)
}

// hidden is an error of the program without keys, for an assistant.
func (a *assistants) hidden(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(openai.Masked(errorText(err), append(a.m.keysOfEnvironment(), a.m.keys...)...))
}
