package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// settingsOf are those of an embedded scenario.
func settingsOf(t *testing.T, name string, ticks int64) trace.Settings {
	t.Helper()
	s, text, ok := scenario.Embedded(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	settings := trace.DefaultSettings()
	settings.Scenario, settings.ScenarioTOML = s.ID, string(text)
	settings.Seed, settings.ScriptedSeed = s.Seed, s.Seed
	settings.Ticks = ticks
	return settings
}

// played plays a session to its end and closes it.
func played(t *testing.T, s *session.Session, err error) session.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Run(t.Context())
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return result
}

// agrees demands that a run comes out as recorded.
func agrees(t *testing.T, dir string) {
	t.Helper()
	if r, err := engine.Replay(t.Context(), dir, engine.ReplayOptions{}); err != nil || !r.Equal {
		t.Errorf("replay: %+v, %v", r, err)
	}
}

// heard is a listener that counts, and that ends a run after a tick.
type heard struct {
	notices []access.Notice
	ticks   int64
	until   int64
	stop    func()
}

func (h *heard) Notice(n access.Notice) { h.notices = append(h.notices, n) }

func (h *heard) Progress(p engine.Progress) {
	h.ticks = p.Tick
	if h.stop != nil && p.Tick == h.until {
		h.stop()
	}
}

// TestARunIsDrainedResumedAndForked plays one run in three ways: in one piece, drained and resumed,
// and left by a fork with nothing changed. All of them end in the same world.
func TestARunIsDrainedResumedAndForked(t *testing.T) {
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	c := session.Config{Settings: settingsOf(t, "minimal", 6), Dir: at("whole")}
	s, err := session.New(c)
	whole := played(t, s, err)
	if whole.Status != trace.RunCompleted || whole.TicksDone != 6 || whole.Report.FinalDigest != whole.FinalDigest {
		t.Fatalf("the whole run: %+v", whole.Result)
	}
	if data, err := run.ReadRegular(filepath.Join(c.Dir, run.ReportFile), 1<<20); err != nil || string(data) != string(whole.Report.JSON()) {
		t.Errorf("its report is not kept: %v", err)
	}
	if s.Settings().Model != "scripted" || s.Settings().ModelSource != trace.SourceScripted {
		t.Errorf("it asks %q of %q", s.Settings().Model, s.Settings().ModelSource)
	}

	drain, stop := context.WithCancel(t.Context())
	listener := &heard{until: 3, stop: stop}
	begun := c
	begun.Dir, begun.Drain, begun.Listener = at("begun"), drain, listener
	s, err = session.New(begun)
	if first := played(t, s, err); first.Status != trace.RunInterrupted || first.TicksDone != 3 {
		t.Fatalf("the drained run: %+v", first.Result)
	}
	if listener.ticks != 3 {
		t.Errorf("its listener heard of tick %d last", listener.ticks)
	}
	again := session.Config{Dir: begun.Dir, SegmentBytes: -1}
	s, err = session.Resume(again, session.Continued{})
	if err == nil && (s.Complete() || s.State().Tick != 3 || s.Taken() != 3) {
		t.Errorf("it is resumed in tick %d", s.State().Tick)
	}
	if rest := played(t, s, err); rest.FinalDigest != whole.FinalDigest || rest.Status != trace.RunCompleted {
		t.Errorf("the resumed run: %+v", rest.Result)
	}
	s, err = session.Resume(again, session.Continued{})
	if err == nil && !s.Complete() {
		t.Error("a run with all its ticks is not complete")
	}
	if done := played(t, s, err); done.FinalDigest != whole.FinalDigest || done.Report.FinalDigest != whole.FinalDigest || done.Head == "" {
		t.Errorf("the complete run: %+v", done.Result)
	}
	agrees(t, begun.Dir)

	forked := c
	forked.Dir = at("forked")
	s, err = session.Fork(forked, session.Left{Parent: c.Dir, AtTick: 2})
	if other := played(t, s, err); other.FinalDigest != whole.FinalDigest || other.Report.Fork == nil {
		t.Errorf("the fork: %+v", other.Result)
	}
	agrees(t, forked.Dir)
	if _, err := session.Fork(forked, session.Left{Parent: c.Dir, AtTick: 7}); !errors.Is(err, engine.ErrFork) {
		t.Errorf("a fork after the last tick: %v", err)
	}
	occupied := c
	s, err = session.New(occupied)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); !errors.As(err, new(*run.OccupiedError)) {
		t.Errorf("a second run in a directory: %v", err)
	}
}

