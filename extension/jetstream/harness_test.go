package jetstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/extension/jetstream"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// role names what a process of the test binary is; empty for the tests themselves.
const role = "AGENT_WORLD_JETSTREAM_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		// PutBytes of nats.go starts this goroutine and ends it by setting the field that it has yet to read: on a
		// busy machine it then reads nil and waits for ever. Nothing that is exported could end it.
		goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(
			"github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
	case "worker":
		exit(workerProcess())
	case "coordinator":
		exit(coordinatorProcess())
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// slow marks a test that waits for leases and retries. It runs beside others, and -short leaves it out.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("waits for leases and retries")
	}
	t.Parallel()
}

// modelServer answers like the embedded model and counts.
type modelServer struct {
	*httptest.Server
	requests atomic.Int64
	// delay is how long an answer takes; status, when set, refuses instead.
	delay  time.Duration
	status atomic.Int64
}

func startModel(t *testing.T, delay time.Duration) *modelServer {
	s := &modelServer{delay: delay}
	answer := stub.NewHandler(stub.Options{Seed: 1})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		time.Sleep(s.delay)
		if code := s.status.Load(); code != 0 {
			w.WriteHeader(int(code))
			return
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// jobs are n cells of a small world, which differ in their seeds.
func jobs(t testing.TB, n int, ticks int64, url string) *batch.Planned {
	t.Helper()
	list, err := jobsAt(n, ticks, url)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func jobsAt(n int, ticks int64, url string) (*batch.Planned, error) {
	_, toml, ok := scenario.Embedded("minimal")
	if !ok {
		return nil, errors.New("no such scenario")
	}
	list := &batch.Planned{}
	for i := range n {
		s := trace.DefaultSettings()
		s.Scenario, s.ScenarioTOML, s.Seed, s.Ticks = "minimal", string(toml), uint64(i+1), ticks
		s.AgentsOverride, s.ChainSteps = 2, 0
		s.Model, s.ModelSource, s.BaseURL = "scripted", trace.SourceScripted, url
		c := batch.Cell{Scenario: s.Scenario, Repeat: 1, Labels: []batch.Label{}}
		list.Add(c, batch.TemplateOf(s, trace.Limit{}), batch.SeedsOf(s))
	}
	return list, nil
}

// created makes a batch directory of cells, or brings it up to date.
func created(t *testing.T, dir string, list *batch.Planned) batch.Dir {
	t.Helper()
	if err := batch.Dir(dir).Create("b", list.Cells); err != nil {
		t.Fatal(err)
	}
	return batch.Dir(dir)
}

// outcome is how a batch ended, and what its directory holds then.
type outcome struct {
	Results            int
	Failed             map[batch.ID]string
	Exhausted, Decided bool
	list               []batch.Result
}

// outcomeOf looks at a directory.
func outcomeOf(ending batch.Ending, o batch.Options) (out outcome, err error) {
	out = outcome{Failed: map[batch.ID]string{}, Exhausted: ending == batch.BudgetReached, Decided: ending == batch.DecidedEarly}
	out.list, err = o.Dir.Results(o.Cells)
	for _, r := range out.list {
		if batch.Final(r.Status) {
			out.Results++
		} else {
			out.Failed[r.ID] = r.Reason
		}
	}
	return out, err
}

// coordinate coordinates over a link until the batch or the test ends.
func coordinate(t *testing.T, l *jetstream.Link, o batch.Options, limit trace.Limit) (outcome, error) {
	t.Helper()
	o.Drain = t.Context()
	ending, err := jetstream.Coordinate(l, o, limit, func(text string) { t.Log("coordinator:", text) })
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(ending, o)
}

// play is a player that asks the endpoint in the settings.
func play(ctx context.Context, a batch.Attempt) (batch.Result, error) {
	client, err := openai.New(openai.Config{BaseURL: a.Settings.BaseURL})
	if err != nil {
		return batch.Result{}, err
	}
	defer client.Close()
	var last engine.Progress
	o := engine.Options{
		Settings: a.Settings, RunDir: a.Dir, Source: a.Around(engine.Live(client)), Concurrency: 2, Drain: a.Drain,
		Progress: func(p engine.Progress) {
			last = p
			if a.Progress != nil {
				a.Progress(p)
			}
		},
	}
	var result engine.Result
	if a.Resume {
		r, err := engine.PrepareResume(a.Dir, engine.ResumeOptions{Model: a.Settings.Model, ModelSource: a.Settings.ModelSource, BaseURL: a.Settings.BaseURL})
		if err != nil {
			return batch.Result{}, err
		}
		defer r.Close()
		if result, err = r.Run(ctx, o); err != nil {
			return batch.Result{}, err
		}
	} else {
		if err := run.Dir(a.Dir).Create(); err != nil {
			return batch.Result{}, err
		}
		if result, err = engine.Run(ctx, o); err != nil {
			return batch.Result{}, err
		}
	}
	return batch.Result{
		Cell: a.Cell, Attempt: a.Number, Status: result.Status, Reason: result.Reason, ModelSource: a.Settings.ModelSource,
		Calls: last.ModelCalls, Digest: result.FinalDigest, Head: result.Head,
	}, nil
}

// local plays a cell here and returns its result and canonical trace.
func local(t *testing.T, list *batch.Planned, c batch.Cell) (batch.Result, []byte) {
	t.Helper()
	settings, err := list.Settings(c)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	r, err := play(t.Context(), batch.Attempt{Cell: c, Number: 1, Settings: settings, Dir: dir, Around: func(s engine.Source) engine.Source { return s }})
	if err != nil {
		t.Fatal(err)
	}
	return r, canonical(t, dir)
}

func canonical(t *testing.T, dir string) []byte {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out bytes.Buffer
	if err := trace.Canonical(f, &out); err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return out.Bytes()
}

// collected checks that each cell has one result that is equal to a local run of it, and returns the
// calls that a local run of all makes.
func collected(t *testing.T, dir string, list *batch.Planned, results []batch.Result) (calls int64) {
	t.Helper()
	byCell := map[batch.ID]batch.Result{}
	for _, r := range results {
		if _, twice := byCell[r.ID]; twice {
			t.Errorf("cell %s has two results", r.ID)
		}
		byCell[r.ID] = r
	}
	for _, c := range list.Cells {
		want, records := local(t, list, c)
		got, ok := byCell[c.ID]
		if !ok {
			t.Errorf("cell %s has no result", c.ID)
			continue
		}
		if got.Digest != want.Digest || got.Status != want.Status || got.Calls != want.Calls {
			t.Errorf("cell %s: status %s, digest %s, %d calls; played here: %s, %s, %d", c.ID, got.Status, got.Digest, got.Calls, want.Status, want.Digest, want.Calls)
		}
		at := filepath.Join(dir, "cells", string(c.ID), fmt.Sprint("attempt-", got.Attempt), "run")
		if !bytes.Equal(canonical(t, at), records) {
			t.Errorf("cell %s: the canonical trace of %s is not that of a local run", c.ID, at)
		}
		calls += want.Calls
	}
	return calls
}

// address is one that is free now.
func address(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serve starts an embedded server without a port.
func serve(t *testing.T, dir string) *jetstream.Server {
	t.Helper()
	s, err := jetstream.Serve(t.Context(), jetstream.ServerOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	return s
}

func connect(t *testing.T, o jetstream.ConnectOptions) *jetstream.Link {
	t.Helper()
	l, err := jetstream.Connect(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// work starts a worker and returns how to end it.
func work(t *testing.T, ctx context.Context, l *jetstream.Link, o jetstream.WorkerOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	o.Dir = t.TempDir()
	if o.Play == nil {
		o.Play = play
	}
	o.Notice = func(text string) { t.Log("worker:", text) }
	var done sync.WaitGroup
	done.Go(func() {
		if err := jetstream.Work(ctx, l, o); err != nil {
			t.Error(err)
		}
	})
	return func() { cancel(); done.Wait() }
}

// The environment of the processes.
const (
	envURL, envKey, envDir = "JT_URL", "JT_KEY", "JT_DIR"
	envListen, envModel    = "JT_LISTEN", "JT_MODEL"
	envCells, envTicks     = "JT_CELLS", "JT_TICKS"
	envLimit, envLease     = "JT_LIMIT", "JT_LEASE"
)

func number(name string) int64 {
	n, _ := strconv.ParseInt(os.Getenv(name), 10, 64)
	return n
}

func say(text string) {
	fmt.Fprintln(os.Stderr, time.Now().Format("05.000"), text)
}

func workerProcess() error {
	say("worker begins")
	defer say("worker ends")
	l, err := jetstream.Connect(jetstream.ConnectOptions{URL: os.Getenv(envURL), NkeyFile: os.Getenv(envKey), Leaves: true, Notice: say})
	if err != nil {
		return err
	}
	defer l.Close()
	return jetstream.Work(context.Background(), l, jetstream.WorkerOptions{
		Play: play, Jobs: 2, Dir: os.Getenv(envDir), UntilDone: true, Notice: say,
	})
}

func coordinatorProcess() error {
	say("coordinator begins")
	defer say("coordinator ends")
	var o jetstream.ConnectOptions
	if listen := os.Getenv(envListen); listen != "" {
		s, err := jetstream.Serve(context.Background(), jetstream.ServerOptions{Dir: os.Getenv(envDir), Listen: listen})
		if err != nil {
			return err
		}
		defer s.Close(10 * time.Second)
		o.Server, o.NkeyFile = s, filepath.Join(os.Getenv(envDir), jetstream.KeyFile)
	} else {
		o.URL = os.Getenv(envURL)
	}
	l, err := jetstream.Connect(o)
	if err != nil {
		return err
	}
	defer l.Close()
	list, err := jobsAt(int(number(envCells)), number(envTicks), os.Getenv(envModel))
	if err != nil {
		return err
	}
	if err := batch.Dir(os.Getenv(envDir)).Create("b", list.Cells); err != nil {
		return err
	}
	played := batch.Options{
		Dir: batch.Dir(os.Getenv(envDir)), Cells: list.Cells, Settings: list.Settings, Lease: time.Duration(number(envLease)) * time.Millisecond, Retries: 1,
		Drain: context.Background(),
	}
	ending, err := jetstream.Coordinate(l, played, trace.Limit{Calls: number(envLimit)}, say)
	if err != nil {
		return err
	}
	out, err := outcomeOf(ending, played)
	if err == nil && (out.Results != len(list.Cells) || out.Exhausted) {
		err = fmt.Errorf("ended with %+v", out)
	}
	return err
}

// process starts the test binary in a role.
func process(t *testing.T, as string, env ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), role+"="+as), env...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if said.Len() > 0 {
			t.Logf("%s %d said:\n%s", as, c.Process.Pid, said.String())
		}
	})
	return c
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
