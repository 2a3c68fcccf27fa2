package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/memory/documents"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Version names the engine's own behaviour: the order of a tick and what is
// recorded. A replay across a change of it says so.
const Version = "7"

// promptVersion names the wording of everything a run with these settings asks. It follows
// from texts of the program and takes as long as a turn, so it is made once for a kind of
// run.
func promptVersion(s trace.Settings) string {
	kind := fmt.Sprintf("%q %q %q %v", s.Protocol, s.Language, s.Words, s.Learns())
	if known, ok := promptVersions.Load(kind); ok {
		return known.(string)
	}
	version := behavior.PromptVersion(s.Protocol, s.Language, s.Words)
	if s.Learns() {
		version += "-" + reflect.Version()
	}
	promptVersions.Store(kind, version)
	return version
}

var promptVersions sync.Map

// runtimeOf returns the runtime of the turns of agents under s and rules, and the lessons that
// they start with. The error names what cannot be read.
func runtimeOf(s trace.Settings, w *world.World, rules world.Rules) (*behavior.Runtime, *playbook.Playbook, error) {
	cfg := behaviorConfig(s).In(w, rules)
	list, err := documentsOf(s, w.Documents())
	if err != nil {
		return nil, nil, err
	}
	cfg.Documents = documents.New(list)
	untrusted := func(t trace.Tool) bool { return !t.Trusted }
	cfg.NoTexts = w.Agents() == 1 && len(list) == 0 && s.Playbook == "" && !slices.ContainsFunc(s.Tools, untrusted)
	runtime, err := behavior.NewRuntime(cfg, w.Industry(rules), modules.New())
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
		PromptVersion: promptVersion(r.Settings), ScenarioHash: r.Settings.ScenarioHash(),
		WordsHash: r.Settings.WordsHash(),
		Settings:  r.Settings, Forks: r.Forks,
		Timing: &trace.HeaderTiming{
			StartedAt: r.reached.started.UTC().Format(time.RFC3339), Concurrency: r.Concurrency, RecordingPath: r.RecordingPath,
			SegmentBytes: &r.SegmentBytes, Extensions: r.Extensions, Metrics: r.Metrics,
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
	a, err := playback.Scenario(before)
	if err != nil {
		return nil, err
	}
	b, err := playback.Scenario(next)
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
	if before.Language == next.Language { // otherwise every text differs
		changes = append(changes, goalChanges(a.Goals, b.Goals)...)
	}
	for i := range changes {
		changes[i].From, changes[i].To = plaintext.Clip(changes[i].From, changeCharsMax),
			plaintext.Clip(changes[i].To, changeCharsMax)
	}
	return changes, nil
}

// goalChanges lists the goals that differ, in the order of the ids.
func goalChanges(before, next []world.Goal) (changes []trace.Change) {
	texts := func(list []world.Goal) map[string]string {
		all := map[string]string{}
		for _, g := range list {
			all[g.ID] = fmt.Sprintf("%s of %s at least %d: %s", g.Metric, g.Agent, g.AtLeast, g.Text)
		}
		return all
	}
	from, to := texts(before), texts(next)
	ids := slices.Sorted(maps.Keys(from))
	for _, id := range slices.Sorted(maps.Keys(to)) {
		if from[id] == "" {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if from[id] != to[id] {
			changes = append(changes, trace.Change{What: "goals." + id, From: cmp.Or(from[id], "none"),
				To: cmp.Or(to[id], "none")})
		}
	}
	return changes
}

// PromptVersion names the wording of everything a run with these settings asks.
func PromptVersion(s trace.Settings) string { return promptVersion(s) }
