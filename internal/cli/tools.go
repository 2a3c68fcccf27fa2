package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
	"example.com/agentworld/tools"
	"example.com/agentworld/tools/toolserver"
)

// toolFlags say which tools agents may call. They are no settings: a configuration file may come with
// somebody else's scenario, and what it names must start no program.
type toolFlags struct {
	Servers []string `flag:"tools-mcp" doc:"tools of an MCP server, as NAME=COMMAND, NAME=URL or a NAME of your tools.toml; may be repeated"`
}

// withoutToolFlags are those of commands that continue a run.
type withoutToolFlags struct {
	Without bool `flag:"without-tools" doc:"go on without the tools that the run has: a call of one says that it is not available"`
}

// toolServers are the servers of tools that this process is connected to.
type toolServers struct {
	// named are the servers as the user named them, tools those that they have.
	named []string
	tools []tools.Tool
	// without says that a run goes on without its own.
	without bool
}

// continuesWithTools is withTools for a command that continues a run.
func continuesWithTools(m *Main, c *cobra.Command) *cobra.Command {
	var f withoutToolFlags
	addOptions(c.Flags(), &f)
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		m.servers.without = f.Without
		return run(c, args)
	}
	return withTools(m, c)
}

// withTools gives a command the flag of tools, and connects the servers before it runs.
func withTools(m *Main, c *cobra.Command) *cobra.Command {
	var f toolFlags
	addOptions(c.Flags(), &f)
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, looks := range []string{"print-config", "version"} {
			if flag := c.Flags().Lookup(looks); flag != nil && flag.Changed {
				return run(c, args)
			}
		}
		m.servers.named = f.Servers
		for _, text := range f.Servers {
			if err := connectTools(c.Context(), m, text); err != nil {
				return err
			}
		}
		return run(c, args)
	}
	return c
}

// connectTools connects a server that a flag names. It is closed when the program ends.
func connectTools(ctx context.Context, m *Main, text string) error {
	s, given, err := toolserver.Parse(text)
	if err == nil && !given {
		s, err = configuredServer(s.Name, m.LookupEnv)
	}
	if err != nil {
		return badInput("--tools-mcp: %w", err)
	}
	client, err := toolserver.Connect(ctx, s)
	if err != nil {
		return badInput("--tools-mcp: %w", err)
	}
	m.ending = append(m.ending, func() {
		if err := client.Close(); err != nil {
			plaintext.Fprintf(m.Stderr, "note: %v\n", err)
		}
	})
	for _, note := range client.Notes() {
		plaintext.Fprintf(m.Stderr, "note: %s\n", note)
	}
	for _, t := range client.Tools() {
		for _, other := range m.servers.linked(m.Extensions) {
			if other.Name == t.Name {
				return badInput("--tools-mcp: two tools are called %s; allowed: servers of other names", t.Name)
			}
		}
		m.servers.tools = append(m.servers.tools, t)
	}
	return nil
}

// configuredServer is a server of the user's tools.toml.
func configuredServer(name string, lookup func(string) (string, bool)) (toolserver.Server, error) {
	file := ""
	for _, place := range [][2]string{{"XDG_CONFIG_HOME", ""}, {"APPDATA", ""}, {"HOME", ".config"}} {
		if dir, _ := lookup(place[0]); file == "" && filepath.IsAbs(dir) {
			file = filepath.Join(dir, place[1], "agentworld", "tools.toml")
		}
	}
	data, err := readBounded(file, toolserver.FileLimits.Bytes)
	if errors.Is(err, fs.ErrNotExist) {
		return toolserver.Server{}, fmt.Errorf(
			"%s is no NAME=COMMAND or NAME=URL, and there is no file %s that names servers", shown(name), shown(file))
	}
	if err != nil {
		return toolserver.Server{}, fmt.Errorf("%s cannot be read: %w", shown(file), cause(err))
	}
	s, err := toolserver.Configured(data, name, lookup)
	if err != nil {
		return s, fmt.Errorf("%s: %w", shown(file), err)
	}
	return s, nil
}

// linked are the tools that the program can call: of its extensions, and of the servers.
func (s *toolServers) linked(extensions []agentworld.Extension) (list []tools.Tool) {
	for _, e := range extensions {
		list = append(list, e.Tools...)
	}
	return append(list, s.tools...)
}

// missingTools says which tools a run needs, and how to give them.
func missingTools(e *session.MissingToolError) error {
	var needs []string
	for _, t := range e.Tools {
		text := "tool " + shown(strings.TrimSpace(t.Name+" "+t.Version))
		if t.Server != "" {
			text += fmt.Sprintf(" (--tools-mcp %s=COMMAND or URL)", t.Server)
		}
		needs = append(needs, text)
	}
	remedy := "a program with it, --tools-mcp for a server's"
	if e.Recorded {
		remedy = "the same tool, or --without-tools"
	}
	return badInput("what the run needs is not here, or is not what it was: %s; allowed: %s", strings.Join(needs, ", "),
		remedy)
}
