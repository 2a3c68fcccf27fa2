package child

import (
	"os/exec"
	"runtime"
)

// Start starts a program in a process group of its own. The error says that there is none. Once it has ended,
// what [exec.Cmd.Wait] returns is in the channel.
func Start(c *exec.Cmd) (ended <-chan error, err error) {
	apart(c)
	started, wait := make(chan error, 1), make(chan error, 1)
	go func() {
		// Linux takes the end of the thread that started the program for that of this process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.Start()
		started <- err
		if err == nil {
			wait <- c.Wait()
		}
	}()
	return wait, <-started
}
