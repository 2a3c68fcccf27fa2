package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"

	"example.com/agentworld"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/session/access"
)

// Main is the program with everything it takes from its process, so that a test
// can run it with its own:
//
//	var out, errs bytes.Buffer
//	m := &Main{Args: []string{"scenarios", "list"}, Stdout: &out, Stderr: &errs, ...}
//	code := m.Run(ctx)
//
// All fields but Name, Extensions, Program, Columns, OutputColumns, Quit and Environ are required. A Main is run once.
type Main struct {
	// Args are the arguments without the program's name.
	Args []string
	// Name is the name of the program in usage texts and errors; empty is that of the main command. Extensions
	// are what is linked beside what is in this package.
	Name       string
	Extensions []agentworld.Extension
	// Program is how the user called it, for commands that messages advise; empty is its name.
	Program string
	// Stdin, Stdout and Stderr are the standard streams. Stdout gets results,
	// Stderr progress and errors. Run puts a screen before the latter two.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal says that Stderr is a terminal: progress is one updating line, of at most as
	// many columns as Columns returns each time, 0 for unknown. Nil is the same.
	Terminal bool
	Columns  func() int
	// OutputColumns is how wide the terminal is that Stdout is, 0 where it is none. Nil is the same.
	OutputColumns func() int
	// Quit, when it ends, breaks off also what the end of Run's context leaves to be finished.
	// Nil never ends.
	Quit context.Context
	// LookupEnv finds an environment variable. Environ lists them as in [os.Environ]; nil lists
	// none.
	LookupEnv func(name string) (string, bool)
	Environ   func() []string
	// Getwd returns the directory that relative paths start from.
	Getwd func() (string, error)
	// Now is the wall clock; it names run directories.
	Now func() time.Time
	// Random is a source of random bytes; it names run directories.
	Random io.Reader

	// screen is Stderr, for progress on a terminal.
	screen *terminal.Screen
	// interrupt is called when the context of Run ends.
	interrupt *interruption
	// dir is what Getwd returned.
	dir string
	// readings are how the runs among the arguments are read, by path.
	readings map[string]*run.Reading
	// ending are called when the program ends.
	ending []func()
	// observed are those who observe the run besides its user.
	observed []agentworld.RunObserver
	// keys are those that the settings hold, for taking them out of errors.
	keys []openai.Secret
}

// NewMain returns the program of this process.
func NewMain(args []string) *Main {
	// In a pipe, a log file or a terminal without cursor control progress comes as plain lines,
	// and for those who want plain output.
	updates := isatty.IsTerminal(os.Stderr.Fd()) && os.Getenv("TERM") != "dumb" && os.Getenv("NO_COLOR") == ""
	return &Main{
		Program: os.Args[0], Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Terminal: updates, Columns: func() int { return terminal.Columns(os.Stderr) },
		OutputColumns: func() int { return terminal.Columns(os.Stdout) },
		LookupEnv:     os.LookupEnv, Environ: os.Environ, Getwd: os.Getwd, Now: time.Now, Random: rand.Reader,
	}
}

// called is the name of the program in usage texts and errors.
func (m *Main) called() string { return cmp.Or(m.Name, programName) }

// nameOfBuild is the name of this program: of its directory, as "go build" takes it, empty where that is unknown.
func nameOfBuild() string {
	build, ok := debug.ReadBuildInfo()
	if !ok || strings.HasSuffix(build.Path, ".test") || !strings.Contains(build.Path, "/") {
		return ""
	}
	return path.Base(build.Path)
}

// Execute is the program of this process, with extensions: it catches its signals, runs with its
// arguments and streams, and exits with the exit code.
func Execute(extensions ...agentworld.Extension) {
	log.SetOutput(io.Discard) // package net/http prints there what a server sends unasked, a repeated key included
	reportFileSize()
	m := NewMain(os.Args[1:])
	m.Name = nameOfBuild()
	m.Extensions = extensions
	m.screen = terminal.NewScreen(os.Stderr, m.called())
	ctx, quit, stop := interruptible(m.screen.Leave)
	m.Quit = quit
	code := m.Run(ctx)
	stop()
	os.Exit(code)
}

// quitTime is how long the program may take to end after a second signal.
const quitTime = 2 * time.Second

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP ends, and one that the
// second ends, but for another SIGHUP, for a user who does not want to wait for what was begun. After that the program
// has quitTime for its records and its report; then, or at a third signal, it exits, after it
// called leave. stop gives the signals back and ends the goroutine that waits for them; it is
// called once.
func interruptible(leave func()) (ctx, quit context.Context, stop func()) {
	quit, cancelQuit := context.WithCancel(context.Background())
	ctx, cancel := context.WithCancel(quit)
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup, or a shell that lets its jobs go on
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		ends := []func(){cancel, cancelQuit}
		for len(ends) > 0 {
			s, ok := <-signals
			if !ok {
				return
			}
			if s == syscall.SIGHUP && len(ends) == 1 {
				continue // a shell passes on the hang-up that its jobs have heard of already
			}
			ends[0]()
			ends = ends[1:]
		}
		if !awaitAnother(signals, quitTime) {
			return
		}
		leave()
		os.Exit(exitInterrupted)
	}()
	return ctx, quit, func() {
		signal.Stop(signals)
		close(signals)
		cancelQuit()
	}
}

