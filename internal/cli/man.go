package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/plaintext"
)

// manCommand writes a manual page for each command.
func (m *Main) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "write a manual page for each command",
		Long:  "Write a manual page for each command into a directory, to be read with man -l or put below\nshare/man/man1.",
		Args:  oneArgument("a directory"),
		RunE: func(c *cobra.Command, args []string) error {
			pages := 0
			var write func(c *cobra.Command) error
			write = func(c *cobra.Command) error {
				if c.Hidden {
					return nil
				}
				name := strings.ReplaceAll(c.CommandPath(), " ", "-")
				out, err := m.output("the manual page ", filepath.Join(args[0], name+".1"))
				if err == nil {
					err = atomicfile.Write(out.path, []byte(manPage(name, c)))
				}
				pages++
				for _, sub := range c.Commands() {
					if err == nil {
						err = write(sub)
					}
				}
				return err
			}
			if err := write(c.Root()); err != nil {
				return err
			}
			_, err := plaintext.Fprintf(m.Stdout, "%d manual pages in %s\n", pages, args[0])
			return err
		},
	}
}

// manPage is the manual page of a command, called name, in the macros of man(7).
func manPage(name string, c *cobra.Command) string {
	var b strings.Builder
	// The title is at both ends of a line, so that it cannot begin with the name of the program, too.
	title := strings.ToUpper(strings.TrimPrefix(name, programName+"-"))
	plaintext.Fprintf(&b, ".TH %s 1 \"\" \"\" %s\n.SH NAME\n%s \\- %s\n", roff(title), roff(programName), roff(name),
		roff(c.Short))
	if c.Runnable() {
		plaintext.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(c.UseLine()))
	}
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n")
		for line := range strings.Lines(c.Long) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case line == "":
				b.WriteString(".PP\n")
			case joins(line):
				b.WriteString(roff(line) + "\n")
			default:
				plaintext.Fprintf(&b, ".br\n%s\n", roff(line))
			}
		}
	}
	title = ".SH OPTIONS\n"
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		word, text := pflag.UnquoteUsage(f)
		b.WriteString(title + ".TP\n.B " + roff(strings.TrimSpace("--"+f.Name+" "+word)) + "\n" + roff(text) + "\n")
		title = ""
	})
	title = ".SH SEE ALSO\n"
	for _, other := range append([]*cobra.Command{c.Parent()}, c.Commands()...) {
		if other != nil && !other.Hidden {
			b.WriteString(title + ".BR " + roff(strings.ReplaceAll(other.CommandPath(), " ", "-")) + " (1)\n")
			title = ""
		}
	}
	return b.String()
}

// roff is a line of text that the formatter takes for nothing else.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
