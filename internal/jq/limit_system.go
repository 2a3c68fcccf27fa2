//go:build linux || darwin

package jq

import (
	"syscall"
	"time"
)

// spare is what the runtime sets apart beyond what it uses, in bytes: it asks for memory in large pieces.
const spare = 192 << 20

// limitMemory has the system refuse what goes far beyond a bound at once.
func limitMemory(most int64) {
	var l syscall.Rlimit
	if racing || syscall.Getrlimit(syscall.RLIMIT_DATA, &l) != nil {
		return
	}
	l.Cur = min(l.Max, uint64(most+spare))
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &l) // the watch is what counts
}

// processorTime is what this process has taken so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return time.Since(began)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// began is when the process began.
var began = time.Now()