// awaitAnother waits for a signal that ends the program, or for the end of the time. It returns
// false once the signals were given back.
func awaitAnother(signals <-chan os.Signal, longest time.Duration) bool {
	end := time.After(longest)
	for {
		select {
		case s, ok := <-signals:
			if !ok || s != syscall.SIGHUP {
				return ok
			}
		case <-end:
			return true
		}
	}
}

// interruption says what happens when the program is interrupted.
type interruption struct {
	ctx context.Context

	mu   sync.Mutex
	say  func()
	said bool
}

// happened says it, once.
func (i *interruption) happened() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.said {
		i.said = true
		i.say()
	}
}

// during replaces what is said, until done is called. What happened before that is said, even
// if what ended by it was faster.
func (i *interruption) during(say func()) (done func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.say
	i.say = say
	return func() {
		if i.ctx.Err() != nil {
			i.happened()
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.say = before
	}
}

// whenInterrupted replaces what an interrupt does, until done is called: drain is called when the
// context of Run ends, breakOff when Quit does.
func (m *Main) whenInterrupted(drain, breakOff func()) (done func()) {
	heard := m.interrupt.during(drain)
	if m.Quit == nil {
		return heard
	}
	broken := make(chan struct{})
	unbegun := context.AfterFunc(m.Quit, func() { defer close(broken); breakOff() })
	return func() {
		if !unbegun() {
			<-broken
		}
		heard()
	}
}

// drained returns a context for runs that are to be drained at the end of ctx: it ends only with
// Quit, which breaks off the calls in flight. note says both; now is what the calls do.
func (m *Main) drained(ctx context.Context, now func() access.Traffic, note func(text string)) (calls context.Context,
	done func()) {
	calls, breakOff := context.WithCancel(context.WithoutCancel(ctx))
	heard := m.whenInterrupted(func() { note(terminal.DrainText(now())) }, func() {
		n := now().Sent
		breakOff()
		note(terminal.BreakOffText(n))
	})
	return calls, func() {
		heard()
		breakOff()
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
	out := terminal.NewScreen(m.Stdout, programName)
	if m.screen == nil {
		m.screen = terminal.NewScreen(m.Stderr, programName)
	}
	m.Stdout, m.Stderr = out, m.screen
	m.interrupt = &interruption{ctx: ctx, said: ctx.Err() != nil, say: func() {
		plaintext.Fprintf(m.screen, "interrupted: finishing what was begun; once more to quit at once\n")
	}}
	defer func() { // a command may end faster than it is said why
		if ctx.Err() != nil {
			m.interrupt.happened()
		}
	}()
	defer context.AfterFunc(ctx, m.interrupt.happened)()
	defer m.screen.Flush()
	defer out.Flush()
	defer func() {
		for _, end := range m.ending {
			end()
		}
	}()
	err = m.shielded(func() error {
		if err := keyArgument(m.Args, m.keysOfEnvironment()); err != nil {
			return err
		}
		root := m.rootCommand()
		// A nil list would make cobra read the arguments of the process.
		root.SetArgs(withReportFile(m.Args))
		root.SetIn(m.Stdin)
		root.SetOut(m.Stdout)
		root.SetErr(m.Stderr)
		return root.ExecuteContext(ctx)
	})
	if failed := out.Failure(); err == nil && failed != nil {
		err = fmt.Errorf("print: %w", cause(failed)) // of a text whose writer cannot report it, as help
	}
	return m.fail(err)
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
	lines := []string{errorText(err)}
	if all, several := errors.AsType[problems](err); several {
		lines = all
	}
	for _, text := range lines {
		if text != "" {
			plaintext.Fprintf(m.Stderr, "%s: %s\n", m.called(),
				openai.Masked(text, append(m.keysOfEnvironment(), m.keys...)...))
		}
	}
	m.printAdvice(m.Stderr, adviceOf(err)...)
	return exitCode(err)
}

// keysOfEnvironment are the keys in the variables that can hold one. An error can come
// before any setting was read, and quote an argument.
func (m *Main) keysOfEnvironment() []openai.Secret {
	var keys []openai.Secret
	for _, s := range settingTable() {
		for _, name := range s.Env {
			if text, _ := m.LookupEnv(name); s.Kind == settings.KindSecret && text != "" {
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

// cause strips the path from a file error, and the address from one of the network, so that a
// message can show them as the user wrote them.
func cause(err error) error {
	if errors.Is(err, run.ErrIrregular) { // below a directory that the user named
		return err
	}
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New(d.Err)
	}
	if a, ok := errors.AsType[*net.AddrError](err); ok {
		return errors.New(a.Err)
	}
	if o, ok := errors.AsType[*net.OpError](err); ok {
		return o.Err
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
