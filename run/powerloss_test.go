package run_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/folder"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

var errPower = errors.New("power is lost")

// mortal is a disk that loses power at a call. What was not synced then is there in part:
// every page of a file, and every name in a directory, may be the old or the new one.
type mortal struct {
	mu  sync.Mutex
	rng *rand.Rand
	// left counts the calls until the loss; dead says that it was.
	left int
	dead bool
	// calls counts all calls.
	calls int
	// synced are the bytes of files that survive, by path. fresh are files whose names do
	// not survive yet. gone are removed files that may reappear.
	synced map[string]int64
	fresh  map[string]bool
	gone   map[string][]byte
}

func newMortal(rng *rand.Rand, left int) *mortal {
	return &mortal{rng: rng, left: left, synced: map[string]int64{}, fresh: map[string]bool{}, gone: map[string][]byte{}}
}

// call counts a call; the one of the loss happens or not.
func (m *mortal) call(do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errPower
	}
	m.calls++
	if m.left--; m.left != 0 {
		return do()
	}
	if m.rng.IntN(2) == 0 {
		_ = do()
	}
	m.dead = true
	return errPower
}

// page is how much of a file reaches a disk at once.
const page = 512

// lose makes the files what a system finds that starts again.
func (m *mortal) lose(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
	for path, synced := range m.synced {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if m.fresh[path] && m.rng.IntN(2) == 0 {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if unsynced := int64(len(text)) - synced; unsynced > 0 {
			text = text[:synced+m.rng.Int64N(unsynced+1)]
			if m.rng.IntN(2) == 0 { // later pages came first
				for from := synced; from < int64(len(text)); {
					to := min(int64(len(text)), (from/page+1)*page)
					if m.rng.IntN(3) == 0 {
						clear(text[from:to])
					}
					from = to
				}
			}
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range m.gone {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && m.rng.IntN(2) == 0 {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (m *mortal) Append(in folder.Dir, name string, flags int) (s run.Storage, err error) {
	path := filepath.Join(string(in), name)
	err = m.call(func() error {
		_, before := os.Stat(path)
		s, err = run.SystemDisk{}.Append(in, name, flags)
		if err != nil {
			return err
		}
		if info, err := s.Stat(); err == nil && m.synced[path] == 0 {
			m.synced[path] = info.Size() // what an earlier process left survives
		}
		m.fresh[path] = m.fresh[path] || errors.Is(before, os.ErrNotExist)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return mortalFile{s, m, path}, nil
}

func (m *mortal) Replace(in folder.Dir, name string, fill func(io.Writer) error) error {
	path := filepath.Join(string(in), name)
	return m.call(func() error {
		err := (run.SystemDisk{}).Replace(in, name, fill)
		if info, failed := os.Stat(path); err == nil && failed == nil {
			m.synced[path], m.fresh[path] = info.Size(), false
		}
		return err
	})
}

func (m *mortal) Remove(in folder.Dir, name string) error {
	path := filepath.Join(string(in), name)
	return m.call(func() error {
		if text, err := os.ReadFile(path); err == nil {
			m.gone[path] = text
		}
		return run.SystemDisk{}.Remove(in, name)
	})
}

func (m *mortal) SyncDir(in folder.Dir) error {
	return m.call(func() error {
		for path := range m.fresh {
			if filepath.Dir(path) == filepath.Clean(string(in)) {
				m.fresh[path] = false
			}
		}
		clear(m.gone)
		return nil
	})
}

type mortalFile struct {
	run.Storage
	m    *mortal
	path string
}

func (f mortalFile) Write(p []byte) (n int, err error) {
	err = f.m.call(func() error {
		n, err = f.Storage.Write(p)
		return err
	})
	return n, err
}

func (f mortalFile) Sync() error {
	return f.m.call(func() error {
		info, err := f.Storage.Stat()
		if err == nil {
			f.m.synced[f.path] = info.Size()
		}
		return err
	})
}

// paid is a live model that counts its requests, and knows which answers were used.
type paid struct {
	t *testing.T
	engine.Source
	mu sync.Mutex
	// asked are the requests of this process, used those whose answers a turn got in it, and
	// known those of all processes before.
	asked, used, known map[string]bool
	// again counts requests that were asked more than once.
	again int
}

func (p *paid) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	p.mu.Lock()
	id := fmt.Sprint(key, r.Hash())
	if p.used[id] {
		p.t.Errorf("%v was asked again, and its answer had been used", key)
	}
	if p.known[id] {
		p.again++
	}
	p.asked[id] = true
	p.mu.Unlock()
	return p.Source.Respond(ctx, key, r)
}

// answered notes what a turn got.
func (p *paid) answered(x engine.Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used[fmt.Sprint(x.Key, x.Request.Hash())] = true
}

// transport answers requests without a network.
type transport struct{ http.Handler }

func (h transport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	defer func() { _ = recover() }() // a connection that is reset on purpose
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// liveOptions are a run of a kind that a live model decides for.
func liveOptions(t *testing.T, kind int) (engine.Options, *paid) {
	t.Helper()
	name := []string{"minimal", "llm_bootstrap"}[kind%2]
	s, toml, ok := scenario.Embedded(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	faults, err := stub.ParseFaults([]string{"", "repairable=20%,http_500=10%,empty_body=5%"}[kind/2%2])
	if err != nil {
		t.Fatal(err)
	}
	handler := stub.NewHandler(stub.Options{Seed: 1, Faults: stub.NewInjector(faults, 3)})
	client, err := openai.New(openai.Config{
		BaseURL: "http://model.test", BackoffBase: time.Microsecond, Steady: true,
		HTTPClient: &http.Client{Transport: transport{handler}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	p := &paid{t: t, Source: engine.Live(client), asked: map[string]bool{}, used: map[string]bool{}, known: map[string]bool{}}
	settings := trace.DefaultSettings()
	settings.Scenario, settings.ScenarioTOML, settings.Seed, settings.Ticks = name, string(toml), s.Seed, 4
	settings.Model, settings.ModelSource, settings.BaseURL, settings.AgentsOverride = "scripted", trace.SourceLive, client.URL(), 3
	o := engine.Options{Settings: settings, Source: p, Concurrency: 3, LLMIO: p.answered}
	if kind/4%2 == 1 {
		o.SegmentBytes = 20 << 10
	}
	return o, p
}

// carryOut begins the run in dir, or resumes what is there.
func carryOut(o engine.Options, dir, parent string) error {
	o.RunDir = dir
	ctx := context.Background()
	_, err := run.Dir(dir).Header()
	if err == nil && parent != "" {
		if s, failed := run.Dir(dir).State(); failed == nil && s.Tick < 2 {
			err = run.ErrNothingRecorded // only its parent can answer there
		}
	}
	if errors.Is(err, run.ErrNothingRecorded) && parent == "" {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		err = run.ErrNoRun
	}
	switch {
	case err == nil:
		s, err := engine.PrepareResume(dir, engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL})
		if err != nil {
			return err
		}
		_, err = s.Run(ctx, o)
		return errors.Join(err, s.Close())
	case parent != "":
		f := engine.ForkOptions{Options: o, Parent: parent, AtTick: 2}
		f.Settings.ShortTermGoal = "two chips"
		if err := engine.CreateForkDir(f); err != nil {
			return err
		}
		_, err = engine.Fork(ctx, f)
		return err
	}
	if err := run.Dir(dir).Create(); err != nil {
		return err
	}
	_, err = engine.Run(ctx, o)
	return err
}

// TestPowerLoss loses power at any call to the disk, again and again, in live runs and in
// forks of them. No answer that a turn used is asked for twice, and other answers at most
// as often as they were in flight. Every run ends like one that was never stopped.
func TestPowerLoss(t *testing.T) {
	seeds := 32
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		seeds = 1000
	} else if testing.Short() {
		seeds = 16
	}
	type reference struct {
		dir, canonical string
		calls          int
	}
	whole := map[[2]int]reference{}
	unbroken := func(kind, forked int, parent string) reference {
		if r, ok := whole[[2]int{kind, forked}]; ok {
			return r
		}
		o, _ := liveOptions(t, kind)
		m := newMortal(rand.New(rand.NewPCG(1, 1)), -1)
		defer run.OnDisk(m)()
		r := reference{dir: filepath.Join(t.TempDir(), fmt.Sprint("run-", kind))}
		if err := carryOut(o, r.dir, parent); err != nil {
			t.Fatalf("kind %d: %v", kind, err)
		}
		r.canonical, r.calls = canonical(t, run.Dir(r.dir)), m.calls
		whole[[2]int{kind, forked}] = r
		return r
	}
	losses, again := 0, 0
	for n := range seeds {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 2))
		kind, parent := n%8, ""
		want := unbroken(kind, 0, "")
		if n%3 == 2 {
			parent = want.dir
			want = unbroken(kind, 1, parent)
		}
		o, model := liveOptions(t, kind)
		dir := filepath.Join(t.TempDir(), "run")
		for try := 0; ; try++ {
			left := -1
			if try < 4 {
				left = 1 + rng.IntN(want.calls)
			}
			m := newMortal(rng, left)
			restore := run.OnDisk(m)
			err := carryOut(o, dir, parent)
			restore()
			if !m.dead {
				if err != nil {
					t.Fatalf("seed=%d: %v", seed, err)
				}
				break
			}
			losses++
			m.lose(t)
			model.mu.Lock()
			open := 0
			for id := range model.asked {
				if !model.used[id] {
					open++
				}
			}
			if open > o.Concurrency {
				t.Errorf("seed=%d: %d calls were open when power was lost", seed, open)
			}
			for id := range model.asked {
				model.known[id] = true
			}
			clear(model.asked)
			model.mu.Unlock()
		}
		again += model.again
		if got := canonical(t, run.Dir(dir)); got != want.canonical {
			t.Errorf("seed=%d: the run differs from one that was never stopped", seed)
		}
		if t.Failed() {
			t.Fatalf("seed=%d, kind %d, fork %v", seed, kind, parent != "")
		}
	}
	t.Logf("%d seeds, %d losses of power, %d calls asked again", seeds, losses, again)
}

// TestClearLosesPower loses power at every call while a run of several files is removed. What
// is left is the beginning of a run, or none.
func TestClearLosesPower(t *testing.T) {
	o, _ := liveOptions(t, 4)
	whole := filepath.Join(t.TempDir(), "run")
	if err := carryOut(o, whole, ""); err != nil {
		t.Fatal(err)
	}
	if files, err := run.Dir(whole).Files(); err != nil || len(files) < 3 {
		t.Fatalf("the trace is in %v, %v: removing it has no order", files, err)
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for left, dead := 1, true; dead; left++ {
		for range 6 { // each removed name comes back or not
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			m := newMortal(rng, left)
			restore := run.OnDisk(m)
			err := run.Dir(dir).Clear()
			restore()
			if dead = m.dead; (err != nil) != dead {
				t.Fatalf("call %d: %v", left, err)
			}
			m.lose(t)
			if _, err := run.Dir(dir).Header(); err != nil && !errors.Is(err, run.ErrNoRun) && !errors.Is(err, run.ErrNothingRecorded) {
				t.Fatalf("power was lost at call %d: %v", left, err)
			}
		}
	}
}
