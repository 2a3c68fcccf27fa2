package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.com/agentworld/baseline"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// Fold reads a trace to its end and reports on it. Time is linear in the trace;
// memory grows with agents and with the number of different names and latencies,
// not with ticks.
//
// A trace may be partial. Without a run end the status is "unfinished", and fields
// that only the end provides stay empty. A torn last line counts as the end. A run
// end with records after it does not count, because the run was resumed. Records of
// an incomplete tick are counted, because they were paid for, except in the figures
// per tick.
//
// The error is [trace.ErrNoHeader], a [*trace.LineError], a malformed outcome or
// a read error, together with the report up to there.
func Fold(r *trace.Reader) (Report, error) {
	f := NewFolding()
	var err error
	for record, failed := range r.Records() {
		if failed == nil {
			f.Add(record)
			failed = f.err
		}
		if failed != nil {
			err = failed
			break
		}
	}
	folded, empty := f.Report(r.Chain())
	return folded, cmp.Or(err, empty)
}

// Trace is the trace of a run, which the directory of the run is.
type Trace interface {
	// Open opens the trace at its first line.
	Open() (io.ReadCloser, error)
}

// Of is [Fold] of the trace of a run, with how it would have ended if it ended early, see [Report.Advance]. The
// error may be one of opening it.
func Of(t Trace) (Report, error) {
	f, err := t.Open()
	if err != nil {
		return Report{}, err
	}
	defer f.Close()
	r, err := Fold(trace.NewReader(f))
	if err != nil {
		return r, err
	}
	return r, r.Advance(t)
}

// Folding builds a report from the records of a run, one by one.
type Folding struct {
	*folder
	begun bool
	err   error
}

// NewFolding returns the report of no record.
func NewFolding() *Folding { return &Folding{folder: newFolder()} }

// Add takes the next record of the run, the first of which is its header.
func (f *Folding) Add(record trace.Record) {
	header, first := record.(trace.Header)
	switch {
	case f.err != nil:
	case !f.begun && !first:
		f.err = trace.ErrNoHeader
	case !f.begun:
		f.begun = true
		f.header(header)
	default:
		f.err = f.add(record)
	}
}

// Report returns the report of the records so far, of a trace with a head. It is called once.
// The error is that of the first record which could not be taken, or [trace.ErrNoHeader].
func (f *Folding) Report(head trace.Chain) (Report, error) {
	if f.err == nil && !f.begun {
		f.err = trace.ErrNoHeader
	}
	f.out.Timing.TraceHead = string(head)
	return f.report(), f.err
}

// goalKey identifies a goal of one agent.
type goalKey struct{ agent, goal string }

// folder is a report in the making with what the fold has to remember.
type folder struct {
	out Report
	// rows are the agents' rows in order, byID finds them.
	rows []*agentFold
	byID map[string]*agentFold
	// tickCalls counts the model calls since the last complete tick.
	tickCalls int64
	// turns counts decisions after a turn, turnCalls their model calls.
	turns, turnCalls int64
	latencies        latencies
	met              map[goalKey]bool
	// task computes the score, nil without one.
	task *taskFold
	// effects compares decisions that used a source with those that did not.
	effects effects
	// times follows how long turns took.
	times turnTimeFold
	// costs adds up what was paid.
	costs costFold
	// happened are the events of the open tick. They wait for its end, because a tick that was
	// cut off is played again when the run is resumed.
	happened []world.Event
	// inForce are the settings of the run after a tick.
	inForce func(tick int64) trace.Settings
	// seated are the seats that played.
	seated []seatFold
	// end is the last record if it was a run end.
	end *trace.RunEnd
}

func newFolder() *folder {
	f := &folder{
		byID: map[string]*agentFold{}, latencies: latencies{}, met: map[goalKey]bool{},
		times: turnTimeFold{agents: map[string]*agentTimes{}, endpoints: map[string]*spread{}},
		effects: effects{
			kinds: map[string]*tally{}, bullets: map[bulletKey]*tally{}, documents: map[string]*tally{},
			chunks:    map[string]trace.Source{},
			templates: map[string]*tally{}, wordings: map[string]trace.Source{}, seed: playbook.New(),
		},
		costs: costFold{
			answered: map[string]bool{},
			prices:   map[string]price.Price{}, models: map[string]*bill{}, agents: map[string]*bill{},
			ofAgent: map[string]state.Spent{}, refused: Counts{}, changes: []CapChange{},
			guessed: Counts{}, doubts: Counts{}, asked: map[string]bool{},
		},
	}
	r := &f.out
	makeCounts(reflect.ValueOf(r).Elem())
	r.Learning.Playbooks = []AgentPlaybook{}
	r.Guard.Off = []string{}
	r.Sampling, r.World = []SamplingRow{}, []SettingRow{}
	r.NotDefault = []SettingRow{}
	r.Controls = []ControlRow{}
	r.Timing.Endpoints, r.Timing.Extensions = []trace.EndpointTiming{}, []trace.Extension{}
	r.OwnMetrics = []OwnMetric{}
	r.Tools, r.Seats = []ToolRow{}, []SeatRow{}
	r.ReportVersion, r.RunStatus = Version, trace.RunUnfinished
	return f
}

