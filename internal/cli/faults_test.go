package cli

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/internal/published"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// spoiltRun runs the program in a process of its own, with faults, in a new
// directory, and replays what it recorded. It returns the run directory and the
// report.
func spoiltRun(t *testing.T, scenario string, ticks int, faults string, more ...string) (dir string, r report.Report) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	program(t, append([]string{scenario, "--ticks", strconv.Itoa(ticks), "--faults", faults, "--retry-backoff", "1ms",
		"--chain-steps", "0", "--quiet", "--run-dir", dir}, more...)...)
	data, err := os.ReadFile(filepath.Join(dir, run.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	validReport(t, data)
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if r.RunStatus != trace.RunCompleted || r.WorldTime != int64(ticks) {
		t.Errorf("the run ended %s after %d of %d ticks", r.RunStatus, r.WorldTime, ticks)
	}
	program(t, "replay", dir)
	return dir, r
}

// program runs the program and demands that it ends well. The developer's own
// settings stay out of it.
func program(t *testing.T, args ...string) {
	t.Helper()
	command := exec.Command(programName, args...)
	command.Dir = t.TempDir()
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + command.Dir, "TMPDIR=" + command.Dir}
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// opening is the fate of the first answer of a turn.
type opening struct {
	// repairs are all that was forgiven, sorted; errors the kinds of parse errors.
	repairs, errors []string
	// refusals are the codes of what was refused: by the guard, the turn, a module or
	// the world.
	refusals []string
	// lengthened says how often the answer was cut at its limit and asked for again, with
	// more room: the last one counts.
	lengthened int
}

// openings returns the fate of the first answer for every tick in which the only agent took
// a turn. An answer whose action the world refused counts as one that decided.
func openings(t *testing.T, dir string) map[int64]*opening {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[int64]*opening{}
	for record, err := range trace.NewReader(f).All() {
		if err != nil {
			t.Fatal(err)
		}
		switch r := record.(type) {
		case trace.ModelCall:
			if all[r.Tick] == nil {
				all[r.Tick] = &opening{}
			}
		case trace.Step:
			if o := all[r.Tick]; o != nil && r.Step == 1+o.lengthened {
				o.see(r)
			}
		case trace.Decision:
			var outcome struct {
				Rejection struct {
					Code string `json:"code"`
				} `json:"rejection"`
			}
			if err := json.Unmarshal(r.Outcome, &outcome); err == nil && outcome.Rejection.Code != "" {
				if o := all[r.Tick]; o != nil && r.Calls == 1+o.lengthened {
					o.refusals = append(o.refusals, outcome.Rejection.Code)
				}
			}
		}
	}
	return all
}

// see takes a step that followed from the first answer.
func (o *opening) see(s trace.Step) {
	o.repairs = append(o.repairs, s.Repairs...)
	slices.Sort(o.repairs)
	switch {
	case s.Kind == trace.StepLengthened:
		o.lengthened++
	case s.Kind == trace.StepParseError:
		o.errors = append(o.errors, s.Code)
	case s.Status == trace.StatusError:
		o.refusals = append(o.refusals, s.Code)
	}
}

// ends reports whether an answer in a shape ended as the corpus says. Whether the
// world refuses depends on what the agent has by then, so that is not asked here.
func (o *opening) ends(s stub.Shape) bool {
	if s.Ends == stub.EndsError {
		return slices.Equal(o.errors, []string{s.Error})
	}
	return len(o.errors) == 0 && slices.Equal(o.repairs, s.Repairs)
}

// doubtedBook is a playbook with a lesson that another agent's words may have shaped. Its
// words are those of the goals, so every turn has it to read and opens with a plan alone.
const doubtedBook = `format = 2
version = 1
last = 1
bullet = [{id = "nav-00001", trust = "other_agent", content = "Wait, move_agent, harvest_radiation, mine_compound, refine_compound, build_factory, schedule_recipe: gather electricity and compound for control chips."}]
`

// TestCorpusThroughTheProgram lets every shape of the corpus open turns of a run over HTTP.
// Each turn ends as the corpus says, the totals match the report, and the run continues and
// replays. Shapes of arguments contain a plan, so they are checked in a separate run whose
// turns open with one. The short form plays the first of them: that every shape ends so is what
// package behavior shows of the corpus.
func TestCorpusThroughTheProgram(t *testing.T) {
	slow(t)
	book := filepath.Join(t.TempDir(), "book.toml")
	if err := os.WriteFile(book, []byte(doubtedBook), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("decisions", func(t *testing.T) {
		sweep(t, func(s stub.Shape) bool { return s.As != stub.AsArguments || s.Universal })
	})
	t.Run("plans", func(t *testing.T) {
		sweep(t, func(s stub.Shape) bool { return s.As == stub.AsArguments }, "--playbook", book, "--freeze-playbook")
	})
}

// sweep plays a run in which every shape has its tick. Those that bound chooses end as
// their rows say; of the others only the report's totals are asked.
func sweep(t *testing.T, bound func(stub.Shape) bool, more ...string) {
	t.Helper()
	all := stub.Corpus()
	// An agent that waits or repeats an order opens no turn; at full size further rounds, in
	// other orders, meet the shapes that fell on such ticks.
	const rounds, sampleTicks = 5, 60
	full := os.Getenv("AGENT_WORLD_LONG") != ""
	scenario, err := filepath.Abs("testdata/two_rocks.toml")
	if err != nil {
		t.Fatal(err)
	}
	ticks := sampleTicks
	if full {
		ticks = rounds * len(all)
	}
	dir, r := spoiltRun(t, scenario, ticks, "sweep", more...)
	repairs, errors, injected := map[string]int64{}, map[string]int64{}, map[string]int64{}
	refused := map[string]bool{}
	for tick, o := range openings(t, dir) {
		s := stub.SweepShape(tick)
		injected[s.Name] += 1 + int64(o.lengthened)
		refused[s.Name] = refused[s.Name] || slices.Contains(o.refusals, s.Error)
		if bound(s) && !o.ends(s) {
			t.Errorf("tick %d, shape %s ended with repairs %q, errors %q, refusals %q; want %s, %q, %q",
				tick, s.Name, o.repairs, o.errors, o.refusals, s.Ends, s.Repairs, s.Error)
		}
		for _, name := range o.repairs {
			repairs[name]++
		}
		for _, name := range o.errors {
			errors[name]++
		}
	}
	if want := min(ticks, len(all)); len(injected) < want/2 {
		t.Errorf("only %d of %d shapes opened a turn", len(injected), want)
	}
	for _, s := range all {
		if !full {
			break
		}
		if injected[s.Name] == 0 {
			t.Errorf("shape %s never opened a turn", s.Name)
		} else if bound(s) && s.Ends == stub.EndsRefused && s.Error != "insufficient_resource" && !refused[s.Name] {
			// How much the agent has when a shape comes is chance.
			t.Errorf("shape %s was never refused with %s", s.Name, s.Error)
		}
	}
	compareCounts(t, "injected", injected, r.FaultsInjectedByKind)
	compareCounts(t, "repairs", repairs, r.TraceCounts.ParseRepairsByKind)
	compareCounts(t, "errors", errors, r.TraceCounts.ParseErrorsByKind)
}

// compareCounts demands equal counts.
func compareCounts(t *testing.T, what string, want map[string]int64, got report.Counts) {
	t.Helper()
	if diff := cmp.Diff(want, map[string]int64(got)); diff != "" {
		t.Errorf("%s (-want +report):\n%s", what, diff)
	}
}

// repairsOf adds up the repairs of all shapes that were injected.
func repairsOf(injected report.Counts) map[string]int64 {
	repairs := map[string]int64{}
	for _, s := range stub.Corpus() {
		for _, name := range s.Repairs {
			if n := injected[s.Name]; n > 0 {
				repairs[name] += n
			}
		}
	}
	return repairs
}

// TestRepairableAnswersCostNothing runs the default scenario with every fifth answer
// malformed in a way that keeps its meaning.
func TestRepairableAnswersCostNothing(t *testing.T) {
	slow(t)
	protocols := []string{"full"} // that such an answer costs a turn nothing, package behavior shows for both
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		protocols = append(protocols, "lean")
	}
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			_, r := spoiltRun(t, "llm_bootstrap", 30, "repairable=20%", "--protocol", protocol)
			c := r.TraceCounts
			if len(r.FaultsInjectedByKind) < 10 {
				t.Errorf("only %v was injected", r.FaultsInjectedByKind)
			}
			compareCounts(t, "repairs", repairsOf(r.FaultsInjectedByKind), c.ParseRepairsByKind)
			if c.ParseErrors != 0 || r.DecisionCounts.WaitDegraded != 0 || c.LLMErrors != 0 {
				t.Errorf("parse errors %v, degraded waits %v, errors %v; want none", c.ParseErrorsByKind, r.DecisionCounts.WaitDegradedByReason, c.LLMErrorsByKind)
			}
			if c.PromptSectionClipped != 0 {
				t.Errorf("%d sections were clipped: %v", c.PromptSectionClipped, c.ClipsBySection)
			}
			if r.GoalsMet != r.Agents || r.AgentsMeetingGoal != r.Agents {
				t.Errorf("%d goals met by %d of %d agents", r.GoalsMet, r.AgentsMeetingGoal, r.Agents)
			}
			// Which answers are malformed follows from every byte of a prompt. A draft written as text
			// goes back as it came and as the call it was read as: the longest prompt without faults,
			// 5,500 characters, grows by at most two drafts of 750.
			if c.LLMInputCharsAvg > 4050 || c.LLMInputCharsMax > 7000 || c.LLMToolChars > 5900 {
				t.Errorf("prompts of %d characters on average, at most %d, tools %d; want at most 4050, 7000 and 5900", c.LLMInputCharsAvg, c.LLMInputCharsMax, c.LLMToolChars)
			}
		})
	}
}

