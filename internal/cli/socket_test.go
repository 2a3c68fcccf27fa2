//go:build linux && (amd64 || arm64)

package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func init() { programs["socketless"] = socketless }

// unbanned is the exit code of socketless where the system lets no program ban
// calls.
const unbanned = 98

// socketless executes a program whose process the system ends, by SIGSYS, when it
// opens a socket: socketless PROGRAM ARGUMENT... The ban is a filter of system
// calls, which outlives the change of the program.
func socketless() {
	const (
		setNoNewPrivileges = 38
		secure, filtered   = 22, 2
		allow, kill        = 0x7fff0000, 0x80000000
	)
	filter := []syscall.SockFilter{
		{Code: syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS}, // the call's number
		{Code: syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, Jf: 1, K: syscall.SYS_SOCKET},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: kill},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: allow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// The ban holds for this thread, and the program continues on it.
	runtime.LockOSThread()
	_, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0, 0, 0, 0)
	if err == 0 {
		_, _, err = syscall.RawSyscall6(syscall.SYS_PRCTL, secure, filtered, uintptr(unsafe.Pointer(&program)), 0, 0, 0)
	}
	if err != 0 {
		fmt.Fprintln(os.Stderr, "ban sockets:", err)
		os.Exit(unbanned)
	}
	binary, failed := exec.LookPath(os.Args[1])
	if failed == nil {
		failed = syscall.Exec(binary, os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, failed)
	os.Exit(1)
}

// TestReplayOpensNoSocket runs the real program where no socket can be opened: a
// replay and a run on recorded answers alone end as they should. A run that asks a
// model shows that the ban holds.
func TestReplayOpensNoSocket(t *testing.T) {
	p := newProcess(t, nil, "llm_bootstrap", "--ticks", "6", "--run-dir", "run", "--quiet")
	if code := p.run(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, p.output())
	}
	if e := newProcess(t, nil, "answers", "export", filepath.Join(p.dir, "run"), filepath.Join(p.dir, "answers.zst")); e.run(t) != 0 {
		t.Fatal(e.output())
	}
	const killed = -1
	for _, c := range []struct {
		args string
		code int
	}{
		{"replay run", 0},
		{"llm_bootstrap --ticks 6 --run-dir one --quiet --replay-from run", 0},
		{"llm_bootstrap --ticks 6 --run-dir two --quiet --replay-from answers.zst", 0},
		{"llm_bootstrap --ticks 6 --run-dir three --quiet --replay-from run --prompt-profile rich", 5},
		{"llm_bootstrap --ticks 6 --run-dir four --quiet", killed},
		{"llm_bootstrap --ticks 7 --run-dir five --quiet --replay-from run --replay-miss ask", killed},
	} {
		command := exec.Command("socketless", append([]string{programName}, strings.Fields(c.args)...)...)
		command.Dir = p.dir
		// A model set on this machine must not decide the test.
		command.Env = []string{"OPENAI_API_KEY=sk-not-used", "PATH=" + os.Getenv("PATH")}
		out, err := command.CombinedOutput()
		code := 0
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			code = failed.ExitCode()
			if status := failed.Sys().(syscall.WaitStatus); status.Signaled() && status.Signal() != syscall.SIGSYS {
				t.Errorf("%s: ended by %v\n%s", c.args, status.Signal(), out)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if code == unbanned {
			t.Skipf("%s", out)
		}
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s", c.args, code, c.code, out)
		}
	}
}
