package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/explain"
	"example.com/agentworld/run"
)

// explainFlags are the options of the explain command.
type explainFlags struct {
	// tick and agent name the decision; an agent alone asks for its timeline.
	tick  int64
	agent string
	// source asks for the history of one source instead of a decision; agent then
	// limits it and may be empty.
	source string
	// from and to bound the ticks of a timeline; 0 is the run's first and last.
	from, to int64
	// prompts shows the model calls, step those of one step, 0 for all.
	prompts bool
	step    int
	// full repeats what an earlier call of the decision has shown.
	full bool
	// json selects one JSON object instead of text.
	json bool
}

// explainCommand shows one decision: what was done, why and on which sources; or what an agent
// did in each tick, or what a source led to. It reads the trace alone. The prompts are those that
// were sent, found by their hashes, so that a later version of this program shows what an older
// one asked.
func explainCommand(m *Main) *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain RUN --agent A [--tick T] | --source ID",
		Short: "show what an agent did tick by tick, one decision with its reason and sources, or what a source led to",
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			err := f.check(c.Flags())
			switch {
			case err != nil:
				return err
			case f.source != "":
				return explainSource(m, args[0], f)
			case f.tick == 0:
				return explainTimeline(m, args[0], f)
			}
			return explainDecision(m, args[0], f)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.agent, "agent", "", "id of the agent: alone, show what it did tick by tick")
	c.Flags().Int64Var(&f.tick, "tick", 0, "show what the agent did in this tick, and why")
	c.Flags().Int64Var(&f.from, "from", 0, "first tick of a timeline")
	c.Flags().Int64Var(&f.to, "to", 0, "last tick of a timeline")
	c.Flags().StringVar(&f.source, "source", "",
		"id of a source: show the decisions that had it in view, and what came of them")
	c.Flags().BoolVar(&f.prompts, "prompts", false, "show the model calls of the decision: prompts and answers")
	c.Flags().IntVar(&f.step, "step", 0, "show only this step of the turn, with its call")
	c.Flags().BoolVar(&f.full, "full", false, "show the calls, and repeat in each what an earlier one has shown")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return c
}

// check refuses numbers that name nothing, and flags that do not go together.
func (f explainFlags) check(given *pflag.FlagSet) error {
	for _, n := range []struct {
		flag  string
		value int64
	}{{"tick", f.tick}, {"from", f.from}, {"to", f.to}, {"step", int64(f.step)}} {
		if given.Changed(n.flag) && n.value < 1 {
			return badInput("--%s %d is out of range; allowed: a number from 1", n.flag, n.value)
		}
	}
	turn := f.step != 0 || f.full || f.prompts
	switch {
	case f.source != "" && (f.tick != 0 || f.from != 0 || f.to != 0 || turn):
		return badInput("explain --source shows all decisions of a source; allowed beside it: --agent, --json")
	case f.source == "" && f.agent == "":
		return badInput("explain needs --agent or --source; allowed: --agent alone, --agent with --tick, or --source")
	case f.source == "" && f.tick == 0 && turn:
		return badInput("explain shows the calls of one decision; give its --tick")
	case f.tick > 0 && (f.from != 0 || f.to != 0), f.to > 0 && f.to < f.from:
		return badInput("--from and --to are the first and the last tick of a timeline; allowed: without --tick, --to not " +
			"before --from")
	}
	return nil
}

// explainDecision prints a decision. Its text is complete before the first byte goes out, so that
// a damaged trace prints an error and nothing else.
func explainDecision(m *Main, runDir string, f explainFlags) error {
	dir, err := m.openRun(runDir)
	if err != nil {
		return err
	}
	d, err := explain.ReadDecision(dir, f.tick, f.agent)
	if err != nil {
		return m.unread(runDir, err)
	}
	e := explainer{d: d, full: f.full, shownIn: map[string]int{}}
	d.Provenance.WordingHint = wordingHint
	if left, ok := d.Left(); ok {
		e.parentDir = m.parentOf(runDir, left.Parent)
		if e.parentDir != "" {
			parent, err := explain.ReadTurn(run.Dir(e.parentDir), nil, f.tick, f.agent)
			if run.Damaged(err) {
				e.parentDir = ""
			} else if err == nil {
				d.Parent = parent.Decision
			}
		}
	}
	if f.step != 0 {
		err = d.Only(f.step)
	}
	shows := f.prompts || f.step != 0 || f.full || f.json
	if err == nil && shows {
		err = d.ReadCalls(dir)
	}
	if err != nil {
		return m.unread(runDir, err)
	}
	if f.json {
		return m.printJSON(d)
	}
	e.write(f.step == 0)
	if f.step == 0 {
		m.printAdvice(&e.b, e.next(runDir, shows)...)
	}
	return m.print(e.b.String())
}

// wordingHint says how to see the wording of the instructions whole.
const wordingHint = "--tick and --agent with --prompts show it whole"
