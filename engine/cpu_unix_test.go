//go:build unix

package engine_test

import (
	"syscall"
	"time"
)

func init() {
	processCPU = func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			panic(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
}
