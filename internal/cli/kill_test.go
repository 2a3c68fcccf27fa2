package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// countingServer is a scripted server with faults that remembers what it was asked.
// It outlives the processes that are killed.
type countingServer struct {
	*httptest.Server
	mu sync.Mutex
	// asked counts the requests by body and attempt.
	asked map[string]int
	// open are the connections that were accepted and are not closed; gone tells when
	// one fewer is.
	open int
	gone *sync.Cond
}

func newCountingServer(t *testing.T, faults string, seed uint64) *countingServer {
	t.Helper()
	plan, err := stub.ParseFaults(faults)
	if err != nil {
		t.Fatal(err)
	}
	handler := stub.NewHandler(stub.Options{Seed: seed, Faults: stub.NewInjector(plan, seed)})
	s := &countingServer{asked: map[string]int{}}
	s.gone = sync.NewCond(&s.mu)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client was killed while it sent
		}
		if r.Method == http.MethodPost { // and not a question of take
			hash := sha256.Sum256(body)
			s.mu.Lock()
			s.asked[hex.EncodeToString(hash[:])+" "+r.Header.Get("X-Stainless-Retry-Count")]++
			s.mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch state {
		case http.StateNew:
			s.open++
		case http.StateClosed, http.StateHijacked:
			s.open--
			s.gone.Broadcast()
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// take returns what a process asked that is gone now. What it sent before may still wait
// in the server, which would count it for the next process. So the server is asked
// something itself: connections are accepted in the order they came, so that all of the
// process's have been when this one is. Their ends are known, because their owner is
// gone, and a connection is closed only when everything in it was answered.
func (s *countingServer) take() map[string]int {
	if c, err := net.Dial("tcp", s.Listener.Addr().String()); err == nil {
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.0\r\n\r\n")
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.open > 0 {
		s.gone.Wait()
	}
	asked := s.asked
	s.asked = map[string]int{}
	return asked
}

// killing is a run that is killed again and again.
type killing struct {
	t      *testing.T
	server *countingServer // nil for the embedded one
	dir    string
	flags  []string
	// again are the flags of its resumes.
	again []string
	rng   *rand.Rand
	// calls counts what the unbroken run asked the server: agents who lived through the same ask the
	// same.
	calls map[string]int
	// kills happened, inFlight requests had been asked and were not recorded then, and
	// repeated ones were asked again.
	kills, inFlight, repeated int
}

// command is the run's first process or one that resumes it.
func (k *killing) command(resume bool) []string {
	args := append([]string{"llm_bootstrap", "--run-dir", "run"}, k.flags...)
	if resume {
		args = append([]string{"resume", "run"}, k.again...)
	}
	if k.server != nil {
		args = append(args, "--model", "scripted", "--base-url", k.server.URL)
	}
	return append(args, "--quiet", "--trace-segment-mb", strconv.Itoa(segmentMB))
}

// until runs the program until its trace has grown to a size, and then kills it; or
// to its end, whichever comes first. At 0 it is killed as soon as it has the lock. It
// reports whether it was killed.
func (k *killing) until(resume bool, size int64) bool {
	k.t.Helper()
	s := start(k.t, k.dir, programName, k.command(resume)...)
	done := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, s.stdout)
		done <- s.Wait()
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				k.t.Fatalf("%v: %v\n%s", s.Args, err, s.stderr.String())
			}
			return false
		case <-time.After(200 * time.Microsecond): // only how often to look
		}
		if _, err := os.Stat(filepath.Join(k.dir, "run", run.LockFile)); err != nil || grown(filepath.Join(k.dir, "run")) < size {
			continue
		}
		_ = s.Process.Kill()
		return <-done != nil && s.ProcessState.ExitCode() == -1 // unless it ended just before
	}
}

// segmentMB is the size of a trace file in these runs: large enough for one rotation
// or two.
const segmentMB = 1

// grown is about how much has been written to a trace.
func grown(dir string) int64 {
	closed, _ := filepath.Glob(filepath.Join(dir, "trace-*.jsonl.zst"))
	size := int64(len(closed)) * segmentMB << 20
	if info, err := os.Stat(filepath.Join(dir, run.TraceFile)); err == nil {
		size += info.Size()
	}
	return size
}

// recorded counts the calls of the trace by the hash of their request.
func (k *killing) recorded() map[string]int {
	hashes := map[string]int{}
	f, err := run.Dir(filepath.Join(k.dir, "run")).Open()
	if err != nil {
		return hashes // killed before there was one
	}
	defer f.Close()
	for record, err := range trace.NewReader(f).All() {
		if errors.Is(err, trace.ErrTorn) {
			break
		}
		if err != nil {
			k.t.Fatal(err)
		}
		if c, ok := record.(trace.ModelCall); ok {
			hashes[c.RequestHash]++
		}
	}
	return hashes
}

