package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/behavior/interview"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ask"
	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// Question is put to agents of a run, as they were after a tick.
type Question struct {
	Text string
	// Tick is the last one that the agents know of, 0 for the last whole one.
	Tick int64
	// Agents are asked, all of the run if there are none.
	Agents []string
	// Again asks what was answered before, too.
	Again bool
}

// NoSuchTickError says that a run does not have a tick.
type NoSuchTickError struct {
	// Tick was asked for, Last is the last whole one, 0 for none.
	Tick, Last int64
}

// Error implements error.
func (e *NoSuchTickError) Error() string {
	return fmt.Sprintf("tick %d is not there: the run has %d", e.Tick, e.Last)
}

// Interview is a question that can be put. Its session has the model that answers.
type Interview struct {
	dir      run.Source
	index    *state.Index
	question Question
	config   Config
	access   *access.Access
	options  ask.Options
	kept     []ask.Record
}

// Ask prepares a question to agents of the run in the directory of the Config. Models and endpoints
// are those of the run as it was after the tick, unless the settings name another model, which then
// answers for all agents. The caps of the settings bound the answers; meter, if it is not nil, does so
// over several questions.
//
// The error is a [*NoSuchTickError], an [*access.UnknownError], one of [New], or a failure to
// read the run.
func Ask(c Config, q Question, meter *engine.Meter) (*Interview, error) {
	i := &Interview{dir: c.source(c.Dir), question: q, config: c}
	header, err := i.dir.Header()
	if err != nil {
		return nil, &UnreadableError{err}
	}
	x, now, err := i.dir.Index(false)
	if err != nil {
		return nil, &UnreadableError{err}
	}
	i.index = x
	if now.Tick == 0 || q.Tick > now.Tick {
		return nil, &NoSuchTickError{q.Tick, now.Tick}
	}
	i.question.Tick = cmp.Or(q.Tick, now.Tick)
	all := explain.AgentIDs(header)
	for _, id := range q.Agents {
		if !slices.Contains(all, id) {
			return nil, &access.UnknownError{Name: id, Names: all}
		}
	}
	if len(q.Agents) == 0 {
		i.question.Agents = all
	}
	i.kept, err = ask.Kept(i.dir.Dir)
	if err == nil {
		err = i.dir.ProbeAsks()
	}
	if err != nil {
		return nil, err
	}
	return i, i.choose(header, now, all, meter)
}

// UnreadableError says that a run cannot be read.
type UnreadableError struct{ Err error }

// Error implements error.
func (e *UnreadableError) Error() string { return fmt.Sprintf("the run cannot be read: %v", e.Err) }

// Unwrap returns why.
func (e *UnreadableError) Unwrap() error { return e.Err }

// choose decides who answers.
func (i *Interview) choose(h trace.Header, now *state.State, agents []string, meter *engine.Meter) (err error) {
	c, then := &i.config, h.SettingsAt(i.question.Tick-1)
	asked := asAsked(*c, then, now)
	named := c.Model != ""
	c.Model, c.BaseURL = asked.Model, asked.BaseURL
	c.ScriptedSeed, c.ContextWindowTokens = then.ScriptedSeed, then.ContextWindowTokens
	c.ModelSource = ""
	i.access, err = access.Choose(&c.Settings, c.reach())
	if err != nil {
		return err
	}
	c.AgentModels = nil
	if !named && c.Live() == then.Live() {
		c.AgentModels = then.AgentModels
	}
	err = i.access.ChooseAgents(&c.Settings, "agents", agents)
	if err != nil {
		return err
	}
	c.Prices, err = access.Prices(c.Settings, c.Access.Prices)
	if err != nil {
		return err
	}
	if meter == nil {
		meter = engine.NewMeter(c.Settings)
	}
	meter.Know(c.Prices)
	clock := time.Now
	if c.Access.Now != nil {
		clock = c.Access.Now
	}
	i.options = ask.Options{ModelSource: c.ModelSource, Prices: c.Prices, Currency: c.Currency(),
		CountTokens: tokens.Count, Meter: meter, Now: clock}
	return nil
}

// Settings are those of the models that answer.
func (i *Interview) Settings() trace.Settings { return i.config.Settings }

// Access is how they are reached.
func (i *Interview) Access() *access.Access { return i.access }

// Open are how many agents have not answered the question before.
func (i *Interview) Open() int { return len(i.open()) }

// CallsMost bounds the calls that they take.
func (i *Interview) CallsMost() int { return i.Open() * interview.CallsMax }

// open are the places of those agents among all that are asked.
func (i *Interview) open() (places []int) {
	for place, id := range i.question.Agents {
		if _, answered := i.before(id); i.question.Again || !answered {
			places = append(places, place)
		}
	}
	return places
}

