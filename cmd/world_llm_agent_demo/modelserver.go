package main

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"agentworld/llmclient/scripted"
)

// loopbackAddr is where the embedded server listens: any free port, reachable
// from this machine only. It has no authentication, so another address is only
// ever the user's explicit choice.
const loopbackAddr = "127.0.0.1:0"

// modelServerCommand serves the scripted model by itself, for other clients: to
// try another program against the Responses API without a provider, or this one
// against a model that is reached like a live one:
//
//	world_llm_agent_demo model-server --addr 127.0.0.1:8080 &
//	world_llm_agent_demo minimal --model scripted --base-url http://127.0.0.1:8080
func (m *Main) modelServerCommand() *cobra.Command {
	addr, seed := loopbackAddr, uint64(0)
	c := &cobra.Command{
		Use:   "model-server",
		Short: "serve the scripted model over the Responses API until interrupted",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return m.serveModel(c.Context(), addr, seed)
		},
	}
	c.Flags().StringVar(&addr, "addr", addr, "host:port to listen on; port 0 takes a free one")
	c.Flags().Uint64Var(&seed, "seed", 0, "seed of the scripted decisions")
	return c
}

// serveModel listens until ctx ends. Its URL is the only line on stdout, written
// once connections are accepted, so that a script can wait for it and read it.
// Being interrupted is how it is meant to end: exit code 0. A seed gives the same
// answer to the same request, always.
func (m *Main) serveModel(ctx context.Context, addr string, seed uint64) error {
	host, err := checkAddr(addr)
	if err != nil {
		return err
	}
	server, err := scripted.Start(ctx, addr, scripted.Options{Seed: seed})
	if err != nil {
		return badInput("--addr %s: %w; allowed: a free host:port of this machine", shown(addr), err)
	}
	fmt.Fprintf(m.Stdout, "%s\n", server.URL())
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		fmt.Fprintln(m.Stderr, "note: the server has no authentication and may be reachable from other machines")
	}
	<-ctx.Done()
	if err := server.Close(); err != nil {
		return fmt.Errorf("stop the model server: %w", err)
	}
	return nil
}

// checkAddr returns the host of a listening address, empty for all interfaces. It
// refuses what could not be listened on, before the attempt, so that the error
// can say what is allowed.
func checkAddr(addr string) (host string, err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", badInput("--addr %s is not an address; allowed: host:port, such as 127.0.0.1:8080 or 127.0.0.1:0", shown(addr))
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", badInput("--addr %s has no usable port; allowed: 0 to 65535", shown(addr))
	}
	return host, nil
}