// play carries out the run with so many kills, at random sizes of its trace on the
// way to whole. What the server is asked twice must have been in flight at a kill.
func (k *killing) play(kills int, whole int64) {
	k.t.Helper()
	seen, recorded := map[string]bool{}, map[string]int{}
	size := int64(0)
	for i := 0; ; i++ {
		begun := k.begun()
		at := int64(1) << 40
		if i < kills {
			size = max(1, size+(whole-size)*k.rng.Int64N(2000)/int64(1000*(kills-i)))
			at = size
			if begun && k.rng.IntN(5) == 0 {
				at = 0 // while it derives what is recorded
			}
		}
		killed := k.until(begun, at)
		if k.server != nil {
			k.tally(seen, recorded)
		}
		if !killed {
			return
		}
		k.kills++
	}
}

// begun reports whether there is something to resume: a trace whose header is whole.
func (k *killing) begun() bool {
	if _, err := run.Dir(filepath.Join(k.dir, "run")).Header(); err == nil {
		return true
	}
	if err := os.RemoveAll(filepath.Join(k.dir, "run")); err != nil {
		k.t.Fatal(err)
	}
	return false
}

// tally compares what one process asked with what was recorded before it began; seen and recorded
// carry what processes asked, and what of it is recorded. A call whose answer is recorded is asked no
// more, and no other one twice.
func (k *killing) tally(seen map[string]bool, recorded map[string]int) {
	k.t.Helper()
	asked, now := k.server.take(), k.recorded()
	for request, n := range asked {
		hash, _, _ := strings.Cut(request, " ")
		if most := k.calls[request] - recorded[hash]; n > most {
			k.t.Errorf("a process sent request %s %d times, and %d calls of it had no recorded answer", request, n, most)
		}
		if seen[request] {
			k.repeated++
		}
		seen[request] = true
		if now[hash] == 0 {
			k.inFlight++
		}
	}
	clear(recorded)
	maps.Copy(recorded, now)
}

// outcome is what a finished run came to.
func outcome(t *testing.T, dir string) (canonical string, r report.Report, size int64) {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text bytes.Buffer
	if err := trace.Canonical(f, &text); err != nil {
		t.Fatal(err)
	}
	r, err = report.Fold(trace.NewReader(bytes.NewReader(text.Bytes())))
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), r, grown(dir)
}

// killScenario lets a run happen once unbroken and once with kills, against the
// embedded server or one that outlives the kills, and compares them.
func killScenario(t *testing.T, seed uint64, ticks, kills int, embedded bool) (k *killing) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	const faults = "repairable=20%,http_500=5%,http_429_retry_after_ms=5%,empty_body=3%,reset=3%"
	flags := []string{
		"--ticks", strconv.Itoa(ticks + rng.IntN(5)), "--seed", strconv.Itoa(rng.IntN(1000)), "--concurrency", strconv.Itoa(1 + rng.IntN(8)),
		"--protocol", []string{"full", "lean"}[rng.IntN(2)], "--learn-every", strconv.Itoa(rng.IntN(5)), "--retry-backoff", "1ms",
	}
	unbroken := &killing{t: t, dir: t.TempDir(), flags: flags, rng: rng}
	k = &killing{t: t, dir: t.TempDir(), flags: flags, rng: rng}
	if embedded {
		unbroken.flags = append(flags, "--faults", faults)
		k.flags = unbroken.flags
	} else {
		k.server = newCountingServer(t, faults, seed)
		unbroken.server = k.server
	}
	if unbroken.until(false, 1<<40) {
		t.Fatal("the unbroken run was killed")
	}
	if k.server != nil {
		k.calls = k.server.take()
	}
	wantText, want, whole := outcome(t, filepath.Join(unbroken.dir, "run"))
	k.play(kills, whole)
	gotText, got, _ := outcome(t, filepath.Join(k.dir, "run"))
	if got.FinalDigest != want.FinalDigest || gotText != wantText {
		t.Errorf("seed=%d: after %d kills the run differs: digest %s, want %s; canonical traces equal: %v", seed, k.kills, got.FinalDigest, want.FinalDigest, gotText == wantText)
	}
	return k
}

// killAll kills runs of several kinds, total times or a little less, since a run may
// end before its kill.
func killAll(t *testing.T, runs, ticks, each int) {
	t.Helper()
	var sum killing
	for i := range runs {
		seed := rand.Uint64()
		k := killScenario(t, seed, ticks, each, i%2 == 1)
		if t.Failed() {
			t.Fatalf("seed=%d embedded=%v", seed, i%2 == 1)
		}
		sum.kills += k.kills
		sum.inFlight += k.inFlight
		sum.repeated += k.repeated
	}
	fmt.Printf("%d kills: %d requests in flight at one, %d of them asked again, no other; all runs as unbroken ones\n", sum.kills, sum.inFlight, sum.repeated)
	if sum.kills < runs*each*7/10 {
		t.Errorf("only %d kills of %d took place", sum.kills, runs*each)
	}
}

// TestKilledRunsResume kills the program ten times.
func TestKilledRunsResume(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	killAll(t, 2, 8, 5)
}

// TestLongKilledRunsResume kills it two hundred times.
func TestLongKilledRunsResume(t *testing.T) {
	if os.Getenv("AGENT_WORLD_LONG") == "" {
		t.Skip("set AGENT_WORLD_LONG=1 (make long) to kill 200 times")
	}
	killAll(t, 24, 20, 10)
}
