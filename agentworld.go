// Package agentworld runs worlds of LLM agents: it plays a scenario with models, continues, forks and
// replays runs, asks agents why, plays batches, and reads what was recorded. It is what other programs
// import; the command world_llm_agent_demo does the same for people.
//
//	settings, err := agentworld.Defaults("minimal")
//	settings.Ticks = 5
//	settings.Model, settings.BaseURL = "m", "http://127.0.0.1:8000/v1" // none: the embedded model
//	run, err := agentworld.Run(ctx, agentworld.Options{Settings: settings, Dir: "runs/first"})
//	fmt.Print(run.Report.Text())
//
// A run leaves a directory that holds all of it:
//
//	Run       begins one
//	Resume    continues one that was interrupted, or has it play more ticks
//	Fork      leaves one after a tick and goes on in another way
//	Replay    derives every record again from the recorded answers, with neither model nor network
//	Ask       puts a question to its agents, as they were after a tick
//	Learn     writes what its agents can learn from it into a playbook
//	Read      reads it, while it is played or later: its report, its rows, its decisions with reasons
//	Compare   says in what two of them differ
//	PlayBatch plays a matrix of them and says which arm is better
//
// CompareSides says which of several sides is better, each of them runs that [ReadSide] reads.
//
// Nothing here reads an environment, a home directory or a configuration file, but for the proxies that
// [net/http.ProxyFromEnvironment] finds. A key is sent only to the endpoint that it was handed over
// with, see [NewKey].
//
// The names of this package are kept stable. Those of the packages below it may change
// with any version.
package agentworld

