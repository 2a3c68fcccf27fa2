package report

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// fold reports on a trace of the given records after an empty header.
func fold(t *testing.T, records ...trace.Record) Report {
	t.Helper()
	return foldTask(t, trace.Header{Format: trace.FormatVersion, Settings: trace.Settings{ModelSource: trace.SourceLive}}, records...)
}

// encoded are the lines of a trace.
func encoded(t *testing.T, records []trace.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w := trace.NewWriter(&b)
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func readRun(t *testing.T) []byte {
	t.Helper()
	const path = "testdata/run.jsonl"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		text = sealed(text)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

// sealed gives each line of a trace the chain that fits the lines before it. A line that was added has none.
func sealed(text []byte) (whole []byte) {
	var before trace.Chain
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if body, _, ok := trace.Unseal(line); ok {
			line = append(body, '}')
		}
		line, before = trace.Seal(bytes.Clone(line), before)
		whole = append(append(whole, line...), '\n')
	}
	return whole
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestReportOfARun(t *testing.T) {
	r, err := Fold(trace.NewReader(bytes.NewReader(readRun(t))))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(r.JSON()); err != nil {
		t.Error(err)
	}
	golden(t, "testdata/report.json", r.JSON())
	golden(t, "testdata/report.txt", []byte(r.Text()))
}

func TestCanonicalTraceHasTheSameReportButForTiming(t *testing.T) {
	var canonical bytes.Buffer
	if err := trace.Canonical(bytes.NewReader(readRun(t)), &canonical); err != nil {
		t.Fatal(err)
	}
	want, err := Fold(trace.NewReader(bytes.NewReader(readRun(t))))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Fold(trace.NewReader(&canonical))
	if err != nil {
		t.Fatal(err)
	}
	want.Timing = Timing{HTTPFailuresByKind: Counts{}, Endpoints: []trace.EndpointTiming{}, Extensions: []trace.Extension{},
		ByAgent: []AgentTiming{}, ByEndpoint: []EndpointLatency{}, Barrier: Barrier{LongestTicks: []TickWait{}}}
	// How far a run was to go is no part of what it was.
	if got.TicksRequested != 0 {
		t.Errorf("the canonical trace tells that %d ticks were asked for", got.TicksRequested)
	}
	got.TicksRequested = want.TicksRequested
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reports differ (-trace +canonical):\n%s", diff)
	}
}

// checkInvariants tests what the documentation of Report promises.
func checkInvariants(t *testing.T, r Report) {
	t.Helper()
	d := r.DecisionCounts
	if sum := r.TotalDecisions + r.ContinuedDecisions + d.WaitDegraded; sum != r.TraceCounts.Traces {
		t.Errorf("%d decisions by who decided, %d traces", sum, r.TraceCounts.Traces)
	}
	if sum := d.Wait + d.WaitTicks + d.Act; sum != r.TraceCounts.Traces {
		t.Errorf("%d decisions by what was decided, %d traces", sum, r.TraceCounts.Traces)
	}
	if d.WaitChosen+d.WaitDegraded != d.Wait {
		t.Errorf("%d waits chosen + %d degraded, %d in all", d.WaitChosen, d.WaitDegraded, d.Wait)
	}
	if r.ActionSuccess+r.ActionFailure != r.TotalActions || r.ActionRejectReasonCounts.total() != r.ActionFailure {
		t.Errorf("actions: %d + %d of %d, reasons for %d", r.ActionSuccess, r.ActionFailure, r.TotalActions, r.ActionRejectReasonCounts.total())
	}
	if r.Actions.Executed+r.Actions.Dropped != r.Actions.Proposed {
		t.Errorf("proposed %d, executed %d, dropped %d", r.Actions.Proposed, r.Actions.Executed, r.Actions.Dropped)
	}
	var rows AgentRow
	for _, a := range r.PerAgent {
		rows.Decisions += a.Decisions
		rows.Continued += a.Continued
		rows.Calls += a.Calls
		rows.Waits += a.Waits
		rows.Successes += a.Successes
		rows.Failures += a.Failures
		rows.Tokens = rows.Tokens.Add(a.Tokens)
	}
	all := AgentRow{
		Decisions: r.TotalDecisions, Continued: r.ContinuedDecisions, Calls: r.TraceCounts.ModelCalls, Waits: d.Wait,
		Successes: r.ActionSuccess, Failures: r.ActionFailure, Tokens: r.Tokens,
	}
	if diff := cmp.Diff(all, rows); diff != "" {
		t.Errorf("rows do not add up (-report +rows):\n%s", diff)
	}
}

func (c Counts) total() int64 {
	var n int64
	for _, v := range c {
		n += v
	}
	return n
}

// TestEveryPrefixOfATraceFolds cuts the run at every line and inside every line.
func TestEveryPrefixOfATraceFolds(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	run := readRun(t)
	lines := bytes.SplitAfter(run, []byte("\n"))
	for end := 0; end < len(run); {
		line := lines[0]
		lines = lines[1:]
		for _, cut := range []int{end + len(line)/2, end + len(line)} {
			r, err := Fold(trace.NewReader(bytes.NewReader(run[:cut])))
			if end == 0 && cut < len(line) {
				if err != trace.ErrNoHeader {
					t.Fatalf("cut at %d: error = %v, want ErrNoHeader", cut, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if err := validate(r.JSON()); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			checkInvariants(t, r)
			if unfinished := r.RunStatus == trace.RunUnfinished; unfinished != (cut < len(run)) {
				t.Errorf("cut at %d of %d: status %s", cut, len(run), r.RunStatus)
			}
		}
		end += len(line)
	}
}

func TestUnfinishedRunKeepsWhatIsKnown(t *testing.T) {
	run := string(readRun(t))
	r, err := Fold(trace.NewReader(strings.NewReader(run[:strings.Index(run, `{"type":"run_end"`)])))
	if err != nil {
		t.Fatal(err)
	}
	if r.RunStatus != trace.RunUnfinished || r.FinalDigest != "d7" || r.WorldTime != 7 || len(r.Goals) != 0 || len(r.FinalStock) != 0 {
		t.Errorf("status %s, digest %s, time %d, goals %v, stock %v", r.RunStatus, r.FinalDigest, r.WorldTime, r.Goals, r.FinalStock)
	}
	if r.GoalsMet != 1 || r.AgentsMeetingGoal != 1 || r.PerAgent[0].GoalsMet != 1 {
		t.Errorf("goals met %d by %d agents, want 1 from its event", r.GoalsMet, r.AgentsMeetingGoal)
	}
}

func TestFoldErrors(t *testing.T) {
	header, _, _ := strings.Cut(string(readRun(t)), "\n")
	body, _, _ := trace.Unseal([]byte(header))
	header = string(body) + "}\n" // and lines without a chain may follow
	for _, test := range []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty", "", trace.ErrNoHeader, ""},
		{"no header", `{"type":"tick_end","tick":1}` + "\n", trace.ErrNoHeader, ""},
		{"newer format", `{"type":"header","format":9}` + "\n", trace.ErrFormat, ""},
		{"bad line", header + "oops\n", nil, "trace line 2"},
		{"no action", header + `{"type":"decision","tick":3,"agent_id":"a","decided_by":"model","executed":null}` + "\n", nil, "tick 3, agent a: executed action: no action name"},
		{"odd action", header + `{"type":"decision","tick":3,"agent_id":"a","executed":7}` + "\n", nil, "executed action: json"},
		{"odd outcome", header + `{"type":"decision","tick":3,"agent_id":"a","executed":{"action":"mine_compound"},"outcome":7}` + "\n", nil, "tick 3, agent a: outcome: json"},
		{"half an outcome", header + `{"type":"decision","tick":3,"agent_id":"a","executed":{"action":"mine_compound"},"outcome":{"accepted":false}}` + "\n", nil, "neither accepted nor rejected"},
	} {
		r, err := Fold(trace.NewReader(strings.NewReader(test.text)))
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error = %v, want %v %s", test.name, err, test.want, test.says)
		}
		if r.ReportVersion != Version || r.RunStatus != trace.RunUnfinished {
			t.Errorf("%s: no usable report beside the error: version %d, status %q", test.name, r.ReportVersion, r.RunStatus)
		}
	}
}

// TestUsageSource: counts are reported only if an answer of a provider has some.
func TestUsageSource(t *testing.T) {
	call := func(tick int64, billed llmclient.Usage) trace.Record {
		return trace.ModelCall{Tick: tick, AgentID: "a", Step: 1, Stage: trace.StagePlan, Answer: trace.Answer{Usage: billed}}
	}
	some := llmclient.Usage{Input: 5, Total: 5}
	live, scripted := trace.Settings{ModelSource: trace.SourceLive}, trace.Settings{ModelSource: trace.SourceScripted}
	forked := []trace.Fork{{AtTick: 3, Settings: live}}
	for name, c := range map[string]struct {
		header trace.Header
		calls  []trace.Record
		want   trace.UsageSource
	}{
		"billed":                      {trace.Header{Settings: live}, []trace.Record{call(1, llmclient.Usage{}), call(2, some)}, trace.UsageReported},
		"not billed":                  {trace.Header{Settings: live}, []trace.Record{call(1, llmclient.Usage{})}, trace.UsageUnreported},
		"simulated":                   {trace.Header{Settings: scripted}, []trace.Record{call(1, some)}, trace.UsageSimulated},
		"simulated, a fork is billed": {trace.Header{Settings: scripted, Forks: forked}, []trace.Record{call(3, some), call(4, some)}, trace.UsageReported},
		"simulated, a fork is not":    {trace.Header{Settings: scripted, Forks: forked}, []trace.Record{call(3, some), call(4, llmclient.Usage{})}, trace.UsageSimulated},
	} {
		c.header.Format = trace.FormatVersion
		if got := foldTask(t, c.header, c.calls...).UsageSource; got != c.want {
			t.Errorf("%s: tokens %s, want %s", name, got, c.want)
		}
	}
}

// TestMemoryDoesNotGrowWithTicks folds many equal ticks: the folder must keep no
// more than after one tick.
func TestMemoryDoesNotGrowWithTicks(t *testing.T) {
	f := newFolder()
	f.header(trace.Header{})
	for tick := range int64(1000) {
		for _, r := range []trace.Record{
			trace.ModelCall{Tick: tick, AgentID: "a", Step: 1, Timing: &trace.CallTiming{LatencyMS: tick % 7, Attempts: 1}},
			trace.Step{Tick: tick, AgentID: "a", Step: 1, Kind: trace.StepParseError, Code: "no_json", Minted: true, CallID: "c", Repairs: []string{"x"}},
			act(tick, "a", `{"action":"mine_compound"}`, `{"accepted":true}`),
			trace.Event{Tick: tick, Event: world.Event{Kind: world.EventGoalMet, Agent: "a", Subject: "g"}},
			trace.TickEnd{Tick: tick, Due: 1},
		} {
			if err := f.add(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	a := f.byID["a"]
	if len(f.rows) != 1 || len(f.latencies) != 7 || len(f.met) != 1 || cap(a.unusable) > 4 || cap(a.minted) > 4 || cap(a.forgiven) > 4 {
		t.Errorf("kept %d rows, %d latencies, %d goals, %d calls", len(f.rows), len(f.latencies), len(f.met), cap(a.unusable))
	}
}

// TestGoldenRunTouchesEveryCounter keeps the golden trace rich: a counter that
// stays zero in it would go wrong unseen.
func TestGoldenRunTouchesEveryCounter(t *testing.T) {
	r, err := Fold(trace.NewReader(bytes.NewReader(readRun(t))))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		for i := range v.NumField() {
			at := path + "." + v.Type().Field(i).Name
			f := v.Field(i)
			if f.Kind() == reflect.Pointer && !f.IsNil() {
				f = f.Elem()
			}
			if f.Kind() == reflect.Struct {
				walk(f, at)
			} else if strings.HasPrefix(at, "report.Task.Baselines.") || at == "report.Task.Complete" {
				continue // the run was cut short, and its scenario has nothing to play with
			} else if at == "report.Advanced" {
				continue // its world is made up: nothing can be played on
			} else if (f.IsZero() || f.Kind() == reflect.Map && f.Len() == 0) && at != "report.RunReason" && at != "report.Fork" && at != "report.Timing.ReportHash" { // which its JSON has
				t.Errorf("%s is empty in the golden report", at)
			}
		}
	}
	walk(reflect.ValueOf(r), "report")
}
