package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/agentworld"
	"example.com/agentworld/extension/jetstream"
	"example.com/agentworld/extension/otel"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/run"
	"example.com/agentworld/trace/tracetest"
)

// update rewrites the golden files.
var update = flag.Bool("update", false, "rewrite golden files")

// programs are what this test's binary runs as, by the name it is called by.
var programs = map[string]func(){programName: func() { Execute() }, clusterProgram: cluster, "stubborn": stubborn}

// linked are the extensions of the cluster's program.
var linked = []agentworld.Extension{jetstream.Extension(), otel.Extension()}

// cluster is the program with extensions.
func cluster() { Execute(linked...) }

// TestMain collects garbage less often: a run frees much memory at once, and the tests have
// enough of it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	testscript.Main(m, programs)
}

// stubborn is a program that does not end when it is interrupted once.
func stubborn() {
	ctx, _, _ := interruptible(func() { fmt.Println("left") })
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("finishing")
	select {}
}

// slow marks a test that plays many ticks. It runs beside others, and -short leaves it
// out.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	t.Parallel()
}

// scripts is where the scripts are.
const scripts = "testdata/script"

// callInScript is a line of a script that runs the program in the foreground.
var callInScript = regexp.MustCompile(`(?m)^((?:\[[^\]]*\] )*(?:! )?)exec (` + programName + `|` + clusterProgram + `)((?: [^&\n]*)?)$`)

// ownProcesses are the scripts that need a process for each command, with the reason.
var ownProcesses = map[string]string{
	"old_names.txtar": "the variables of the environment are listed",
	"telemetry.txtar": "OpenTelemetry reads the environment itself",
}

// shortScripts are those that -short leaves.
var shortScripts = []string{"bad_input.txtar", "print_config.txtar", "run_scripted.txtar", "names.txtar", "replay_from.txtar"}

// inProcessScripts writes the scripts for one process: a process of its own for each of many
// hundred commands takes most of its time to start. Those in the background, and those that a
// shell calls, are processes, and those of all scripts with -update, which rewrites the originals.
func inProcessScripts(t *testing.T) string {
	t.Helper()
	if *update {
		return scripts
	}
	dir := t.TempDir()
	names, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range names {
		if testing.Short() && !slices.Contains(shortScripts, filepath.Base(name)) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if ownProcesses[filepath.Base(name)] == "" {
			text = callInScript.ReplaceAll(text, []byte("${1}call ${2}${3}"))
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runHere runs a program in this process, as a script would in its own, and returns its exit code.
func runHere(ts *testscript.TestScript, name string, args []string) int {
	dir := ts.MkAbs(".")
	lookup := func(name string) (string, bool) {
		value := ts.Getenv(name)
		return value, value != ""
	}
	m := &Main{
		Args: args, Stdin: strings.NewReader(""), printer: printer{Stdout: ts.Stdout(), Stderr: ts.Stderr()},
		environment: environment{
			LookupEnv: lookup, Getwd: func() (string, error) { return dir, nil }, Now: time.Now, Random: rand.Reader,
		},
		identity: identity{Name: name},
	}
	if name == clusterProgram {
		m.Extensions = linked
	}
	return m.Run(context.Background())
}

// call runs the program and demands that it ends well, or with "!" that it does not: call PROGRAM ARGUMENT...
func call(ts *testscript.TestScript, neg bool, args []string) {
	if code := runHere(ts, args[0], args[1:]); (code != exitCompleted) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// chainSteps is the variable of a setting that most tests have at 0: they need a question in every tick.
const chainSteps = "AGENT_WORLD_LLM_CHAIN_STEPS"

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 inProcessScripts(t),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// The developer's own settings must not decide a test.
			for _, s := range settingTable() {
				for _, name := range s.Env {
					env.Setenv(name, "")
				}
			}
			env.Setenv(chainSteps, "0")
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"waitfor": waitFor, "fetch": fetch, "occupied": occupied, "exits": exits, "refuse-key": refuseKey, "forge": forgeFile, "next": runAdvice, "call": call,
		},
	})
}

