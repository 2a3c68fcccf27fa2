package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// planned makes a batch of cells with these seeds.
func planned(seeds ...uint64) (list []Cell) {
	for _, seed := range seeds {
		s := trace.DefaultSettings()
		s.Seed = seed
		list = append(list, Cell{ID: IDOf(s, Versions{}, 1), Scenario: "s", Seed: seed, Repeat: 1})
	}
	return list
}

// unset are settings of cells that no test looks at.
func unset(Cell) (trace.Settings, error) { return trace.Settings{}, nil }

// created is a new batch directory with cells.
func created(t *testing.T, cells []Cell) Dir {
	t.Helper()
	d := Dir(t.TempDir())
	if err := errors.Join(d.Create("b", cells), d.KeepFile([]byte("name = \"b\"\nscenarios = [\"s\"]\n"))); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestADamagedCellIsOneCell: a result that is cut off or empty, and a file in the place of a cell, are
// listed as failures of that cell, and put aside when the batch is played on.
func TestADamagedCellIsOneCell(t *testing.T) {
	cells := planned(1, 2, 3, 4)
	d := created(t, cells)
	for _, c := range cells {
		if _, err := d.Finish(Result{Cell: c, Attempt: 1, Status: trace.RunCompleted}); err != nil {
			t.Fatal(err)
		}
	}
	file := d.cell(cells[3].ID)
	err := errors.Join(
		os.Truncate(d.cell(cells[0].ID, ResultFile), 30), os.Truncate(d.cell(cells[1].ID, ResultFile), 0),
		os.RemoveAll(file), os.WriteFile(file, nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Status(time.Minute)
	if err != nil || s.Failed != 3 || s.Done != 1 || !strings.Contains(s.Cells[0].Reason, "is damaged") || !strings.Contains(s.Cells[3].Reason, string(cells[3].ID)) {
		t.Errorf("%+v, %v", s, err)
	}
	_, all, _ := d.Cells()
	results, err := d.Results(all)
	if err != nil || len(results) != 4 || results[0].Scored() || !results[2].Scored() {
		t.Errorf("%+v, %v", results, err)
	}
	if results, err = d.Begin(all); err != nil || len(results) != 1 || results[0].ID != cells[2].ID {
		t.Errorf("after a new start: %+v, %v", results, err)
	}
	for _, path := range []string{d.cell(cells[0].ID, ResultFile), d.cell(cells[1].ID, ResultFile), file} {
		if _, err := os.Lstat(path + asideSuffix); err != nil {
			t.Error(err)
		}
	}
}

// TestIDs holds that whatever shapes a run changes its identity, and names do not.
func TestIDs(t *testing.T) {
	s := trace.DefaultSettings()
	id := IDOf(s, Versions{Engine: "1"}, 1)
	for what, other := range map[string]ID{
		"a repeat":     IDOf(s, Versions{Engine: "1"}, 2),
		"an engine":    IDOf(s, Versions{Engine: "2"}, 1),
		"rules":        IDOf(s, Versions{Engine: "1", Rules: "x"}, 1),
		"a prompt":     IDOf(s, Versions{Engine: "1", Prompt: "x"}, 1),
		"a seed":       IDOf(with(s, func(s *trace.Settings) { s.Seed++ }), Versions{Engine: "1"}, 1),
		"ticks":        IDOf(with(s, func(s *trace.Settings) { s.Ticks++ }), Versions{Engine: "1"}, 1),
		"the scenario": IDOf(with(s, func(s *trace.Settings) { s.ScenarioTOML += " " }), Versions{Engine: "1"}, 1),
		"a model":      IDOf(with(s, func(s *trace.Settings) { s.Model += "x" }), Versions{Engine: "1"}, 1),
	} {
		if other == id {
			t.Errorf("%s does not change the identity", what)
		}
	}
	if IDOf(with(s, func(s *trace.Settings) { s.Scenario = "elsewhere/s.toml" }), Versions{Engine: "1"}, 1) != id {
		t.Error("the path of the scenario changes the identity")
	}
}

func with(s trace.Settings, change func(*trace.Settings)) trace.Settings {
	change(&s)
	return s
}

// TestResultsAreWrittenOnce lets many writers finish one cell with different results.
func TestResultsAreWrittenOnce(t *testing.T) {
	cells := planned(1)
	d := created(t, cells)
	var wins atomic.Int64
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			first, err := d.Finish(Result{Cell: cells[0], Attempt: int64(n), Status: trace.RunCompleted})
			if err != nil {
				t.Error(err)
			}
			if first {
				wins.Add(1)
			}
		})
	}
	group.Wait()
	if wins.Load() != 1 {
		t.Errorf("%d writers believe to be the first", wins.Load())
	}
	left, err := filepath.Glob(d.cell(cells[0].ID, ".result*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}

// TestACellIsTakenOver: the run of a silent owner is copied, since it may still be written; that of
// one which has ended is moved. Who had it does not come along.
func TestACellIsTakenOver(t *testing.T) {
	for _, gone := range []bool{false, true} {
		cells := planned(1)
		id := cells[0].ID
		d := created(t, cells)
		first, err := d.claim(id, time.Hour)
		if err != nil || first == nil || first.from != 0 {
			t.Fatalf("%+v, %v", first, err)
		}
		writeRun(t, d.Run(id, 1), trace.DefaultSettings())
		if err := os.WriteFile(filepath.Join(d.Run(id, 1), run.ClaimFile), []byte("somebody's"), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := d.claim(id, time.Hour); c != nil || err != nil {
			t.Errorf("a cell is taken from its owner: %v", err)
		}
		if gone {
			err = first.release()
		} else {
			long := time.Now().Add(-2 * time.Hour)
			err = os.Chtimes(d.attempt(id, 1, ownerFile), long, long)
		}
		if err != nil {
			t.Fatal(err)
		}
		second, err := d.claim(id, time.Hour)
		if err != nil || second == nil {
			t.Fatalf("%+v, %v", second, err)
		}
		if second.number != 2 || second.from != 1 || second.moved != gone {
			t.Fatalf("%+v", second)
		}
		if first.holds() || !second.holds() {
			t.Error("the fence is not where the latest claim is")
		}
		if resume, err := second.adopt(); !resume || err != nil || !d.holdsRun(id, 2) || d.holdsRun(id, 1) == gone {
			t.Errorf("%v, %v", resume, err)
		}
		if _, err := os.Stat(filepath.Join(d.Run(id, 2), run.ClaimFile)); (err == nil) != gone {
			t.Errorf("who had the run, after it was taken from one who is gone, %v: %v", gone, err)
		}
		if err := second.release(); err != nil {
			t.Error(err)
		}
		if !gone {
			err = first.release()
			if s, _, _ := d.look(d.Store(), id, time.Hour); s != waiting || err != nil {
				t.Errorf("%v, %v", s, err)
			}
		}
	}
}

// TestAnOwnerHeardOf: the owner of a cell is heard of four times a lease, by the clock of the file
// system.
func TestAnOwnerHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cells := planned(1)
		id := cells[0].ID
		d := created(t, cells)
		c, err := d.claim(id, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		long := time.Unix(1_000_000, 0)
		path := d.attempt(id, 1, ownerFile)
		before, err := os.ReadFile(path)
		if err := errors.Join(err, os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
		if s, at, err := d.look(d.Store(), id, time.Hour); s != stale || at.Gone || err != nil {
			t.Errorf("a silent owner: %v %+v %v", s, at, err)
		}
		time.Sleep(time.Hour/4 + time.Millisecond)
		synctest.Wait()
		if s, _, err := d.look(d.Store(), id, time.Hour); s != playing || err != nil {
			t.Errorf("one that was heard of: %v %v", s, err)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("the owner was %q, and is %q", before, after)
		}
		if err := c.release(); err != nil {
			t.Error(err)
		}
	})
}

// TestOwnersOfEarlierVersions wrote the name of their host alone: only the lease says that they are
// gone, also on this host.
func TestOwnersOfEarlierVersions(t *testing.T) {
	cells := planned(1)
	id := cells[0].ID
	d := created(t, cells)
	host, _ := os.Hostname()
	path := d.attempt(id, 1, ownerFile)
	if err := errors.Join(os.MkdirAll(d.attempt(id, 1), 0o700), os.WriteFile(path, []byte(host+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if s, at, err := d.look(d.Store(), id, time.Hour); s != playing || at.Host != host || err != nil {
		t.Errorf("%v %+v %v", s, at, err)
	}
	if s, _, err := d.look(d.Store(), id, -time.Hour); s != stale || err != nil {
		t.Errorf("%v %v", s, err)
	}
}

// TestLedgers spends a budget from several ledgers at once, and never more than it.
func TestLedgers(t *testing.T) {
	limit := trace.Limit{Calls: 1000, Tokens: 50_000}
	d := Dir(t.TempDir())
	var calls, tokens atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		l, err := OpenLedger(d.Store(), limit, Shard{}, "")
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			var workers sync.WaitGroup
			for range 3 {
				workers.Go(func() {
					for {
						settle, err := l.Reserve(t.Context(), budget.Amount{1, 100, 0})
						if errors.Is(err, ErrBudget) {
							return
						}
						if err != nil {
							t.Error(err)
							return
						}
						calls.Add(1)
						tokens.Add(60)
						settle(budget.Amount{1, 60, 0})
					}
				})
			}
			workers.Wait()
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if calls.Load() > 1000 || tokens.Load() > 50_000 || tokens.Load() < 45_000 {
		t.Errorf("%d calls and %d tokens of %d and %d", calls.Load(), tokens.Load(), limit.Calls, limit.Tokens)
	}
	// What a killed process had leased counts as spent; a higher budget has room for more.
	l, err := OpenLedger(d.Store(), limit, Shard{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Reserve(t.Context(), budget.Amount{1, 10_000, 0}); !errors.Is(err, ErrBudget) {
		t.Errorf("a used-up budget is spent again: %v", err)
	}
	more, err := OpenLedger(d.Store(), trace.Limit{Calls: 2000, Tokens: 100_000}, Shard{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := more.Reserve(t.Context(), budget.Amount{1, 10_000, 0}); err != nil {
		t.Errorf("a higher budget: %v", err)
	}
}

// TestShardsSplitABudget holds that shards that share no directory spend an equal part each.
func TestShardsSplitABudget(t *testing.T) {
	for _, of := range []int{1, 3} {
		total := 0
		for index := 1; index <= of; index++ {
			l, err := OpenLedger(Dir(t.TempDir()).Store(), trace.Limit{Calls: 100}, Shard{index, of}, "")
			if err != nil {
				t.Fatal(err)
			}
			for {
				settle, err := l.Reserve(t.Context(), budget.Amount{1})
				if err != nil {
					break
				}
				total++
				settle(budget.Amount{1})
			}
		}
		if total != 100 {
			t.Errorf("%d shards make %d calls of 100", of, total)
		}
	}
	if _, err := OpenLedger(Dir(t.TempDir()).Store(), trace.Limit{Calls: 5}, Shard{1, 10}, ""); err == nil || !strings.Contains(err.Error(), "5 calls cannot be divided between 10 shards") {
		t.Errorf("10 shards share 5 calls: %v", err)
	}
}

// TestLedgerLeasesWhatIsShort holds that tokens without a bound, and a unit that suffices, make no
// process lease more than it needs: what it had leased is lost if it is killed.
func TestLedgerLeasesWhatIsShort(t *testing.T) {
	d := Dir(t.TempDir())
	l, err := OpenLedger(d.Store(), trace.Limit{Calls: 6400, Tokens: 6_400_000}, Shard{}, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 150 {
		settle, err := l.Reserve(t.Context(), budget.Amount{1, 10_000, 5})
		if err != nil {
			t.Fatal(err)
		}
		settle(budget.Amount{1, 9000, 5})
	}
	leased, err := d.Leased()
	if err != nil || leased[budget.Calls] != 200 || leased[budget.Tokens] > 1_500_000 {
		t.Errorf("150 calls with 1,350,000 tokens leased %v, %v", leased, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if spent, err := d.Leased(); err != nil || spent != (budget.Amount{150, 1_350_000, 750}) {
		t.Errorf("spent at the end: %v, %v", spent, err)
	}
}

// TestMerge unites copies: equal results are one, different ones are refused.
func TestMerge(t *testing.T) {
	cells := planned(1, 2, 3)
	done := func(d Dir, n int, digest string) {
		t.Helper()
		if _, err := d.Finish(Result{Cell: cells[n], Attempt: 1, Status: trace.RunCompleted, Digest: digest, Metrics: MetricsOf(map[string]float64{"score": 1})}); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(d.Run(cells[n].ID, 1), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.Run(cells[n].ID, 1), "trace.jsonl"), []byte(digest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, b, into := created(t, cells), created(t, cells), Dir(filepath.Join(t.TempDir(), "all"))
	done(a, 0, "x")
	done(b, 0, "x")
	done(b, 1, "y")
	if n, err := into.Merge([]Dir{a, b}); n != 2 || err != nil {
		t.Fatalf("%d %v", n, err)
	}
	if text, err := os.ReadFile(filepath.Join(into.Run(cells[1].ID, 1), "trace.jsonl")); string(text) != "y" || err != nil {
		t.Errorf("the run did not come along: %q %v", text, err)
	}
	// A copy of an attempt that was played meanwhile is replaced by the whole one, and what was
	// leased is taken over once, however often the copies are merged.
	half := into.Run(cells[2].ID, 1)
	if err := errors.Join(os.MkdirAll(half, 0o700), os.WriteFile(filepath.Join(half, "trace.jsonl"), []byte("h"), 0o600)); err != nil {
		t.Fatal(err)
	}
	done(a, 2, "half")
	for _, d := range []Dir{a, b} {
		for shard := range 2 {
			text := fmt.Appendf(nil, `{"leased":{"shard-1-of-2.json":[10,0,0],"shard-2-of-2.json":[%d,0,0]}}`, 11*shard)
			if first, err := d.Store().Put(LeaseKey(int64(shard+1)), text); !first || err != nil {
				t.Fatal(first, err)
			}
		}
	}
	for range 2 {
		if n, err := into.Merge([]Dir{a, b}); n != 3 || err != nil {
			t.Fatalf("%d %v", n, err)
		}
		if leased, err := into.Leased(); leased[budget.Calls] != 21 || err != nil {
			t.Errorf("%v calls were leased, want 21: %v", leased, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(half, "trace.jsonl")); string(text) != "half" || err != nil {
		t.Errorf("the half copy stayed: %q %v", text, err)
	}
	c := created(t, cells)
	done(c, 1, "z")
	_, err := into.Merge([]Dir{c})
	conflict, ok := errors.AsType[*ConflictError](err)
	if !ok || conflict.Cell != cells[1].ID || !strings.Contains(err.Error(), string(c)) {
		t.Errorf("%v", err)
	}
	// Equal ends are not enough: another way there is another run.
	other := created(t, cells)
	if _, err := other.Finish(Result{Cell: cells[0], Attempt: 1, Status: trace.RunCompleted, Digest: "x", Calls: 7, Metrics: MetricsOf(map[string]float64{"score": 1})}); err != nil {
		t.Fatal(err)
	}
	if _, err := into.Merge([]Dir{other}); err == nil || !strings.Contains(err.Error(), "0 calls with 0 tokens, and 7 with 0") {
		t.Errorf("other calls: %v", err)
	}
	if _, err := into.Merge([]Dir{created(t, planned(1, 2))}); err == nil || !strings.Contains(err.Error(), "different cells") {
		t.Errorf("another batch: %v", err)
	}
}

// TestFullDiskLosesNothing holds that a run which failed over the machine is continued by the next
// attempt, and one that cannot be continued is started over.
func TestFullDiskLosesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		resumes string
	}{
		"full disk": {&fs.PathError{Op: "write", Path: "trace.jsonl", Err: syscall.ENOSPC}, "[false true true]"},
		"damaged":   {&run.DamageError{File: "trace.jsonl", Err: errors.New("not gzip")}, "[false true false]"},
		"another":   {errors.New("other settings"), "[false true false]"},
	} {
		cells := planned(1)
		d := created(t, cells)
		var resumes []bool
		play := func(_ context.Context, a Attempt) (Result, error) {
			resumes = append(resumes, a.Resume)
			if !a.Resume {
				writeRun(t, a.Dir, a.Settings)
			}
			if len(resumes) < 3 {
				return Result{}, c.err
			}
			return Result{Cell: a.Cell, Status: trace.RunCompleted}, nil
		}
		if ending, err := Play(t.Context(), Options{Dir: d, Cells: cells, Settings: unset, Retries: 2, Play: play}); ending != Complete || err != nil {
			t.Fatal(ending, err)
		}
		if fmt.Sprint(resumes) != c.resumes {
			t.Errorf("%s: attempts that resume: %v, want %s", name, resumes, c.resumes)
		}
	}
}

// writeRun makes a run directory with a header.
func writeRun(t *testing.T, dir string, s trace.Settings) {
	t.Helper()
	if err := run.Dir(dir).Create(); err != nil {
		t.Fatal(err)
	}
	log, err := run.Dir(dir).CreateLog()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Write(trace.Header{Format: trace.FormatVersion, Settings: s}), log.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestPlayRetriesAndLists plays cells of which one fails always and one fails once.
func TestPlayRetriesAndLists(t *testing.T) {
	cells := planned(1, 2, 3)
	d := created(t, cells)
	var mu sync.Mutex
	tries := map[uint64]int{}
	play := func(_ context.Context, a Attempt) (Result, error) {
		mu.Lock()
		defer mu.Unlock()
		tries[a.Cell.Seed]++
		switch {
		case a.Cell.Seed == 2:
			return Result{}, errors.New("no space left on device")
		case a.Cell.Seed == 3 && tries[3] == 1:
			return Result{Cell: a.Cell, Status: trace.RunProviderFailed, Reason: "503"}, nil
		}
		return Result{Cell: a.Cell, Status: trace.RunCompleted}, nil
	}
	ending, err := Play(t.Context(), Options{Dir: d, Cells: cells, Settings: unset, Jobs: 2, Retries: 1, Play: play})
	if ending != Complete || err != nil {
		t.Fatal(ending, err)
	}
	if fmt.Sprint(tries) != "map[1:1 2:2 3:2]" {
		t.Errorf("attempts by seed: %v", tries)
	}
	s, err := d.Status(time.Minute)
	if err != nil || s.Done != 2 || s.Failed != 1 || !strings.Contains(s.Cells[1].Reason, "no space left") {
		t.Errorf("%+v %v", s, err)
	}
	// The same call tries what failed again, and nothing else.
	clear(tries)
	if _, err := Play(t.Context(), Options{Dir: d, Cells: cells, Settings: unset, Jobs: 2, Play: play}); err != nil || fmt.Sprint(tries) != "map[2:1]" {
		t.Errorf("%v %v", tries, err)
	}
}

// TestBatchDirectoriesOfNoSystem: a name that Windows keeps for itself is refused before anything is made.
func TestBatchDirectoriesOfNoSystem(t *testing.T) {
	for _, name := range []string{"NUL", "con.d", "batch."} {
		path := filepath.Join(t.TempDir(), name)
		err := Dir(path).Create("b", nil)
		if _, statErr := os.Stat(path); err == nil || !strings.Contains(err.Error(), "Windows") || statErr == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// takenOver is a [Spender] that finds room only after another process has taken the cell over.
type takenOver struct {
	t       *testing.T
	dir     Dir
	id      ID
	settled budget.Amount
}

func (s *takenOver) Reserve(context.Context, budget.Amount) (func(budget.Amount), error) {
	if err := s.dir.folder().MkdirAll(inAttempt(s.id, 2)); err != nil {
		s.t.Error(err)
	}
	return func(billed budget.Amount) { s.settled = billed }, nil
}

// TestWhoLosesTheCellWhileItWaitsForRoomDoesNotAsk: waiting for room may take longer than a lease.
func TestWhoLosesTheCellWhileItWaitsForRoomDoesNotAsk(t *testing.T) {
	cells := planned(1)
	d := created(t, cells)
	spender := &takenOver{t: t, dir: d, id: cells[0].ID, settled: budget.Amount{7}}
	ask := responderFunc(func() llmclient.Answer {
		t.Error("a fenced owner asked the model")
		return llmclient.Failed(llmclient.ErrServer, "refused")
	})
	played := 0
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	play := func(ctx context.Context, a Attempt) (Result, error) {
		played++
		answer := a.Around(engine.Live(ask)).Respond(ctx, trace.CallKey{Tick: 1}, llmclient.Request{})
		if !answer.Failure.Unsent || !errors.Is(context.Cause(ctx), errFenced) {
			t.Errorf("%+v, %v", answer.Failure, context.Cause(ctx))
		}
		stop()
		return Result{Status: trace.RunInterrupted}, nil
	}
	if _, err := Play(ctx, Options{Dir: d, Cells: cells, Settings: unset, Spender: spender, Play: play}); err != nil || played != 1 {
		t.Errorf("%v; played %d times", err, played)
	}
	if spender.settled != (budget.Amount{}) {
		t.Errorf("a call that was not sent counts as %v", spender.settled)
	}
}

// responderFunc is an [engine.Responder].
type responderFunc func() llmclient.Answer

func (r responderFunc) Respond(context.Context, llmclient.Request) llmclient.Answer { return r() }
