package jetstream

import (
	"context"
	"errors"
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
		if source.Respond(ctx, trace.CallKey{Tick: int64(i + 1), Agent: "a", Step: 1}, llmclient.Request{Model: "m"}); ctx.Err() != nil {
			return batch.Result{Status: trace.RunInterrupted}, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spoilt--; s.spoilt >= 0 {
		return batch.Result{Status: trace.RunProviderFailed, Spoilt: true}, os.MkdirAll(a.Dir, 0o700)
	}
	return batch.Result{Status: trace.RunCompleted, Metrics: map[string]float64{}}, os.MkdirAll(a.Dir, 0o700)
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
	out, err := s.coordinate(t, CoordinatorOptions{Retries: 1}, "one")
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

// coordinate coordinates cells with these names.
func (s *stage) coordinate(t *testing.T, o CoordinatorOptions, cells ...batch.ID) (Outcome, error) {
	t.Helper()
	var planned []batch.Planned
	for _, j := range o.Jobs {
		planned = append(planned, batch.Planned{Cell: j.Cell})
	}
	for _, id := range cells {
		planned = append(planned, batch.Planned{Cell: batch.Cell{ID: id}})
		o.Jobs = append(o.Jobs, Job{Cell: batch.Cell{ID: id}})
	}
	if err := batch.Dir(s.dir).Create("b", planned); err != nil {
		t.Fatal(err)
	}
	o.Dir, o.Notice = s.dir, func(text string) { t.Log("coordinator:", text) }
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return Coordinate(ctx, linkTo(t, s.server), o)
}

// finish puts a result into the directory.
func (s *stage) finish(t *testing.T, id batch.ID) {
	t.Helper()
	if err := batch.Dir(s.dir).Create("b", []batch.Planned{{Cell: batch.Cell{ID: id}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := batch.Dir(s.dir).Finish(batch.Result{Cell: batch.Cell{ID: id}, Status: trace.RunCompleted}); err != nil {
		t.Fatal(err)
	}
}

// set gives a cell a state.
func (s *stage) set(t *testing.T, id batch.ID, state cellState) {
	t.Helper()
	if _, err := s.cells.Put(t.Context(), cellKey("b", id), marshal(state)); err != nil {
		t.Fatal(err)
	}
}

func TestLeasesOfCellsThatAreOverAreSettled(t *testing.T) {
	for name, over := range map[string]func(*testing.T, *stage){
		"done":      func(t *testing.T, s *stage) { s.finish(t, "over") },
		"taken out": func(*testing.T, *stage) {},
		"given up":  func(t *testing.T, s *stage) { s.set(t, "over", cellState{Epoch: 1, Owner: "dead", Deaths: deathsMax}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.asks = 12
			over(t, s)
			// The lost lease is all there is, and its owner may have spent 8.
			if _, err := s.batches.Create(t.Context(), "b", marshal(batchState{Leases: map[string]lease{
				"b.over.1": {Amount: budget.Amount{20}, Largest: budget.Amount{1}, Cell: "b.over", Epoch: 1},
			}})); err != nil {
				t.Fatal(err)
			}
			s.work(t, 1)
			cells := []batch.ID{"over", "open"}
			if name == "taken out" {
				cells = cells[1:]
			}
			out, err := s.coordinate(t, CoordinatorOptions{Limit: budget.Amount{20}}, cells...)
			if err != nil || out.Exhausted || out.Results+len(out.Failed) != len(cells) {
				t.Errorf("Coordinate = %+v, %v", out, err)
			}
		})
	}
}

func TestCellsThatAreNotOfTheBatchAreNotPlayed(t *testing.T) {
	s := newStage(t)
	for _, id := range []batch.ID{"out", "done"} {
		s.set(t, id, cellState{Epoch: 1, Owner: "somebody"})
		j := job{Batch: "b", Job: Job{Cell: batch.Cell{ID: id}}}
		if _, err := s.publish(t.Context(), "b", j.subject(), marshal(j), nil); err != nil {
			t.Fatal(err)
		}
	}
	s.finish(t, "done")
	stream, err := s.js.Stream(t.Context(), jobStream)
	if err != nil {
		t.Fatal(err)
	}
	s.begin = func(batch.Attempt) {
		info, err := stream.Info(t.Context())
		if err != nil || info.State.Msgs != 1 {
			t.Errorf("%d jobs in the queue, %v, want 1", info.State.Msgs, err)
		}
		if err := (&claim{link: s.Link, key: "b.out", cell: cellState{Epoch: 1, Owner: "somebody"}}).check(t.Context()); !errors.Is(err, errFenced) {
			t.Errorf("check of the owner = %v, want errFenced", err)
		}
	}
	ready := make(chan struct{})
	go func() { // jobs of a batch that the server does not know are dropped
		defer close(ready)
		for t.Context().Err() == nil {
			if _, _, err := s.readBatch(t.Context(), "b"); err == nil {
				return
			}
		}
	}()
	go func() { <-ready; s.work(t, 1) }()
	if out, err := s.coordinate(t, CoordinatorOptions{}, "done", "in"); err != nil || out.Results != 2 {
		t.Fatalf("Coordinate = %+v, %v", out, err)
	}
	if !slices.Equal(s.played, []batch.ID{"in"}) {
		t.Errorf("played %v", s.played)
	}
}

func TestWhatLocalRunsSpentCountsHereToo(t *testing.T) {
	s := newStage(t)
	for _, spent := range []int64{0, 90, 90} {
		if _, err := s.coordinate(t, CoordinatorOptions{Limit: budget.Amount{100}, Spent: budget.Amount{spent}}); err != nil {
			t.Fatal(err)
		}
		b, _, err := s.readBatch(t.Context(), "b")
		if err != nil || b.left()[budget.Calls] != 100-spent {
			t.Errorf("left = %v, %v, want %d", b.left(), err, 100-spent)
		}
		// What workers took stands where local runs look, and what local runs took is not among it.
		l, err := batch.OpenLedger(batch.Dir(s.dir), trace.Limit{Calls: 1}, batch.Shard{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Reserve(t.Context(), budget.Amount{1}); err != nil {
			t.Errorf("a local run finds the budget used up: %v", err)
		}
		if err := os.RemoveAll(filepath.Join(s.dir, "budget")); err != nil {
			t.Fatal(err)
		}
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
	enough := CoordinatorOptions{Done: func(batch.Result) bool { return true }}
	if out, err := s.coordinate(t, enough, "slow", "fast"); err != nil || !out.Decided || out.Results != 1 {
		t.Fatalf("Coordinate = %+v, %v", out, err)
	}
	close(decided)
	<-ended
	if asked != 1 {
		t.Errorf("the cell in work asked %d times, want 1", asked)
	}
	if b, _, err := s.readBatch(t.Context(), "b"); err != nil || !b.Done {
		t.Errorf("the batch is done: %v, %v", b.Done, err)
	}
	if out, err := s.coordinate(t, enough, "slow", "fast", "third"); err != nil || !out.Decided {
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
	var got batch.Result
	out, err := s.coordinate(t, CoordinatorOptions{Done: func(r batch.Result) bool { got = r; return false }}, "c")
	if err != nil || out.Results != 1 || got.Attempt != 3 {
		t.Errorf("Coordinate = %+v, %v; attempt %d, want 3", out, err, got.Attempt)
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
	out, err := s.coordinate(t, CoordinatorOptions{Playing: func(cells map[batch.ID]int64) { told = append(told, len(cells)) }}, "0123456789abcdef")
	if err != nil || out.Results != 1 || len(told) == 0 || told[0] != 1 {
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
	if err := batch.Dir(s.dir).Create("b", []batch.Planned{{Cell: batch.Cell{ID: "c"}}}); err != nil {
		t.Fatal(err)
	}
	x := Exchange{Cell: "c", Epoch: 1, Tick: 1, Agent: "a", Step: 1, RequestHash: llmclient.Request{Model: "m"}.Hash(), Answer: recordAnswer(llmclient.Failed(llmclient.ErrServer, "kept"))}
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
	if out, err := s.coordinate(t, CoordinatorOptions{}, "c"); err != nil || out.Results != 1 {
		t.Errorf("Coordinate = %+v, %v", out, err)
	}
}

func TestAResultWithoutItsRunIsPlayedAgain(t *testing.T) {
	for name, store := range map[string]func(*stage) error{
		"gone":    func(*stage) error { return nil },
		"damaged": func(s *stage) error { _, err := s.files.PutString(t.Context(), "run", "nonsense"); return err },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.set(t, "a", cellState{Epoch: 1, Owner: "somebody"})
			e := ended{batch.Result{Cell: batch.Cell{ID: "a"}, Attempt: 1, Status: trace.RunCompleted}, "run"}
			_, err := s.results.Create(t.Context(), "b.a", marshal(e))
			if err := errors.Join(err, store(s)); err != nil {
				t.Fatal(err)
			}
			s.work(t, 1)
			var got batch.Result
			out, err := s.coordinate(t, CoordinatorOptions{Retries: 1, Done: func(r batch.Result) bool {
				if r.ID == "a" {
					got = r
				}
				return false
			}}, "a", "z")
			if err != nil || out.Results != 2 || got.Attempt != 2 {
				t.Errorf("Coordinate = %+v, %v; attempt %d", out, err, got.Attempt)
			}
		})
	}
}

func TestARunThatCannotBeWrittenEndsTheCoordinator(t *testing.T) {
	s := newStage(t)
	s.begin = func(a batch.Attempt) { write(t, filepath.Dir(batch.Dir(s.dir).Run(a.Cell.ID, a.Number)), "in the way") }
	s.work(t, 1)
	out, err := s.coordinate(t, CoordinatorOptions{}, "c")
	if path, ok := errors.AsType[*fs.PathError](err); !ok {
		t.Errorf("Coordinate = %+v, %v (%v)", out, err, path)
	}
}

func TestWhatOthersLeftDoesNotKeepAWorker(t *testing.T) {
	s := newStage(t)
	if _, err := s.batches.Create(t.Context(), "interrupted", marshal(batchState{})); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- errors.Join(Work(ctx, s.Link, WorkerOptions{Play: s.play, Dir: t.TempDir(), UntilDone: true}), ctx.Err())
	}()
	if _, err := s.coordinate(t, CoordinatorOptions{}, "c"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the worker: %v", err)
	}
}

func TestABatchThatIsDoneLeavesNoObjects(t *testing.T) {
	s := newStage(t)
	settings := trace.DefaultSettings()
	settings.ScenarioTOML = strings.Repeat("#", messageBytesMax)
	s.work(t, 1)
	o := CoordinatorOptions{Jobs: []Job{{Cell: batch.Cell{ID: "large"}, Settings: settings}}}
	if out, err := s.coordinate(t, o, "c"); err != nil || out.Results != 2 {
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
	if _, err := s.coordinate(t, CoordinatorOptions{}); err == nil || !strings.Contains(err.Error(), "another process coordinates this batch") {
		t.Errorf("Coordinate = %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.coordinate(t, CoordinatorOptions{}); err != nil {
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
	if testing.Short() {
		t.Skip("a refused job rests for a while")
	}
	s := newStage(t)
	refused := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	var told []string
	once := sync.OnceFunc(func() { close(refused) })
	done.Go(func() {
		_ = Work(ctx, s.Link, WorkerOptions{
			Play: s.play, Jobs: 2, Dir: t.TempDir(), Notice: func(text string) { told = append(told, text) },
			Refuse: func(Job) error { once(); return errors.New("another version") },
		})
	})
	go func() { <-refused; s.work(t, 1) }()
	if out, err := s.coordinate(t, CoordinatorOptions{}, "a", "c"); err != nil || out.Results != 2 {
		t.Errorf("Coordinate = %+v, %v", out, err)
	}
	stop()
	done.Wait()
	if len(told) != 1 || !strings.HasSuffix(told[0], "is left to others: another version") {
		t.Errorf("the refusing worker told %q", told)
	}
}
