package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"example.com/agentworld/engine"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/serve/openenv"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// openEnvFlags are the flags of --openenv.
type openEnvFlags struct {
	Agent    string `flag:"agent" doc:"openenv: the agent that clients play (default the task's first)"`
	Sessions int    `flag:"sessions" doc:"openenv: clients at a time, at most"`
	Keep     string `flag:"keep" doc:"openenv: which runs to keep, the newest 1,000: none, failed or all"`
	Dir      string `flag:"dir" doc:"openenv: where runs are kept (default .tmp/runs/openenv)"`
}

// openEnvProtocol serves a task as an environment.
func openEnvProtocol() protocol {
	f := &openEnvFlags{Sessions: 64, Keep: string(openenv.KeepNone)}
	return protocol{
		flag: "openenv", doc: "serve a task as an environment of OpenEnv " + openenv.Protocol,
		flags: func(flags *pflag.FlagSet) { addOptions(flags, f) },
		serve: func(ctx context.Context, m *Main, args []string, flags *pflag.FlagSet) error {
			return serveOpenEnv(ctx, m, *f, args, flags)
		},
	}
}

// serveOpenEnv serves the task that the argument names.
func serveOpenEnv(ctx context.Context, m *Main, f openEnvFlags, args []string, flags *pflag.FlagSet) error {
	if len(args) != 1 || strings.TrimSpace(args[0]) == "" {
		return badInput("serve --openenv needs exactly one argument, a scenario with a task, and got %d", len(args))
	}
	if f.Sessions < 1 {
		return badInput("--sessions %d is out of range; allowed: a number from 1", f.Sessions)
	}
	listen, err := listenFlag(flags)
	if err != nil {
		return err
	}
	values, err := m.gather(flags, args[0])
	if err != nil {
		return err
	}
	c, err := newConfig(trace.DefaultSettings(), values)
	if err != nil {
		return err
	}
	c.configFile = flags.Lookup(configFlag).Value.String()
	p, err := m.newPlan(c, nil, nil)
	if err != nil {
		return err
	}
	defer p.session.Close()
	o := openenv.Options{Play: p.asked, Agent: f.Agent, Listen: listen, Sessions: f.Sessions,
		Keep: openenv.Keep(f.Keep), Ended: m.episodeEnded}
	o.Play.Listener = &noticed{of: p.hears}
	if o.Keep != openenv.KeepNone {
		o.Dir = m.path(f.Dir)
		if f.Dir == "" {
			o.Dir = m.path(filepath.Join(runsDirDefault, "openenv"))
		}
	}
	if p.spends() { // what costs money is not for every user of this machine
		o.Token = rand.Text()
	}
	server, err := openenv.New(o)
	if taken := unheard(listen, err); taken != nil {
		return taken
	}
	if made, is := errors.AsType[*fs.PathError](err); is && o.Dir != "" && made.Op == "mkdir" {
		return badInput("--dir %s cannot be made: %w; allowed: a directory that can be written", shown(o.Dir), made.Err)
	}
	if err != nil {
		return badInput("serve --openenv %s: %w", shown(args[0]), cause(err))
	}
	plaintext.Fprintf(m.Stdout, "%s\n", server.URL())
	if err := server.Serve(ctx); err != nil {
		return fmt.Errorf("serve the environment: %w", err)
	}
	return nil
}

// episodeEnded prints how an episode came out, as a line of JSON.
func (p *printer) episodeEnded(o openenv.Outcome) {
	line, err := json.Marshal(o)
	if err != nil {
		panic("cli: an outcome cannot be encoded: " + err.Error())
	}
	plaintext.Fprintf(p.Stdout, "%s\n", line)
}

// noticed is told of the notices of runs, and not of their progress: many are played at the same time.
type noticed struct {
	mu sync.Mutex // a listener is made for one run, which notes withheld keys before it begins
	of *listener
}

// Notice implements session.Listener.
func (n *noticed) Notice(of access.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of.Notice(of)
}

// Progress implements session.Listener.
func (*noticed) Progress(engine.Progress) {}
