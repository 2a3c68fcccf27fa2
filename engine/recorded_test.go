package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// replayedFrom returns o with the answers of a recording in place of the model's.
func replayedFrom(t testing.TB, o engine.Options, path string, model engine.Source) (engine.Options, *engine.Recorded) {
	t.Helper()
	r, err := engine.OpenRecorded(path, model)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	h, err := rundir.ReadRecording(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := trace.ModelSource("")
	o.ModelSource = trace.SourceRecorded
	if model != nil {
		asked, o.ModelSource = trace.SourceScripted, trace.SourceMixed
	}
	o.Recording = engine.DescribeRecording(path, h, asked)
	o.Source, o.RunDir = r, t.TempDir()
	return o, r
}

// exported writes the answers of a run to a file.
func exported(t testing.TB, dir string) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := rundir.Dir(dir).As(nil).ExportAnswers(&b, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "answers.zst")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// withoutHeader is a canonical trace from its second line on.
func withoutHeader(canonical []byte) []byte {
	return canonical[bytes.IndexByte(canonical, '\n')+1:]
}

// TestRecordedAnswersGiveTheSameRun takes answers from a run and from a file of it,
// at different concurrency, in a run with reflections and faults in it.
func TestRecordedAnswersGiveTheSameRun(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 8)
	o.AgentsOverride, o.LearnEvery, o.PlaybookBullets = 3, 4, 6
	run(t, o)
	want, calls := withoutHeader(canonical(t, o.RunDir)), fold(t, o.RunDir).TraceCounts.ModelCalls
	file := exported(t, o.RunDir)
	for path, concurrency := range map[string]int{o.RunDir: 8, file: 1} {
		again, source := replayedFrom(t, o, path, nil)
		again.Concurrency = concurrency
		if result := run(t, again); result.Status != trace.RunCompleted {
			t.Fatalf("from %s: %+v", path, result)
		}
		if !bytes.Equal(withoutHeader(canonical(t, again.RunDir)), want) {
			t.Errorf("from %s at concurrency %d: another canonical trace", path, concurrency)
		}
		r := fold(t, again.RunDir)
		if r.ModelSource != trace.SourceRecorded || r.Timing.AnswersRecorded != source.Given() || source.Given() < calls || source.Asked() != 0 {
			t.Errorf("from %s: model source %s, %d answers recorded of %d given, %d asked", path, r.ModelSource, r.Timing.AnswersRecorded, source.Given(), source.Asked())
		}
		requireReplays(t, again.RunDir, 8)
	}
	o.Concurrency, o.RunDir = 1, t.TempDir()
	run(t, o)
	if again := exported(t, o.RunDir); !bytes.Equal(readFile(t, file), readFile(t, again)) {
		t.Error("the exports of equal runs differ")
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestMissEndsTheRunAndSaysWhatDiffers changes one thing at a time.
func TestMissEndsTheRunAndSaysWhatDiffers(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 6)
	o.AgentsOverride = 3
	run(t, o)
	file := exported(t, o.RunDir)
	later := "Trade first."
	for name, c := range map[string]struct {
		change func(*engine.Options)
		ticks  int64
		// inRun and inFile are what the reason holds, with texts and with hashes.
		inRun, inFile string
	}{
		"goal": {func(o *engine.Options) { o.ShortTermGoal = "Make chips." }, 0,
			`agent-1, tick 1, step 1: input item 2 (message user) is not as recorded, from character 135 on: recorded "# Goals\nShort term: Build an assembler.`,
			`agent-1, tick 1, step 1: input item 2 (message user) is not as recorded: hash recorded `},
		"system prompt": {func(o *engine.Options) { o.SystemPrompt = "Hurry." }, 0, `instructions is not as recorded, from character 1 on`, `instructions is not as recorded: hash`},
		"protocol":      {func(o *engine.Options) { o.Protocol = "lean" }, 0, `agent-1, tick 1, step 1: instructions is not as recorded`, `agent-1, tick 1, step 1: instructions is not as recorded`},
		"model":         {func(o *engine.Options) { o.Model = "other" }, 0, "model is not as recorded: recorded scripted, asked now other", "model is not as recorded: recorded scripted, asked now other"},
		"later switch": {func(o *engine.Options) {
			o.PromptSwitches = []trace.Switch{{Tick: 5, AgentID: "agent-3", ShortTermGoal: &later}}
		}, 4,
			`agent-3, tick 5, step 1: input item 2`, `agent-3, tick 5, step 1: input item 2`},
		"more ticks": {func(o *engine.Options) { o.Ticks = 20 }, 6, "the recording ends before this tick", "the recording ends before this tick"},
	} {
		for path, want := range map[string]string{o.RunDir: c.inRun, file: c.inFile} {
			reasons := map[string]bool{}
			for _, concurrency := range []int{1, 8} {
				again, _ := replayedFrom(t, o, path, nil)
				again.Concurrency = concurrency
				c.change(&again)
				result := run(t, again)
				reasons[result.Reason] = true
				if result.Status != trace.RunReplayDiffers || result.TicksDone != c.ticks {
					t.Errorf("%s: %+v, want replay_differs after %d ticks", name, result, c.ticks)
				}
				if !strings.Contains(result.Reason, want) {
					t.Errorf("%s: reason %q, want %q in it", name, result.Reason, want)
				}
				if r := fold(t, again.RunDir); r.RunStatus != trace.RunReplayDiffers || r.TraceCounts.LLMErrorsByKind["not_recorded"] == 0 {
					t.Errorf("%s: report says %s, %v", name, r.RunStatus, r.TraceCounts.LLMErrorsByKind)
				}
			}
			if len(reasons) != 1 {
				t.Errorf("%s: the reason depends on concurrency: %v", name, reasons)
			}
		}
	}
}

// TestMissIsAskedOfTheModel continues past the end of a recording and after a change
// within it.
func TestMissIsAskedOfTheModel(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 10)
	o.AgentsOverride = 3
	run(t, o)
	whole, calls := canonical(t, o.RunDir), fold(t, o.RunDir).TraceCounts.ModelCalls
	short := o
	short.Ticks, short.RunDir = 6, t.TempDir()
	run(t, short)
	first := fold(t, short.RunDir).TraceCounts.ModelCalls
	again, source := replayedFrom(t, o, exported(t, short.RunDir), o.Source)
	run(t, again)
	if !bytes.Equal(withoutHeader(canonical(t, again.RunDir)), withoutHeader(whole)) {
		t.Error("a run that continues a recording differs from one that asked from the start")
	}
	r := fold(t, again.RunDir)
	if source.Given() != first || source.Asked() != calls-first || r.ModelSource != trace.SourceMixed || r.Timing.AnswersRecorded != first {
		t.Errorf("%d given, %d asked, report %s %d, want %d and %d", source.Given(), source.Asked(), r.ModelSource, r.Timing.AnswersRecorded, first, calls-first)
	}
	requireReplays(t, again.RunDir, 10)
}