import (
	"context"
	"errors"

	"example.com/agentworld/engine"
	"example.com/agentworld/metric"
	"example.com/agentworld/report"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// Settings are everything that shapes a run. Start from [Defaults].
type Settings = trace.Settings

// Limit bounds calls, tokens and money; 0 is no bound.
type Limit = trace.Limit

// AgentModel is a model of an agent's own, in Settings.AgentModels.
type AgentModel = trace.AgentModel

// AgentSeat says in Settings.Seats which seat plays an agent, in place of a model. Its Version is filled in.
type AgentSeat = trace.AgentSeat

// Progress is how far a run is after a tick.
type Progress = engine.Progress

// Status says how a run ended.
type Status = trace.RunStatus

// Result is how a run ended, with its report.
type Result = session.Result

// Recording is a source of recorded answers: a run directory, or a file of answers.
type Recording = session.Recording

// Continued says how a run goes on. The zero value plays the ticks that it was asked for.
type Continued = session.Continued

// Left is where a run leaves another.
type Left = session.Left

// Key is a key with the one endpoint that it was given for. It is never recorded or printed.
type Key = access.Key

// Notice is something that the user of a run should know: a [Wait], a [Change], a [Withheld] or a [Remark].
type Notice = access.Notice

// Wait says that calls to an endpoint begin to wait for more than five seconds, and why.
type Wait = access.Wait

// Change says what the calls to an endpoint are changed for from now on.
type Change = access.Change

// Withheld says that a key is not sent to an endpoint, since it was not given for it.
type Withheld = access.Withheld

// Metric is a number a run of your own: a Go function over its records, or a jq expression.
type Metric = metric.Metric

// ParseMetric reads a metric as the command line has it: NAME=JQ, NAME:higher=JQ or NAME:lower=JQ.
func ParseMetric(text string) (Metric, error) { return metric.Parse(text) }

// OwnMetric is a metric of your own with its value in a run.
type OwnMetric = report.OwnMetric

// Record is a record of a run, a type of package trace, as a [Metric] is given it.
type Record = trace.Record

// The directions of a [Metric].
const (
	HigherIsBetter = report.Higher
	LowerIsBetter  = report.Lower
)

// Remark is a notice in words.
type Remark = access.Remark

// NewKey returns a key for an endpoint, a base URL. The key of the run has no name; that of agents with
// models of their own has the name that their AgentModel.KeyEnv says.
func NewKey(endpoint, name, secret string) Key { return access.NewKey(endpoint, name, secret) }

// Defaults returns the settings of a scenario, an embedded one or a TOML file: its seed,
// a task's length, and defaults for the rest. The error names what is wrong with it.
func Defaults(name string) (Settings, error) { return session.Defaults(name) }

// ForkSettings returns the settings that a fork of a run after a tick begins with: those of the run. A
// model that was asked live stays.
func ForkSettings(dir string, atTick int64) (Settings, error) {
	return session.Parent(dir, atTick, nil)
}

// Options are what is played and how.
type Options struct {
	// Settings shape the run. Without a Model the embedded scripted model decides, whose results check
	// the wiring and say nothing about models. A run that is resumed or asked has its own settings: then
	// a Model and a BaseURL here replace those of the run, and the zero value changes nothing.
	Settings Settings
	// Dir is the directory of the run. A new run creates it, and it must not hold a run.
	Dir string
	// Keys are all that may be sent, each to its endpoint. The endpoint of a run without a BaseURL is
	// OpenAI's, https://api.openai.com/v1.
	Keys []Key
	// Concurrency bounds the turns that run at once; 0 is 8. It never changes results.
	Concurrency int
	// Recording is where answers come from before a model is asked; the zero value is none.
	Recording Recording
	// Seats are those that Settings.Seats and scenarios may name beside greedy, random, scripted and wait, which
	// every program has. A run that is resumed needs those that it names.
	Seats []Seat
	// PlaybookFile is the file that what a run learns goes into, empty for none. Settings.Playbook is
	// what it holds.
	PlaybookFile string
	// Metrics are your own, which the report of a run and the summary of a batch have beside those that they
	// always have.
	Metrics []Metric
	// Tools are what the agents of a new run may call. A run that is resumed or forked has the tools that it
	// had, which must be among these.
	Tools []Tool
	// WithoutTools resumes or forks a run without its tools: a call of one says that it is not available.
	WithoutTools bool
	// Progress, when set, is called after every tick.
	Progress func(Progress)
	// Notice, when set, is called with what a person should know. Several goroutines may call it.
	Notice func(Notice)
}

// config is what a session is made of. Settings of a recorded run say who answered there; who answers
// here is open again.
func (o Options) config() session.Config {
	return session.Config{
		Settings: session.Unanswered(o.Settings), Dir: o.Dir, Access: access.Config{Keys: o.Keys}, Concurrency: o.Concurrency,
		Recording: o.Recording, Seats: o.Seats, PlaybookFile: o.PlaybookFile, Metrics: o.Metrics, Tools: o.Tools,
		WithoutTools: o.WithoutTools, Hooks: session.Hooks{Listener: listener{o}},
	}
}

// listener passes on what a session tells.
type listener struct{ o Options }

// Notice implements [session.Listener].
func (l listener) Notice(n Notice) {
	if l.o.Notice != nil {
		l.o.Notice(n)
	}
}

// Progress implements [session.Listener].
func (l listener) Progress(p Progress) {
	if l.o.Progress != nil {
		l.o.Progress(p)
	}
}

// Run plays a world and returns how that ended. Cancelling ctx ends the run after its
// last whole tick; the directory then holds a run that can be resumed. The error says
// which setting cannot work, before anything is sent, or what failed outside, such as a
// full disk. A provider that fails is a Status.
func Run(ctx context.Context, o Options) (Result, error) {
	s, err := session.New(o.config())
	return play(ctx, s, err)
}

// Resume continues the run in the directory, and returns how all of it ended. What was recorded is not
// asked again. A run that has its last tick is returned as it ended. The error is one of [Run], or says
// why the run cannot be continued.
func Resume(ctx context.Context, o Options, how Continued) (Result, error) {
	c := o.config()
	c.SegmentBytes = -1 // as the run has it
	s, err := session.Resume(c, how)
	return play(ctx, s, err)
}

// Fork plays a run that leaves another after a tick. The Settings, those of [ForkSettings] with changes,
// hold from there on and count ticks from the beginning; the ticks before are not asked again. The
// directory of the Options is the new run's. The error is one of [Run], or says why there can be no such
// fork.
func Fork(ctx context.Context, o Options, from Left) (Result, error) {
	s, err := session.Fork(o.config(), from)
	return play(ctx, s, err)
}

// play plays a session, unless it could not be made.
func play(ctx context.Context, s *session.Session, err error) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	result, err := s.Run(ctx)
	return result, errors.Join(err, s.Close())
}
