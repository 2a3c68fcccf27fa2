package cli

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// keptAhead are the hashes of the requests whose answers a run keeps that were asked ahead, in lines that are whole.
func keptAhead(t *testing.T, dir string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "ahead.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for line := range bytes.Lines(text) {
		var of struct {
			Answer *struct {
				RequestHash string `json:"request_hash"`
			}
		}
		if json.Unmarshal(line, &of) == nil && of.Answer != nil {
			kept[of.Answer.RequestHash] = true
		}
	}
	return kept
}

// TestKilledRunsThatAskAhead kills a run that asks ahead three times, or more at full size. The model is asked
// nothing that it had answered and that was kept, what it is asked in all is what the run needs, what may be in
// vain and what was under way at the kills, and the trace is that of a run that waits.
func TestKilledRunsThatAskAhead(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a run in several processes")
	}
	kills := 3
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		kills = 30
	}
	const concurrency = 8
	server := newCountingServer(t, "latency=1ms..30ms", 5)
	rng := rand.New(rand.NewPCG(rand.Uint64(), 3))
	flags := []string{"--ticks", "24", "--concurrency", strconv.Itoa(concurrency), "--ahead", "0", "--cap-calls", "1000"}
	play := func(flags []string, kills int, whole int64) (*killing, int, map[string]int) {
		k := &killing{t: t, server: server, dir: t.TempDir(), flags: flags, rng: rng, again: flags[4:6]}
		total, size := 0, int64(0)
		all := map[string]int{}
		for i := 0; ; i++ {
			begun, at := k.begun(), int64(1)<<40
			had := keptAhead(t, filepath.Join(k.dir, "run"))
			for hash := range k.recorded() {
				had[hash] = true
			}
			if i < kills {
				size = max(1, size+(whole-size)*rng.Int64N(2000)/int64(1000*(kills-i)))
				at = size
			}
			killed := k.until(begun, at)
			for request, n := range server.take() {
				hash, _, _ := strings.Cut(request, " ")
				if had[hash] {
					t.Errorf("request %s was answered before the process began, and asked again", hash)
				}
				total += n
				all[hash] += n
			}
			if !killed {
				return k, total, all
			}
			k.kills++
		}
	}
	unbroken, calls, _ := play(flags, 0, 0)
	wantText, _, whole := outcome(t, filepath.Join(unbroken.dir, "run"))
	flags[5] = "4"
	k, total, all := play(flags, kills, whole)
	gotText, got, _ := outcome(t, filepath.Join(k.dir, "run"))
	if got.RunStatus != trace.RunCompleted {
		t.Errorf("the run ended %s", got.RunStatus)
	}
	ahead := aheadIn(t, filepath.Join(k.dir, "run"))
	if diff := cmp.Diff(strings.Split(firstTick(wantText), "\n"), strings.Split(firstTick(gotText), "\n")); diff != "" {
		t.Errorf("the trace is another one (-want +got):\n%.2000s", diff)
	}
	twice := total - len(all)
	t.Logf("%d calls, %d requests, %d of them again after %d kills, %+v", calls, total, twice, k.kills, ahead)
	if most := calls + calls/20 + (k.kills+1)*concurrency; total > most {
		t.Errorf("%d requests for %d calls, at most %d are allowed", total, calls, most)
	}
	if twice > k.kills*concurrency {
		t.Errorf("%d requests came again after %d kills with %d under way at most", twice, k.kills, concurrency)
	}
	if k.kills == 0 || ahead.Used == 0 {
		t.Errorf("%d kills, %+v", k.kills, ahead)
	}
}

// aheadIn is what the report of a run says of the calls that were asked ahead.
func aheadIn(t *testing.T, dir string) report.Ahead {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := report.Fold(trace.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	return r.Timing.Ahead
}

// firstTick is a canonical trace from its first tick on, without its header.
func firstTick(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}
