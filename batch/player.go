package batch

import (
	"context"
	"io"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// Attempt is what a [Player] is given: a cell and where its run goes.
type Attempt struct {
	Cell Cell
	// Number is the claim under which the cell is played.
	Number int64
	// Settings are those of the run, as a trace records them: all that shapes it.
	Settings trace.Settings
	// Dir is the run directory. If Resume is set it holds a run to continue, otherwise it
	// does not exist.
	Dir    string
	Resume bool
	// Drain, when set, ends the run in good order once it ends: answers under way are taken, and no
	// call begins.
	Drain context.Context
	// Around wraps the source of answers. It refuses calls that the claim or the budget does
	// not allow any more.
	Around func(engine.Source) engine.Source
	// Holds and Reserve are what Around asks, for a run that another program plays. Holds says that the cell is
	// still this process's; otherwise ctx ends. Reserve takes from the budget of the batch what the run may take
	// at most, and settle gives back what it did not take. Its error says that the run may not begin.
	Holds   func() bool
	Reserve func(ctx context.Context, most budget.Amount) (settle func(taken budget.Amount), err error)
	// Log takes what the run would print.
	Log io.Writer
	// streamed says that others are told of each call, by its place in the run: none is asked ahead, which may come
	// to nothing.
	streamed bool
	// Progress, when set, is called after every tick.
	Progress func(engine.Progress)
}

// Player plays one cell. A run that ends early is a Result with its status, never an error.
// The error is a failure outside of the run, such as a full disk. Cancelling ctx breaks the
// calls of the run off. Another attempt can continue a run that was ended in either way.
// [Attempt.Play] is what a player does with a session of its own.
type Player func(ctx context.Context, a Attempt) (Result, error)

// Caller is what only the caller of [Attempt.Play] knows of a cell.
type Caller struct {
	// Config says how models are reached and how the run is carried out. Settings, directory and
	// hooks are those of the attempt.
	Config session.Config
	// Notice, when set, is told what a [session.Listener] is. Several goroutines may call it.
	Notice func(access.Notice)
	// Begins, when set, is called before the first call, once models are reachable.
	Begins func(*session.Session)
}

// Play plays the cell as a session, or continues it. It is what a [Player] has to do.
func (a Attempt) Play(ctx context.Context, by Caller) (Result, error) {
	s, err := a.session(by)
	if err != nil {
		return Result{}, err
	}
	defer s.Close()
	if !s.Complete() {
		if err := s.Open(ctx); err != nil {
			return Result{}, err
		}
		if by.Begins != nil {
			by.Begins(s)
		}
	}
	result, err := s.Run(ctx)
	if err != nil {
		return Result{}, err
	}
	if result.Deriving { // nothing new was recorded
		return Result{Status: trace.RunInterrupted}, nil
	}
	return ResultOf(a.Cell, a.Number, result.Report, result.Head), nil
}

// session is the run of the attempt.
func (a Attempt) session(by Caller) (*session.Session, error) {
	c := by.Config
	c.Settings = a.Settings
	c.Dir = a.Dir
	c.Leased = true
	c.Around = a.Around
	if a.streamed {
		c.Ahead = session.Ahead{}
	}
	c.Hooks = session.Hooks{Drain: a.Drain, Listener: listener{a, by}, Exchange: a.logFailure}
	if a.Resume {
		return session.Resume(c, session.Continued{Planned: true})
	}
	return session.New(c)
}

// logFailure writes a call that failed into the log.
func (a Attempt) logFailure(x engine.Exchange) {
	if f := x.Answer.Failure; f != nil && f.Kind != llmclient.ErrInterrupted {
		plaintext.Fprintf(a.Log, "tick %d, %s: %s\n", x.Key.Tick, x.Key.Agent, f.Text())
	}
}

// listener is told of the run of an attempt.
type listener struct {
	attempt Attempt
	by      Caller
}

// Notice implements [session.Listener].
func (l listener) Notice(n access.Notice) {
	if l.by.Notice != nil {
		l.by.Notice(n)
	}
}

// Progress implements [session.Listener].
func (l listener) Progress(p engine.Progress) {
	if l.attempt.Progress != nil {
		l.attempt.Progress(p)
	}
}
