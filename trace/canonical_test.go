package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func canonical(t testing.TB, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := Canonical(bytes.NewReader(text), &out); err != nil {
		t.Fatalf("Canonical: %v\n%s", err, text)
	}
	return out.String()
}

// interleaved writes a run of three ticks and three agents whose turns overlap
// in an order drawn from seed, with other timings and other first users of parts.
func interleaved(t *testing.T, seed uint64) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var out bytes.Buffer
	w := NewWriter(&out)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Write(Header{Format: FormatVersion, Timing: &HeaderTiming{StartedAt: fmt.Sprint(seed), Concurrency: int(seed)}}))
	for tick := int64(1); tick <= 3; tick++ {
		must(w.Write(Event{Tick: tick}))
		calls := []int{0, 0, 0}
		for left := 9; left > 0; {
			agent := rng.IntN(3)
			if calls[agent] == 3 {
				continue
			}
			calls[agent]++
			left--
			must(writeCall(w, tick, fmt.Sprintf("agent-%d", agent), calls[agent], rng.Int64N(500)))
		}
		for _, agent := range rng.Perm(3) {
			must(w.Write(Decision{Tick: tick, AgentID: fmt.Sprintf("agent-%d", agent)}))
		}
		must(w.Write(TickEnd{Tick: tick}))
	}
	must(w.Write(RunEnd{Tick: 3, Timing: &EndTiming{WallMS: rng.Int64N(9999)}}))
	return out.Bytes()
}

func writeCall(w *Writer, tick int64, agent string, step int, latency int64) error {
	shared, err := w.Blob(tick, BlobItem, fmt.Appendf(nil, "tick %d step %d", tick, step))
	if err != nil {
		return err
	}
	own, err := w.Blob(tick, BlobItem, []byte(agent))
	if err != nil {
		return err
	}
	call := ModelCall{Tick: tick, AgentID: agent, Step: step, Input: []string{shared, own}, Timing: &CallTiming{LatencyMS: latency}}
	if err := w.Write(call); err != nil {
		return err
	}
	for _, kind := range []StepKind{StepModuleCall, StepGuard, StepDecision} {
		if err := w.Write(Step{Tick: tick, AgentID: agent, Step: step, Kind: kind}); err != nil {
			return err
		}
	}
	return nil
}

func TestCanonicalDoesNotDependOnInterleaving(t *testing.T) {
	want := canonical(t, interleaved(t, 1))
	raw := map[string]bool{}
	for seed := uint64(1); seed <= 20; seed++ {
		text := interleaved(t, seed)
		raw[string(text)] = true
		if got := canonical(t, text); got != want {
			t.Fatalf("seed=%d: canonical traces differ:\n%s", seed, cmp.Diff(want, got))
		}
	}
	if len(raw) < 15 {
		t.Fatalf("only %d of 20 traces differ before; the test shows nothing", len(raw))
	}
	if strings.Contains(want, "timing") {
		t.Errorf("timing is left in:\n%s", want)
	}
	if again := canonical(t, []byte(want)); again != want {
		t.Errorf("the canonical form of a canonical trace differs:\n%s", cmp.Diff(want, again))
	}
}

func TestCanonicalOrderIsPinned(t *testing.T) {
	const path = "testdata/canonical.jsonl"
	goal := "g"
	got := canonical(t, lines(t,
		Header{Format: FormatVersion, Timing: &HeaderTiming{StartedAt: "now"}},
		TickEnd{Tick: 1},
		Event{Tick: 1},
		Decision{Tick: 1, AgentID: "agent-10"},
		Step{Tick: 1, AgentID: "agent-10", Step: 1, Kind: StepPlan},
		ModelCall{Tick: 1, AgentID: "agent-10", Step: 1, Timing: &CallTiming{LatencyMS: 5}},
		Decision{Tick: 1, AgentID: "agent-1"},
		Step{Tick: 1, AgentID: "agent-1", Step: 2, Kind: StepGuard},
		ModelCall{Tick: 1, AgentID: "agent-1", Step: 2},
		Step{Tick: 1, AgentID: "agent-1", Step: 0, Kind: StepContinue},
		Unknown{Type: "later", Tick: 1, Raw: []byte(`{"type":"later", "tick":1,"agent_id":"agent-1","step":2,"timing":{"a":[1]},"z":1,"a":"<"}`)},
		Switch{Tick: 1, ShortTermGoal: &goal},
		newPart(1, BlobItem, []byte("one")),
		newPart(1, BlobTools, []byte("two")),
		newPart(1, BlobInstructions, []byte("two")),
		RunEnd{Tick: 1, RunStatus: RunInterrupted},
		TickEnd{Tick: 2},
		RunEnd{Tick: 2, RunStatus: RunCompleted, Timing: &EndTiming{WallMS: 5}},
	))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("canonical order (-want +got):\n%s", diff)
	}
}

func TestCanonicalDropsAnOvertakenEnd(t *testing.T) {
	header, end, tick := Header{Format: FormatVersion}, RunEnd{Tick: 1, RunStatus: RunInterrupted}, TickEnd{Tick: 1}
	want := canonical(t, lines(t, header, tick))
	if got := canonical(t, lines(t, header, end, tick)); got != want {
		t.Errorf("a run end followed by more records is kept:\n%s", got)
	}
}

func TestCanonicalErrors(t *testing.T) {
	header := string(lines(t, Header{Format: FormatVersion}))
	for _, test := range []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty", "", ErrNoHeader, ""},
		{"no header", tickEndLine, ErrNoHeader, ""},
		{"torn", header + "{", ErrTorn, "line 2"},
		{"newer", `{"type":"header","format":9}` + "\n", ErrFormat, "line 1"},
		{"back in time", header + strings.Replace(tickEndLine, `"tick":1`, `"tick":2`, 1) + tickEndLine, nil, "tick 1 follows tick 2"},
	} {
		err := Canonical(strings.NewReader(test.text), &bytes.Buffer{})
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error = %v, want %v %s", test.name, err, test.want, test.says)
		}
	}
}

func TestCanonicalReportsAFailedWrite(t *testing.T) {
	err := Canonical(bytes.NewReader(interleaved(t, 1)), &callCounter{failAt: 3})
	if err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error = %v, want the failed write", err)
	}
}

// TestCanonicalTickIsAPartOfTheCanonicalTrace: the ticks of a trace, one after the other, are what
// follows its header.
func TestCanonicalTickIsAPartOfTheCanonicalTrace(t *testing.T) {
	text := interleaved(t, 7)
	ticks := map[int64][]Record{}
	for _, r := range readAll(t, text) {
		ticks[r.recordTick()] = append(ticks[r.recordTick()], r)
	}
	var got []string
	for tick := int64(1); tick <= 3; tick++ {
		records, err := CanonicalTick(ticks[tick])
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			line, err := Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(line))
		}
	}
	all := strings.Split(strings.TrimSpace(canonical(t, text)), "\n")
	if diff := cmp.Diff(all[1:len(all)-1], got); diff != "" { // without the header and the end of the run
		t.Errorf("ticks apart (-whole +ticks):\n%s", diff)
	}
	_, err := CanonicalTick([]Record{Event{Tick: 7}, TickEnd{Tick: 2}})
	if order := (*OrderError)(nil); !errors.As(err, &order) || order.Tick != 2 || order.After != 7 {
		t.Errorf("a record of an earlier tick: %v", err)
	}
}
