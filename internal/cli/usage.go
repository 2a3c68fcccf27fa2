package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/plaintext"
)

// helpWidth is the longest line of help in characters.
const helpWidth = 80

// flagGroups are the settings that --help shows, by what they are about. The others are in
// "help settings" alone.
var flagGroups = []struct {
	title string
	flags []string
}{
	{"World", []string{"scenario", "ticks", "seed", "agents", "documents"}},
	{"Model", []string{"model", "base-url", "agent-model", "offline", "protocol", "commit", "concurrency", "ahead",
		"timeout", "max-output-tokens", "reasoning-effort"}},
	{"Bounds and gates", []string{"cap-calls", "cap-tokens", "cap-cost", "min-score", "gate"}},
	{"Prompt and lessons", []string{"system-prompt", "short-term-goal", "long-term-goal", "prompt-profile", "playbook",
		"learn-every"}},
	{"Agents, tools, metrics and texts of your own", []string{"seat", "tools-mcp", metricFlag, "words"}},
	{"Files and output", []string{"report-json", "run-dir", "replay-from", "print-llm-io", "dashboard", "control", "otel",
		"quiet", configFlag}},
}

// The groups of commands in the help of the program.
const (
	groupPlay   = "play"
	groupLook   = "look"
	groupMany   = "many"
	groupLearn  = "learn"
	groupModels = "models"
)

// commandGroups are the commands of the program by group, in the order of help.
var commandGroups = []struct{ id, title, commands string }{
	{groupPlay, "Play", "scenarios resume fork replay"},
	{groupLook, "Look at runs", "inspect explain ask report compare export dashboard serve runs trace answers"},
	{groupMany, "Play many runs", "batch suite worker"},
	{groupLearn, "Lessons", "playbook"},
	{groupModels, "Models and the guard", "doctor bench model-server words guard-eval"},
}

// describe gives a command and those below it their help: grouped, of lines that fit a
// terminal of 80 characters.
func describe(root *cobra.Command) {
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range root.Commands() {
			if slices.Contains(strings.Fields(g.commands), c.Name()) {
				c.GroupID = g.id
			}
		}
	}
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := io.WriteString(c.OutOrStdout(), usage(c))
		return err
	})
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		text := folded(c.Long, 0)
		if text == "" {
			text = folded(strings.ToUpper(c.Short[:1])+c.Short[1:]+".", 0)
		}
		if c.Runnable() || c.HasSubCommands() {
			text += "\n" + usage(c)
		}
		_, _ = io.WriteString(c.OutOrStdout(), text) // a screen, which escapes it
	})
}

// usage is how a command is called: its form, the commands below it and its flags.
func usage(c *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() {
		b.WriteString(folded("  "+c.UseLine(), 6))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("  " + c.CommandPath() + " COMMAND\n")
	}
	groups := append(slices.Clone(c.Groups()), &cobra.Group{Title: "Other commands"})
	if len(groups) == 1 {
		groups[0].Title = "Commands"
	}
	for _, g := range groups {
		var lines string
		for _, sub := range c.Commands() {
			name := sub.Name()
			if sub.IsAdditionalHelpTopicCommand() {
				name = "help " + name
			}
			if sub.GroupID == g.ID && !sub.Hidden {
				lines += folded("  "+padded(name, 15)+sub.Short, 17)
			}
		}
		if lines != "" {
			b.WriteString("\n" + g.Title + ":\n" + lines)
		}
	}
	var grouped []string
	for _, g := range flagGroups {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range g.flags {
			if f := c.Flags().Lookup(name); f != nil && (isSetting(f) || name == configFlag || !c.HasParent()) {
				set.AddFlag(f)
				grouped = append(grouped, name)
			}
		}
		flagLines(&b, g.title, set)
	}
	own, more := pflag.NewFlagSet("", pflag.ContinueOnError), false
	own.SortFlags = false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || slices.Contains(grouped, f.Name):
		case isSetting(f):
			more = true
		default:
			own.AddFlag(f)
		}
	})
	title := "Flags"
	if len(grouped) > 0 {
		title = "Other flags"
	}
	flagLines(&b, title, own)
	if more {
		b.WriteString("\nRare flags, variables and keys of the file: " + c.Root().Name() + " help settings\n")
	}
	if c.HasAvailableSubCommands() {
		plaintext.Fprintf(&b, "\nMore about a command: %s COMMAND --help\n", c.CommandPath())
	}
	return b.String()
}

// isSetting reports whether a flag is one of a setting.
func isSetting(f *pflag.Flag) bool {
	_, ok := f.Value.(*flagText)
	return ok
}

// flagLines writes the flags of a set below a title.
func flagLines(b *strings.Builder, title string, set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if title != "" {
			b.WriteString("\n" + title + ":\n")
			title = ""
		}
		name := "  --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		word, text := pflag.UnquoteUsage(f)
		if f.Value.Type() == "stringArray" {
			word = "text"
		}
		if word != "" && f.Value.Type() != "bool" {
			name += " " + word
		}
		if !isSetting(f) && f.DefValue != "" && !slices.Contains([]string{"false", "0", "[]", "-1"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		const column = 30
		if len(name) > column-2 {
			b.WriteString(name + "\n")
			name = ""
		}
		b.WriteString(folded(padded(name, column)+text, column))
	})
}

// padded is a text with spaces up to a width.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(1, width-len(text)))
}

// folded breaks lines of over [helpWidth] characters at spaces and indents what follows. The
// lines of a paragraph that is not indented are joined before. It ends in a line break, unless it
// is empty.
func folded(text string, indent int) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if last := len(lines) - 1; last >= 0 && joins(lines[last]) && joins(line) {
			lines[last] += " " + line
		} else {
			lines = append(lines, line)
		}
	}
	var b strings.Builder
	for _, line := range lines {
		for len(line) > helpWidth {
			cut := strings.LastIndexByte(line[:helpWidth+1], ' ')
			if cut <= indent || strings.TrimSpace(line[:cut]) == "" { // a long word has a line of its own
				cut = strings.IndexByte(line[helpWidth:], ' ') + helpWidth
				if cut < helpWidth {
					break
				}
			}
			b.WriteString(strings.TrimRight(line[:cut], " ") + "\n")
			line = strings.Repeat(" ", indent) + strings.TrimLeft(line[cut:], " ")
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// joins reports whether a line of help is part of running text.
func joins(line string) bool { return line != "" && line[0] != ' ' && line[0] != '-' }
