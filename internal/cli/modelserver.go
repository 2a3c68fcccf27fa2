package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
)

// modelServerCommand serves the scripted model by itself, for other clients: to
// try another program against the Responses API without a provider, or this one
// against a model that is reached like a live one:
//
//	world_llm_agent_demo model-server --addr 127.0.0.1:8080 &
//	world_llm_agent_demo minimal --model scripted --base-url http://127.0.0.1:8080
func modelServerCommand(m *Main) *cobra.Command {
	addr := stub.DefaultAddr
	mode := string(stub.ModeNormal)
	faults := ""
	listFaults := false
	manner, usageFile := "", ""
	var seed, faultSeed uint64
	c := &cobra.Command{
		Use:   "model-server",
		Short: "serve the scripted model over the Responses API until interrupted",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains(stub.Modes(), mode) {
				return badInput("--scripted-mode %s is unknown; allowed: %s", shown(mode), strings.Join(stub.Modes(), ", "))
			}
			if listFaults {
				return stub.WriteFaults(m.Stdout)
			}
			plan, err := stub.ParseFaults(faults)
			if err != nil {
				return badInput("--faults: %w", err)
			}
			manners, err := stub.ParseManners(manner)
			if err != nil {
				return badInput("--stub-manner: %w", err)
			}
			if usageFile == "" && c.Flags().Changed("usage-log") {
				return badInput("flag --usage-log is empty; give it a file or leave it out")
			}
			usage, err := openUsageLog(m, usageFile)
			if err != nil {
				return err
			}
			options := stub.Options{
				Seed: seed, Mode: stub.Mode(mode), Manners: manners, Faults: stub.NewInjector(plan, faultSeed),
				Now: time.Now, Caching: true, OnUsage: usage.add,
			}
			err = serveModel(c.Context(), m, addr, options, !plan.Empty())
			return errors.Join(err, usage.close(m.Stderr))
		},
	}
	c.Flags().StringVar(&addr, "addr", addr, "host:port to listen on; port 0 takes a free one")
	c.Flags().Uint64Var(&seed, "seed", 0, "seed of the scripted decisions")
	c.Flags().StringVar(&mode, "scripted-mode", mode, "mode for tests: "+strings.Join(stub.Modes(), ", "))
	c.Flags().StringVar(&manner, "stub-manner", "",
		"manners, for all agents or as AGENT=MANNER for one, between commas: "+strings.Join(stub.MannerNames(), ", "))
	c.Flags().StringVar(&usageFile, "usage-log", "",
		"file to append a line of JSON to for each answered request: input, cached, written and output tokens")
	c.Flags().StringVar(&faults, "faults", "",
		"answers to spoil, such as repairable=20%,http_429=2%; see --list-faults and docs/faults.md")
	c.Flags().BoolVar(&listFaults, "list-faults", false,
		"list what --faults takes, with an example of each shape of malformed answers, and exit")
	c.Flags().Uint64Var(&faultSeed, "fault-seed", 0, "seed of the choice of answers to spoil")
	return c
}

// serveModel listens until ctx ends. Its URL is the only line on stdout, written
// once connections are accepted, so that a script can wait for it and read it.
// Being interrupted is how it is meant to end: exit code 0. A seed gives the same
// items to the same request, always. The clock and the cache of prompts are this server's own.
//
// What was spoilt on purpose is counted on stderr at the end, one kind a line in the
// order of names, so that a script can compare it with what its own client noticed.
func serveModel(ctx context.Context, m *Main, addr string, o stub.Options, spoils bool) error {
	server, err := stub.Start(ctx, addr, o)
	if err != nil {
		return badInput("--addr %s: %w; allowed: a free host:port of this machine", shown(addr), cause(err))
	}
	plaintext.Fprintf(m.Stdout, "%s\n", server.URL())
	host, _, _ := net.SplitHostPort(addr) // or nothing could listen there
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		plaintext.Fprintf(m.Stderr, "note: the server has no authentication and may be reachable from other machines\n")
	}
	<-ctx.Done()
	err = server.Close()
	counts := o.Faults.Counts()
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		plaintext.Fprintf(m.Stderr, "fault %s %d\n", kind, counts[kind])
	}
	if spoils && len(counts) == 0 {
		plaintext.Fprintf(m.Stderr, "no fault was injected\n")
	}
	if err != nil {
		return fmt.Errorf("stop the model server: %w", err)
	}
	return nil
}

// usageLog keeps what a model server bills: a line of JSON per answered request in a file, if
// the user names one, and the sum.
type usageLog struct {
	// name is the file's name as the user wrote it; file is nil without one.
	name string
	file *os.File

	mu       sync.Mutex
	requests int64
	sum      stub.Used
	// failed is the first error of writing.
	failed error
}

// openUsageLog opens the file, which is appended to; an empty name is none.
func openUsageLog(m *Main, name string) (*usageLog, error) {
	l := &usageLog{name: name}
	if name == "" {
		return l, nil
	}
	if err := notStdout("a log of usage", name); err != nil {
		return nil, err
	}
	if err := plaintext.FileName(filepath.Base(m.path(name))); err != nil {
		return nil, badInput("--usage-log %s: %w", shown(name), err)
	}
	file, err := folder.Dir(filepath.Dir(m.path(name))).OpenFile(filepath.Base(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return nil, badInput("--usage-log %s cannot be written: %w; allowed: a file in a writable directory",
			shown(name), cause(err))
	}
	l.file = file
	return l, nil
}

// add keeps one request.
func (l *usageLog) add(u stub.Used) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	l.sum = l.sum.Add(u)
	if l.file == nil || l.failed != nil {
		return
	}
	_, l.failed = l.file.Write(append(llmclient.Marshal(u), '\n'))
}

// close prints the sum, if there was a request, and returns the first failure.
func (l *usageLog) close(w io.Writer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.requests > 0 {
		plaintext.Fprintf(w, "requests %d, input tokens %d: %d plain, %d cached, %d written; billed/plain %.3f\n",
			l.requests, l.sum.Input, l.sum.Input-l.sum.Cached-l.sum.Written, l.sum.Cached, l.sum.Written,
			l.sum.Billed()/float64(l.sum.Input))
	}
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	if l.failed != nil {
		err = l.failed
	}
	if err != nil {
		return fmt.Errorf("write the usage log %s: %w", shown(l.name), cause(err))
	}
	return nil
}
