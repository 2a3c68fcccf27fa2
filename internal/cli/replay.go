package cli

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ask"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
)

// differenceCharsMax bounds how much of two differing lines is shown.
const differenceCharsMax = 400

// heapGrowthPercent lets the heap of a run or replay grow to six times what it keeps, while
// the process stays below memoryBytes: it keeps about that much for a thousand agents.
const (
	heapGrowthPercent = 500
	memoryBytes       = 230 << 20
)

// listGrowthPercent is how far the heap of a command grows that keeps most of what it reads.
const listGrowthPercent = 30

// collectLess has garbage collected less often from now on, unless the environment says how often: a turn
// makes much and keeps little, and up to a fifth of the CPU time went into looking through
// that little.
func (e *environment) collectLess() {
	_, often := e.LookupEnv("GOGC")
	_, limited := e.LookupEnv("GOMEMLIMIT")
	if !often && !limited {
		debug.SetGCPercent(heapGrowthPercent)
		debug.SetMemoryLimit(memoryBytes)
	}
}

// collectMore has garbage collected more often from now on, unless the environment says how often: what is read of
// a large batch is kept, and a heap of twice its size is not needed.
func (e *environment) collectMore() {
	_, often := e.LookupEnv("GOGC")
	_, limited := e.LookupEnv("GOMEMLIMIT")
	if !often && !limited {
		debug.SetGCPercent(listGrowthPercent)
	}
}

// replayCommand derives a recorded run again and compares, without a model. It reports
// equality on stdout and a difference as an error with an exit code of its own, with both
// lines where the records have one.
func replayCommand(m *Main) *cobra.Command {
	var o engine.ReplayOptions
	c := &cobra.Command{
		Use:   "replay RUN",
		Short: "derive a run again from its recorded answers and compare every record",
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := m.checkRun(args[0]); err != nil {
				return err
			}
			m.collectLess()
			o.Reading = m.readings[m.path(args[0])]
			result, err := engine.Replay(c.Context(), m.path(args[0]), o)
			if err != nil {
				return replayFailure(c.Context(), args[0], err)
			}
			if result.Line > 0 && !result.Equal {
				plaintext.Fprintf(m.Stderr, "recorded: %s\nderived:  %s\n", lineShown(result.Recorded), lineShown(result.Derived))
				return failWith(exitDiffers, fmt.Errorf("the replay differs from line %d of the canonical trace on: %w",
					result.Line, result.Difference))
			}
			if !result.Equal {
				return failWith(exitDiffers, fmt.Errorf("the replay differs: %w", result.Difference))
			}
			asked, err := checkAsks(m.source(args[0]))
			if err != nil {
				return failWith(exitDiffers, fmt.Errorf("the ticks agree, and %w", err))
			}
			plaintext.Fprintf(m.Stdout, "replay agrees: %s, %s%s\n", plaintext.Count(result.Ticks, "tick"),
				plaintext.Count(result.Exchanges, "exchange"), asked)
			return nil
		},
	}
	c.Flags().BoolVar(&o.AllowVersionDrift, "allow-version-drift", false,
		"also replay a run that another version recorded")
	return c
}

// checkAsks derives the questions that are kept with a run again, and says how many there are. The
// error says which of them differ.
func checkAsks(dir run.Source) (said string, err error) {
	kept, err := ask.Kept(dir.Dir)
	if err != nil || len(kept) == 0 {
		return "", err
	}
	x, _, err := dir.Index(false)
	if err != nil {
		return "", err
	}
	var differ []error
	for i, r := range kept {
		if err := ask.Check(dir, x, r, tokens.Count); err != nil {
			differ = append(differ, fmt.Errorf("%s, line %d: %w", run.AsksFile, i+1, err))
		}
	}
	if len(differ) > 0 {
		return "", errors.Join(differ...)
	}
	return fmt.Sprintf(", %d questions", len(kept)), nil
}

// lineShown is a line of a canonical trace for an error, bounded and escaped. One
// sideOf of a difference has no line when its trace is shorter.
func lineShown(line string) string {
	if line == "" {
		return "(no line)"
	}
	return plaintext.Clip(line, differenceCharsMax)
}
