package child

import (
	"os/exec"
	"syscall"
)

func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Ask ends a program that was started: there is no signal that asks. It may have ended by now.
func Ask(c *exec.Cmd) { Kill(c) }

// Kill ends a program that was started. It may have ended by now.
func Kill(c *exec.Cmd) { _ = c.Process.Kill() }
