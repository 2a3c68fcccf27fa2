package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	nats_js "github.com/nats-io/nats.go/jetstream"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// stage is a batch "b" of cells on a server, and a directory that is named after it.
type stage struct {
	*Link
	server *Server
	dir    string
	// asks is how many calls a cell makes, ask answers them. begin and end are told of each attempt.
	asks  int
	ask   func(batch.ID) llmclient.Answer
	begin func(batch.Attempt)
	end   func(batch.ID)
	// spoilt is how many attempts an outage spoils.
	spoilt int
	// settings are those of all cells. enough is how many results decide, 0 for never.
	settings trace.Settings
	enough   int

	mu     sync.Mutex
	played []batch.ID
}

func newStage(t *testing.T) *stage {
	t.Helper()
	t.Parallel()
	server := served(t)
	s := &stage{Link: linkTo(t, server), server: server, dir: t.TempDir(), begin: func(batch.Attempt) {}, end: func(batch.ID) {}}
	s.ask = func(batch.ID) llmclient.Answer { return llmclient.Failed(llmclient.ErrServer, "refused") }
	write(t, filepath.Join(s.dir, idFile), "b")
	return s
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// responder is an [engine.Responder].
type responder func() llmclient.Answer

func (r responder) Respond(context.Context, llmclient.Request) llmclient.Answer { return r() }

// play is a [batch.Player].
func (s *stage) play(ctx context.Context, a batch.Attempt) (batch.Result, error) {
	s.mu.Lock()
	s.played = append(s.played, a.Cell.ID)
	s.mu.Unlock()
	s.begin(a)
	defer s.end(a.Cell.ID)
	source := a.Around(engine.Live(responder(func() llmclient.Answer { return s.ask(a.Cell.ID) })))
	for i := range s.asks {
		answer := source.Respond(ctx, trace.CallKey{Tick: int64(i + 1), Agent: "a", Step: 1}, llmclient.Request{Model: "m"})
		if f := answer.Failure; ctx.Err() != nil || f != nil && f.Unsent {
			return batch.Result{Status: trace.RunInterrupted}, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spoilt--; s.spoilt >= 0 {
		return batch.Result{Status: trace.RunProviderFailed, Spoilt: true}, os.MkdirAll(a.Dir, 0o700)
	}
	return batch.Result{Status: trace.RunCompleted}, os.MkdirAll(a.Dir, 0o700)
}

// TestASpoiltRunIsBegunAnew: the answers of a run that an outage spoilt are not those of the next one.
func TestASpoiltRunIsBegunAnew(t *testing.T) {
	s := newStage(t)
	s.asks, s.spoilt = 3, 1
	var asked atomic.Int64
	s.ask = func(batch.ID) llmclient.Answer {
		asked.Add(1)
		return llmclient.Failed(llmclient.ErrServer, "refused")
	}
	s.begin = func(a batch.Attempt) {
		if a.Resume {
			t.Error("the spoilt run is continued")
		}
	}
	s.work(t, 1)
	out, err := s.coordinate(t, batch.Options{Retries: 1}, trace.Limit{}, "one")
	if err != nil || out.Results != 1 || asked.Load() != 6 {
		t.Errorf("%+v, %v; %d calls, want 3 for each of two attempts", out, err, asked.Load())
	}
	// Without the server's store it would begin there, too.
	if number, base, err := directory(s.dir).last("one"); err != nil || number != 2 || base != -1 {
		t.Errorf("last = %d, %d, %v; want 2, -1", number, base, err)
	}
}

// work plays some cells at a time until the test ends.
func (s *stage) work(t *testing.T, jobs int) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := linkTo(t, s.server)
	var done sync.WaitGroup
	done.Go(func() {
		if err := Work(ctx, l, WorkerOptions{Play: s.play, Jobs: jobs, Dir: t.TempDir(), Notice: func(text string) { t.Log("worker:", text) }}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { stop(); done.Wait() })
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

// coordinate coordinates cells with these names.
func (s *stage) coordinate(t *testing.T, o batch.Options, limit trace.Limit, cells ...batch.ID) (outcome, error) {
	t.Helper()
	for _, id := range cells {
		o.Cells = append(o.Cells, batch.Cell{ID: id})
	}
	o.Settings = func(batch.Cell) (trace.Settings, error) { return s.settings, nil }
	if err := batch.Dir(s.dir).Create("b", o.Cells); err != nil {
		t.Fatal(err)
	}
	o.Dir = batch.Dir(s.dir)
	o.Drain = t.Context()
	ending, err := coordinate(linkTo(t, s.server), o, limit, func(text string) { t.Log("coordinator:", text) },
		func(_ []batch.Cell, results []batch.Result) (bool, error) {
			return s.enough > 0 && len(results) >= s.enough, nil
		})
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(ending, o)
}

// finish puts a result into the directory.
func (s *stage) finish(t *testing.T, id batch.ID) {
	t.Helper()
	if err := batch.Dir(s.dir).Create("b", []batch.Cell{{ID: id}}); err != nil {
		t.Fatal(err)
	}
	if _, err := batch.Dir(s.dir).Finish(batch.Result{Cell: batch.Cell{ID: id}, Status: trace.RunCompleted}); err != nil {
		t.Fatal(err)
	}
}

// store is that of the batch on the server.
func (s *stage) store() *store { return &store{link: s.Link, id: "b", ctx: context.Background()} }

// set gives a cell a state.
func (s *stage) set(t *testing.T, id batch.ID, state cellState) {
	t.Helper()
	if _, err := s.keys.Put(t.Context(), s.store().name(batch.AttemptKey(id)), marshal(state)); err != nil {
		t.Fatal(err)
	}
}

// TestCellsThatAreNotOfTheBatchAreNotPlayed holds that what the server has of other cells is left alone.
func TestCellsThatAreNotOfTheBatchAreNotPlayed(t *testing.T) {
	s := newStage(t)
	for _, id := range []batch.ID{"out", "done"} {
		s.set(t, id, cellState{Epoch: 1})
	}
	s.finish(t, "done")
	s.work(t, 1)
	if out, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "done", "in"); err != nil || out.Results != 2 {
		t.Fatalf("Coordinate = %+v, %v", out, err)
	}
	if !slices.Equal(s.played, []batch.ID{"in"}) {
		t.Errorf("played %v", s.played)
	}
}

// TestOneBudgetForLocalRunsAndWorkers holds that what either leased is missing to the other.
func TestOneBudgetForLocalRunsAndWorkers(t *testing.T) {
	s := newStage(t)
	limit := trace.Limit{Calls: 20}
	spend := func(calls int) (err error) {
		l, err := batch.OpenLedger(batch.Dir(s.dir).Store(), limit, batch.Shard{}, "")
		if err != nil {
			t.Fatal(err)
		}
		for range calls {
			settle, reserveErr := l.Reserve(t.Context(), budget.Amount{1})
			if reserveErr == nil {
				settle(budget.Amount{1})
			}
			err = errors.Join(err, reserveErr)
		}
		return errors.Join(err, l.Close())
	}
	if err := spend(9); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	s.asks = 30
	s.ask = func(batch.ID) llmclient.Answer { asked.Add(1); return llmclient.Failed(llmclient.ErrServer, "refused") }
	s.work(t, 1)
	if out, err := s.coordinate(t, batch.Options{}, limit, "c"); err != nil || !out.Exhausted || asked.Load() != 11 {
		t.Errorf("Coordinate = %+v, %v; %d calls, want 11", out, err, asked.Load())
	}
	if err := spend(1); !errors.Is(err, batch.ErrBudget) {
		t.Errorf("a local run finds room: %v", err)
	}
}

// TestACellThatKillsItsWorkersIsGivenUp holds that a cell over which many died is not tried for ever.
func TestACellThatKillsItsWorkersIsGivenUp(t *testing.T) {
	s := newStage(t)
	s.set(t, "c", cellState{Epoch: 9, Owner: "dead", Deaths: deathsMax})
	s.work(t, 1)
	out, err := s.coordinate(t, batch.Options{Lease: 100 * time.Millisecond}, trace.Limit{}, "c")
	if err != nil || out.Failed["c"] != "6 workers died over it" || len(s.played) > 0 {
		t.Errorf("Coordinate = %+v, %v; played %v", out, err, s.played)
	}
}

func TestADecisionEndsTheCellsInWork(t *testing.T) {
	s := newStage(t)
	s.asks = 2
	begun, decided, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	asked := 0
	s.ask = func(id batch.ID) llmclient.Answer {
		if id == "slow" {
			if asked++; asked == 1 {
				close(begun)
			}
			<-decided
		} else {
			<-begun
		}
		return llmclient.Failed(llmclient.ErrServer, "refused")
	}
	s.end = func(id batch.ID) {
		if id == "slow" {
			close(ended)
		}
	}
	s.work(t, 2)
	s.enough = 1
	if out, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "slow", "fast"); err != nil || !out.Decided || out.Results != 1 {
		t.Fatalf("Coordinate = %+v, %v", out, err)
	}
	close(decided)
	<-ended
	if asked != 1 {
		t.Errorf("the cell in work asked %d times, want 1", asked)
	}
	if o, err := s.offer(t.Context(), "b"); err != nil || !o.Over {
		t.Errorf("the batch is over: %v, %v", o.Over, err)
	}
	if out, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "slow", "fast", "third"); err != nil || !out.Decided {
		t.Errorf("Coordinate again = %+v, %v", out, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.played) != 2 {
		t.Errorf("played %v", s.played)
	}
}

func TestAttemptsOfLocalRunsAreContinued(t *testing.T) {
	s := newStage(t)
	s.set(t, "c", cellState{Epoch: 1})
	_, toml, _ := scenario.Embedded("minimal")
	o := trace.DefaultSettings()
	o.Scenario, o.ScenarioTOML, o.Ticks, o.Model, o.ModelSource = "minimal", string(toml), 1, "scripted", trace.SourceScripted
	dir := batch.Dir(s.dir).Run("c", 2)
	if err := run.Dir(dir).Create(); err != nil {
		t.Fatal(err)
	}
	refusing := engine.Live(responder(func() llmclient.Answer { return s.ask("c") }))
	if _, err := engine.Run(t.Context(), engine.Options{Settings: o, RunDir: dir, Source: refusing}); err != nil {
		t.Fatal(err)
	}
	s.begin = func(a batch.Attempt) {
		if _, err := run.Dir(a.Dir).Header(); err != nil || !a.Resume {
			t.Errorf("resume %v, %v", a.Resume, err)
		}
	}
	s.work(t, 1)
	out, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "c")
	if err != nil || out.Results != 1 || out.list[0].Attempt != 3 {
		t.Errorf("Coordinate = %+v, %v; want attempt 3", out, err)
	}
}

// TestStatusSeesWhatWorkersPlay holds that a cell which a worker plays is shown as played while it is,
// where the batch directory is looked at and to the coordinator's user.
func TestStatusSeesWhatWorkersPlay(t *testing.T) {
	s := newStage(t)
	var told []int
	s.begin = func(batch.Attempt) {
		for until := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			status, err := batch.Dir(s.dir).Status(time.Minute)
			if err != nil {
				t.Error(err)
				return
			}
			if status.Playing == 1 && status.Cells[0].Owner == "a worker" && status.Cells[0].Attempt == 1 {
				return
			}
			if time.Now().After(until) {
				t.Errorf("a cell in work is %+v", status.Cells[0])
				return
			}
		}
	}
	s.work(t, 1)
	out, err := s.coordinate(t, batch.Options{Progress: func(p batch.Progress) { told = append(told, len(p.Playing)) }}, trace.Limit{}, "0123456789abcdef")
	if err != nil || out.Results != 1 || !slices.Contains(told, 1) {
		t.Errorf("Coordinate = %+v, %v; told of %v", out, err, told)
	}
	if status, err := batch.Dir(s.dir).Status(time.Minute); err != nil || status.Playing != 0 || status.Done != 1 {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestALocalRunThatDidNothingCostsNoAnswers: stored answers stay in use if a local run has not come
// as far as they reach.
func TestALocalRunThatDidNothingCostsNoAnswers(t *testing.T) {
	s := newStage(t)
	if err := batch.Dir(s.dir).Create("b", []batch.Cell{{ID: "c"}}); err != nil {
		t.Fatal(err)
	}
	x := Exchange{Cell: "c", Epoch: 1, Tick: 1, Agent: "a", Step: 1, RequestHash: llmclient.Request{Model: "m"}.Hash()}
	x.record(llmclient.Failed(llmclient.ErrServer, "kept"))
	if err := directory(s.dir).appendExchange(x); err != nil {
		t.Fatal(err)
	}
	dir := run.Dir(batch.Dir(s.dir).Run("c", 2))
	if err := dir.Create(); err != nil {
		t.Fatal(err)
	}
	log, err := dir.CreateLog()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Write(trace.Header{Format: trace.FormatVersion}), log.Close()); err != nil {
		t.Fatal(err)
	}
	s.asks, s.ask = 1, func(batch.ID) llmclient.Answer {
		t.Error("a stored answer is asked for again")
		return llmclient.Failed(llmclient.ErrServer, "refused")
	}
	s.work(t, 1)
	if out, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "c"); err != nil || out.Results != 1 {
		t.Errorf("Coordinate = %+v, %v", out, err)
	}
}

func TestAResultWithoutItsRunIsPlayedAgain(t *testing.T) {
	for name, store := range map[string]func(*stage) error{
		"gone": func(*stage) error { return nil },
		"damaged": func(s *stage) error {
			_, err := s.files.PutString(t.Context(), attemptFile("b", "a", 1), "nonsense")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.set(t, "a", cellState{Epoch: 1, Owner: "somebody"})
			_, err := s.store().Put(batch.ResultKey("a"), marshal(batch.Result{Cell: batch.Cell{ID: "a"}, Attempt: 1, Status: trace.RunCompleted}))
			if err := errors.Join(err, store(s)); err != nil {
				t.Fatal(err)
			}
			s.work(t, 1)
			out, err := s.coordinate(t, batch.Options{Retries: 1}, trace.Limit{}, "a", "z")
			if err != nil || out.Results != 2 || out.list[0].Attempt != 2 {
				t.Errorf("Coordinate = %+v, %v; want attempt 2 of the first", out, err)
			}
		})
	}
}