// TestRetriesMendWhatPasses injects faults that a further attempt outlives: the run
// is the clean one, at the price of attempts.
func TestRetriesMendWhatPasses(t *testing.T) {
	_, clean := spoiltRun(t, "llm_bootstrap", 8, "latency=0s")
	_, r := spoiltRun(t, "llm_bootstrap", 8, "http_429_retry_after_ms=3%,http_503=3%,reset=2%,truncated_body=2%")
	if clean.FinalDigest != r.FinalDigest || r.TraceCounts.LLMErrors != 0 {
		t.Errorf("digest %s with errors %v, want that of the clean run, %s", r.FinalDigest, r.TraceCounts.LLMErrorsByKind, clean.FinalDigest)
	}
	total := int64(0)
	for _, n := range maps.All(r.FaultsInjectedByKind) {
		total += n
	}
	if total == 0 || r.Timing.HTTPAttempts != r.TraceCounts.ModelCalls+total {
		t.Errorf("%d attempts for %d calls and %d faults", r.Timing.HTTPAttempts, r.TraceCounts.ModelCalls, total)
	}
}

// validReport checks the JSON of a report against the published schema.
func validReport(t *testing.T, report []byte) {
	t.Helper()
	var value any
	if err := json.Unmarshal(report, &value); err != nil {
		t.Fatal(err)
	}
	if err := published.Schema(t, "../../report/report.schema.json").Validate(value); err != nil {
		t.Errorf("the report breaks its schema: %v", err)
	}
}
