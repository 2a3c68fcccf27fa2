package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/metric"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// The gates of an entry.
const (
	// FallbacksMost is the share of decisions that the program may have taken in the player's place, since it gave
	// no usable one.
	FallbacksMost = 0.10
	// FailuresMost is the share of calls that may have ended without a reply.
	FailuresMost = 0.01
)

// Kind is what is wrong with an entry.
type Kind string

// The kinds of findings.
const (
	// Missing: an instance has no run, or one without a score.
	Missing Kind = "missing"
	// Foreign: a run is of no instance of the suite.
	Foreign Kind = "foreign"
	// World: an instance was played in another world than that of the suite.
	World Kind = "world"
	// Rules: a run is of another version of the rules.
	Rules Kind = "rules"
	// Settings: a run has settings that the suite does not allow.
	Settings Kind = "settings"
	// Mixed: runs have settings or prompts that differ.
	Mixed Kind = "mixed"
	// Trace: a trace is missing, damaged, or not the one of the result.
	Trace Kind = "trace"
	// Replay: a run does not follow from its recorded answers, or this program cannot tell since another version of
	// it played the run.
	Replay Kind = "replay"
	// Result: a result is not that of its run.
	Result Kind = "result"
	// Intervention: somebody acted on a run while it was played.
	Intervention Kind = "intervention"
	// Fallbacks and Failures: the entry is above a gate.
	Fallbacks Kind = "fallbacks"
	Failures  Kind = "failures"
)

// Finding is one thing that keeps an entry from being valid.
type Finding struct {
	Kind Kind `json:"kind"`
	// Cell is the run that it is about; empty for the entry as a whole.
	Cell batch.ID `json:"cell"`
	// Text says what it is.
	Text string `json:"text"`
}

// Verification is what was found about an entry. It is valid without findings.
type Verification struct {
	// Entry is the name of the entry, Player who played.
	Entry  string `json:"entry"`
	Player string `json:"player"`
	// Suite is the suite of this program, and Played what the entry played of it.
	Suite  batch.SuiteMark `json:"suite"`
	Played batch.SuiteMark `json:"played"`
	// Runs counts the runs that an entry has, Scored those with a score, and Replayed those that were derived
	// again from their answers.
	Runs     int `json:"runs"`
	Scored   int `json:"scored"`
	Replayed int `json:"replayed"`
	// Fallbacks is the share of decisions that the program took in the player's place, Failures that of calls that
	// ended without a reply.
	Fallbacks float64 `json:"fallbacks"`
	Failures  float64 `json:"failures"`
	// Findings are what is wrong.
	Findings []Finding `json:"findings"`
}

// Valid says that nothing was found.
func (v Verification) Valid() bool { return len(v.Findings) == 0 }

func (v *Verification) find(kind Kind, c *batch.Cell, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	f := Finding{Kind: kind, Text: text}
	if c != nil {
		f.Cell = c.ID
		f.Text = fmt.Sprintf("%s, seed %d, repeat %d: %s", c.Scenario, c.Seed, c.Repeat, text)
	}
	v.Findings = append(v.Findings, f)
}

// Check holds results, and what their runs began with, against the suite. It reads no more of a trace:
// [Entry.Verify] does.
func (e Entry) Check() Verification {
	v := Verification{Entry: e.Name, Player: e.Player(), Suite: *batch.MarkOf(e.Suite), Played: e.Mark,
		Findings: []Finding{}}
	e.checkCells(&v)
	e.checkResults(&v)
	e.checkBegins(&v)
	e.checkGates(&v)
	return v
}

// checkCells looks for cells that are of no instance of the suite.
func (e Entry) checkCells(v *Verification) {
	for i := range e.Cells {
		c := &e.Cells[i]
		if !slices.Contains(e.Suite.Tasks, c.Scenario) || !slices.Contains(e.Suite.Seeds, c.Seed) {
			v.find(Foreign, c, "it is no instance of %s", e.Suite.Name)
		}
	}
}