func TestARunThatCannotBeWrittenEndsTheCoordinator(t *testing.T) {
	s := newStage(t)
	s.begin = func(a batch.Attempt) { write(t, filepath.Dir(batch.Dir(s.dir).Run(a.Cell.ID, a.Number)), "in the way") }
	s.work(t, 1)
	out, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "c")
	if path, ok := errors.AsType[*fs.PathError](err); !ok {
		t.Errorf("Coordinate = %+v, %v (%v)", out, err, path)
	}
}

func TestWhatOthersLeftDoesNotKeepAWorker(t *testing.T) {
	s := newStage(t)
	if _, err := s.keys.Create(t.Context(), "interrupted."+offerKey, marshal(offer{})); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- Work(t.Context(), s.Link, WorkerOptions{Play: s.play, Dir: t.TempDir(), UntilDone: true})
	}()
	if _, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "c"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the worker: %v", err)
	}
}

func TestABatchThatIsDoneLeavesNoObjects(t *testing.T) {
	s := newStage(t)
	s.settings = trace.DefaultSettings()
	s.settings.ScenarioTOML = strings.Repeat("#", messageBytesMax)
	s.work(t, 1)
	if out, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "c", "large"); err != nil || out.Results != 2 {
		t.Fatalf("Coordinate = %+v, %v", out, err)
	}
	if left, err := s.files.List(t.Context()); !errors.Is(err, nats_js.ErrNoObjectsFound) {
		t.Errorf("%d objects are left, %v", len(left), err)
	}
}

