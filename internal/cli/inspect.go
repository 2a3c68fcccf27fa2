package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/session/access"
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

// inspectCommand shows the progress of a run without reading all of its trace.
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

// inspection is the progress of a run and its last events. The run may be under way or
// have ended in any way. It is read from the run's index, from the part of the trace after
// the index, and from the few ticks that are shown.
type inspection struct {
	Run         string            `json:"run"`
	Scenario    string            `json:"scenario"`
	Seed        uint64            `json:"seed"`
	Model       string            `json:"model"`
	ModelSource trace.ModelSource `json:"model_source"`
	Protocol    string            `json:"protocol"`
	// State is the run's status, "running" while a process works on it. Process is its
	// id, Reason why the run ended early.
	State   string `json:"state"`
	Process string `json:"process,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Waits are the current waits for endpoints.
	Waits []access.CurrentWait `json:"waiting,omitempty"`
	// Tick is the last whole tick, Ticks how many were asked for.
	Tick    int64 `json:"tick"`
	Ticks   int64 `json:"ticks"`
	Resumes int64 `json:"resumes"`
	// Waiting counts the exchanges after the last whole tick, which a resume uses.
	Waiting int64 `json:"exchanges_of_next_tick"`
	state.Counts
	Failures map[string]int64           `json:"failed_by_kind"`
	Usage    map[string]llmclient.Usage `json:"tokens_by_model"`
	// Deviations are the ticks of deviation from plans that count now, by agent that has any.
	Deviations map[string]int64 `json:"deviations,omitempty"`
	// Spent is what counts against the caps, calls of the open tick included.
	Spent state.Spent `json:"spent"`
	// Caps are those that hold, absent without any, in this currency.
	Caps trace.Caps `json:"caps,omitzero"`
	// CapsPending are those that hold from a later tick on, nil for none.
	CapsPending *trace.CapChange `json:"caps_pending,omitempty"`
	Currency    string           `json:"currency,omitempty"`
	// Files are those of the trace, Bytes their size on disk.
	Files int   `json:"trace_files"`
	Bytes int64 `json:"trace_bytes"`
	// Recent are the decisions and events of the ticks asked for, or of the last ones.
	Recent []recentTick `json:"ticks_shown"`
}

// recentTick is one tick that is shown.
type recentTick struct {
	Tick    int64  `json:"tick"`
	Digest  string `json:"digest,omitempty"`
	Calls   int64  `json:"calls"`
	Failed  int64  `json:"failed"`
	Refused int64  `json:"refused"`
	// Controls are what an operator did before the tick.
	Controls  []trace.Control  `json:"controls,omitempty"`
	Decisions []recentDecision `json:"decisions"`
	Events    []trace.Event    `json:"events"`
}

// recentDecision is what an agent did.
type recentDecision struct {
	AgentID    string           `json:"agent_id"`
	DecidedBy  trace.DecidedBy  `json:"decided_by"`
	Executed   json.RawMessage  `json:"executed"`
	WaitReason trace.WaitReason `json:"wait_reason,omitempty"`
	Outcome    json.RawMessage  `json:"outcome"`
}

// recentTicks is how many ticks are shown when none is asked for: one, or for a single
// agent, which does not decide in each, some more.
const recentTicks, recentTicksOfAgent = 1, 10

// inspectRun gathers the whole. The error is bad input: no run, or a damaged trace.
func (m *Main) inspectRun(runDir string, f inspectFlags) (i inspection, err error) {
	dir := run.Dir(m.path(runDir))
	h, err := dir.Header()
	if errors.Is(err, run.ErrNothingRecorded) {
		return i, badInput("%s was stopped before anything was recorded; allowed: a run with a trace", shown(runDir))
	}
	if err != nil {
		return i, err
	}
	x, now, err := dir.Index(f.rebuild)
	if err != nil {
		return i, err
	}
	if ids := headerAgents(h); f.agent != "" && !slices.Contains(ids, f.agent) {
		return i, badInput("no agent %s in this run; %s", shown(f.agent), offered(f.agent, ids))
	}
	s := h.Settings
	i = inspection{
		Run: runDir, Scenario: s.Scenario, Seed: s.Seed, Model: s.Model, ModelSource: s.ModelSource, Protocol: s.Protocol,
		State: string(trace.RunUnfinished), Tick: now.Tick, Ticks: now.Asked, Resumes: now.Resumes,
		Waiting: int64(len(now.Open.Exchanges)), Spent: now.SpentByNow(), Caps: now.CapsAt(now.Tick + 1),
		CapsPending: now.Pending, Currency: h.SettingsAt(now.Tick).Currency(),
		Counts: x.Counts, Failures: x.Failures, Usage: x.Usage, Recent: []recentTick{},
	}
	for agent := range now.Deviations {
		if n := now.DeviationsOf(agent); n > 0 {
			if i.Deviations == nil {
				i.Deviations = map[string]int64{}
			}
			i.Deviations[agent] = n
		}
	}
	if now.End != nil {
		i.State, i.Reason = string(now.End.RunStatus), now.End.Reason
	}
	first, last := i.Tick-recentTicks+1, i.Tick
	if f.agent != "" {
		first = i.Tick - recentTicksOfAgent + 1
	}
	if f.tick > 0 {
		if _, ok := x.At(f.tick); !ok {
			return i, badInput("tick %d is not in the trace; allowed: 1 to %d", f.tick, i.Tick)
		}
		first, last = f.tick, f.tick
	}
	r, err := dir.OpenFrom(x, max(1, first))
	if err != nil {
		return i, err
	}
	defer r.Close()
	err = readRecords(r, func(r trace.Record) bool {
		i.show(r, f.agent)
		end, whole := r.(trace.TickEnd)
		return !whole || end.Tick < last
	}, []trace.Type{trace.TypeBlob, trace.TypeStep})
	// Any damage after the whole ticks is ignored: a resume discards that part.
	if err != nil && !(i.Tick == 0 && run.Damaged(err)) {
		return i, err
	}
	i.Process = dir.Holder()
	if i.Process != "" {
		i.State, i.Waits = "running", access.WaitsAt(dir, m.Now())
	}
	files, err := dir.Files()
	if err != nil {
		return i, err
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return i, err
		}
		i.Files++
		i.Bytes += info.Size()
	}
	return i, nil
}

// show adds a record to the ticks that are shown; agent limits them, empty is all.
func (i *inspection) show(r trace.Record, agent string) {
	tick := func() *recentTick {
		if n := len(i.Recent); n == 0 || i.Recent[n-1].Tick != trace.TickOf(r) {
			i.Recent = append(i.Recent, recentTick{Tick: trace.TickOf(r), Decisions: []recentDecision{},
				Events: []trace.Event{}})
		}
		return &i.Recent[len(i.Recent)-1]
	}
	wanted := func(id string) bool { return agent == "" || agent == id }
	switch r := r.(type) {
	case trace.ModelCall:
		if t := tick(); wanted(r.AgentID) {
			t.Calls++
			if r.Answer.Failure != nil {
				t.Failed++
			}
		}
	case trace.Refusal:
		if t := tick(); wanted(r.AgentID) {
			t.Refused++
		}
	case trace.Control:
		r.Timing = nil
		if t := tick(); r.AgentID == "" || wanted(r.AgentID) {
			t.Controls = append(t.Controls, r)
		}
	case trace.Decision:
		if t := tick(); wanted(r.AgentID) {
			t.Decisions = append(t.Decisions, recentDecision{r.AgentID, r.DecidedBy, r.Executed, r.WaitReason, r.Outcome})
		}
	case trace.Event:
		if t := tick(); wanted(r.Event.Agent) {
			t.Events = append(t.Events, r)
		}
	case trace.TickEnd:
		tick().Digest = r.Digest
	}
}

// text is the inspection as text. What models wrote is shown escaped, on one line.
func (i *inspection) text() string {
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
	for _, w := range i.Waits {
		field("waiting", "for %s until %s: %s", w.Endpoint, w.Until.UTC().Format(time.RFC3339), w.Why)
	}
	field("progress", "%d of %d ticks, %s of the next one, %s", i.Tick, i.Ticks, plaintext.Count(i.Waiting, "exchange"),
		plaintext.Count(i.Resumes, "resume"))
	field("decisions", "%d, %d continued, %d degraded to wait, %d actions rejected", i.Decided, i.Continued, i.Degraded,
		i.Rejected)
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
	field("spent", "%s", i.spentText())
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
				text += ": " + jsonText(c.Text)
			}
			plaintext.Fprintf(&b, "  operator: %s\n", plaintext.Clip(text, shownValueMax))
		}
		for _, d := range t.Decisions {
			text := decisionText(trace.Decision{Executed: d.Executed, WaitReason: d.WaitReason, Outcome: d.Outcome})
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
func (i *inspection) spentText() string {
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
