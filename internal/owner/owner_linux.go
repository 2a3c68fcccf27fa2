package owner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

func machine() string {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if text, err := os.ReadFile(path); err == nil {
			return digest(string(text))
		}
	}
	return ""
}

func boot() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// namespace is the number of the namespace of process ids: containers have their own.
func namespace() string {
	info, err := os.Stat("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(s.Ino, 10)
}

// started returns when a process started, in clock ticks since the boot, and whether it runs.
func started(pid int) (start string, state State) {
	err := syscall.Kill(pid, 0)
	if errors.Is(err, syscall.ESRCH) {
		return "", Ended
	}
	if own, err := os.Readlink("/proc/self"); err == nil && own != strconv.Itoa(os.Getpid()) {
		return "", Alive // this /proc is of another namespace, where the id is another process's
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) && pid != os.Getpid() {
		// It ended just now, or /proc hides the processes of others.
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return "", Ended
		}
		return "", Alive
	}
	// The name, in parentheses, may hold anything.
	name := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[name+1:]))
	const stateField, startField = 0, 19 // of those after the name
	if err != nil || name < 0 || len(fields) <= startField {
		return "", Alive
	}
	if fields[stateField] == "Z" || fields[stateField] == "X" {
		return fields[startField], Ended // nobody has waited for it yet
	}
	return fields[startField], Alive
}
