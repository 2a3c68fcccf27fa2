package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/explain"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// explainFlags are the options of the explain command: a decision has a tick and an agent, a timeline an
// agent alone, and a source is shown for all agents or for one. Ticks and steps of 0 are not given.
type explainFlags struct {
	Agent   string `flag:"agent" doc:"id of the agent: alone, show what it did tick by tick"`
	Tick    int64  `flag:"tick" doc:"show what the agent did in this tick, and why"`
	From    int64  `flag:"from" doc:"first tick of a timeline"`
	To      int64  `flag:"to" doc:"last tick of a timeline"`
	Source  string `flag:"source" doc:"id of a source: show the decisions that had it in view, and what came of them"`
	Prompts bool   `flag:"prompts" doc:"show the model calls of the decision: prompts and answers"`
	Step    int    `flag:"step" doc:"show only this step of the turn, with its call"`
	Full    bool   `flag:"full" doc:"show the calls, and repeat in each what an earlier one has shown"`
	JSON    bool   `flag:"json" doc:"print one JSON object"`
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
			case f.Source != "":
				return explainSource(m, args[0], f)
			case f.Tick == 0:
				return explainTimeline(m, args[0], f)
			}
			return explainDecision(m, args[0], f)
		},
	}
	c.Flags().SortFlags = false
	addOptions(c.Flags(), &f)
	return c
}

// check refuses numbers that name nothing, and flags that do not go together.
func (f explainFlags) check(given *pflag.FlagSet) error {
	for _, n := range []struct {
		flag  string
		value int64
	}{{"tick", f.Tick}, {"from", f.From}, {"to", f.To}, {"step", int64(f.Step)}} {
		if given.Changed(n.flag) && n.value < 1 {
			return badInput("--%s %d is out of range; allowed: a number from 1", n.flag, n.value)
		}
	}
	turn := f.Step != 0 || f.Full || f.Prompts
	switch {
	case f.Source != "" && (f.Tick != 0 || f.From != 0 || f.To != 0 || turn):
		return badInput("explain --source shows all decisions of a source; allowed beside it: --agent, --json")
	case f.Source == "" && f.Agent == "":
		return badInput("explain needs --agent or --source; allowed: --agent alone, --agent with --tick, or --source")
	case f.Source == "" && f.Tick == 0 && turn:
		return badInput("explain shows the calls of one decision; give its --tick")
	case f.Tick > 0 && (f.From != 0 || f.To != 0), f.To > 0 && f.To < f.From:
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
	d, err := explain.ReadDecision(dir, f.Tick, f.Agent)
	if err != nil {
		return m.unread(runDir, err)
	}
	e := explainer{d: d, full: f.Full, shownIn: map[string]int{}}
	d.Provenance.WordingHint = wordingHint
	if left, ok := d.Left(); ok {
		e.parentDir = m.parentOf(runDir, left.Parent)
		if e.parentDir != "" {
			parent, err := explain.ReadTurn(run.Dir(e.parentDir), nil, f.Tick, f.Agent)
			if run.Damaged(err) {
				e.parentDir = ""
			} else if err == nil {
				d.Parent = parent.Decision
			}
		}
	}
	if f.Step != 0 {
		err = d.Only(f.Step)
	}
	shows := f.Prompts || f.Step != 0 || f.Full || f.JSON
	if err == nil && shows {
		err = d.ReadCalls(dir)
	}
	if err != nil {
		return m.unread(runDir, err)
	}
	if f.JSON {
		return m.printJSON(d)
	}
	e.write(f.Step == 0)
	if f.Step == 0 {
		m.printAdvice(&e.b, e.next(runDir, shows)...)
	}
	return m.print(e.b.String())
}

// wordingHint says how to see the wording of the instructions whole.
const wordingHint = "--tick and --agent with --prompts show it whole"

// explainSource prints every decision that had a source in view or named it, with its outcome. If
// the id stands for several sources, or for none, the error says which there are.
func explainSource(m *Main, runDir string, f explainFlags) error {
	dir, err := m.openRun(runDir)
	if err != nil {
		return err
	}
	all, err := explain.ReadSource(dir, f.Source, f.Agent, wordingHint)
	switch {
	case err != nil:
		return m.unread(runDir, err)
	case f.JSON:
		return m.printJSON(all)
	}
	var b bytes.Buffer
	plaintext.Fprintf(&b, "[%s]  (%s)\n", all.ID, runText(all.Header.Settings))
	writeSource(&b, all)
	return m.print(b.String())
}

// writeSource writes the source, where it comes from, and the decisions of each agent.
func writeSource(b *bytes.Buffer, all explain.SourceUses) {
	if all.Source != nil {
		plaintext.Fprintf(b, "%s\n", sourceText(*all.Source, ""))
	}
	if len(all.Origin) > 0 {
		plaintext.Fprintf(b, "\nOrigin\n")
		for _, line := range all.Origin {
			plaintext.Fprintf(b, "  %s\n", line)
		}
	}
	for _, of := range all.Agents {
		plaintext.Fprintf(b, "\nDecisions of %s\n", of.AgentID)
		for _, u := range of.Decisions {
			use := fmt.Sprintf("named (%s) and not in view", u.Channel)
			if u.InView {
				use = fmt.Sprintf("score %d, %s", u.Score, useText(u.Used, u.Channel))
			}
			did := explain.DecisionText(trace.Decision{Executed: u.Executed, WaitReason: u.WaitReason, Outcome: u.Outcome})
			plaintext.Fprintf(b, "  tick %d  %s: %s\n", u.Tick, use, did)
		}
		plaintext.Fprintf(b, "  in view of %d, used by %d, named out of view by %d; accepted: %d of %s after use, %d of "+
			"%s in view and not used\n", of.InView, of.Used, of.NamedOnly,
			of.AfterUse.Accepted, plaintext.Count(of.AfterUse.Actions, "action"), of.AfterUnused.Accepted,
			plaintext.Count(of.AfterUnused.Actions, "action"))
	}
}