// checkBegins holds what runs began with against the suite, and against each other.
func (e Entry) checkBegins(v *Verification) {
	worlds := map[string]string{}
	ticks := map[string]int64{}
	for _, task := range e.Suite.Tasks {
		w := e.Suite.World(task)
		worlds[task] = batch.WorldHash(w)
		ticks[task] = w.Task.Ticks
	}
	hashes := map[string]string{}
	heads := map[trace.Chain]*batch.Cell{}
	for i := range e.Results {
		c := &e.Results[i].Cell
		began, scored := e.begins[c.ID]
		switch {
		case !scored || worlds[c.Scenario] == "":
			continue // it is found already
		case began.err != nil:
			v.find(Trace, c, "%v", began.err)
			continue
		}
		head := e.Results[i].Head
		if other := heads[head]; other != nil {
			v.find(Trace, c, "its run is that of %s, seed %d, repeat %d", other.Scenario, other.Seed, other.Repeat)
		}
		heads[head] = c
		s := began.Settings
		hash, read := hashes[s.ScenarioTOML]
		if !read {
			hash = hashOf(s)
			hashes[s.ScenarioTOML] = hash
		}
		if hash != worlds[c.Scenario] {
			v.find(World, c, "its world is %s, that of the suite %s", hash, worlds[c.Scenario])
		}
		if s.Seed != c.Seed {
			v.find(Foreign, c, "it was played with the seed %d", s.Seed)
		}
		if s.Ticks != ticks[c.Scenario] {
			v.find(Settings, c, "it has %d ticks, its task %d", s.Ticks, ticks[c.Scenario])
		}
		if differ := batch.Unfrozen(s); len(differ) > 0 {
			v.find(Settings, c, "%s", strings.Join(differ, "; "))
		}
		if differ := batch.Mixed(s, e.Settings); len(differ) > 0 {
			v.find(Mixed, c, "%s, which other runs have", strings.Join(differ, "; "))
		}
		if len(began.Forks) > 0 {
			v.find(Intervention, c, "its run is a fork")
		}
		if began.Extract != "" {
			v.find(Trace, c, "its trace is an extract")
		}
	}
}

// hashOf is the hash of the world that a run was played in, or why there is none.
func hashOf(s trace.Settings) string {
	w, err := scenario.Parse(s.Scenario, []byte(s.ScenarioTOML))
	if err != nil {
		return err.Error()
	}
	return batch.WorldHash(w)
}

// checkResults looks for instances without a score, and for results of other versions.
func (e Entry) checkResults(v *Verification) {
	results := map[batch.ID]*batch.Result{}
	for i := range e.Results {
		results[e.Results[i].ID] = &e.Results[i]
	}
	var first batch.Versions
	cells := map[instance]map[int64]*batch.Cell{}
	for i := range e.Cells {
		c := &e.Cells[i]
		at := instance{c.Scenario, c.Seed}
		if cells[at] == nil {
			cells[at] = map[int64]*batch.Cell{}
		}
		cells[at][c.Repeat] = c
	}
	for _, task := range e.Suite.Tasks {
		for _, seed := range e.Suite.Seeds {
			for repeat := int64(1); repeat <= e.repeats(); repeat++ {
				v.Runs++
				c := cells[instance{task, seed}][repeat]
				if c == nil {
					v.find(Missing, nil, "%s, seed %d, repeat %d: the batch has no such cell", task, seed, repeat)
					continue
				}
				r := results[c.ID]
				if r == nil {
					v.find(Missing, c, "it has no result")
					continue
				}
				if _, scored := r.Metrics.Get(scoreMetric); !scored || !r.Scored() {
					v.find(Missing, c, "it has no score: %s %s", r.Status, r.Reason)
					continue
				}
				v.Scored++
				if r.Versions.Rules != world.RulesVersion {
					v.find(Rules, c, "it has rules %s, the suite %s", r.Versions.Rules, world.RulesVersion)
				}
				if first == (batch.Versions{}) {
					first = r.Versions
				}
				if r.Versions.Prompt != first.Prompt {
					v.find(Mixed, c, "its prompts are of version %s, those of other runs %s", r.Versions.Prompt, first.Prompt)
				}
				if r.Versions.Engine != first.Engine {
					v.find(Mixed, c, "it is of engine %s, other runs of %s", r.Versions.Engine, first.Engine)
				}
			}
		}
	}
}

