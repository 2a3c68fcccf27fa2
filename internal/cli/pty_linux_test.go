package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.com/agentworld/internal/terminal"
)

// pty is a program on a pseudo-terminal of its own, as a user has it.
type pty struct {
	*exec.Cmd
	keyboard *os.File
	mu       sync.Mutex
	more     *sync.Cond
	shown    bytes.Buffer
	// closed says that no more will be shown, late that a test waited too long for more.
	closed, late bool
}

// patience is how long a program may take to show something, on any machine.
const patience = 2 * time.Minute

// onTerminal starts the program with a terminal so many columns wide. env is added to a clean
// environment.
func onTerminal(t *testing.T, dir string, columns uint16, env []string, args ...string) *pty {
	t.Helper()
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { _ = controller.Close() })
	fd := int(controller.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	program := programName
	if args[0] == "worker" {
		program = clusterProgram
	}
	p := &pty{Cmd: exec.CommandContext(t.Context(), program, args...), keyboard: controller}
	p.more = sync.NewCond(&p.mu)
	p.resize(t, columns)
	p.Dir, p.Stdin, p.Stdout, p.Stderr = dir, side, side, side
	p.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TERM=xterm", "XDG_STATE_HOME=" + filepath.Join(dir, "state")}, env...)
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	_ = side.Close()
	go func() {
		_, _ = io.Copy(p, controller) // ends with an error when the program has ended
		p.mu.Lock()
		defer p.mu.Unlock()
		p.closed = true
		p.more.Broadcast()
	}()
	return p
}

// Write takes what the program shows.
func (p *pty) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.more.Broadcast()
	return p.shown.Write(b)
}

// waitFor waits until the program has shown what a pattern matches, in which LINE begins an
// updating line, and returns all that it has shown.
func (p *pty) waitFor(t *testing.T, pattern string) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	wanted := regexp.MustCompile(strings.ReplaceAll(pattern, "LINE", regexp.QuoteMeta(terminal.LineStart)))
	given := time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.late = true
		p.more.Broadcast()
	})
	defer given.Stop()
	for !wanted.Match(p.shown.Bytes()) {
		if p.closed || p.late {
			t.Fatalf("the program showed no %q:\n%q", pattern, p.shown.String())
		}
		p.more.Wait()
	}
	return p.shown.String()
}

// press presses a key.
func (p *pty) press(t *testing.T, key byte) {
	t.Helper()
	if _, err := p.keyboard.Write([]byte{key}); err != nil {
		t.Fatal(err)
	}
}

// ctrlC interrupts, as the key does.
const ctrlC = 3

func (p *pty) resize(t *testing.T, columns uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(p.keyboard.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
}

// end waits for the end of the program, and returns its exit code and what it has shown.
func (p *pty) end(t *testing.T) (code int, shown string) {
	t.Helper()
	err := p.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		p.more.Wait()
	}
	return p.ProcessState.ExitCode(), strings.ReplaceAll(p.shown.String(), "\r\n", "\n")
}
