package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
)

// Main is the program with everything it takes from its process, so that a test
// can run it with its own:
//
//	var out, errs bytes.Buffer
//	m := &Main{Args: []string{"scenarios", "list"}, Stdout: &out, Stderr: &errs, ...}
//	code := m.Run(ctx)
//
// All fields are required. A Main is run once.
type Main struct {
	// Args are the arguments without the program's name.
	Args []string
	// Stdin, Stdout and Stderr are the standard streams. Stdout gets results,
	// Stderr progress and errors. Run puts a screen before the latter two.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal says that Stderr is a terminal: progress is one updating line.
	Terminal bool
	// LookupEnv finds an environment variable.
	LookupEnv func(name string) (string, bool)
	// Getwd returns the directory that relative paths start from.
	Getwd func() (string, error)
	// Now is the wall clock; it names run directories.
	Now func() time.Time
	// Random is a source of random bytes; it names run directories.
	Random io.Reader

	// screen is Stderr, for progress on a terminal.
	screen *screen
	// dir is what Getwd returned.
	dir string
	// ending are called when the program ends.
	ending []func()
	// keys are those that the settings hold, for taking them out of errors.
	keys []openai.Secret
}

// NewMain returns the program of this process.
func NewMain(args []string) *Main {
	// In a pipe, a log file or a terminal without cursor control progress comes as plain lines.
	terminal := isatty.IsTerminal(os.Stderr.Fd()) && os.Getenv("TERM") != "dumb"
	return &Main{
		Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Terminal: terminal,
		LookupEnv: os.LookupEnv, Getwd: os.Getwd, Now: time.Now, Random: rand.Reader,
	}
}

// Execute is the program of this process: it catches its signals, runs with its
// arguments and streams, and exits with the exit code.
func Execute() {
	log.SetOutput(io.Discard) // package net/http prints there what a server sends unasked, a repeated key included
	ctx, stop := interruptible(os.Stderr)
	code := NewMain(os.Args[1:]).Run(ctx)
	stop()
	os.Exit(code)
}

// interruptible returns a context that the first SIGINT or SIGTERM ends. A second
// signal ends the process at once, for a user who does not want to wait for
// records to be finished. notice gets a line at the first one. stop gives the
// signals back and ends the goroutine that waits for them; it is called once.
func interruptible(notice io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-signals; !ok {
			return
		}
		plaintext.Fprintf(notice, "interrupted: finishing what was begun; once more to quit at once\n")
		cancel()
		if _, ok := <-signals; ok {
			os.Exit(exitInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

// Run runs the program and returns its exit code. Errors have been printed, each
// on one line. Ending ctx interrupts: what was begun is finished in good order.
func (m *Main) Run(ctx context.Context) int {
	dir, err := m.Getwd()
	if err != nil {
		return m.fail(fmt.Errorf("find the working directory: %w", err))
	}
	m.dir = dir
	out := &screen{w: m.Stdout}
	m.screen = &screen{w: m.Stderr}
	m.Stdout, m.Stderr = out, m.screen
	defer m.screen.flush()
	defer out.flush()
	defer func() {
		for _, end := range m.ending {
			end()
		}
	}()
	return m.fail(m.shielded(func() error {
		if err := keyArgument(m.Args, m.keysOfEnvironment()); err != nil {
			return err
		}
		root := m.rootCommand()
		// A nil list would make cobra read the arguments of the process.
		root.SetArgs(append([]string{}, m.Args...))
		root.SetIn(m.Stdin)
		root.SetOut(m.Stdout)
		root.SetErr(m.Stderr)
		return root.ExecuteContext(ctx)
	}))
}

// shielded calls f and turns a panic, which is a bug of this program, into an
// internal error. Without it the process would end with code 2, which means bad
// input, and a run would end without its report.
func (m *Main) shielded(f func() error) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			plaintext.Fprintf(m.Stderr, "%s", plaintext.Block(debug.Stack()))
			err = failWith(exitInternal, fmt.Errorf("internal error, please report it: %v", bug))
		}
	}()
	return f()
}

// fail prints an error and returns its exit code. An error without a message has
// been explained already.
func (m *Main) fail(err error) int {
	if err == nil {
		return exitCompleted
	}
	if text := errorText(err); text != "" {
		plaintext.Fprintf(m.Stderr, "%s: %s\n", programName, openai.Masked(text, append(m.keysOfEnvironment(), m.keys...)...))
	}
	return exitCode(err)
}

// keysOfEnvironment are the keys in the variables that can hold one. An error can come
// before any setting was read, and quote an argument.
func (m *Main) keysOfEnvironment() []openai.Secret {
	var keys []openai.Secret
	for _, s := range settingTable() {
		for _, name := range s.env {
			if text, _ := m.LookupEnv(name); s.kind == kindSecret && text != "" {
				keys = append(keys, openai.NewSecret(text))
			}
		}
	}
	return keys
}

// path returns name relative to the program's working directory.
func (m *Main) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(m.dir, name)
}

// cause strips the path from a file error, so that a message can show the path
// as the user wrote it.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