// makeCounts makes all counts in a struct, so that none is null.
func makeCounts(in reflect.Value) {
	for i := range in.NumField() {
		switch field := in.Field(i); {
		case field.Type() == reflect.TypeFor[Counts]():
			field.Set(reflect.ValueOf(Counts{}))
		case field.Kind() == reflect.Struct:
			makeCounts(field)
		}
	}
}

func (f *folder) header(h trace.Header) {
	r := &f.out
	s, now := h.Settings, h.Latest()
	r.Scenario = s.Scenario
	r.TicksRequested = s.Ticks
	r.Seed = s.Seed
	r.Model = s.Model
	r.ModelSource = s.ModelSource
	r.Protocol = s.Protocol
	r.UsageSource = trace.UsageSimulated
	if s.UsageSource() == trace.UsageReported {
		r.UsageSource = trace.UsageUnreported // until an answer has counts
	}
	f.inForce = h.SettingsAt
	r.Versions = Versions{Engine: h.EngineVersion, Rules: h.RulesVersion, Prompt: h.PromptVersion,
		Scenario: h.ScenarioHash, Words: h.WordsHash}
	r.Settings = settingRows(now)
	r.MaxDegradedPct = int64(now.MaxDegradedPct)
	f.tools(now.Tools)
	for _, set := range now.SamplingSet() {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(llmclient.Marshal(set.Sampling), &members); err != nil {
			panic("report: settings are no object: " + err.Error())
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			r.Sampling = append(r.Sampling, SamplingRow{set.Agent + set.Model, name, strings.Trim(string(members[name]), `"`)})
		}
	}
	r.Faults, r.FaultSeed = now.Faults, now.FaultSeed
	r.FaultsCounted = r.Faults == ""
	if h.Timing != nil {
		r.Timing.StartedAt, r.Timing.Concurrency = h.Timing.StartedAt, int64(h.Timing.Concurrency)
		r.Timing.Extensions = append(r.Timing.Extensions, h.Timing.Extensions...)
		r.OwnMetrics = unmeasured(h.Timing.Metrics)
	}
	for _, fork := range h.Forks {
		// Where its answers come from elsewhere than those before, the run's come from both.
		after := fork.Settings
		r.Model, r.Protocol = after.Model, after.Protocol
		if r.ModelSource != after.ModelSource {
			r.ModelSource = trace.SourceMixed
		}
		// The last fork counts: its parent has the others too.
		r.Fork = &ForkReport{Parent: fork.Parent.Name, ParentRun: fork.Parent.Run, AtTick: fork.AtTick,
			Changes: append([]trace.Change{}, fork.Changes...)}
	}
	r.Guard.Off = append(r.Guard.Off, s.GuardOff...)
	written, err := scenario.Parse(s.Scenario, []byte(s.ScenarioTOML))
	last, unread := written, err
	if now.ScenarioTOML != s.ScenarioTOML {
		last, unread = scenario.Parse(now.Scenario, []byte(now.ScenarioTOML))
	}
	if unread == nil {
		r.World = worldRows(last, now)
		r.NotDefault = chosenRows(now, last)
	}
	if of, mixed := taskOf(h); of != nil {
		f.task = &taskFold{scenario: *of, scorer: world.NewScorer(*of), compared: mixed}
		t := of.Task
		r.Task = &TaskScore{Family: t.Family, Metric: t.Metric, Ticks: t.Ticks, From: t.From}
	}
	// If this version cannot read the playbook, the only effect is that bullets are counted
	// per agent.
	if p, err := playbook.Parse([]byte(s.Playbook)); err == nil {
		f.effects.seed = p
	}
	f.costs.hold(s)
	f.costs.estimate = s.Estimate
	for _, a := range h.Agents {
		row, own := &f.agent(a.ID).row, s.AgentModel(a.ID)
		row.Name = a.Name
		row.Model = cmp.Or(own.Model, s.Model)
		row.BaseURL = own.BaseURL
	}
	f.seats(s.Seats)
}