// TestRecordingHoldsNoPrompt reads what an exported file keeps.
func TestRecordingHoldsNoPrompt(t *testing.T) {
	o := options(t, "llm_bootstrap", 4)
	o.SystemPrompt, o.LongTermGoal = "A text that is nobody's business.", "A goal that is nobody's business."
	run(t, o)
	f, err := rundir.OpenRecording(exported(t, o.RunDir), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(f); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"nobody's business", "# Observation", "embedded:", o.BaseURL, "started_at", `"type":"decision"`, `"type":"step"`} {
		if bytes.Contains(b.Bytes(), []byte(text)) {
			t.Errorf("the file holds %q", text)
		}
	}
	for record, err := range trace.NewReader(&b).All() {
		if err != nil {
			t.Fatal(err)
		}
		switch record.(type) {
		case trace.Header, trace.Blob, trace.ModelCall:
		default:
			t.Errorf("the file holds a %s record", record.RecordType())
		}
	}
}

// TestExportStopsAtWhatTheCheckRefuses leaves the decision to the caller.
func TestExportStopsAtWhatTheCheckRefuses(t *testing.T) {
	o := options(t, "minimal", 2)
	run(t, o)
	refused := errors.New("not this one")
	_, err := rundir.Dir(o.RunDir).As(nil).ExportAnswers(&bytes.Buffer{}, func(line []byte) error {
		if bytes.Contains(line, []byte(`"type":"model_call"`)) {
			return refused
		}
		return nil
	})
	if !errors.Is(err, refused) {
		t.Errorf("export: %v", err)
	}
}

// TestInterruptedAnswersAreNotRecorded: what an interrupt broke off is asked again.
func TestInterruptedAnswersAreNotRecorded(t *testing.T) {
	slow(t)
	o := options(t, "llm_bootstrap", 8)
	cut := o
	cut.RunDir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cut.Source = sourceFunc(func(c context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		if key.Tick == 5 && key.Agent == "agent-2" {
			cancel()
		}
		return o.Source.Respond(c, key, r)
	})
	if result, err := engine.Run(ctx, cut); err != nil || result.Status != trace.RunInterrupted {
		t.Fatalf("%+v %v", result, err)
	}
	run(t, o)
	for _, path := range []string{cut.RunDir, exported(t, cut.RunDir)} {
		again, source := replayedFrom(t, o, path, o.Source)
		run(t, again)
		if !bytes.Equal(withoutHeader(canonical(t, again.RunDir)), withoutHeader(canonical(t, o.RunDir))) {
			t.Errorf("from %s: differs from a run that was not interrupted", path)
		}
		if source.Given() == 0 || source.Asked() == 0 {
			t.Errorf("%d given, %d asked", source.Given(), source.Asked())
		}
	}
}

// TestRecordingOfItemsWithoutIDs: a provider without ids sends the same bytes in many
// ticks, which a trace stores once.
func TestRecordingOfItemsWithoutIDs(t *testing.T) {
	o := options(t, "minimal", 6)
	o.Protocol = "lean"
	live := o.Source
	o.Source = sourceFunc(func(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
		if key.Tick == 1 {
			return live.Respond(ctx, key, r)
		}
		return llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.Message("assistant", "the same again")}}}
	})
	run(t, o)
	for _, path := range []string{o.RunDir, exported(t, o.RunDir)} {
		again, source := replayedFrom(t, o, path, nil)
		if result := run(t, again); result.Status != trace.RunCompleted || source.Given() < 6 {
			t.Errorf("from %s: %+v after %d answers", path, result, source.Given())
		}
	}
}

func TestWhatIsNoRecordingIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"text":    {"hello\n", "not a record"},
		"empty":   {"", "EOF"},
		"magic":   {"\x28\xb5\x2f\xfd", "EOF"},
		"garbage": {"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff", "read recording"},
		"part":    {`{"type":"part","tick":1,"hash":"","kind":"item","body":""}` + "\n", trace.ErrNoHeader.Error()},
		"extract": {`{"type":"header","tick":0,"format":2,"extract":"other"}` + "\n", "no answers can be taken from"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.OpenRecorded(path, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
	if _, err := engine.OpenRecorded(filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := engine.OpenRecorded(dir, nil); err == nil || !strings.Contains(err.Error(), "not a run directory") {
		t.Errorf("a directory that is no run: %v", err)
	}
}
