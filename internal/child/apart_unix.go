//go:build !windows && !linux

package child

import (
	"os/exec"
	"syscall"
)

func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