// agent returns the state of the agent with the given id, made on first use.
func (f *folder) agent(id string) *agentFold {
	a, ok := f.byID[id]
	if !ok {
		a = &agentFold{row: AgentRow{AgentID: id, Rejections: Counts{}, Stock: []world.Amount{}},
			gave: Counts{}, got: Counts{}}
		f.byID[id] = a
		f.rows = append(f.rows, a)
	}
	return a
}

func (f *folder) add(record trace.Record) error {
	f.end = nil
	switch r := record.(type) {
	case trace.ModelCall:
		f.times.call(r, endpointOf(f.inForce(r.Tick-1), r))
		if r.Stage == trace.StageSeat {
			f.seatCall(r)
			break
		}
		f.costs.call(r)
		if r.Answer.Usage.Counted() && f.inForce(r.Tick-1).UsageSource() == trace.UsageReported {
			f.out.UsageSource = trace.UsageReported
		}
		if r.Timing != nil && r.Timing.Recorded {
			f.out.Timing.AnswersRecorded++
		}
		if learns(r.Stage) {
			f.learnCall(r)
		} else {
			f.modelCall(r)
		}
	case trace.ToolCall:
		f.times.open.Tool(r)
		f.toolCall(r)
	case trace.Refusal:
		f.refusal(r)
	case trace.Step:
		f.step(r)
	case trace.Decision:
		return f.decision(r)
	case trace.Event:
		f.happened = append(f.happened, r.Event)
		if r.Event.Kind == world.EventGoalMet {
			f.goalMet(r.Event.Agent, r.Event.Subject, r.Tick)
		}
	case trace.TickEnd:
		f.out.WorldTime, f.out.FinalDigest = r.WorldTime, r.Digest
		for _, e := range f.happened {
			f.event(e, r.Tick)
		}
		f.happened = f.happened[:0]
		if f.task != nil {
			f.task.tick = r.Tick
		}
		if r.Due+r.Continued > 0 {
			f.out.ActiveTicks++
			if f.tickCalls == 0 {
				f.out.TraceCounts.LLMSkippedTicks++
			}
		}
		f.tickCalls = 0
		f.times.endTick(r.Tick)
	case trace.RunEnd:
		f.end = &r
	case trace.Resume:
		f.happened = nil
		f.out.TicksRequested = max(f.out.TicksRequested, r.TicksRequested)
		f.out.Timing.Resumes++
	case trace.Header:
		f.happened = nil // The first header holds. A tick that was cut off is played again.
	case trace.Fork:
		f.costs.fork(r)
		f.seats(r.Settings.Seats)
	case trace.CapChange:
		f.costs.changeCaps(r)
		f.reseat(r)
		for _, a := range f.rows {
			if r.AskAgain {
				a.row.StoppedBy, a.row.StoppedAtTick = "", 0
			}
		}
	case trace.Control:
		if r.Caps != nil {
			f.costs.changeCaps(trace.CapChange{Tick: r.Tick, Caps: *r.Caps})
		}
		f.out.Controls = append(f.out.Controls, ControlRow{Tick: r.Tick, Kind: r.Kind, AgentID: r.AgentID, What: r.What()})
	case trace.Blob, trace.Switch, trace.Segment:
		// Nothing to count: prompts are not results.
	case trace.Unknown:
		f.out.TraceCounts.UnknownRecords++
	default:
		panic(fmt.Sprintf("report: a record of type %T is not folded", record))
	}
	return nil
}

// event counts an event of a whole tick.
func (f *folder) event(e world.Event, tick int64) {
	f.out.JournalEvents++
	f.out.JournalEventCounts[string(e.Kind)]++
	if e.Kind == world.EventPowerState && e.Detail == "shutdown" {
		f.agent(e.Agent).row.Shutdowns++
	}
	for _, x := range e.Exchanges() {
		f.agent(x.From).gave[x.Resource] += x.Amount
		f.agent(x.To).got[x.Resource] += x.Amount
	}
	if f.task != nil && e.Tick == tick {
		f.task.scorer.Observe(e)
	}
}

// goalMet notes a goal that was met in a tick.
func (f *folder) goalMet(agent, goal string, tick int64) {
	key := goalKey{agent, goal}
	if f.met[key] {
		return
	}
	f.met[key] = true
	f.out.GoalsMet++
	a := f.agent(agent)
	a.row.GoalsMet++
	a.row.GoalMetAt = &tick
	if a.row.GoalsMet == 1 {
		f.out.AgentsMeetingGoal++
	}
}

