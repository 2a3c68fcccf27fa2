package session

import (
	"context"
	"fmt"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// School learns from finished runs: each is derived again from its trace, which calls no model, then
// its agents reflect one after the other, and a playbook is changed by what they learn. An agent of a
// run that the playbook has learned from already is passed over, so that no decision counts twice.
type School struct {
	config Config
	access *access.Access
	// runtimes are by the language of the runs.
	runtimes map[string]*reflect.Runtime
	source   engine.Source
	meter    *engine.Meter
	limits   playbook.Limits
	lessons  []lesson
	book     *playbook.Playbook
}

// lesson is what the agents of one run did.
type lesson struct {
	dir, language string
	batches       []engine.Batch
}

// Lessons are the runs that are learned from.
type Lessons struct {
	// Runs are their directories.
	Runs []string
	// Rounds are the reflections before a consolidation, 1 to [reflect.RoundsMax]; 0 is 1.
	Rounds int
	// AllowVersionDrift learns also from runs of another version.
	AllowVersionDrift bool
	// Book is what was learned before, nil for the playbook of the settings.
	Book *playbook.Playbook
}

// RunError says which run a failure is about.
type RunError struct {
	Dir string
	Err error
}

// Error implements error.
func (e *RunError) Error() string { return e.Dir + ": " + e.Err.Error() }

// Unwrap returns the failure.
func (e *RunError) Unwrap() error { return e.Err }

// Learn reads the runs and chooses the model that reflects, that of the settings for all. Nothing is
// asked yet. The error is a [*RunError] with one of [engine.Collect], or one of [New].
func Learn(ctx context.Context, c Config, l Lessons) (*School, error) {
	s := &School{config: c, book: l.Book, limits: playbook.Limits{BulletsMax: c.PlaybookSize}}
	for _, dir := range l.Runs {
		batches, language, err := engine.Collect(ctx, dir,
			engine.ReplayOptions{AllowVersionDrift: l.AllowVersionDrift, Reading: c.how(dir)})
		if err != nil {
			return nil, &RunError{dir, err}
		}
		s.lessons = append(s.lessons, lesson{dir, language, batches})
	}
	of := &s.config.Settings
	of.AgentModels = nil
	var err error
	if s.book == nil {
		s.book = playbook.New()
		if of.Playbook != "" {
			s.book, err = playbook.Parse([]byte(of.Playbook))
		}
		if err != nil {
			return nil, err
		}
	}
	s.access, err = access.Choose(of, s.config.reach())
	if err == nil {
		of.Prices, err = access.Prices(*of, c.Access.Prices)
	}
	if err != nil {
		return nil, err
	}
	s.meter = engine.NewMeter(*of)
	s.runtimes = map[string]*reflect.Runtime{}
	for _, lesson := range s.lessons {
		s.runtimes[lesson.language] = reflect.NewRuntime(behavior.Config{Settings: trace.Settings{
			Model: of.Model, ContextWindowTokens: of.ContextWindowTokens, MaxOutputTokens: of.MaxOutputTokens,
			ReasoningEffort: of.ReasoningEffort, ServiceTier: of.ServiceTier, Language: lesson.language,
			Temperature: of.Temperature, TopP: of.TopP, ExtraBody: of.ExtraBody,
		}, CountTokens: tokens.Count}, max(1, l.Rounds), s.book.OwnSections()...)
	}
	return s, nil
}

// Settings are those of the model that reflects.
func (s *School) Settings() trace.Settings { return s.config.Settings }

// Consolidations are how often an agent may learn, each in 1 to CallsMax calls.
func (s *School) Consolidations() (n, callsMax int) {
	for _, l := range s.lessons {
		n += len(l.batches)
		callsMax = s.runtimes[l.language].CallsMax()
	}
	return n, callsMax
}

// Reach makes the model reachable, without a call.
func (s *School) Reach(ctx context.Context) (endpoints []access.Endpoint, err error) {
	scripted := stub.Options{Seed: s.config.ScriptedSeed, Mode: stub.Mode(s.config.ScriptedMode)}
	s.source, endpoints, err = s.access.Open(ctx, s.config.Drain, scripted, "")
	return endpoints, err
}

// Close releases what was opened.
func (s *School) Close() { s.access.Close() }

// Learned is what came of one run.
type Learned struct {
	Dir string
	// Consolidations and their Calls were made, Failed of them without a lesson; Applied and
	// Rejected are changes; Known agents had taught the playbook before.
	Consolidations, Calls, Failed, Applied, Rejected, Known int
	// Failures say of each that failed whose it was and why.
	Failures []string
}

// RefusedError says that the provider will not answer again.
type RefusedError struct{ Kind llmclient.ErrorKind }

// Error implements error.
func (e *RefusedError) Error() string { return "the provider refused: " + string(e.Kind) }

// CapError says that a cap on all of it is reached.
type CapError struct{ Message string }

// Error implements error.
func (e *CapError) Error() string { return e.Message }

// Run learns from one run after the other and calls each with what came of it. It returns the
// playbook, which is the one of [Lessons] if nothing was learned; what was learned before an error
// is in it. The error is [ErrInterrupted], a [*RefusedError], or a [*CapError].
func (s *School) Run(ctx context.Context, each func(Learned)) (*playbook.Playbook, error) {
	for _, l := range s.lessons {
		learned, err := s.learn(ctx, l)
		if err == nil || learned.Consolidations > 0 {
			each(learned)
		}
		if err != nil {
			return s.book, err
		}
	}
	return s.book, nil
}

// learn reflects on one run.
func (s *School) learn(ctx context.Context, l lesson) (Learned, error) {
	known := map[string]bool{}
	for _, v := range s.book.History() {
		known[v.Note] = true
	}
	learned := Learned{Dir: l.dir}
	var refused []playbook.Rejected // of what the same agent proposed before
	for i, b := range l.batches {
		if i > 0 && l.batches[i-1].Experience.Agent() != b.Experience.Agent() {
			refused = nil
		}
		if known[b.Experience.Note()] {
			learned.Known++
			continue
		}
		lived := b.Experience.In(s.book)
		lived.Refuse(refused)
		result, err := s.reflect(ctx, l.language, b, lived)
		if err != nil {
			return learned, err
		}
		consolidated := result.Apply(s.book, s.limits)
		s.book = consolidated.Playbook
		refused = consolidated.Rejected
		learned.Consolidations++
		learned.Calls += result.Calls
		learned.Applied += len(consolidated.Applied)
		learned.Rejected += len(consolidated.Rejected)
		if result.Failure != "" {
			learned.Failed++
			learned.Failures = append(learned.Failures, fmt.Sprintf("%s: nothing learned: %s", b.Experience.Agent(),
				result.Failure))
		}
	}
	return learned, nil
}

// reflect has an agent reflect on what it did. A reflection is what a tick of a run is to the caps.
func (s *School) reflect(ctx context.Context, language string, b engine.Batch,
	lived *reflect.Experience) (reflect.Result, error) {
	agent := lived.Agent()
	turn := s.runtimes[language].Begin(lived, s.book, b.Goals, b.Tick, 1)
	first, _ := turn.Next()
	s.meter.Begin(agent, first, turn.CallsLeast())
	for ask, more := first, true; more; ask, more = turn.Next() {
		answer := s.meter.Respond(ask, func(r llmclient.Request) llmclient.Answer {
			return s.source.Respond(ctx, trace.CallKey{Tick: b.Tick, Agent: agent, Step: ask.Number}, r)
		})
		f := answer.Failure
		switch {
		case ctx.Err() != nil:
			return reflect.Result{}, ErrInterrupted
		case f != nil && f.Kind.Fatal():
			return reflect.Result{}, &RefusedError{f.Kind}
		case f != nil && f.Kind == llmclient.ErrCap && strings.HasPrefix(f.Code, string(budget.Run)):
			// What the caps of agents and reflections refuse costs that reflection alone.
			return reflect.Result{}, &CapError{f.Message}
		}
		turn.Answer(answer)
	}
	return turn.Result(), nil
}
