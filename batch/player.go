package batch

import (
	"context"
	"io"

	"example.com/agentworld/engine"
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
	// Log takes what the run would print.
	Log io.Writer
	// Progress, when set, is called after every tick.
	Progress func(engine.Progress)
}

// Player plays one cell. A run that ends early is a Result with its status, never an error.
// The error is a failure outside of the run, such as a full disk. Cancelling ctx breaks the
// calls of the run off. Another attempt can continue a run that was ended in either way.
type Player func(ctx context.Context, a Attempt) (Result, error)