// report closes the fold: averages, the end of the run, rows in order.
func (f *folder) report() Report {
	r := &f.out
	c := &r.TraceCounts
	c.LLMInputCharsAvg = perUnit(c.LLMInputCharsTotal, 1, c.ModelCalls)
	c.LLMSkippedTickRatioPPM = perUnit(c.LLMSkippedTicks, 1_000_000, r.ActiveTicks)
	c.CallsPerDecision.AvgMilli = perUnit(f.turnCalls, 1000, f.turns)
	r.CallsSaved = f.callsSaved(r.ContinuedDecisions)
	r.Timing.LLMLatencyMS = f.latencies.summary()
	f.times.report(f.rows, &r.Timing)
	if t := f.task; t != nil {
		r.Task.Score, r.Task.Complete = t.scorer.Score(t.tick), t.tick >= r.Task.Ticks
		if !t.compared {
			if scores, ok, err := baseline.ScoresOf(t.scenario); ok && err == nil {
				r.Task.Baselines = &scores
			}
			t.compared = true
		}
	}
	f.effects.report(&r.Provenance)
	r.Goals, r.FinalStock = []trace.GoalOutcome{}, []world.Amount{}
	if end := f.end; end != nil {
		r.RunStatus = end.RunStatus
		r.RunReason = end.Reason
		r.FinalDigest = end.FinalDigest
		r.FaultsCounted = true
		for kind, n := range end.FaultsInjected {
			r.FaultsInjectedByKind[kind] += n
		}
		if end.Timing != nil {
			r.Timing.FinishedAt, r.Timing.WallMS = end.Timing.FinishedAt, end.Timing.WallMS
			r.Timing.Endpoints = append(r.Timing.Endpoints, end.Timing.Endpoints...)
			r.Timing.Ahead = aheadOf(end.Timing.Ahead)
		}
		for _, g := range end.Goals {
			r.Goals = append(r.Goals, g)
			f.agent(g.AgentID).row.Goals++
			if g.MetAt != nil {
				f.goalMet(g.AgentID, g.GoalID, *g.MetAt)
			}
		}
		total := Counts{}
		for _, a := range end.Agents {
			row := &f.agent(a.AgentID).row
			row.Place = a.Place
			row.PowerState = a.PowerState
			row.Electricity = a.Electricity
			row.Heat = a.Heat
			row.Stock = append(row.Stock, a.Stock...)
			total["electricity"] += a.Electricity
			for _, s := range a.Stock {
				total[s.Resource] += s.Amount
			}
		}
		r.FinalStock = total.amounts()
	}
	for _, s := range f.seated {
		r.Seats = append(r.Seats, *s.row)
	}
	r.PerAgent = make([]AgentRow, len(f.rows))
	for i, a := range f.rows {
		r.PerAgent[i] = a.row
		r.PerAgent[i].CallsSaved = f.callsSaved(a.row.Continued)
		r.PerAgent[i].Gave, r.PerAgent[i].Got = a.gave.amounts(), a.got.amounts()
	}
	r.Agents = int64(len(f.rows))
	r.Cost = f.costs.report(f.rows)
	if i := slices.IndexFunc(r.NotDefault, func(s SettingRow) bool { return s.Setting == "caps" }); i >= 0 {
		r.NotDefault[i].Value = f.costs.caps.Text(plain(r.Cost.Currency)) // a resume may have changed them
	}
	r.Answered = slices.Sorted(maps.Keys(f.costs.answered))
	return *r
}

// callsSaved estimates what continued decisions would have cost, had each been a
// turn like the run's average one. The run's average serves every agent: one that
// decided once, by an order, has none of its own worth the name.
func (f *folder) callsSaved(continued int64) int64 { return perUnit(continued, f.turnCalls, f.turns) }

// amounts lists the counts by name.
func (c Counts) amounts() []world.Amount {
	list := make([]world.Amount, 0, len(c))
	for name, n := range c {
		list = append(list, world.Amount{Resource: name, Amount: n})
	}
	slices.SortFunc(list, func(a, b world.Amount) int { return strings.Compare(a.Resource, b.Resource) })
	return list
}

// at returns the value under a key, made on first use.
func at[K comparable, V any](values map[K]*V, key K) *V {
	if values[key] == nil {
		values[key] = new(V)
	}
	return values[key]
}

// perUnit returns scale*n/units rounded down, 0 for no units.
func perUnit(n, scale, units int64) int64 {
	if units == 0 {
		return 0
	}
	return n * scale / units
}
