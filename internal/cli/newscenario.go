package cli

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/plaintext"
)

// newScenarioText is a small scenario with comments, in which NAME is to be replaced.
//
//go:embed newscenario.toml
var newScenarioText string

// newScenarioCommand writes a scenario to begin with.
func newScenarioCommand(m *Main) *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME|FILE",
		Short: "write a small scenario with comments, to change",
		Args:  oneArgument("a name, or the path of a .toml file"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if !strings.HasSuffix(name, ".toml") {
				name += ".toml"
			}
			if strings.TrimSuffix(filepath.Base(name), ".toml") == "" {
				return badInput("%s names no scenario; allowed: a name, or the path of a .toml file", shown(args[0]))
			}
			if err := plaintext.FileName(filepath.Base(name)); err != nil {
				return badInput("the scenario %s: %w", shown(name), err)
			}
			if _, err := os.Lstat(m.path(name)); err == nil {
				return badInput("%s exists and is left as it is; allowed: a new file", shown(name))
			}
			out, err := m.output("the scenario ", name)
			if err != nil {
				return err
			}
			if err := atomicfile.Write(out.path,
				[]byte(strings.ReplaceAll(newScenarioText, "NAME", scenarioWord(name)))); err != nil {
				out.made.discard()
				return err
			}
			plaintext.Fprintf(m.Stdout, "scenario %s\n", name)
			m.printAdvice(m.Stderr, scenarioAdvice(name)...)
			return nil
		},
	}
}
