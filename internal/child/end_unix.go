//go:build !windows

package child

import (
	"os/exec"
	"syscall"
)

// Ask asks a program that was started to end in good order. It may have ended by now.
func Ask(c *exec.Cmd) { _ = c.Process.Signal(syscall.SIGTERM) }

// Kill ends a program that was started, and all that it has started. They may have ended by now.
func Kill(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
