package owner

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

func machine() string {
	id, err := unix.Sysctl("kern.uuid")
	if err != nil {
		return ""
	}
	return digest(id)
}

func boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// namespace is constant: the system has one for all processes.
func namespace() string { return "1" }

// started returns when a process started, in seconds and microseconds, and whether it runs.
func started(pid int) (start string, state State) {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return "", Ended
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", Alive
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec), Alive
}
