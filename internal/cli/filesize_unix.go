//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// reportFileSize makes a file that would grow beyond the limit of this process fail like a full
// disk. Else a signal would end the program in the middle of a record, without a message.
func reportFileSize() { signal.Ignore(syscall.SIGXFSZ) }
