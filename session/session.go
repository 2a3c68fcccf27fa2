package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/session/access"
	"example.com/agentworld/tools"
	"example.com/agentworld/trace"
)

// Session is a run that has passed every check and is not played yet. Only the disk, the network and
// the provider can still fail.
type Session struct {
	// config has the settings that the trace records.
	config Config
	// agents are in the world's order.
	agents []string
	access *access.Access
	// recorded is the first record of the run that answers are taken from.
	recorded trace.Header
	// prepared is the run before its first tick, nil for a resume.
	prepared *engine.Prepared
	// faults are what goes wrong on purpose, scripted how the embedded model answers.
	faults   stub.FaultPlan
	scripted stub.Options
	// left is the run that this one leaves, nil for none; resumed is this run, nil if it is new.
	left    *Left
	resumed *engine.Resumption

	created, closed bool
	// seats are those that the run may name.
	seats []engine.Seat
	// players are those of the run, source is open, nil before. endpoints are what it reaches, given the
	// recorded answers of it.
	players   *engine.Seats
	source    engine.Source
	endpoints []access.Endpoint
	given     *engine.Recorded
	// tools are what this process can call.
	tools *tools.Set
}

// Left is where a run leaves another.
type Left struct {
	// Parent is the directory of the run that is left; it is only read.
	Parent string
	// AtTick is the last tick that is kept, 0 for none.
	AtTick int64
	// AllowVersionDrift leaves also a run of another version.
	AllowVersionDrift bool
}

// stubOnly are the settings that change what the embedded model answers, by what they are called. A
// live model is never spoilt: its answers cost money, and what goes wrong with them is what a user
// wants to see.
var stubOnly = map[string]string{"llm.faults": "faults", "llm.stub_manner": "manners"}

// New prepares a run. It reads the recording, if there is one, and makes nothing. The error is an
// [*access.Problem], an [*access.UnknownError], an [*access.MissingKeyError], a [*RecordingError], a
// [*MissingToolError], or
// says in the words of scenario and settings what cannot run.
func New(c Config) (*Session, error) {
	s, err := prepare(c, nil)
	if err != nil {
		return nil, err
	}
	return s, s.prepared.CheckFirstTick()
}

// Parent returns the settings that a fork of a run after a tick begins with. Who answers is open: a live
// model stays, whether it was asked in that run or recorded before; the embedded one is the default.
// how is how the run is read, nil for strictly.
func Parent(dir string, atTick int64, how *run.Reading) (trace.Settings, error) {
	s, err := engine.ParentSettings(dir, atTick, how)
	return Unanswered(s), err
}

// Unanswered returns settings, which may be those of a recorded run, with the question open who answers:
// a live model stays, whether it was asked in that run or recorded before; the embedded one is the default.
func Unanswered(s trace.Settings) trace.Settings {
	r := s.Recording
	live := s.Live() || r != nil && r.Asked == "" && r.ModelSource == trace.SourceLive
	if !live && s.ModelSource != "" {
		s.Model, s.BaseURL = "", ""
		s.AgentModels = nil
	}
	s.ModelSource = ""
	s.Recording, s.Estimate = nil, nil
	return s
}

// Fork prepares a run that leaves another after a tick. The settings, those of [Parent] with changes,
// hold from there on and count ticks from the beginning. The ticks before are derived again from the
// recorded answers, at no cost.
// The error is one of [New] or of [engine.Fork].
func Fork(c Config, left Left) (*Session, error) {
	s, err := prepare(c, &left)
	if err != nil {
		return nil, err
	}
	return s, s.fork(s.options()).Check()
}

// prepare completes and checks settings.
func prepare(c Config, left *Left) (s *Session, err error) {
	if err := c.Metrics.Check(); err != nil {
		return nil, err
	}
	s = &Session{config: c, left: left}
	of := &s.config.Settings
	planned, err := playback.Scenario(*of)
	if err != nil && left != nil {
		// What another version took for a scenario may be none here: that is the reason then.
		of := engine.ForkOptions{Parent: left.Parent, AtTick: left.AtTick, AllowVersionDrift: left.AllowVersionDrift,
			Reading: c.how(left.Parent)}
		if drift := of.Check(); errors.Is(drift, engine.ErrVersionDrift) {
			return nil, drift
		}
		return nil, fmt.Errorf("scenario in the trace: %w", err)
	}
	if err != nil {
		return nil, err
	}
	s.agents = planned.AgentIDs()
	if err := s.chooseTools(planned.Tools); err != nil {
		return nil, err
	}
	if err := s.chooseSeats(seatsOf(planned)); err != nil {
		return nil, err
	}
	s.access, s.recorded, err = answers(of, c.Recording, s.config.reach(),
		", or use {run.replay_miss ask}")
	if err == nil {
		err = s.chooseAgents()
	}
	if err == nil {
		err = access.CheckSampling(*of, s.agents)
	}
	if err == nil {
		err = s.checkWords()
	}
	if err == nil {
		of.Prices, err = access.Prices(*of, c.Access.Prices)
	}
	if err == nil {
		err = s.chooseFaults()
	}
	if err == nil {
		err = s.checkSwitches()
	}
	if err != nil {
		return nil, err
	}
	s.prepared, err = engine.Prepare(*of)
	return s, err
}

