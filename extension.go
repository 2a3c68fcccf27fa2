package agentworld

import (
	"context"
	"flag"
	"fmt"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
)

// Extension adds to the command line what it does not have itself. A program of its own links the
// extensions that it wants and keeps every command:
//
//	func main() { cli.Main(agentworld.Extension{Name: "mine", Version: "1", Observers: []agentworld.Observer{mine}}) }
//
// The zero value of a field adds nothing. Names of settings, flags, commands and metrics are unique over the
// program and all its extensions; two that are the same are a bug, and the program panics.
type Extension struct {
	// Name and Version say what is linked; --version shows both.
	Name, Version string
	// Settings are further rows in the table of settings.
	Settings []Setting
	// Commands are further commands of the program.
	Commands []Command
	// Stores are further ways to play a batch.
	Stores []BatchStore
	// Observers see what runs do.
	Observers []Observer
	// Metrics are further metrics of each run, by which runs are compared and gated, too.
	Metrics []Metric
}

// Setting is a switch, true or false, that changes nothing about how a run goes: a flag of the commands
// that play one run, and a key of the configuration file. No cell of a batch can set it.
type Setting struct {
	// Key is its place in the file, such as run.otel, Flag the name of its flag without dashes.
	Key, Flag string
	// Doc is one line for help.
	Doc string
}

// Command is a further command of the program.
type Command struct {
	// Use is its name and how it is called, Short one line about it, Long its help.
	Use, Short, Long string
	// New declares the flags and returns what the command does with their values. It takes no arguments. An
	// error of [Refused] ends the program with exit code 2; the end of ctx is an interruption.
	New func(flags *flag.FlagSet) func(ctx context.Context, p Program) error
}

// BatchStore is a further way to play a batch: other processes that the flags of "batch run" name play its
// cells.
type BatchStore struct {
	// Name is that of the flag which chooses it, without dashes.
	Name string
	// New declares the flags for "batch run" and returns how their values are used.
	New func(flags *flag.FlagSet) BatchPlayers
}

// BatchPlayers play the cells of a batch.
type BatchPlayers interface {
	// Wanted says that flags choose them.
	Wanted() bool
	// Check refuses flags that do not go together, before anything is read.
	Check() error
	// Play plays the cells of o that have no result, within limit, until nothing is left to do or o.Drain
	// ends; the end of ctx breaks off calls of this process. o.Jobs is how many this process plays itself,
	// 0 for none. o.Spender is not set.
	Play(ctx context.Context, p Program, o batch.Options, limit trace.Limit) (batch.Ending, error)
}

// Program is what a command may use of the program that it is part of.
type Program struct {
	// Note prints a line about what a person should know. Several goroutines may call it.
	Note func(text string)
	// Say prints a line that is what the command is for.
	Say func(text string)
	// Advise prints how to call the program next: its arguments, and what that does.
	Advise func(does string, arguments ...string)
	// Path is a path of a user in terms of this process, Shown the reverse.
	Path, Shown func(name string) string
	// Cells returns a player of cells whose settings came from elsewhere, for so many at a time. Keys are
	// those of this machine. The end of ctx drains; calls ends with a second interruption. done ends it.
	Cells func(ctx context.Context, jobs int) (play batch.Player, calls context.Context, done func(), err error)
}

// Observer is a way to see what runs do.
type Observer struct {
	// New reads settings and environment. It returns how to begin, nil if nobody asked for it, and an error if
	// what was asked cannot be. setting says whether a switch is on, by its key.
	New func(setting func(key string) bool, lookup func(name string) (string, bool)) (StartObserver, error)
}

// StartObserver begins to observe a run. note takes lines for people.
type StartObserver func(ctx context.Context, note func(string)) (RunObserver, error)

// RunObserver observes one run.
type RunObserver interface {
	engine.Observer
	// Evaluate takes results of evaluating the run as a whole, after its end and before Close.
	Evaluate(results ...Evaluation)
	// Close ends it. What failed was noted.
	Close() error
}

// Evaluation is a result of evaluating a run as a whole.
type Evaluation struct {
	// Name says what was measured, in the words of this program or of a setting.
	Name string
	// Score is the result as a number, nil for none, Label as a word.
	Score *float64
	Label string
}

// RefusedError is about what the user asked for: the message says what is wrong and what is allowed.
type RefusedError struct{ Err error }

// Error is the message.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// Refused makes a [RefusedError].
func Refused(format string, args ...any) error { return &RefusedError{fmt.Errorf(format, args...)} }
