package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const serveHelp = `Serve one of two protocols until interrupted. Only this machine can reach the server.

--openenv serves a task as an environment of OpenEnv, for trainers and for agents of
others: a session plays one agent of a world, and a seat or a model plays the rest.
--mcp serves runs to assistants as tools of the Model Context Protocol.`

// protocol is one that the command serves.
type protocol struct {
	// flag chooses it, doc is its help.
	flag, doc string
	// serve answers until ctx ends.
	serve func(ctx context.Context, m *Main, args []string, flags *pflag.FlagSet) error
}

// serveCommand serves a protocol until it is interrupted, which is how it is meant to end.
func serveCommand(m *Main) *cobra.Command {
	protocols := []protocol{
		{"openenv", "serve a task as an environment of OpenEnv", serveOpenEnv},
		{"mcp", "serve runs as tools of MCP", serveMCP},
	}
	wanted := make([]bool, len(protocols))
	c := &cobra.Command{
		Use:   "serve (--openenv | --mcp) [...]",
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
				return badInput("serve got %d of its protocols; allowed: one of --openenv and --mcp", len(chosen))
			}
			return chosen[0].serve(c.Context(), m, args, c.Flags())
		},
	}
	c.Flags().SortFlags = false
	for i, p := range protocols {
		c.Flags().BoolVar(&wanted[i], p.flag, false, p.doc)
	}
	c.Flags().String("listen", "127.0.0.1:0", "host:port to listen on, of this machine alone; port 0 takes a free one")
	return c
}
