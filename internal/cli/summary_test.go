package cli

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/summary"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// TestSummaries plays runs that end in different ways and compares what the program says of them, on terminals
// of 80 and 120 columns and in a pipe.
func TestSummaries(t *testing.T) {
	slow(t)
	model := httptest.NewServer(stub.NewHandler(stub.Options{Seed: 1}))
	defer model.Close()
	good := []string{"llm_bootstrap", "--ticks", "20", "--chain-steps", "3", "--run-dir", "RUN"}
	capped := append(slices.Clone(good), "--cap-calls", "20")
	for name, calls := range map[string][][]string{
		"good": {good},
		"failing": {{"llm_bootstrap", "--ticks", "10", "--faults", "html=100%,agent=agent-2,agent=agent-4",
			"--stub-manner", "agent-3=prose", "--max-degraded", "100", "--run-dir", "RUN"}},
		"capped":  {capped},
		"killed":  {good},
		"resumed": {capped, {"resume", "RUN", "--cap-calls", "500"}},
		"forked": {{"llm_bootstrap", "--ticks", "6", "--run-dir", "PARENT"},
			{"fork", "PARENT", "--at-tick", "4", "--seat", "agent-2=wait", "--run-dir", "RUN"}},
		"idle": {{"minimal", "--seat", "*=wait", "--ticks", "5", "--run-dir", "RUN"}},
		"crowded": {{"llm_bootstrap", "--agents", "100", "--ticks", "1", "--faults", "html=100%,agent=agent-77,agent=agent-80",
			"--run-dir", "RUN"}},
		"task": {{"task_cooperation_ring_40", "--ticks", "40", "--chain-steps", "3", "--guard-off", "taint",
			"--run-dir", "RUN"}},
		"live": {{"llm_bootstrap", "--ticks", "4", "--model", "gpt-5-mini", "--base-url", model.URL + "/v1",
			"--protocol", "lean", "--temperature", "0.2", "--run-dir", "RUN"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProcess(t, map[string]string{"HOME": t.TempDir()})
			for _, args := range calls {
				p.Args = append(slices.Clone(args), "--quiet")
				p.run(t)
			}
			if name == "killed" {
				kill(t, run.Dir(p.path("RUN")))
			}
			r, err := p.foldTrace("RUN")
			if err != nil {
				t.Fatalf("%v:\n%s", err, p.output())
			}
			compareWithParent(p.Main, "RUN", "", &r)
			steady(&r, name == "live")
			text := ""
			for _, columns := range []int{80, 120, 0} {
				p.stdout.Reset()
				p.OutputColumns = func() int { return columns }
				if err := p.printSummary(r, summary.Options{}, p.looksText("RUN", r)); err != nil {
					t.Fatal(err)
				}
				said := p.stdout.String()
				for line := range strings.Lines(said) {
					if n := plaintext.Cells(strings.TrimSuffix(line, "\n")); columns > 0 && n > columns && !strings.HasPrefix(line, "more    ") {
						t.Errorf("%d columns: a line of %d: %s", columns, n, line)
					}
				}
				text += strings.Repeat("-", max(columns, 1)) + "\n" + said
			}
			for _, look := range looks("RUN", r) {
				p.Args = look.words
				if code := p.run(t); code != exitCompleted {
					t.Errorf("%q: exit code %d", look.words, code)
				}
			}
			checkGolden(t, filepath.Join("summary", name+".golden"), text)
		})
	}
}

// kill leaves the trace of a run as it is when its process is killed within tick 12.
func kill(t *testing.T, dir run.Dir) {
	t.Helper()
	path := filepath.Join(string(dir), run.TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), `{"type":"tick_end","tick":12,`)
	if at < 0 {
		t.Fatal("the run has no tick 12")
	}
	if err := os.WriteFile(path, text[:at], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(string(dir), run.ReportFile)); err != nil {
		t.Fatal(err)
	}
}

// steady replaces what the clock and the length of prompts say in a report; slowly by times of a model that
// takes some.
func steady(r *report.Report, slowly bool) {
	tokens := func(calls int64) report.Tokens { return report.Tokens{Input: 2300 * calls} }
	for i, a := range r.PerAgent {
		r.PerAgent[i].Tokens = tokens(a.Calls)
	}
	for i, m := range r.Cost.ByModel {
		r.Cost.ByModel[i].Tokens = tokens(m.Calls)
	}
	r.Cost.TotalMicros = 0
	for i, a := range r.Cost.ByAgent {
		r.Cost.ByAgent[i].Micros = 700 * a.Calls
		r.Cost.TotalMicros += 700 * a.Calls
	}
	r.Timing = report.Timing{WallMS: 4321}
	if !slowly {
		return
	}
	r.Timing.WallMS = 192_000
	r.Timing.ByAgent = []report.AgentTiming{{AgentID: "agent-1", SlowestTicks: 1, AwaitedMS: 2000},
		{AgentID: "agent-3", SlowestTicks: 3, AwaitedMS: 84_000}}
	r.Timing.Barrier = report.Barrier{Ticks: 4, WaitedMS: 185_000, OwnAgentBoundMS: 101_000, OwnAgentBoundAgent: "agent-3"}
}

// TestSummaryInColours: a terminal whose user wants them gets colours, and nobody else.
func TestSummaryInColours(t *testing.T) {
	r := report.Report{RunStatus: trace.RunProviderFailed}
	for _, wanted := range []bool{true, false} {
		p := newProcess(t, nil)
		p.Stdout = terminal.NewScreen(&p.stdout, programName)
		p.Colours = wanted
		if err := p.printSummary(r, summary.Options{}, "trace   RUN\n"); err != nil {
			t.Fatal(err)
		}
		said := p.stdout.String()
		if strings.HasPrefix(said, "\x1b[31mThe run ended because") != wanted || strings.Contains(said, "\x1b") != wanted || !strings.HasSuffix(said, "trace   RUN\n") {
			t.Errorf("colours %v: printed %q", wanted, said)
		}
	}
}
