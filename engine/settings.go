package engine

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/memory/documents"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// Version names the engine's own behaviour: the order of a tick and what is
// recorded. A replay across a change of it says so.
const Version = "7"

// promptVersion names the wording of everything a run with these settings asks. It follows
// from texts of the program and takes as long as a turn, so it is made once for a kind of
// run.
func promptVersion(s trace.Settings) string {
	kind := fmt.Sprintf("%q %q %v", s.Protocol, s.Language, s.Learns())
	if known, ok := promptVersions.Load(kind); ok {
		return known.(string)
	}
	version := behavior.PromptVersion(s.Protocol, s.Language)
	if s.Learns() {
		version += "-" + reflect.Version()
	}
	promptVersions.Store(kind, version)
	return version
}

var promptVersions sync.Map

// scenarioOf is the scenario that a run with s plays. The error names what in its text does not
// fit together.
func scenarioOf(s trace.Settings) (world.Scenario, error) {
	return scenario.Instance(s.Scenario, []byte(s.ScenarioTOML),
		scenario.Choice{Seed: s.Seed, Vary: s.Vary, Rules: s.Rules, Agents: s.AgentsOverride})
}

// runtimeOf returns the runtime of the turns of agents under s and rules, and the lessons that
// they start with. The error names what cannot be read.
func runtimeOf(s trace.Settings, w *world.World, rules world.Rules) (*behavior.Runtime, *playbook.Playbook, error) {
	cfg := behaviorConfig(s)
	cfg.Needless = w.Needless()
	for n := range w.Agents() {
		cfg.Agents = append(cfg.Agents, w.AgentID(n))
	}
	list, err := documentsOf(s, w.Documents())
	if err != nil {
		return nil, nil, err
	}
	cfg.Documents = documents.New(list)
	runtime, err := behavior.NewRuntime(cfg, rules, modules.New())
	if err != nil || s.Playbook == "" {
		return runtime, playbook.New(), err
	}
	seed, err := playbook.Parse([]byte(s.Playbook))
	if err != nil {
		return nil, nil, fmt.Errorf("playbook: %w", err)
	}
	return runtime, seed, nil
}

// documentsOf returns the documents of a run: those of the scenario, with the texts of files that
// are among the settings, and then the other files.
func documentsOf(s trace.Settings, list []world.Document) ([]world.Document, error) {
	files := slices.Clone(s.Documents)
	for i, d := range list {
		at := slices.IndexFunc(files, func(f trace.Document) bool { return f.Name == d.Name })
		switch {
		case d.Text != "" && at >= 0:
			return nil, fmt.Errorf("documents: %q is the name of a document with a text in the scenario and of a file", d.Name)
		case d.Text == "" && at < 0:
			return nil, fmt.Errorf(
				"documents[%d]: %q has no text; allowed: text, path, or a file of that name in the directory of documents", i,
				d.Name)
		case d.Text == "":
			list[i].Text = files[at].Text
			files = slices.Delete(files, at, at+1)
		}
	}
	for _, f := range files {
		list = append(list, world.Document{Name: f.Name, Text: f.Text})
	}
	return list, nil
}

// behaviorConfig returns the limits of turns under s.
func behaviorConfig(s trace.Settings) behavior.Config {
	return behavior.Config{Settings: s, CountTokens: tokens.Count}
}

// header is a trace's first record.
func (r *runner) header() trace.Header {
	h := trace.Header{
		Format: trace.FormatVersion, EngineVersion: Version, RulesVersion: world.RulesVersion,
		PromptVersion: promptVersion(r.Settings),
		Settings:      r.Settings, Forks: r.Forks,
		Timing: &trace.HeaderTiming{
			StartedAt: r.reached.started.UTC().Format(time.RFC3339), Concurrency: r.Concurrency, RecordingPath: r.RecordingPath,
			SegmentBytes: &r.SegmentBytes,
		},
	}
	for n := range r.world.Agents() {
		h.Agents = append(h.Agents, trace.HeaderAgent{ID: r.world.AgentID(n), Name: r.world.Persona(n).Name,
			Persona: r.world.Persona(n).Text})
	}
	return h
}

// changeCharsMax bounds each side of a change.
const changeCharsMax = 200

