package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// inspectFlags are the options of the inspect command.
type inspectFlags struct {
	// tick is the tick to show, 0 for the last; agent limits what is shown.
	tick    int64
	agent   string
	json    bool
	rebuild bool
}

// inspectCommand tells where a run stands without reading all of its trace.
func (m *Main) inspectCommand() *cobra.Command {
	var f inspectFlags
	c := &cobra.Command{
		Use:   "inspect RUN",
		Short: "show where a run stands and what happened last, also while it goes on",
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("tick") && f.tick < 1 {
				return badInput("--tick %d is out of range; allowed: a tick from 1", f.tick)
			}
			return m.inspect(args[0], f)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().Int64Var(&f.tick, "tick", 0, "show this tick instead of the last one")
	c.Flags().StringVar(&f.agent, "agent", "", "show only this agent's decisions and events")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	c.Flags().BoolVar(&f.rebuild, "rebuild-index", false, "read the whole trace again, however old its index is")
	return c
}

// inspect prints an inspection.
func (m *Main) inspect(runDir string, f inspectFlags) error {
	if err := m.checkRun(runDir); err != nil {
		return err
	}
	i, err := m.inspectRun(runDir, f)
	if _, refused := errors.AsType[*failure](err); refused {
		return err
	}
	if err != nil {
		return badInput("the trace of %s cannot be read: %w", shown(runDir), err)
	}
	if f.json {
		return m.printJSON(i)
	}
	_, err = io.WriteString(m.Stdout, i.text())
	return err
}

// text is the inspection as text. What models wrote is shown escaped, on one line.
func (i *inspection) text() string {
	var b strings.Builder
	field := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s%s\n", name, fmt.Sprintf(format, args...))
	}
	field("run", "%s, %s, seed %d", oneLine(i.Run), oneLine(i.Scenario), i.Seed)
	field("model", "%s (%s), protocol %s", oneLine(i.Model), oneLine(string(i.ModelSource)), oneLine(i.Protocol))
	state := i.State
	switch {
	case i.Process != "":
		state += ", process " + i.Process
	case i.State == string(trace.RunUnfinished):
		state += ": no process works on it; resume goes on with it"
	case i.Reason != "":
		state += ": " + i.Reason
	}
	field("state", "%s", oneLine(state))
	field("progress", "%d of %d ticks, %d exchanges of the next one, %d resumes", i.Tick, i.Ticks, i.Waiting, i.Resumes)
	field("decisions", "%d, %d continued, %d degraded to wait, %d actions rejected", i.Decided, i.Continued, i.Degraded, i.Rejected)
	field("calls", "%d, %d failed%s", i.Calls, i.Failed, refusedText(i.Refused))
	// The most frequent failures come first.
	for _, kind := range slices.SortedFunc(maps.Keys(i.Failures), func(a, b string) int {
		return cmp.Or(cmp.Compare(i.Failures[b], i.Failures[a]), cmp.Compare(a, b))
	}) {
		field("", "%s %d", oneLine(kind), i.Failures[kind])
	}
	for _, model := range slices.Sorted(maps.Keys(i.Usage)) {
		u := i.Usage[model]
		field("tokens", "%s: %d input (%d cached), %d output (%d reasoning)", oneLine(model), u.Input, u.Cached, u.Output, u.Reasoning)
	}
	if i.Caps != (trace.Caps{}) {
		field("caps", "%s", i.Caps.Text(i.currency))
	}
	if p := i.CapsPending; p != nil {
		field("", "from tick %d: %s", p.Tick, p.Caps.Text(i.currency))
	}
	field("trace", "%d files, %d bytes", i.Files, i.Bytes)
	for _, t := range i.Recent {
		fmt.Fprintf(&b, "\ntick %d, %d calls, %d failed%s\n", t.Tick, t.Calls, t.Failed, refusedText(t.Refused))
		for _, d := range t.Decisions {
			text := decisionText(trace.Decision{Executed: d.Executed, WaitReason: d.WaitReason, Outcome: d.Outcome})
			fmt.Fprintf(&b, "  %s by %s: %s\n", oneLine(d.AgentID), oneLine(string(d.DecidedBy)), text)
		}
		for _, e := range t.Events {
			// Who it is about, and where.
			words := slices.DeleteFunc([]string{e.Event.Agent, e.Event.Place, e.Event.Subject, e.Event.Detail}, func(w string) bool { return w == "" })
			fmt.Fprintf(&b, "  %s %s\n", oneLine(string(e.Event.Kind)), oneLine(plaintext.Clip(strings.Join(words, " "), shownValueMax)))
		}
	}
	return b.String()
}

// refusedText tells of requests that were not sent; it is empty without.
func refusedText(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; not sent, refused by caps: %d", n)
}