// chooseAgents finds how agents with models of their own are reached. Those of a recording have the
// recorded ones.
func (s *Session) chooseAgents() error {
	of := &s.config.Settings
	if err := s.access.ChooseAgents(of, "agents", s.agents); err != nil || !s.Strict() {
		return err
	}
	for _, a := range s.recorded.Settings.AgentModels {
		if a.Model != "" && slices.Contains(s.agents, a.Agent) {
			of.AgentModels = append(of.AgentModels, trace.AgentModel{Agent: a.Agent, Model: a.Model})
		}
	}
	return nil
}

// chooseFaults reads the faults and manners of the embedded model, which may be about some of the
// agents only.
func (s *Session) chooseFaults() error {
	of := s.config.Settings
	var manners stub.Manners
	var err error
	s.faults, err = stub.ParseFaults(of.Faults)
	if err != nil {
		return access.Refuse("llm.faults", "%w", err)
	}
	manners, err = stub.ParseManners(of.StubManner)
	if err != nil {
		return access.Refuse("llm.stub_manner", "%w", err)
	}
	for _, set := range []struct {
		key, text string
		agents    []string
	}{{"llm.faults", of.Faults, s.faults.Agents()}, {"llm.stub_manner", of.StubManner, manners.Agents()}} {
		if of.Live() && strings.TrimSpace(set.text) != "" {
			return access.Refuse(set.key, "%s are for the scripted stub, and the model is live ({from llm.model}); leave out "+
				"one of them, or use {llm.offline}", stubOnly[set.key])
		}
		if err := s.knows(set.key, set.agents); err != nil {
			return err
		}
	}
	s.scripted = stub.Options{Seed: of.ScriptedSeed, Mode: stub.Mode(of.ScriptedMode), Manners: manners,
		Faults: stub.NewInjector(s.faults, of.FaultSeed)}
	return nil
}

// knows refuses a setting about an agent that the scenario does not have.
func (s *Session) knows(key string, agents []string) error {
	for _, id := range agents {
		if !slices.Contains(s.agents, id) {
			return &access.UnknownError{Key: key, Name: id, Names: s.agents}
		}
	}
	return nil
}

// checkWords refuses texts to models that are none, and any for the embedded model, which finds what it reads
// by the program's own headings.
func (s *Session) checkWords() error {
	const key = "run.words"
	of := s.config.Settings
	if of.Words == "" {
		return nil
	}
	if _, err := words.With(of.Language, of.Words); err != nil {
		return access.Refuse(key, "%w", err)
	}
	if of.ModelSource == trace.SourceScripted {
		return access.Refuse(key, "texts of one's own are for a model, and the scripted stub reads the program's alone; "+
			"name a model ({llm.model}), or leave them out")
	}
	return nil
}

// checkSwitches refuses prompt switches of agents that are not there, and new ones in ticks that a fork
// keeps: those of its parent are in its settings too.
func (s *Session) checkSwitches() error {
	const key = "run.prompt_switches_json"
	for i, of := range s.config.PromptSwitches {
		if of.AgentID != "" && !slices.Contains(s.agents, of.AgentID) {
			return &access.UnknownError{Key: key, Entry: fmt.Sprintf("switch %d", i+1), Name: of.AgentID, Names: s.agents}
		}
		if s.left != nil && of.Tick <= s.left.AtTick && !s.inherited(of) {
			return access.Refuse(key, "a switch in tick %d is before the fork; allowed: ticks from %d", of.Tick,
				s.left.AtTick+1)
		}
	}
	return nil
}

// inherited reports whether a prompt switch is one of the run that this one leaves.
func (s *Session) inherited(of trace.Switch) bool {
	parent, err := engine.ParentSettings(s.left.Parent, s.left.AtTick, s.config.how(s.left.Parent))
	return err == nil && slices.ContainsFunc(parent.PromptSwitches, func(theirs trace.Switch) bool {
		return string(llmclient.Marshal(theirs)) == string(llmclient.Marshal(of))
	})
}

// Settings are those of the run, as its trace records them.
func (s *Session) Settings() trace.Settings { return s.config.Settings }

// Agents are the ids of the run's agents, in the world's order.
func (s *Session) Agents() []string { return s.agents }

