//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// costVariable names the file that runTimed adds to. Where it is set, this program runs another.
const costVariable = "YARDSTICK_COSTS"

// patience is how long what a test started may outlive it.
const patience = time.Minute

// cost is a line of that file: the CPU time of a package's tests.
type cost struct {
	Folder  string  `json:"folder"`
	Seconds float64 `json:"seconds"`
}

// runTimed runs a command, adds its cost to a file, and returns its exit code. The cost is that
// of all its processes, also of those whose parents ended before them, as a browser's do.
func runTimed(path string, command []string) int {
	adopt()
	if err := os.Unsetenv(costVariable); err != nil {
		log.Fatal(err)
	}
	child, err := os.StartProcess(command[0], command, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		log.Fatal(err)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	go func() {
		for s := range signals {
			_ = child.Signal(s)
		}
	}()
	status := wait(child.Pid)
	folder, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	line, err := json.Marshal(cost{Folder: folder, Seconds: cpu(syscall.RUSAGE_CHILDREN)})
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// wait waits for a child and then for all that it left. The program ends if they do not.
func wait(pid int) (ended syscall.WaitStatus) {
	for {
		var status syscall.WaitStatus
		waited, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ECHILD):
			return ended
		case err != nil:
			log.Fatal(err)
		case waited == pid:
			ended = status
			time.AfterFunc(patience, func() { log.Fatalf("what the tests started still runs %v after them", patience) })
		}
	}
}