// exits runs a program and demands its exit code, where "! exec" would take any
// failure: exits CODE PROGRAM ARGUMENT...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program argument...")
	}
	code := 0
	if args[1] == programName || args[1] == clusterProgram {
		code = runHere(ts, args[1], args[2:])
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		code = failed.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// runAdvice runs the command that the last program advised, as a shell takes it, and demands its
// exit code: next CODE WHAT-IT-DOES [FLAG...]. A flag with a value replaces the advised one.
func runAdvice(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: next code what-it-does flag...")
	}
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		command, does, found := strings.Cut(strings.TrimPrefix(line, terminal.AdvicePrefix), "   # ")
		if found && strings.HasPrefix(line, terminal.AdvicePrefix) && strings.TrimSpace(does) == args[1] {
			for name := range strings.FieldsSeq(strings.Join(args[2:], " ")) {
				if strings.HasPrefix(name, "--") {
					command = regexp.MustCompile(" "+name+" [^ ]+").ReplaceAllString(command, "")
				}
			}
			exits(ts, false, []string{args[0], "sh", "-c", strings.Join(append([]string{command}, args[2:]...), " ")})
			return
		}
	}
	ts.Fatalf("nothing was advised that %s", args[1])
}

// forgeFile chains the trace of a run again after a script changed it: forge FILE.
func forgeFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: forge file")
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(path, tracetest.Sealed([]byte(ts.ReadFile(args[0]))), 0o600))
	ts.Check(os.RemoveAll(filepath.Join(filepath.Dir(path), run.ReportFile)))
}

// waitFor waits until a file that a background command writes holds a text:
// waitfor FILE TEXT. The test's own deadline ends it.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitfor file text")
	}
	for {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(data), args[1]) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// fetch gets a path from the server whose URL is in a file and prints the status:
// fetch FILE PATH.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fetch file path")
	}
	response, err := http.Get(strings.TrimSpace(ts.ReadFile(args[0])) + args[1])
	ts.Check(err)
	ts.Check(response.Body.Close())
	_, err = fmt.Fprintln(ts.Stdout(), response.StatusCode)
	ts.Check(err)
}

// occupied sets a variable to the address of a server: occupied FILE NAME.
func occupied(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: occupied file name")
	}
	u, err := url.Parse(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Setenv(args[1], u.Host)
}

// refuseKey starts a provider that refuses every key, quoting it as some do, and
// sets a variable to its URL: refuse-key NAME.
func refuseKey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: refuse-key name")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`,
			strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// inProcess is a program under test with its own directory and environment.
type inProcess struct {
	*Main
	stdout, stderr bytes.Buffer
}

// newProcess returns a program that sees only env and an empty directory.
func newProcess(t *testing.T, env map[string]string, args ...string) *inProcess {
	t.Helper()
	p := &inProcess{}
	dir := t.TempDir()
	p.Main = &Main{
		Args: args, Stdin: strings.NewReader(""), printer: printer{Stdout: &p.stdout, Stderr: &p.stderr},
		files: files{dir: dir, notes: &p.stderr},
		environment: environment{
			LookupEnv: func(name string) (string, bool) {
				v, ok := env[name]
				if !ok && name == chainSteps {
					return "0", true
				}
				return v, ok
			},
			Getwd:  func() (string, error) { return dir, nil },
			Now:    func() time.Time { return time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC) },
			Random: bytes.NewReader([]byte{0xab, 0xcd, 0xef}),
		},
		identity: identity{Extensions: linked},
	}
	return p
}

// run runs the program to its end.
func (p *inProcess) run(t *testing.T) int { return p.Run(t.Context()) }

// output is everything the program printed.
func (p *inProcess) output() string { return p.stdout.String() + p.stderr.String() }
