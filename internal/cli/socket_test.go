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

func init() {
	programs["socketless"] = func() { execWithout(syscall.SYS_SOCKET, filterKill) }
	programs["lockless"] = func() { execWithout(syscall.SYS_FLOCK, filterFail|uint32(syscall.ENOLCK)) }
}

// What a filter of system calls does about one: it ends the process, or lets the call fail with the
// error that is added.
const (
	filterKill = 0x80000000
	filterFail = 0x00050000
)

// unbanned is the exit code of execWithout where the system lets no program ban
// calls.
const unbanned = 98

// execWithout executes the program of the arguments without a system call: in place of it the system
// does what action says. The ban is a filter of system calls, which outlives the change of the
// program.
func execWithout(call, action uint32) {
	const (
		setNoNewPrivileges = 38
		secure, filtered   = 22, 2
		allow              = 0x7fff0000
	)
	filter := []syscall.SockFilter{
		{Code: syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS}, // the call's number
		{Code: syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, Jf: 1, K: call},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: action},
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
		fmt.Fprintln(os.Stderr, "ban a system call:", err)
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
		command.Env = []string{chainSteps + "=0", "OPENAI_API_KEY=sk-not-used", "PATH=" + os.Getenv("PATH")}
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

// TestNoFlock runs the real program where the file system has no locks: a run says what it needs and
// leaves nothing, and a batch works by leases.
func TestNoFlock(t *testing.T) {
	dir := t.TempDir()
	text := "name = \"b\"\nscenarios = [\"minimal\"]\nseeds = \"1-2\"\n[budget]\ncalls = 1000\n[axes.a.b.llm]\noffline = true\n"
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		said string
	}{
		{"minimal --ticks 1 --offline --run-dir run --quiet", exitBadInput, "is on a file system without locks"},
		{"batch run b.toml --dir d --quiet", exitCompleted, "2 cells"},
	} {
		command := exec.Command("lockless", append([]string{programName}, strings.Fields(c.args)...)...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		code := 0
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			code = failed.ExitCode()
		}
		if code == unbanned {
			t.Skipf("%s", out)
		}
		if code != c.code || !strings.Contains(string(out), c.said) {
			t.Errorf("%s: exit code %d: %s", c.args, code, out)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "run")); len(left) > 0 {
		t.Errorf("the run left %v, %v", left, err)
	}
}
