package ahead

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// TestLogOfAnswers: what is kept comes back as it was, but for ticks that are over and lines that are damaged,
// and what is asked after the last counts is open or lost.
func TestLogOfAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ahead.jsonl")
	open := func() (*os.File, error) { return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) }
	read := func() (*os.File, error) { return os.Open(path) }
	const ours, theirs = trace.Chain("0123456789abcdef"), trace.Chain("fedcba9876543210")
	if k, err := ReadLog(read, ours); err != nil || k.Lines > 0 {
		t.Fatalf("without a file: %v, %v", k, err)
	}
	if _, known, err := LastCounts(read, ours); known || err != nil {
		t.Fatalf("without a file there are counts: %v, %v", known, err)
	}
	log, _, err := OpenLog(open, ours, 0)
	if err != nil {
		t.Fatal(err)
	}
	item, _ := llmclient.ParseItem(json.RawMessage(`{"type":"function_call","call_id":"c","name":"n","arguments":"{\"a\":1}"}`))
	id := func(tick int64, agent string) CallID {
		return CallID{CallKey: trace.CallKey{Tick: tick, Agent: agent, Step: 2}, Hash: "h"}
	}
	answer := llmclient.Answer{LatencyMS: 7, Attempts: 2, FailedAttempts: []llmclient.ErrorKind{llmclient.ErrTimeout},
		Reply: &llmclient.Reply{ID: "r", Model: "m", Status: "completed", Items: []llmclient.Item{item},
			Usage: llmclient.Usage{Input: 10, Output: 3}}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(log.keep(id(1, "a"), answer))
	must(log.note(1, Counts{Asked: 3, Used: 1, Wasted: 1, Own: 5}))
	must(log.keep(id(2, "b"), answer))
	must(log.keep(id(2, "c"), llmclient.Failed(llmclient.ErrTimeout, "late"))) // is not kept
	must(log.keep(id(2, "d"), answer))
	must(log.Close())
	text, err := os.ReadFile(path)
	must(err)
	damaged := bytes.LastIndex(text, []byte(`"agent":"d"`))
	text[damaged+9] = 'x'
	must(os.WriteFile(path, append(text, `{"tick":3,`...), 0o600))
	log, k, err := OpenLog(open, ours, 1)
	must(err)
	want := &Kept{open: map[CallID]llmclient.Answer{id(2, "b"): answer}, Lines: 4, Lost: 1,
		counts: Counts{Asked: 3, Used: 1, Wasted: 1, Own: 5}}
	if diff := cmp.Diff(want, k, cmp.AllowUnexported(Kept{})); diff != "" {
		t.Errorf("what was kept differs (-want +got):\n%s", diff)
	}
	must(log.keep(id(3, "e"), answer)) // what the crash cut short is no part of it
	must(log.Close())
	if k, err := ReadLog(read, ours); err != nil || k.Lines != 5 || k.Lost != 1 {
		t.Errorf("after another process the log is %+v, %v", k, err)
	}
	if k, err := ReadLog(read, theirs); err != nil || k.Lost != 5 || len(k.open) > 0 {
		t.Errorf("for another run the log is %+v, %v", k, err)
	}
	if c, known, err := LastCounts(read, ours); !known || err != nil || c != want.counts {
		t.Errorf("the last counts are %+v, %v, %v", c, known, err)
	}
	if _, known, err := LastCounts(read, theirs); known || err != nil {
		t.Errorf("another run has the counts of this one, %v", err)
	}
}

// TestDroppedAnswersCount: answers of ticks that were played without their process are in vain with what they took, those
// before the last counts are in these.
func TestDroppedAnswersCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ahead.jsonl")
	open := func() (*os.File, error) { return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) }
	const run = trace.Chain("0123456789abcdef")
	log, _, err := OpenLog(open, run, 0)
	if err != nil {
		t.Fatal(err)
	}
	keep := func(tick int64) {
		id := CallID{CallKey: trace.CallKey{Tick: tick, Agent: "a", Step: 1}, Hash: "h"}
		reply := &llmclient.Reply{Status: "completed", Usage: llmclient.Usage{Input: 10 * tick}}
		if err := log.keep(id, llmclient.Answer{Reply: reply}); err != nil {
			t.Fatal(err)
		}
	}
	keep(2)
	keep(3)
	if err := log.note(2, Counts{Asked: 2, Used: 1}); err != nil {
		t.Fatal(err)
	}
	keep(4)
	keep(5)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	_, k, err := OpenLog(open, run, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := Counts{Asked: 2, Used: 1, WastedUsage: llmclient.Usage{Input: 70}}
	if len(k.open) != 1 || k.counts != want {
		t.Errorf("%d open, %+v, want %+v", len(k.open), k.counts, want)
	}
}