func TestOneCoordinatorPerDirectory(t *testing.T) {
	s := newStage(t)
	unlock, err := run.Dir(s.dir).Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.coordinate(t, batch.Options{}, trace.Limit{}); err == nil || !strings.Contains(err.Error(), "another process coordinates this batch") {
		t.Errorf("Coordinate = %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.coordinate(t, batch.Options{}, trace.Limit{}); err != nil {
		t.Errorf("Coordinate afterwards = %v", err)
	}
}

func TestOneServerPerStore(t *testing.T) {
	dir := t.TempDir()
	first, err := Serve(t.Context(), ServerOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	second, err := Serve(t.Context(), ServerOptions{Dir: dir})
	if _, held := errors.AsType[*run.LockedError](err); !held {
		t.Errorf("a second server of one store: %v, %v", second, err)
	}
	first.Close(0)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if s, err := Serve(t.Context(), ServerOptions{Dir: dir, Listen: taken.Addr().String()}); !errors.Is(err, ErrListen) {
		t.Errorf("a server at a taken address: %v, %v", s, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if s, err := Serve(ended, ServerOptions{Dir: dir, Listen: "127.0.0.1:0"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a server that is not wanted any more: %v, %v", s, err)
	}
	again, err := Serve(t.Context(), ServerOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	again.Close(0)
}

func TestACellThatIsRefusedIsLeftToOthers(t *testing.T) {
	s := newStage(t)
	refused := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	var told []string
	once := sync.OnceFunc(func() { close(refused) })
	done.Go(func() {
		_ = Work(ctx, s.Link, WorkerOptions{
			Jobs: 2, Dir: t.TempDir(), Notice: func(text string) { told = append(told, text) },
			Play: func(context.Context, batch.Attempt) (batch.Result, error) {
				once()
				return batch.Result{}, fmt.Errorf("%w: another version", batch.ErrNotHere)
			},
		})
	})
	go func() { <-refused; s.work(t, 1) }()
	if out, err := s.coordinate(t, batch.Options{}, trace.Limit{}, "a", "c"); err != nil || out.Results != 2 {
		t.Errorf("Coordinate = %+v, %v", out, err)
	}
	stop()
	done.Wait()
	if len(told) != 1 || !strings.HasSuffix(told[0], "is left to others: another version") {
		t.Errorf("the refusing worker told %q", told)
	}
}