// checkGates holds what the program and the provider did in the player's place against the gates.
func (e Entry) checkGates(v *Verification) {
	var decisions, fallbacks, calls, failures float64
	for _, r := range e.Results {
		figures := r.Metrics.Map()
		decisions += figures["decisions"]
		fallbacks += figures["fallbacks"] + figures["degraded_share"]*figures["decisions"]
		calls += figures["calls"]
		failures += figures["llm_errors"]
	}
	v.Fallbacks = fallbacks / max(decisions, 1)
	v.Failures = failures / max(calls, 1)
	if v.Fallbacks > FallbacksMost {
		v.find(Fallbacks, nil, "the program decided %.1f%% of the turns in the player's place; allowed: %g%%",
			100*v.Fallbacks, 100*FallbacksMost)
	}
	if v.Failures > FailuresMost {
		v.find(Failures, nil, "%.1f%% of the calls ended without a reply; allowed: %g%%", 100*v.Failures, 100*FailuresMost)
	}
}

// Verify is [Entry.Check], and holds each result against the trace of its run, so many at a time: the trace
// is as it was written, follows from the recorded answers, was played as the cell says and gives the result. told,
// when set, is called after each run. The error says what cannot be read, or is that of ctx.
func (e Entry) Verify(ctx context.Context, jobs int, told func(done, of int)) (Verification, error) {
	v := e.Check()
	found := make([]Verification, len(e.Results))
	var counting sync.Mutex
	done := 0
	var all errgroup.Group
	all.SetLimit(max(1, jobs))
	for i, r := range e.Results {
		all.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := e.verifyRun(ctx, r, &found[i])
			counting.Lock()
			defer counting.Unlock()
			done++
			if told != nil {
				told(done, len(e.Results))
			}
			return err
		})
	}
	err := all.Wait()
	for _, one := range found {
		v.Replayed += one.Replayed
		v.Findings = append(v.Findings, one.Findings...)
	}
	return v, err
}

// verifyRun holds a result against the trace of its run.
func (e Entry) verifyRun(ctx context.Context, r batch.Result, v *Verification) error {
	if began := e.begins[r.ID]; !r.Scored() || began.err != nil {
		return nil
	}
	dir := run.Dir(e.Dir.Run(r.ID, r.Attempt))
	source := dir.As(nil)
	kept, err := source.VerifyTrace(r.Head)
	if err != nil {
		v.find(Trace, &r.Cell, "its trace is not as it was written: %v", err)
		return nil
	}
	if kept.Head != r.Head {
		v.find(Trace, &r.Cell, "its trace ends with %s, and the result was made of one that ends with %s", kept.Head, r.Head)
		return nil
	}
	state, err := source.Outline()
	if err != nil {
		v.find(Trace, &r.Cell, "%v", err)
		return nil
	}
	for _, change := range state.Changes {
		if change.Control != nil || change.Resumed.Caps != (trace.Caps{}) || change.Resumed.Seats != nil {
			v.find(Intervention, &r.Cell, "somebody changed it before tick %d", change.Tick())
		}
	}
	again, err := engine.Replay(ctx, string(dir), engine.ReplayOptions{})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		v.find(Replay, &r.Cell, "it cannot be replayed: %v", err)
		return nil
	case !again.Equal:
		v.find(Replay, &r.Cell, "it does not follow from its answers: %v", again.Difference)
		return nil
	}
	v.Replayed++
	report, err := metric.List{}.Report(ctx, source)
	if err != nil {
		v.find(Trace, &r.Cell, "%v", err)
		return nil
	}
	if what := r.Differs(batch.ResultOf(r.Cell, r.Attempt, report, kept.Head)); what != "" {
		v.find(Result, &r.Cell, "the result and the run say different things: %s", what)
	}
	return nil
}
