package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/agentworld/llmclient"
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
	trace, err := m.openTrace(runDir)
	if err != nil {
		return err
	}
	trace.Close()
	i, err := m.inspectRun(runDir, f)
	if _, refused := errors.AsType[*failure](err); refused {
		return err
	}
	if err != nil {
		return badInput("the trace of %s cannot be read: %w", shown(runDir), err)
	}
	var b bytes.Buffer
	if f.json {
		if err := json.Indent(&b, llmclient.Marshal(i), "", "  "); err != nil {
			return fmt.Errorf("indent the inspection: %w", err)
		}
		b.WriteByte('\n')
	} else {
		i.write(&b)
	}
	_, err = m.Stdout.Write(b.Bytes())
	return err
}

// write writes the inspection as text. What models wrote is shown escaped, on one line.
func (i *inspection) write(b *bytes.Buffer) {
	field := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%-11s%s\n", name, fmt.Sprintf(format, args...))
	}
	field("run", "%s, %s, seed %d", oneLine(i.Run), oneLine(i.Scenario), i.Seed)
	field("model", "%s (%s), protocol %s", oneLine(i.Model), oneLine(string(i.ModelSource)), oneLine(i.Protocol))
	field("state", "%s", i.stateText())
	field("progress", "%d of %d ticks, %d exchanges of the next one, %d resumes", i.Tick, i.Ticks, i.Waiting, i.Resumes)
	field("decisions", "%d, %d continued, %d degraded to wait, %d actions rejected", i.Decided, i.Continued, i.Degraded, i.Rejected)
	field("calls", "%d, %d failed%s", i.Calls, i.Failed, refusedText(i.Refused))
	for _, kind := range i.kinds() {
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
	for _, tick := range i.Recent {
		tick.write(b)
	}
}

// refusedText tells of requests that were not sent; it is empty without.
func refusedText(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; not sent, refused by caps: %d", n)
}

// stateText is the state with what belongs to it.
func (i *inspection) stateText() string {
	text := oneLine(i.State)
	switch {
	case i.Process != "":
		text += ", process " + oneLine(i.Process)
	case i.State == string(trace.RunUnfinished):
		text += ": no process works on it; resume goes on with it"
	case i.Reason != "":
		text += ": " + oneLine(i.Reason)
	}
	return text
}

// write writes one tick.
func (t *recentTick) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\ntick %d, %d calls, %d failed%s\n", t.Tick, t.Calls, t.Failed, refusedText(t.Refused))
	for _, d := range t.Decisions {
		text := decisionText(trace.Decision{Executed: d.Executed, WaitReason: d.WaitReason, Outcome: d.Outcome})
		fmt.Fprintf(b, "  %s by %s: %s\n", oneLine(d.AgentID), oneLine(string(d.DecidedBy)), text)
	}
	for _, e := range t.Events {
		fmt.Fprintf(b, "  %s %s\n", oneLine(string(e.Event.Kind)), eventText(e))
	}
}

// eventText is who an event is about, and where.
func eventText(e trace.Event) string {
	words := slices.DeleteFunc([]string{e.Event.Agent, e.Event.Place, e.Event.Subject, e.Event.Detail}, func(w string) bool { return w == "" })
	return oneLine(plaintext.Clip(strings.Join(words, " "), shownValueMax))
}