// Access is how the models of the run are reached.
func (s *Session) Access() *access.Access { return s.access }

// Taken is the last tick that is derived from the records of another run or of this one before it was
// resumed, 0 for none: nothing is asked up to there.
func (s *Session) Taken() int64 {
	switch {
	case s.left != nil:
		return s.left.AtTick
	case s.resumed != nil:
		return s.resumed.State.Tick
	}
	return 0
}

// Expect counts what the ticks from [Session.Taken] on are expected to take, by the prompts of the
// first one, and adds it to the settings. A resume has what is left of what the run was expected to
// take, nil if nobody asked.
func (s *Session) Expect() *trace.Estimate {
	if s.resumed == nil {
		expected := s.prepared.Expect(s.config.Ticks - s.Taken())
		s.config.Estimate = &expected
	}
	return s.config.Estimate
}

// Calls are the bounds of the model calls that are to come.
type Calls struct {
	// Ticks and Agents are to be played, with at most PerDecision calls a decision.
	Ticks, Agents, PerDecision int64
	// Learning are the calls in which agents learn, at most; Most are all, with these.
	Learning, Most int64
}

// Calls bounds the calls that the run can make.
func (s *Session) Calls() Calls {
	limits := behavior.Config{Settings: s.config.Settings}
	c := Calls{Ticks: s.config.Ticks - s.Taken(), Agents: int64(len(s.agents)), PerDecision: int64(limits.CallsMax())}
	if s.config.Learns() {
		every := s.config.LearnEvery
		times := s.config.Ticks/every - s.Taken()/every
		c.Learning = times * c.Agents * int64(reflect.NewRuntime(limits, 1).CallsMax())
	}
	c.Most = c.Ticks*c.Agents*c.PerDecision + c.Learning
	return c
}

// Ahead is how far the run asks ahead, and why it does not although that is wanted, such as "in a fork"; empty
// where it does.
func (s *Session) Ahead() (how Ahead, never string) {
	fork := s.left != nil || s.resumed != nil && len(s.resumed.State.Header.Forks) > 0
	return s.config.Ahead, engine.NeverAhead(s.config.Settings, fork)
}

// Attach says who takes part while the run is played, in place of the hooks that the session was
// made with.
func (s *Session) Attach(h Hooks) { s.config.Hooks = h }

// Create makes the run directory. The error is a [*run.OccupiedError] if it holds a run; a fork of
// the same parent that never reached its own ticks is replaced.
func (s *Session) Create() error {
	if s.created || s.resumed != nil {
		return nil
	}
	s.created = true
	if s.left == nil {
		return run.Dir(s.config.Dir).Create()
	}
	return engine.CreateForkDir(s.fork(s.options()))
}

// Open makes the source of answers. Nothing is sent yet.
func (s *Session) Open(ctx context.Context) error {
	if s.source != nil {
		return nil
	}
	source, err := s.config.Source, error(nil)
	if source == nil && s.asksModels() {
		source, s.endpoints, err = s.access.Open(ctx, s.config.Drain, s.scripted, run.Dir(s.config.Dir))
		if err != nil {
			return err
		}
	}
	s.players = engine.NewSeats(s.seats, time.Duration(s.config.SeatTimeoutMS)*time.Millisecond)
	if !s.Strict() {
		source = s.players.Over(source)
	}
	if s.config.Recording.Path != "" {
		s.given, err = engine.OpenRecorded(s.config.Recording.Path, source)
		if err != nil {
			return &RecordingError{s.config.Recording.Path, err}
		}
		source = s.given
	}
	if s.config.Around != nil {
		source = aroundModels{s.config.Around(source), source}
	}
	s.source = source
	return nil
}

// asksModels reports whether the run has a model.
func (s *Session) asksModels() bool { return !s.Strict() && s.config.ModelSource != trace.SourceNone }

// aroundModels is a source of which a caller keeps the calls of models within bounds. Seats cost nothing.
type aroundModels struct{ bounded, free engine.Source }

// Respond implements [engine.Source].
func (a aroundModels) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if engine.ForSeat(ctx) {
		return a.free.Respond(ctx, key, r)
	}
	return a.bounded.Respond(ctx, key, r)
}

// Endpoints are what the calls of the run reach, its own first; none before [Session.Open], and none
// if no model is asked.
func (s *Session) Endpoints() []access.Endpoint { return s.endpoints }

// Close gives back what was claimed and opened. It may be called more than once.
func (s *Session) Close() error {
	var err error
	if s.given != nil {
		err = s.given.Close()
		s.given = nil
	}
	s.access.Close()
	if s.resumed != nil && !s.closed {
		err = errors.Join(err, s.resumed.Close())
	}
	s.closed = true
	return err
}
