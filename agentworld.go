// Package agentworld runs worlds of LLM agents: it plays a scenario with a model,
// replays what was recorded, and reports on it. It is what other programs import; the
// command world_llm_agent_demo offers the rest.
//
//	settings, err := agentworld.Defaults("minimal")
//	settings.Ticks = 5
//	settings.Model, settings.BaseURL = "m", "http://127.0.0.1:8000/v1" // none: the embedded model
//	run, err := agentworld.Run(ctx, agentworld.Options{Settings: settings, Dir: "runs/first"})
//	fmt.Print(run.Report.Text())
//
// A run leaves a directory that holds all of it. [Replay] derives every record again
// from the recorded answers and needs neither model nor network; [ReadReport] folds
// the records into figures again.
//
// The names of this package are kept stable. Those of the packages below it may change
// with any version.
package agentworld

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// Settings are everything that shapes a run. Start from [Defaults].
type Settings = trace.Settings

// Report is a run in numbers.
type Report = report.Report

// Progress is how far a run is after a tick.
type Progress = engine.Progress

// Status says how a run ended.
type Status = trace.RunStatus

// Comparison is what a replay found.
type Comparison = engine.ReplayResult

// Defaults returns the settings of a scenario, an embedded one or a TOML file: its seed,
// a task's length, and defaults for the rest. The error names what is wrong with it.
func Defaults(name string) (Settings, error) {
	settings := trace.DefaultSettings()
	s, text, embedded := scenario.Embedded(name)
	if !embedded {
		var err error
		text, err = readScenario(name)
		if err != nil {
			return settings, fmt.Errorf("%s is no embedded scenario, and no file: %w", name, err)
		}
		s, err = scenario.Parse(name, text)
		if err != nil {
			return settings, err
		}
	} else {
		name = s.ID
	}
	settings.Scenario = name
	settings.ScenarioTOML = string(text)
	settings.Seed = s.Seed
	settings.ScriptedSeed, settings.FaultSeed = s.Seed, s.Seed
	if s.Task != nil {
		settings.Ticks = s.Task.Ticks
	}
	return settings, nil
}

// readScenario reads a file as far as it is not too large for a scenario.
func readScenario(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, scenario.BytesMax+1))
}

// Options are a run: what to run and where to keep it.
type Options struct {
	// Settings shape the run. Without a Model the embedded scripted model decides, whose
	// results check the wiring and say nothing about models.
	Settings Settings
	// Dir is the directory of the run. It is created and must not hold a run.
	Dir string
	// APIKey is the key of the endpoint, empty where none is wanted. It is never
	// recorded.
	APIKey string
	// Concurrency bounds the turns that run at once; 0 is 8. It never changes results.
	Concurrency int
	// Progress, when set, is called after every tick.
	Progress func(Progress)
	// Waiting, if set, is called when a wait of more than five seconds that the endpoint asks
	// for begins, with the reason. Several goroutines may call it.
	Waiting func(wait time.Duration, why string)
}

// Result is how a run ended.
type Result struct {
	// Status is completed, or what ended the run early; Reason says so in a line.
	Status Status
	Reason string
	// TicksDone counts whole ticks.
	TicksDone int64
	// Report is the run in numbers.
	Report Report
}

// Run plays a world and returns how that ended. Cancelling ctx ends the run after its
// last whole tick; the directory then holds a run that can be resumed. The error says
// which setting cannot work, before anything is sent, or what failed outside, such as a
// full disk. A provider that fails is a Status.
func Run(ctx context.Context, o Options) (Result, error) {
	c := session.Config{Settings: o.Settings, Dir: o.Dir, Concurrency: o.Concurrency,
		Hooks: session.Hooks{Listener: listener{o}}}
	if o.APIKey != "" {
		c.Access.Keys = []access.Key{{Endpoint: cmp.Or(o.Settings.BaseURL, openai.BaseURLDefault),
			Secret: openai.NewSecret(o.APIKey)}}
	}
	s, err := session.New(c)
	if err != nil {
		return Result{}, err
	}
	ended, err := s.Run(ctx)
	err = errors.Join(err, s.Close())
	if err != nil {
		return Result{}, err
	}
	return Result{Status: ended.Status, Reason: ended.Reason, TicksDone: ended.TicksDone, Report: ended.Report}, nil
}

// listener passes on what a session tells.
type listener struct{ o Options }

// Notice implements [session.Listener].
func (l listener) Notice(n access.Notice) {
	if w, ok := n.(access.Wait); ok && l.o.Waiting != nil {
		l.o.Waiting(w.For, w.Why)
	}
}

// Progress implements [session.Listener].
func (l listener) Progress(p Progress) {
	if l.o.Progress != nil {
		l.o.Progress(p)
	}
}

// Replay derives the run in dir again from its recorded answers and compares every
// record. The error is a failure to read the run, or a run of another version.
func Replay(ctx context.Context, dir string) (Comparison, error) {
	return engine.Replay(ctx, dir, engine.ReplayOptions{})
}

// ReadReport folds the records of the run in dir into figures, whether it has ended or
// not. The error is a failure to read them.
func ReadReport(dir string) (Report, error) {
	return report.Of(run.Dir(dir))
}
