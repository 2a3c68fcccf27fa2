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
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/term"

	"example.com/agentworld"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
)

// Main is the program with everything it takes from its process, so that a test
// can run it with its own:
//
//	var out, errs bytes.Buffer
//	m := &Main{Args: []string{"scenarios", "list"}, printer: printer{Stdout: &out, Stderr: &errs}, ...}
//	code := m.Run(ctx)
//
// It is made of what commands work with: a printer, files, an environment and interrupts. Commands are
// functions over it. A Main is run once.
type Main struct {
	// Args are the arguments without the program's name.
	Args []string
	// Stdin is the standard input.
	Stdin io.Reader
	printer
	files
	environment
	interrupts
	identity
	metrics ownMetrics
	// engines are the programs that may play cells of a batch in place of this one.
	engines engines

	servers toolServers
	// ending are called when the program ends.
	ending []func()
}

// NewMain returns the program of this process.
func NewMain(args []string) *Main {
	// In a pipe, a log file or a terminal without cursor control progress comes as plain lines,
	// and for those who want plain output.
	manner := os.Getenv("TERM") != "dumb" && os.Getenv("NO_COLOR") == ""
	updates := manner && term.IsTerminal(int(os.Stderr.Fd()))
	return &Main{
		Args: args, Stdin: os.Stdin,
		printer: printer{
			Program: os.Args[0], Stdout: os.Stdout, Stderr: os.Stderr, Terminal: updates,
			Columns:       func() int { return terminal.Columns(os.Stderr) },
			OutputColumns: func() int { return terminal.Columns(os.Stdout) },
			Colours:       manner && term.IsTerminal(int(os.Stdout.Fd())),
		},
		environment: environment{
			LookupEnv: os.LookupEnv, Environ: os.Environ, Getwd: os.Getwd, Now: time.Now, Random: rand.Reader,
		},
	}
}

// called is the name of the program in usage texts and errors.
func (i *identity) called() string { return cmp.Or(i.Name, programName) }

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
	m.notes = m.screen
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
		m.metrics.link(m.Extensions)
		if err := keyArgument(m.Args, m.keysOfEnvironment()); err != nil {
			return err
		}
		root := rootCommand(m)
		// A nil list would make cobra read the arguments of the process.
		root.SetArgs(withReportFile(m.Args))
		root.SetIn(m.Stdin)
		root.SetOut(m.Stdout)
		root.SetErr(m.Stderr)
		return root.ExecuteContext(ctx)
	})
	if failed := out.Failure(); failed != nil && !errors.Is(err, cause(failed)) {
		err = errors.Join(err, fmt.Errorf("print: %w", cause(failed)))
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
	if a, ok := errors.AsType[*advised](err); ok {
		m.printAdvice(m.Stderr, a.next...)
	}
	return exitCode(err)
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

// identity is which program this is: its name and what it has beside this package.
type identity struct {
	// Name is the name of the program in usage texts and errors; empty is that of the main command. Extensions
	// are what is linked beside what is in this package.
	Name       string
	Extensions []agentworld.Extension
	// observed are those who observe the run besides its user.
	observed []agentworld.RunObserver
}

// environment is what the program takes from its process beside streams and files.
type environment struct {
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
	// keys are those that the settings hold, for taking them out of errors.
	keys []openai.Secret
}

// keysOfEnvironment are the keys in the variables that can hold one. An error can come
// before any setting was read, and quote an argument.
func (e *environment) keysOfEnvironment() []openai.Secret {
	var keys []openai.Secret
	for _, s := range settingTable() {
		for _, name := range s.Env {
			if text, _ := e.LookupEnv(name); s.Kind == settings.KindSecret && text != "" {
				keys = append(keys, openai.NewSecret(text))
			}
		}
	}
	return keys
}

// files are the files and directories that a user names, and the runs among them.
type files struct {
	// dir is where relative paths start.
	dir string
	// notes gets what is worth saying about a file.
	notes io.Writer
	// readings are how the runs among the arguments are read, by path.
	readings map[string]*run.Reading
}

// path returns name relative to the program's working directory.
func (fl *files) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(fl.dir, name)
}
