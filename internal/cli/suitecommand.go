package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/batch"
	"example.com/agentworld/batch/suite"
	"example.com/agentworld/plaintext"
)

// suiteCommand judges and ranks entries of suites.
func suiteCommand(m *Main) *cobra.Command {
	jobs := 1
	asJSON := false
	verify := &cobra.Command{
		Use: "verify DIR", Short: "say whether the runs in a batch directory are a valid entry of their suite",
		Long: `Say whether the runs in a batch directory are a valid entry of their suite.

Each arm of the batch is an entry. Every run is held against its trace and played again from
its recorded answers. The exit code is 0 for valid entries and 6 if something was found.`,
		Args: oneArgument("the directory of a batch"),
		RunE: func(c *cobra.Command, args []string) error {
			if jobs < 1 || jobs > 256 {
				return badInput("--jobs %d is out of range; allowed: 1 to 256", jobs)
			}
			return verifySuite(c.Context(), m, args[0], jobs, asJSON)
		},
	}
	verify.Flags().IntVar(&jobs, "jobs", jobs, "runs that are played again at the same time, 1 to 256")
	verify.Flags().BoolVar(&asJSON, "json", false, "print a JSON list of what was found about each entry")
	format := "text"
	out := ""
	table := &cobra.Command{
		Use: "table DIR...", Short: "rank entries of a suite, with the players that need no model",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return badInput("%s needs one or more directories of entries, and got none", commandPath(c))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return suiteTable(m, args, format, out) },
	}
	table.Flags().StringVar(&format, "format", format, strings.Join(suite.Formats, ", "))
	table.Flags().StringVar(&out, "out", "", "write to this file instead of stdout")
	return group("suite", "check and rank entries of a suite, such as aw-1", verify, table)
}

// entriesOf are the entries in a batch directory.
func entriesOf(m *Main, name string) ([]suite.Entry, error) {
	entries, err := suite.Open(batch.Dir(m.path(name)))
	if errors.Is(err, suite.ErrNoSuite) {
		return nil, badInput("%s: %w; allowed: the directory of \"batch run SUITE\", or of a batch file with suite = \"%s\"",
			shown(name), err, strings.Join(suiteNames(), "\" or \""))
	}
	if err != nil {
		return nil, noBatch(m, "", name, err)
	}
	return entries, nil
}

// verifySuite prints what is found about the entries in a batch directory.
func verifySuite(ctx context.Context, m *Main, name string, jobs int, asJSON bool) error {
	entries, err := entriesOf(m, name)
	if err != nil {
		return err
	}
	m.collectLess()
	printer := m.newProgressPrinter(false)
	var list []suite.Verification
	invalid := 0
	for _, e := range entries {
		v, err := e.Verify(ctx, jobs, func(done, of int) {
			if printer.Terminal {
				printer.Update(fmt.Sprintf("verifying %s: run %d of %d", e.Name, done, of), int64(done), int64(of))
			}
		})
		printer.Finish()
		if err != nil {
			failed := fmt.Errorf("verify %s: %w", shown(name), err)
			if errors.Is(err, context.Canceled) {
				return failWith(exitInterrupted, failed)
			}
			return failed
		}
		list = append(list, v)
		if !v.Valid() {
			invalid++
		}
		if !asJSON {
			if err := m.print(verifiedEntry(v)); err != nil {
				return err
			}
		}
	}
	if asJSON {
		if err := m.printJSON(list); err != nil {
			return err
		}
	}
	if invalid > 0 {
		return failWith(exitGate, fmt.Errorf("%d of %s not valid", invalid, plaintext.Count(len(list), "entry")))
	}
	return nil
}

// findingsShown bounds the findings of a kind that are printed.
const findingsShown = 3

// verifiedEntry is what was found about an entry, for people.
func verifiedEntry(v suite.Verification) string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		plaintext.Fprintf(&b, "%-13s%s\n", what, plaintext.Line(fmt.Sprintf(format, args...)))
	}
	line("entry", "%s, %s", v.Entry, v.Player)
	line("played", "%s", v.Played.String())
	if v.Suite != v.Played {
		line("frozen", "%s", v.Suite.String())
	}
	line("runs", "%d of %d have a score, %d follow from their answers", v.Scored, v.Runs, v.Replayed)
	line("gates", "fallbacks %.1f%% of decisions (at most %g%%), failures %.1f%% of calls (at most %g%%)", 100*v.Fallbacks,
		100*suite.FallbacksMost, 100*v.Failures, 100*suite.FailuresMost)
	var kinds []suite.Kind
	counts := map[suite.Kind]int{}
	for _, f := range v.Findings {
		if counts[f.Kind] == 0 {
			kinds = append(kinds, f.Kind)
		}
		counts[f.Kind]++
	}
	for _, kind := range kinds {
		printed := 0
		for _, f := range v.Findings {
			if f.Kind == kind && printed < findingsShown {
				line(string(kind), "%s", f.Text)
				printed++
			}
		}
		if more := counts[kind] - printed; more > 0 {
			line("", "and %d more", more)
		}
	}
	verdict := "valid"
	if !v.Valid() {
		verdict = "not valid"
	}
	line("verdict", "%s", verdict)
	return b.String()
}

// suiteTable prints the table of the entries in some directories, or writes it to a file.
func suiteTable(m *Main, names []string, format, out string) error {
	if !slices.Contains(suite.Formats, format) {
		return badInput("--format %s: unknown; allowed: %s", shown(format), strings.Join(suite.Formats, ", "))
	}
	if err := m.distinct(names, "directories"); err != nil {
		return err
	}
	var entries []suite.Entry
	var kept []keptPath
	for _, name := range names {
		list, err := entriesOf(m, name)
		if err != nil {
			return err
		}
		entries = append(entries, list...)
		kept = append(kept, keptPath{what: "a batch", path: m.path(name)})
	}
	t, err := suite.TableOf(entries)
	if invalid, ok := errors.AsType[*suite.InvalidError](err); ok {
		return badInput("%w (%s); suite verify says all", err, plaintext.Count(len(invalid.Verification.Findings), "finding"))
	}
	if err != nil {
		return badInput("%w", err)
	}
	return m.writeTo("the table ", out, whole(t.Write(format, m.columnsOf(out))), kept...)
}
