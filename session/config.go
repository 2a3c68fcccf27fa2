package session

import (
	"context"

	"example.com/agentworld/engine"
	"example.com/agentworld/metric"
	"example.com/agentworld/run"
	"example.com/agentworld/session/access"
	"example.com/agentworld/tools"
	"example.com/agentworld/trace"
)

// Config is a run: what shapes it, and how it is carried out.
type Config struct {
	// Settings shape the run, as a trace records them. Who answers is completed by the session: the
	// source of answers, the effective endpoints, the prices. Settings with a source are complete
	// already, as those of a cell that was planned elsewhere.
	trace.Settings
	// Dir is the run directory. A new run creates it; it must not hold a run.
	Dir string
	// Reading, when set, says how the run in a directory is read, for runs that are continued, forked,
	// asked or learned from. Nil, and a nil result, mean strictly.
	Reading func(dir string) *run.Reading
	// Leased says that the caller has Dir to itself by a lease, so that it needs no locks.
	Leased bool
	// Access is how models are reached: keys, limits, prices.
	Access access.Config
	// Recording is where answers come from before a model is asked; the zero value is none.
	Recording Recording
	// PlaybookFile is the file of lessons that what the run learns goes into, empty for none. It held
	// Settings.Playbook.
	PlaybookFile string
	// Concurrency bounds the turns at once; 0 is 8. It never changes results.
	Concurrency int
	// Ahead says how far the run asks ahead.
	Ahead Ahead
	// SegmentBytes is the size at which a trace file is closed; 0 is never. A resume keeps that of the
	// run if it is negative.
	SegmentBytes int64
	// Extensions are those of the program, which the header of a new run names.
	Extensions []trace.Extension
	// Metrics are those of the user's own that the run is measured by once it has ended.
	Metrics metric.List
	// Seats are those that settings and scenarios may name beside the program's own, see [OwnSeats].
	Seats []engine.Seat
	// Source, when set, answers in place of models, which are not opened.
	Source engine.Source
	// Around, when set, wraps the source of answers of a run whose caller keeps calls within a lease
	// or a budget of its own: it may refuse a call, reserve and settle, or know the answer. Calls asked ahead
	// come to it, too.
	Around func(engine.Source) engine.Source
	// Tools are the tools that this program can call. A new run offers all of them to its agents, and one
	// that is resumed or forked those it had, which must be among them.
	Tools []tools.Tool
	// WithoutTools continues or forks a run with none of its tools: a call says that it is not available.
	WithoutTools bool
	// Blind are agents that see nothing of what others write, for measuring only.
	Blind []string
	Hooks
}

// Ahead says how far a run asks ahead; the zero value does not.
type Ahead struct {
	// Depth is how many ticks are foreseen, 0 to 8. WastePermille is how many calls may be asked in vain for
	// a thousand that the run makes.
	Depth         int
	WastePermille int64
}

// Hooks are who takes part while a run is played. They change no result.
type Hooks struct {
	// Drain, when set, ends the run in good order once it ends: no call begins, those under way are
	// awaited. The end of the context of Run breaks them off.
	Drain context.Context
	// Controls, when set, are how an operator intervenes.
	Controls *engine.Controls
	// Listener, when set, is told of the run.
	Listener Listener
	// Observer, when set, is notified of what the run does: of each tick, turn and call.
	Observer engine.Observer
	// Record, when set, is called with every record of the trace but parts, in order.
	Record func(trace.Record)
	// Exchange, when set, is shown every exchange that is not used again, one at a time.
	Exchange func(engine.Exchange)
}

// Recording is a source of recorded answers: a run directory, or a file of answers.
type Recording struct {
	// Path is where it is, empty for none.
	Path string
	// Ask has a model answer what is not recorded. Without it the run ends there.
	Ask bool
}

// Listener is told of a run while it is played.
type Listener interface {
	// Notice is called with waits for an endpoint, with what later requests are changed for, and with
	// keys that are not sent: with these before the run begins. Several goroutines may call it.
	Notice(access.Notice)
	// Progress is called after every tick, and where the run begins to wait for its operator or
	// continues.
	Progress(engine.Progress)
}

// source is a run in the way that it is read.
func (c *Config) source(dir string) run.Source { return run.Dir(dir).As(c.how(dir)) }

// how is how a run is read, nil for strictly.
func (c *Config) how(dir string) *run.Reading {
	if c.Reading == nil {
		return nil
	}
	return c.Reading(dir)
}

// reach is the access of the run, whose notices its listener gets.
func (c *Config) reach() access.Config {
	a := c.Access
	a.Tell = func(n access.Notice) {
		if c.Listener != nil {
			c.Listener.Notice(n)
		}
	}
	a.InFlightMax = c.Concurrency
	return a
}
