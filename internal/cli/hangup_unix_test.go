//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestHangUp: a hang-up drains like the first interrupt, however often it comes, and does nothing
// where it was ignored at the start. The signals go to this process, so it runs alone.
func TestHangUp(t *testing.T) {
	kill := func(s syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	// Under nohup the tests themselves start with the hang-up ignored; a listener ends that.
	listener := make(chan os.Signal, 1)
	signal.Notify(listener, syscall.SIGHUP)
	defer signal.Stop(listener)
	tooFar := func() { t.Error("a hang-up counts as a further signal: the program would exit") }
	ctx, quit, stop := interruptible(tooFar)
	kill(syscall.SIGHUP)
	<-ctx.Done()
	kill(syscall.SIGHUP)
	kill(syscall.SIGINT)
	<-quit.Done()
	stop()

	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	ctx, quit, stop = interruptible(tooFar)
	defer stop()
	kill(syscall.SIGHUP)
	kill(syscall.SIGINT)
	<-ctx.Done()
	if quit.Err() != nil {
		t.Error("a hang-up that was ignored at the start counts")
	}
}
