package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/agentworld/explain"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// inspectFlags are the options of the inspect command. A tick of 0 is the last one.
type inspectFlags struct {
	Tick    int64  `flag:"tick" doc:"show this tick instead of the last one"`
	Agent   string `flag:"agent" doc:"show only this agent's decisions and events"`
	JSON    bool   `flag:"json" doc:"print one JSON object"`
	Rebuild bool   `flag:"rebuild-index" doc:"read the whole trace again, however old its index is"`
}

// inspectCommand shows the progress of a run without reading all of its trace.
func inspectCommand(m *Main) *cobra.Command {
	var f inspectFlags
	c := &cobra.Command{
		Use:   "inspect RUN",
		Short: "show where a run stands and what happened last, also while it goes on",
		Args:  oneArgument("a run directory"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("tick") && f.Tick < 1 {
				return badInput("--tick %d is out of range; allowed: a tick from 1", f.Tick)
			}
			return inspectRun(m, args[0], f)
		},
	}
	c.Flags().SortFlags = false
	addOptions(c.Flags(), &f)
	return c
}

// inspectRun prints an inspection.
func inspectRun(m *Main, runDir string, f inspectFlags) error {
	dir, err := m.openRun(runDir)
	if err != nil {
		return err
	}
	i, waits, err := session.Inspect(dir, session.Look{Tick: f.Tick, Agent: f.Agent, Rebuild: f.Rebuild, Now: m.Now()})
	if errors.Is(err, run.ErrNothingRecorded) {
		return badInput("%s was stopped before anything was recorded; allowed: a run with a trace", shown(runDir))
	}
	if err != nil {
		return m.unread(runDir, err)
	}
	i.Run = runDir
	if f.JSON {
		return m.printJSON(i)
	}
	return m.print(inspectionText(i, waits))
}

// inspectionText is an inspection as text. What models wrote is shown escaped, on one line.
func inspectionText(i explain.Inspection, waits []access.CurrentWait) string {
	var b strings.Builder
	field := func(name, format string, args ...any) {
		plaintext.Fprintf(&b, "%-11s%s\n", name, fmt.Sprintf(format, args...))
	}
	field("run", "%s, %s, seed %d", i.Run, i.Scenario, i.Seed)
	field("model", "%s (%s), protocol %s", i.Model, i.ModelSource, i.Protocol)
	state := i.State
	switch {
	case i.Process != "":
		state += ", process " + i.Process
	case i.State == string(trace.RunUnfinished):
		state += ": no process works on it; resume continues it"
	case i.Reason != "":
		state += ": " + i.Reason
	}
	field("state", "%s", state)
	for _, w := range waits {
		field("waiting", "for %s until %s: %s", w.Endpoint, w.Until.UTC().Format(time.RFC3339), w.Why)
	}
	field("progress", "%d of %d ticks, %s of the next one, %s", i.Tick, i.Ticks, plaintext.Count(i.Waiting, "exchange"),
		plaintext.Count(i.Resumes, "resume"))
	field("turns", "%d, %d of them failed; %s continued by orders; %s refused", i.Decided, i.Degraded,
		plaintext.Count(i.Continued, "tick"), plaintext.Count(i.Rejected, "action"))
	where := ""
	if i.Waiting > 0 { // what was spent counts the open tick, too
		where = " in whole ticks"
	}
	field("calls", "%d%s, %d failed%s", i.Calls, where, i.Failed, refusedText(i.Refused))
	// The most frequent failures come first.
	for _, kind := range slices.SortedFunc(maps.Keys(i.Failures), func(a, b string) int {
		return cmp.Or(cmp.Compare(i.Failures[b], i.Failures[a]), cmp.Compare(a, b))
	}) {
		field("", "%s %d", kind, i.Failures[kind])
	}
	for _, model := range slices.Sorted(maps.Keys(i.Usage)) {
		u := i.Usage[model]
		field("tokens", "%s: %s", model, report.TokensOf(u).Text())
	}
	for _, agent := range slices.Sorted(maps.Keys(i.Deviations)) {
		field("deviations", "%s: %d of the last %d ticks", agent, i.Deviations[agent], trace.DeviationWindow)
	}
	field("spent", "%s", spentText(i))
	if i.Caps != (trace.Caps{}) {
		field("caps", "%s", i.Caps.Text(i.Currency))
	}
	if p := i.CapsPending; p != nil && p.Caps != i.Caps {
		field("", "from tick %d: %s", p.Tick, p.Caps.Text(i.Currency))
	}
	field("trace", "%s, %d bytes", plaintext.Count(i.Files, "file"), i.Bytes)
	for _, t := range i.Recent {
		plaintext.Fprintf(&b, "\ntick %d, %s, %d failed%s\n", t.Tick, plaintext.Count(t.Calls, "call"), t.Failed,
			refusedText(t.Refused))
		for _, c := range t.Controls {
			text := c.What()
			if c.Text != "" {
				text += ": " + explain.Quoted(c.Text)
			}
			plaintext.Fprintf(&b, "  operator: %s\n", plaintext.Clip(text, shownValueMax))
		}
		for _, d := range t.Decisions {
			if d.WaitReason != "" {
				plaintext.Fprintf(&b, "  %s: %s\n", d.AgentID, wording.Failed(d.WaitReason))
				continue
			}
			text := explain.DecisionText(trace.Decision{Executed: d.Executed, Outcome: d.Outcome})
			plaintext.Fprintf(&b, "  %s by %s: %s\n", d.AgentID, d.DecidedBy, text)
		}
		for _, e := range t.Events {
			// Who it is about, and where.
			words := slices.DeleteFunc([]string{e.Event.Agent, e.Event.Place, e.Event.Subject, e.Event.Detail},
				func(w string) bool { return w == "" })
			plaintext.Fprintf(&b, "  %s %s\n", e.Event.Kind, plaintext.Clip(strings.Join(words, " "), shownValueMax))
		}
	}
	return b.String()
}

// spentText says what was spent, each amount with the cap of the run on it if there is one.
func spentText(i explain.Inspection) string {
	of := func(spent, bound string, bounded bool, unit string) string {
		if bounded {
			spent += " of " + bound
		}
		return spent + " " + unit
	}
	s, most := i.Spent, i.Caps.Run
	list := []string{of(fmt.Sprint(s.Calls), fmt.Sprint(most.Calls), most.Calls > 0, "calls"),
		of(fmt.Sprint(s.Tokens), fmt.Sprint(most.Tokens), most.Tokens > 0, "tokens")}
	if i.Currency != "" {
		list = append(list, of(s.Cost.String(), most.Cost.String(), most.Cost > 0, i.Currency))
	}
	return strings.Join(list, ", ")
}

// refusedText reports requests that were not sent. It is empty if there are none.
func refusedText(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; not sent, refused by caps: %d", n)
}
