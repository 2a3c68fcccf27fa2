package cli

import (
	"fmt"
	"slices"

	"example.com/agentworld/batch"
	"example.com/agentworld/plaintext"
)

// reasons are why a batch did not end well, each with its exit code.
type reasons []*failure

func (r *reasons) add(code int, format string, args ...any) {
	*r = append(*r, &failure{code, fmt.Errorf(format, args...)})
}

// batchCodes are the exit codes of a batch that was played, in the order in which they count.
var batchCodes = []int{exitInterrupted, exitProvider, exitBudget, exitGate, exitUndecided}

// conclude adds what a summary says to the reasons, and makes them one error. Failed cells of a batch that was
// decided early are in the summary and no reason: it needs none of them.
func (r reasons) conclude(s batch.Summary, early bool) error {
	if s.Failed > 0 && !early {
		again := s.Failed
		for _, f := range s.Failures {
			if batch.Final(f.Status) {
				again--
			}
		}
		r.add(exitProvider, "%d of %s failed; the same command tries %d of them again", s.Failed,
			plaintext.Count(s.Cells, "cell"), again)
	}
	return append(r, gateReasons(s.Verdict)...).error()
}

// gateReasons are why gates with a verdict do not hold.
func gateReasons(v batch.Verdict) (r reasons) {
	switch v {
	case batch.GateFailed:
		r.add(exitGate, "a gate does not hold")
	case batch.Undecided:
		r.add(exitUndecided, "a gate is undecided")
	}
	return r
}

// error is the reasons as one error with the exit code that counts most; nil without any.
func (r reasons) error() error {
	slices.SortStableFunc(r, func(a, b *failure) int {
		return slices.Index(batchCodes, a.code) - slices.Index(batchCodes, b.code)
	})
	var all problems
	for _, one := range r {
		all = append(all, one.Error())
	}
	if len(all) == 0 {
		return nil
	}
	return failWith(r[0].code, all)
}
