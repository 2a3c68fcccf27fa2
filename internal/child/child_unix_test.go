//go:build !windows

package child

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAProgramIsAskedThenKilled: who is asked may finish, and who is killed takes along what it has started.
func TestAProgramIsAskedThenKilled(t *testing.T) {
	words := &LastWords{}
	c := exec.Command("sh", "-c", `trap 'echo done >&2; exit 7' TERM; echo ready >&2; while :; do sleep 0.02; done`)
	c.Stderr = words
	ended, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	for words.Line() != "ready" {
		time.Sleep(time.Millisecond)
	}
	if group, err := syscall.Getpgid(c.Process.Pid); err != nil || group != c.Process.Pid {
		t.Errorf("it is in the group %d, %v, and not in one of its own", group, err)
	}
	Ask(c)
	if exit, is := errors.AsType[*exec.ExitError](<-ended); !is || exit.ExitCode() != 7 || words.Line() != "done" {
		t.Errorf("it ended with %v and %q", exit, words.Line())
	}

	words = &LastWords{}
	c = exec.Command("sh", "-c", `trap '' TERM; sleep 300 & echo ready >&2; wait; wait`)
	c.Stderr = words
	ended, err = Start(c)
	if err != nil {
		t.Fatal(err)
	}
	for words.Line() == "" {
		time.Sleep(time.Millisecond)
	}
	Ask(c)
	Kill(c)
	// Its standard error is closed once nobody has it any more.
	if err := <-ended; err == nil {
		t.Error("it ended well")
	}
}

func TestStartSaysWhatIsNotThere(t *testing.T) {
	if _, err := Start(exec.Command("/nothing/there")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("the error is %v", err)
	}
}
