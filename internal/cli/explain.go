package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// explainFlags are the options of the explain command.
type explainFlags struct {
	// tick and agent name the decision; both are required without source.
	tick  int64
	agent string
	// source asks for the history of one source instead of a decision; agent then
	// limits it and may be empty.
	source string
	// step is the one step shown, 0 for all.
	step int
	// full repeats what an earlier call of the decision has shown.
	full bool
	// json selects one JSON object instead of text.
	json bool
}

// explainCommand shows one decision: what was asked, answered, tried and done. It
// reads the trace alone. The prompts are those that were sent, found by their
// hashes, so that a later version of this program shows what an older one asked.
func (m *Main) explainCommand() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain RUN --tick T --agent A | --source ID",
		Short: "show one decision with its sources, steps, outcome and prompts, or what one source led to",
		Args:  oneArgument("a run directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.source != "" {
				if f.tick != 0 || f.step != 0 || f.full || f.json {
					return badInput("explain --source shows all decisions of a source; allowed beside it: --agent")
				}
				return m.explainSource(args[0], f)
			}
			if f.tick < 1 || f.agent == "" || f.step < 0 {
				return badInput("explain needs --tick and --agent; allowed: a tick from 1, the id of an agent, and for --step a number from 1")
			}
			return m.explain(args[0], f)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().Int64Var(&f.tick, "tick", 0, "tick of the decision")
	c.Flags().StringVar(&f.agent, "agent", "", "id of the agent")
	c.Flags().StringVar(&f.source, "source", "", "id of a source: show the decisions that had it in view, and what came of them")
	c.Flags().IntVar(&f.step, "step", 0, "show only this step of the turn")
	c.Flags().BoolVar(&f.full, "full", false, "repeat in each call what an earlier one has shown")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return c
}

// explain prints a decision. Its text is complete before the first byte goes out, so that
// a damaged trace prints an error and nothing else.
func (m *Main) explain(runDir string, f explainFlags) error {
	sources := newProvenance(f.agent)
	t, err := m.loadTranscript(runDir, f.tick, f.agent, sources.add)
	if err == nil {
		err = m.loadParts(runDir, t)
	}
	if err != nil {
		return err
	}
	if left, ok := t.left(); ok {
		if t.parentDir = m.parentOf(runDir, left.Parent); t.parentDir != "" {
			parent, err := m.loadTranscript(t.parentDir, f.tick, f.agent, func(trace.Record) {})
			if run.Damaged(err) {
				t.parentDir = ""
			}
			t.parent = parent.decision
		}
	}
	if f.step != 0 {
		// Steps are numbered from 1, and what one answer led to has the step of its call.
		last := 0
		t.calls = slices.DeleteFunc(t.calls, func(c trace.ModelCall) bool { last = max(last, c.Step); return c.Step != f.step })
		t.steps = slices.DeleteFunc(t.steps, func(s trace.Step) bool { last = max(last, s.Step); return s.Step != f.step })
		if len(t.calls)+len(t.steps) == 0 {
			return badInput("no step %d in this decision; allowed: 1 to %d", f.step, last)
		}
	}
	prompts := []prompt{}
	for _, c := range t.calls {
		p, err := t.prompt(c)
		if err != nil {
			return badInput("the trace is damaged: %w", err)
		}
		prompts = append(prompts, p)
	}
	if f.json {
		return m.printJSON(explained{t.decision, t.parent, append([]trace.Step{}, t.steps...), prompts})
	}
	e := explainer{t: t, provenance: sources, full: f.full, shownIn: map[string]int{}}
	e.write(prompts, f.step == 0)
	_, err = m.Stdout.Write(e.b.Bytes())
	return err
}

// explained is a transcript as one object: the records as they are in the trace, each
// call with its parts in place of their hashes.
type explained struct {
	// Decision is null when the run ended within the tick.
	Decision *trace.Decision `json:"decision"`
	// Parent is, in a fork, what the agent did in that tick of the run it left.
	Parent *trace.Decision `json:"parent,omitempty"`
	Steps  []trace.Step    `json:"steps"`
	Calls  []prompt        `json:"calls"`
}
