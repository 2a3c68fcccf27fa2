package cli

import (
	"errors"
	"fmt"

	"example.com/agentworld/engine"
)

// failure is an error with the exit code it ends the program with. Errors without
// one are failures of the outside or of this program, such as a full disk.
type failure struct {
	code int
	err  error
}

// Error returns the message alone; the code is for the caller of the program.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the error behind the code.
func (f *failure) Unwrap() error { return f.err }

// badInput returns an error of the user's making: exit code 2. The message says
// what is wrong, where it stands and what is allowed, on one line.
func badInput(format string, args ...any) error {
	return &failure{engine.ExitBadInput, fmt.Errorf(format, args...)}
}

// failWith returns err with an exit code.
func failWith(code int, err error) error { return &failure{code, err} }

// exitCode returns the exit code of an error: its own, or the one of
// an internal error when it carries none.
func exitCode(err error) int {
	if err == nil {
		return engine.ExitCompleted
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f.code
	}
	return engine.ExitInternal
}