// TestACellIsTheRunThatWasPlanned plays settings that were completed before, as those of a cell are,
// and continues only the run of the same settings.
func TestACellIsTheRunThatWasPlanned(t *testing.T) {
	planned, err := session.New(session.Config{Settings: settingsOf(t, "minimal", 4)})
	if err != nil {
		t.Fatal(err)
	}
	drain, stop := context.WithCancel(t.Context())
	asked := 0
	cell := session.Config{Settings: planned.Settings(), Dir: filepath.Join(t.TempDir(), "cell"), Leased: true,
		Hooks: session.Hooks{Drain: drain, Listener: &heard{until: 2, stop: stop}}, Around: func(s engine.Source) engine.Source { return counting{s, &asked} }}
	s, err := session.New(cell)
	if first := played(t, s, err); first.Status != trace.RunInterrupted || asked == 0 {
		t.Fatalf("%+v, %d calls", first.Result, asked)
	}
	cell.Drain, cell.Listener = nil, nil
	other := cell
	other.ShortTermGoal = "Be another run."
	if _, err := session.Resume(other, session.Continued{Planned: true}); !errors.Is(err, session.ErrOtherSettings) {
		t.Errorf("the run of another cell: %v", err)
	}
	s, err = session.Resume(cell, session.Continued{Planned: true})
	if rest := played(t, s, err); rest.Status != trace.RunCompleted || rest.TicksDone != 4 {
		t.Errorf("%+v", rest.Result)
	}
	agrees(t, cell.Dir)
}

// counting counts the calls of a source.
type counting struct {
	engine.Source
	n *int
}

func (c counting) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	*c.n++
	return c.Source.Respond(ctx, key, r)
}