// before is the kept answer of an agent to the question.
func (i *Interview) before(id string) (ask.Record, bool) {
	o := i.optionsOf(id)
	at := slices.IndexFunc(i.kept, func(r ask.Record) bool {
		return r.AgentID == id && r.Tick == i.question.Tick && r.Question == i.question.Text && r.Text != "" &&
			r.ModelSource == o.ModelSource && r.Model == o.Model && r.BaseURL == o.BaseURL
	})
	if at < 0 {
		return ask.Record{}, false
	}
	return i.kept[at], true
}

// optionsOf are those for one agent, which may have a model and an endpoint of its own.
func (i *Interview) optionsOf(id string) ask.Options {
	o := i.options
	o.Model, o.BaseURL = i.config.Model, i.config.BaseURL
	if own := i.config.AgentModel(id); own.Agent != "" {
		o.Model, o.BaseURL = cmp.Or(own.Model, o.Model), cmp.Or(own.BaseURL, o.BaseURL)
	}
	return o
}

// Answer is what one agent said.
type Answer struct {
	Agent string
	// Record is the question with its answer, without an agent where nothing was kept.
	Record ask.Record
	// Known says that it was answered before, at no cost.
	Known bool
	// Err is why there is no answer: a [*NotAskableError], [ErrInterrupted], a [*NoAnswerError], or a
	// failure to keep it.
	Err error
}

// NoAnswerError says that the model of an agent gave no answer.
type NoAnswerError struct {
	Failure llmclient.Failure
	// Began says that a call was answered before.
	Began bool
}

// Error implements error.
func (e *NoAnswerError) Error() string { return "no answer: " + e.Failure.Text() }

// NotAskableError says that a question could not be put to an agent.
type NotAskableError struct {
	// Tick is the one after which there is no conversation to continue, 0 if the question does not fit.
	Tick int64
	Err  error
}

// Error implements error.
func (e *NotAskableError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *NotAskableError) Unwrap() error { return e.Err }

// ErrInterrupted says that no question was put any more.
var ErrInterrupted = errors.New("interrupted")

// Attach says who takes part in the interview: a drain and a listener.
func (i *Interview) Attach(h Hooks) { i.config.Hooks = h }

// Reach makes the models reachable, without a call.
func (i *Interview) Reach(ctx context.Context) ([]access.Endpoint, error) {
	source, endpoints, err := i.access.Open(ctx, i.config.Drain, stub.Options{Seed: i.config.ScriptedSeed}, "")
	i.options.Source = source
	return endpoints, err
}

// Run puts the question to all agents that have not answered it, several at once where no cap has to
// be kept, and keeps each answer as it comes. The answers are in the order of the agents. It has to be
// reached before, unless nothing is open.
func (i *Interview) Run(ctx context.Context) []Answer {
	list := make([]Answer, len(i.question.Agents))
	for place, id := range i.question.Agents {
		known, answered := i.before(id)
		list[place] = Answer{Agent: id, Record: known, Known: answered}
	}
	var group errgroup.Group
	group.SetLimit(cmp.Or(max(0, i.config.Concurrency), 8))
	if i.config.Caps != (trace.Caps{}) {
		group.SetLimit(1)
	}
	for _, place := range i.open() {
		group.Go(func() error {
			a := &list[place]
			a.Record, a.Err = i.one(ctx, a.Agent)
			a.Known = false
			return nil
		})
	}
	_ = group.Wait() // each has its error
	return list
}

// Close releases what was opened.
func (i *Interview) Close() { i.access.Close() }

// one asks an agent, unless no question may begin any more, and keeps the answer.
func (i *Interview) one(ctx context.Context, id string) (ask.Record, error) {
	drained := func() bool { return i.config.Drain != nil && i.config.Drain.Err() != nil }
	if drained() || ctx.Err() != nil {
		return ask.Record{}, ErrInterrupted
	}
	agent, err := ask.Agent(i.dir, i.index, i.question.Tick, id)
	if err != nil {
		return ask.Record{}, &NotAskableError{i.question.Tick, err}
	}
	r, err := ask.Ask(ctx, agent, i.question.Text, i.optionsOf(id))
	if err != nil {
		return ask.Record{}, &NotAskableError{Err: err}
	}
	f := r.LastFailure()
	if f != nil && len(r.Exchanges) == 1 { // nothing was said that could be kept
		r = ask.Record{}
	} else if err := ask.Keep(i.dir.Dir, r); err != nil {
		return r, err
	}
	switch {
	case f == nil:
		return r, nil
	case ctx.Err() != nil, drained():
		return r, ErrInterrupted
	}
	return r, &NoAnswerError{Failure: *f, Began: r.AgentID != ""}
}
