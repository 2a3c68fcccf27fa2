package cli

import (
	"context"
	"errors"
	"net"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/internal/settings"
)

const serveHelp = `Serve one of two protocols until interrupted. Only this machine can reach the server.

--openenv serves a task as an environment of OpenEnv, for trainers and for agents of
others: a session plays one agent of a world, and a seat or a model plays the rest.
--mcp serves runs to assistants as tools of the Model Context Protocol.`

// serveSettings are the settings of a run that a server has for the runs that it plays.
var serveSettings = append(settings.Caps().Keys(""), "run.seats", "llm.model", "llm.base_url", "agents", "llm.offline",
	"llm.timeout_ms", "llm.price_table", "llm.reasoning_effort", "llm.temperature", "llm.prompt_language", "run.protocol",
	"run.commit", "run.concurrency")

// protocol is one that the command serves.
type protocol struct {
	// flag chooses it, doc is its help.
	flag, doc string
	// flags adds its own flags.
	flags func(*pflag.FlagSet)
	// serve answers until ctx ends.
	serve func(ctx context.Context, m *Main, args []string, flags *pflag.FlagSet) error
}

// serveCommand serves a protocol until it is interrupted, which is how it is meant to end.
func serveCommand(m *Main) *cobra.Command {
	protocols := []protocol{openEnvProtocol(), mcpProtocol()}
	owned := make([]*pflag.FlagSet, len(protocols))
	wanted := make([]bool, len(protocols))
	c := &cobra.Command{
		Use:   "serve (--openenv TASK | --mcp)",
		Short: "serve a task to trainers (OpenEnv), or runs to assistants (MCP)",
		Long:  serveHelp,
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			var chosen []protocol
			for i, p := range protocols {
				if wanted[i] {
					chosen = append(chosen, p)
				}
			}
			if len(chosen) != 1 {
				return badInput("serve needs one protocol; allowed: --openenv TASK or --mcp")
			}
			for i, p := range protocols {
				if given := changed(owned[i]); !wanted[i] && given != "" {
					return badInput("--%s is for --%s; allowed with --%s: leave it out", given, p.flag, chosen[0].flag)
				}
			}
			return chosen[0].serve(c.Context(), m, args, c.Flags())
		},
	}
	c.Flags().SortFlags = false
	for i, p := range protocols {
		c.Flags().BoolVar(&wanted[i], p.flag, false, p.doc)
	}
	c.Flags().String("listen", "127.0.0.1:0", "host:port to listen on, of this machine alone; port 0 takes a free one")
	for i, p := range protocols {
		owned[i] = pflag.NewFlagSet(p.flag, pflag.ContinueOnError)
		owned[i].SortFlags = false
		p.flags(owned[i])
		c.Flags().AddFlagSet(owned[i])
	}
	borrowSettings(c.Flags(), serveSettings)
	return c
}

// changed is the first flag of a set that the user gave, "" for none.
func changed(set *pflag.FlagSet) (name string) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Changed && name == "" {
			name = f.Name
		}
	})
	return name
}

// unheard says that a server cannot listen on its address, nil if it failed by anything else.
func unheard(listen string, err error) error {
	if of, is := errors.AsType[*net.OpError](err); is && of.Op == "listen" {
		return badInput("--listen %s cannot be listened on: %w; allowed: a free port of this machine, or 0", shown(listen),
			cause(err))
	}
	return nil
}

// listenFlag is the address to listen on. The error refuses one that others could reach.
func listenFlag(flags *pflag.FlagSet) (string, error) {
	listen := flags.Lookup("listen").Value.String()
	return listen, loopback("--listen", listen)
}
