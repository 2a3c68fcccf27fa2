package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/agentworld/world/scenario"
)

// TestHelpFitsATerminal prints the help of every command, and of the settings.
func TestHelpFitsATerminal(t *testing.T) {
	paths := []string{"help settings"}
	for path := range commands(newProcess(t, nil).Main) {
		paths = append(paths, strings.TrimPrefix(strings.TrimPrefix(path, programName), " ")+" --help")
	}
	for _, path := range paths {
		p := newProcess(t, nil, strings.Fields(path)...)
		if code := p.run(t); code != exitCompleted || p.stderr.Len() > 0 {
			t.Fatalf("%s: exit code %d: %s", path, code, p.stderr.String())
		}
		for line := range strings.Lines(p.stdout.String()) {
			if utf8.RuneCountInString(line) > helpWidth+1 {
				t.Errorf("%s: a line of %d characters: %s", path, len(line)-1, line)
			}
		}
	}
}

// TestEveryCommandHasAGroup finds no command under "Other commands" that belongs elsewhere, and no
// flag of a group that is misspelt.
func TestEveryCommandHasAGroup(t *testing.T) {
	root := rootCommand(newProcess(t, nil).Main)
	for _, c := range root.Commands() {
		if c.GroupID == "" && !slices.Contains([]string{"settings", "help", "completion"}, c.Name()) {
			t.Errorf("command %s is in no group", c.Name())
		}
	}
	for _, g := range flagGroups {
		for _, name := range g.flags {
			if root.Flags().Lookup(name) == nil && name != "documents" { // comes with them
				t.Errorf("there is no flag --%s", name)
			}
		}
	}
}

// TestCompletion asks as a shell does.
func TestCompletion(t *testing.T) {
	played := newProcess(t, nil, "two_bases", "--ticks", "1", "--run-dir", ".tmp/runs/first", "--quiet")
	if code := played.run(t); code != exitCompleted {
		t.Fatal(played.output())
	}
	if err := os.WriteFile(filepath.Join(played.dir, "mine.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{""}, append(scenario.Names(), "mine.toml", "resume", "scenarios")},
		{[]string{"--scenario", ""}, []string{"minimal", "mine.toml"}},
		{[]string{"--protocol", ""}, []string{"full", "lean"}},
		{[]string{"scenarios", "show", ""}, []string{"minimal"}},
		{[]string{"resume", ""}, []string{latestRun, ".tmp/runs/first"}},
		{[]string{"trace", "verify", ""}, []string{latestRun, ".tmp/runs/first"}},
		{[]string{"--replay-from", ""}, []string{latestRun, ".tmp/runs/first"}},
		{[]string{"completion", ""}, []string{"bash", "fish", "zsh"}},
		{[]string{"explain", "latest", "--agent", ""}, []string{"agent-1", "agent-2"}},
		{[]string{"inspect", ".tmp/runs/first", "--agent", "agent"}, []string{"agent-1"}},
	} {
		p := newProcess(t, nil, append([]string{"__complete"}, c.words...)...)
		p.Getwd = played.Getwd
		p.run(t)
		got := strings.Split(p.stdout.String(), "\n")
		for i, line := range got {
			got[i], _, _ = strings.Cut(line, "\t")
		}
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q is not completed by %s: %q", c.words, want, got)
			}
		}
	}
}

// TestHelpSaysWhatHoldsInItsCommand finds the default of a setting that a command takes from a run, and
// the settings that have a word.
func TestHelpSaysWhatHoldsInItsCommand(t *testing.T) {
	for _, c := range []struct {
		args         []string
		want, others string
	}{
		{[]string{"--help"}, "this is given (default 20)", asRecorded},
		{[]string{"fork", "--help"}, "this is given (default as the run has it)", "(default 20)"},
		{[]string{"resume", "--help"}, "makes the run live (default as the run\n", "(default none: the"},
		{[]string{"ask", "--help"}, "makes the run live (default as the run\n", "(default none: the"},
		{[]string{"help", "settings", "Chain", "steps"}, "flag         --chain-steps", "--ticks"},
		{[]string{"help", "settings", "playbok"}, `did you mean "playbook"?`, "flag "},
	} {
		p := newProcess(t, nil, c.args...)
		code := p.run(t)
		if said := p.output(); !strings.Contains(said, c.want) || strings.Contains(said, c.others) {
			t.Errorf("%q, exit code %d: want %q and no %q in\n%s", c.args, code, c.want, c.others, said)
		}
	}
}
