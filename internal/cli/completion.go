package cli

import (
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/run"
	"example.com/agentworld/world/scenario"
)

// completionScripts write the script that completes the program's command lines in a shell.
var completionScripts = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
	"zsh":        func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
}

// completionHelp is the long help of the completion command.
const completionHelp = `Print the script with which a shell completes commands, flags, scenarios, runs and agents.

  bash        source <(world_llm_agent_demo completion bash)
  zsh         source <(world_llm_agent_demo completion zsh)
  fish        source (world_llm_agent_demo completion fish | psub)
  powershell  world_llm_agent_demo completion powershell | Out-String | Invoke-Expression

The line works in an open shell, and for good in its start file, such as ~/.bashrc.`

// completionCommand prints the script for a shell.
func completionCommand(m *Main) *cobra.Command {
	shells := slices.Sorted(maps.Keys(completionScripts))
	return &cobra.Command{
		Use: "completion SHELL", Short: "print the script that completes commands in bash, zsh or fish", Long: completionHelp,
		Args: oneArgument("a shell: " + strings.Join(shells, ", ")), ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			script, known := completionScripts[args[0]]
			if !known {
				return badInput("there is no completion for %s; %sallowed: %s", shown(args[0]),
					settings.DidYouMean(args[0], shells),
					strings.Join(shells, ", "))
			}
			return script(c.Root(), m.Stdout)
		},
	}
}

// completeArguments lets the shell complete what a command and those below it take: scenarios, runs,
// agents and the values of settings that have a list of them.
func completeArguments(m *Main, c *cobra.Command) {
	_, argument, _ := strings.Cut(c.Use, " ")
	switch first := strings.Trim(strings.SplitN(argument, " ", 2)[0], "[]."); {
	case first == "scenario" || strings.HasPrefix(first, "NAME"):
		c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return m.scenarioNames(), cobra.ShellCompDirectiveDefault // or a file
		}
	case c.PreRunE != nil: // it reads runs
		c.ValidArgsFunction = func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return runsFor(m, word), cobra.ShellCompDirectiveDefault
		}
	}
	all := m.table()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		values := func(*cobra.Command, []string) []string { return nil }
		switch {
		case f.Name == "scenario":
			values = func(*cobra.Command, []string) []string { return m.scenarioNames() }
		case f.Name == "agent":
			values = func(c *cobra.Command, args []string) []string { return agentsFor(m, c, args) }
		case f.Name == "replay-from":
			values = func(*cobra.Command, []string) []string { return runsFor(m, "") }
		case isSetting(f):
			for _, s := range all {
				if s.Flag == f.Name && len(s.Choices) > 0 {
					values = func(*cobra.Command, []string) []string { return s.Choices }
				}
			}
		}
		_ = c.RegisterFlagCompletionFunc(f.Name,
			func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				return values(c, args), cobra.ShellCompDirectiveDefault
			}) // each flag is registered once
	})
	for _, sub := range c.Commands() {
		completeArguments(m, sub)
	}
}

// runsFor are the runs that a word can become: those beside it, those below runsDirDefault, and
// the newest.
func runsFor(m *Main, word string) []string {
	found := []string{latestRun}
	beside := ""
	if strings.ContainsRune(word, filepath.Separator) {
		beside = filepath.Dir(word)
	}
	for _, parent := range []string{beside, runsDirDefault} {
		runs, _ := m.runsBelow(parent) // a place that cannot be read has none
		found = append(found, runs...)
	}
	return found
}

// agentsFor are the agents of the run, or of the scenario, among the arguments of a command.
func agentsFor(m *Main, c *cobra.Command, args []string) (ids []string) {
	if len(args) == 0 {
		return nil
	}
	dir := args[0]
	if dir == latestRun {
		dir, _ = m.runNamed(dir)
	}
	h, err := run.Dir(m.path(dir)).Header()
	if err != nil {
		return nil
	}
	for _, a := range h.Agents {
		ids = append(ids, a.ID)
	}
	return ids
}

// scenarioNames are the built-in scenarios and the files of the working directory that may hold
// one.
func (fl *files) scenarioNames() []string {
	names := scenario.Names()
	files, _ := filepath.Glob(fl.path("*.toml")) // the pattern is a good one
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	return names
}
