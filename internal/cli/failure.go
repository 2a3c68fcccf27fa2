package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
)

// The exit codes of the program.
const (
	exitCompleted   = 0
	exitInternal    = 1
	exitBadInput    = 2
	exitProvider    = 3
	exitBudget      = 4
	exitDiffers     = 5
	exitGate        = 6
	exitUndecided   = 7
	exitDisk        = 8
	exitInterrupted = 130
)

// statusCode is the exit code that goes with the way a run ended.
func statusCode(s trace.RunStatus) int {
	switch s {
	case trace.RunCompleted:
		return exitCompleted
	case trace.RunProviderFailed, trace.RunNoUsableAnswers:
		return exitProvider
	case trace.RunBudgetReached:
		return exitBudget
	case trace.RunRecordingDamaged:
		return exitBadInput
	case trace.RunReplayDiffers:
		return exitDiffers
	case trace.RunInterrupted:
		return exitInterrupted
	}
	return exitInternal
}

// failure is an error with the exit code it ends the program with. Errors without
// one are failures of a disk or of this program.
type failure struct {
	code int
	err  error
}

// Error returns the message alone; the code is for the caller of the program.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the error that the code classifies.
func (f *failure) Unwrap() error { return f.err }

// badInput returns an error of the user's making: exit code 2. The message says
// what is wrong, where it is and what is allowed, on one line.
func badInput(format string, args ...any) error {
	return &failure{exitBadInput, fmt.Errorf(format, args...)}
}

// problems are all that is wrong with an input, each printed on a line of its own.
type problems []string

// Error returns the problems on one line.
func (p problems) Error() string { return strings.Join(p, "; ") }

// badInputs returns an error with several problems, nil for none: exit code 2.
func badInputs(all []string) error {
	if len(all) == 0 {
		return nil
	}
	return &failure{exitBadInput, problems(all)}
}

// driftHint adds to an error of another version what ignores it.
func driftHint(err error) error {
	if errors.Is(err, engine.ErrVersionDrift) {
		return fmt.Errorf("%w; --allow-version-drift ignores that", err)
	}
	return err
}

// failWith returns err with an exit code.
func failWith(code int, err error) error { return &failure{code, err} }

// exitCode returns the exit code of an error: that of a disk on which there is no more room,
// the error's own, that of a disk that fails in another way, or that of an internal error. What the system failed to
// read is no bad input, whatever it was read for.
func exitCode(err error) int {
	if err == nil {
		return exitCompleted
	}
	if isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG) {
		return exitDisk
	}
	f, ok := errors.AsType[*failure](err)
	failed := isAny(err, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM)
	if ok && !(f.code == exitBadInput && failed) {
		return f.code
	}
	if isAny(err, syscall.EIO, syscall.EROFS) {
		return exitDisk
	}
	return exitInternal
}

// isAny reports whether an error is one of some failures of the operating system.
func isAny(err error, any ...syscall.Errno) bool {
	return slices.ContainsFunc(any, func(e syscall.Errno) bool { return errors.Is(err, e) })
}