// TestAGivenSourceAnswers plays a run without any model, by the answers of another one.
func TestAGivenSourceAnswers(t *testing.T) {
	c := session.Config{Settings: settingsOf(t, "minimal", 3), Dir: filepath.Join(t.TempDir(), "first")}
	s, err := session.New(c)
	first := played(t, s, err)
	recorded, err := engine.OpenRecorded(c.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer recorded.Close()
	given := c
	given.Dir, given.Source = filepath.Join(t.TempDir(), "given"), recorded
	s, err = session.New(given)
	if second := played(t, s, err); second.FinalDigest != first.FinalDigest || len(s.Endpoints()) != 0 {
		t.Errorf("%+v at %v", second.Result, s.Endpoints())
	}
	strict := c
	strict.Dir, strict.Recording = filepath.Join(t.TempDir(), "strict"), session.Recording{Path: c.Dir}
	s, err = session.New(strict)
	if third := played(t, s, err); third.FinalDigest != first.FinalDigest || !s.Strict() {
		t.Errorf("%+v", third.Result)
	}
	strict.Model = "another"
	if _, err := session.New(strict); !errors.As(err, new(*access.Problem)) {
		t.Errorf("another model beside recorded answers: %v", err)
	}
}

// TestAskAndLearn puts a question to the agents of a run, and learns from it.
func TestAskAndLearn(t *testing.T) {
	c := session.Config{Settings: settingsOf(t, "llm_bootstrap", 10), Dir: filepath.Join(t.TempDir(), "run")}
	c.AgentsOverride, c.ScriptedMode = 2, "needs_bullet"
	s, err := session.New(c)
	played(t, s, err)
	q := session.Question{Text: "Why?", Agents: []string{"agent-1", "agent-2"}}
	who := session.Config{Settings: trace.DefaultSettings(), Dir: c.Dir}
	for _, known := range []bool{false, true} {
		i, err := session.Ask(who, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		if open := i.Open(); open != 0 {
			if _, err := i.Reach(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for n, a := range i.Run(t.Context()) {
			if a.Err != nil || a.Known != known || a.Agent != q.Agents[n] || a.Record.Text == "" {
				t.Errorf("%+v", a)
			}
		}
		i.Close()
	}
	q.Tick = 99
	if _, err := session.Ask(who, q, nil); !errors.As(err, new(*session.NoSuchTickError)) {
		t.Errorf("a question about tick 99: %v", err)
	}
	q = session.Question{Text: "Why?", Agents: []string{"agent-77"}}
	if _, err := session.Ask(who, q, nil); !errors.As(err, new(*access.UnknownError)) {
		t.Errorf("a question to nobody: %v", err)
	}

	modes := trace.DefaultSettings()
	modes.ScriptedMode = c.ScriptedMode
	school, err := session.Learn(t.Context(), session.Config{Settings: modes},
		session.Lessons{Runs: []string{c.Dir}, Rounds: 1, Book: playbook.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer school.Close()
	if _, err := school.Reach(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []session.Learned
	book, err := school.Run(t.Context(), func(l session.Learned) { all = append(all, l) })
	if n, _ := school.Consolidations(); err != nil || len(all) != 1 || all[0].Consolidations != n || book.Len() == 0 {
		t.Errorf("%+v, %d lessons, %v", all, book.Len(), err)
	}
}

// TestSettingsThatDoNotFitAreRefused holds which error each refusal is.
func TestSettingsThatDoNotFitAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*session.Config)
		key    string
	}{
		"faults of nobody":       {func(c *session.Config) { c.Faults = "agent-9:repairable=2%" }, "llm.faults"},
		"faults of a live model": {func(c *session.Config) { c.Model, c.BaseURL, c.Faults = "m", "localhost:1", "repairable=2%" }, "llm.faults"},
		"a cap without a price":  {func(c *session.Config) { c.Model, c.BaseURL, c.Caps.Run.Cost = "m", "localhost:1", 5 }, "llm.cap_cost"},
		"an agent's own model":   {func(c *session.Config) { c.AgentModels = []trace.AgentModel{{Agent: "agent-1", Model: "m"}} }, "agents"},
		"a switch of nobody":     {func(c *session.Config) { c.PromptSwitches = []trace.Switch{{Tick: 1, AgentID: "agent-9"}} }, "run.prompt_switches_json"},
		"sampling of nobody":     {func(c *session.Config) { c.Sampling = []trace.SamplingFor{{Agent: "agent-9"}} }, "llm.sampling_json"},
		"a model without a key":  {func(c *session.Config) { c.Model = "m" }, ""},
	} {
		config := session.Config{Settings: settingsOf(t, "minimal", 2), Dir: "nowhere"}
		c.change(&config)
		_, err := session.New(config)
		key, known := keyOf(err)
		if !known || key != c.key {
			t.Errorf("%s: %v, of setting %q, want %q", name, err, key, c.key)
		}
	}
	config := session.Config{Settings: settingsOf(t, "minimal", 2), Dir: "nowhere"}
	config.Recording.Path = t.TempDir()
	if _, err := session.New(config); !errors.As(err, new(*session.RecordingError)) {
		t.Errorf("an empty directory for a recording: %v", err)
	}
}

// keyOf is the setting that a refusal is about; known is false for an error of no such type.
func keyOf(err error) (key string, known bool) {
	if p, ok := errors.AsType[*access.Problem](err); ok {
		return p.Key, true
	}
	if a, ok := errors.AsType[*access.UnknownError](err); ok {
		return a.Key, slices.Contains(a.Names, "agent-1")
	}
	return "", false
}