// changesOf lists what differs between the settings of a run and of its fork, for people.
// The error says why no run could have the latter.
func changesOf(before, next trace.Settings) ([]trace.Change, error) {
	if err := behaviorConfig(next).Validate(); err != nil {
		return nil, err
	}
	a, err := scenarioOf(before)
	if err != nil {
		return nil, err
	}
	b, err := scenarioOf(next)
	if err != nil {
		return nil, err
	}
	if err := b.Check(); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", next.Scenario, err)
	}
	changes := before.Changes(next)
	for _, c := range a.Rules.Changed(b.Rules) {
		changes = append(changes, trace.Change{What: "rules." + c.Name, From: strconv.FormatInt(c.From, 10),
			To: strconv.FormatInt(c.To, 10)})
	}
	for i := range changes {
		changes[i].From, changes[i].To = plaintext.Clip(changes[i].From, changeCharsMax),
			plaintext.Clip(changes[i].To, changeCharsMax)
	}
	return changes, nil
}

// takeForks puts the forks into force whose parents end with the tick just done. It
// is called between ticks.
func (r *runner) takeForks() error {
	for len(r.plan.forks) > 0 && r.plan.forks[0].AtTick == r.reached.Tick {
		f := r.plan.forks[0]
		r.plan.forks = r.plan.forks[1:]
		if err := r.takeFork(f); err != nil {
			return fmt.Errorf("%w: at tick %d: %w", ErrFork, f.AtTick, err)
		}
		if err := r.sink.write(f); err != nil {
			return err
		}
	}
	return nil
}

// takeFork makes everything from the next tick on as the fork has it, but for the length of
// the run. Texts that did not change stay as they are, since a prompt switch may have
// replaced them.
func (r *runner) takeFork(f trace.Fork) error {
	before, next := r.Settings, f.Settings
	next.Ticks = before.Ticks
	scenario, err := scenarioOf(next)
	if err != nil {
		return err
	}
	if err := r.world.SetRules(scenario.Rules); err != nil {
		return err
	}
	runtime, seed, err := runtimeOf(next, r.world, scenario.Rules)
	if err != nil {
		return err
	}
	r.Settings, r.runtime = next, runtime
	if next.Model != before.Model || next.BaseURL != before.BaseURL ||
		!slices.Equal(next.AgentModels, before.AgentModels) {
		// What is known of endpoints stays known where they stay the same.
		r.endpoints = newEndpoints(next, r.world)
	}
	// Caps that the fork inherits keep counting, even if it removes others; new caps count
	// from here on.
	r.reached.Currency = r.Currency()
	r.spending.budget.BeginTick()
	switch {
	case state.Afresh(before.Caps, r.Caps):
		r.spending = newMeters(r.Settings)
	case r.Caps != before.Caps:
		r.spending = r.spending.under(r.Caps)
	}
	r.spending.meter.Prices = budget.PricesOf(r.Prices)
	r.plan.switches = slices.DeleteFunc(slices.Clone(next.PromptSwitches),
		func(s trace.Switch) bool { return s.Tick <= f.AtTick })
	for _, m := range r.agents {
		if m == nil {
			continue
		}
		m.Adopt(runtime)
		if next.SystemPrompt != before.SystemPrompt {
			m.SetSystemPrompt(next.SystemPrompt)
		}
		m.SetGoals(changed(before.ShortTermGoal, next.ShortTermGoal), changed(before.LongTermGoal, next.LongTermGoal))
		if next.Playbook != before.Playbook {
			m.SetPlaybook(seed)
		}
	}
	if next.Playbook != before.Playbook {
		r.seed = seed
		if r.learning.folder != nil {
			// What was learned on top of the old lessons has nothing to be folded into any more.
			r.learning.folder = reflect.NewFolder(seed, playbook.Limits{BulletsMax: r.PlaybookSize})
		}
	}
	if old := r.learning; r.Learns() {
		// What is learned from now on is evidence of the fork: its decisions are not those of
		// its parent in the same ticks.
		r.prepareLearning(f.RunName())
		if old.folder != nil {
			r.learning.experiences, r.learning.folder = old.experiences, old.folder
			for _, e := range old.experiences {
				if e != nil {
					e.Rename(f.RunName())
				}
			}
		}
	}
	return nil
}

// changed returns next where it differs from before, and nothing otherwise.
func changed(before, next string) string {
	if next == before {
		return ""
	}
	return next
}

// PromptVersion names the wording of everything a run with these settings asks.
func PromptVersion(s trace.Settings) string { return promptVersion(s) }
