package engine_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/report"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/trace/tracetest"
)

// tally is a source that remembers the requests, and can end the run after a number of
// answers.
type tally struct {
	engine.Source
	mu    sync.Mutex
	asked []trace.CallKey
	// after that many requests, stop is called; 0 is never.
	after int
	stop  func()
}

func (s *tally) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	s.mu.Lock()
	if ctx.Err() == nil {
		s.asked = append(s.asked, key)
	}
	if s.after > 0 && len(s.asked) == s.after {
		s.stop()
	}
	s.mu.Unlock()
	return s.Source.Respond(ctx, key, r)
}

// eventful is a run with everything that a resume has to bring back: faults with
// retries and repairs, lessons, a change of prompts. The source counts.
func eventful(t *testing.T, ticks int64) (engine.Options, *tally) {
	t.Helper()
	goal := "make two more chips"
	o := spoilt(t, options(t, "llm_bootstrap", ticks), "repairable=20%,http_429_retry_after_ms=5%,http_500=5%,empty_body=3%", openai.Config{})
	o.AgentsOverride, o.LearnEvery, o.PlaybookBullets = 3, 3, 6
	o.PromptSwitches = []trace.Switch{{Tick: 4, AgentID: "agent-1", ShortTermGoal: &goal}, {Tick: 6, ShortTermGoal: &goal}}
	counted := &tally{Source: o.Source}
	o.Source = counted
	return o, counted
}

// cutAt makes a run directory with the first bytes of a trace.
func cutAt(t *testing.T, whole []byte, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rundir.TraceFile), tracetest.Sealed(whole[:bytes]), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// resume resumes the run in dir like the run o, with its source.
func resume(t *testing.T, dir string, o engine.Options, until int64) (engine.Result, error) {
	t.Helper()
	s, err := engine.PrepareResume(dir, engine.ResumeOptions{UntilTick: until, Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL})
	if err != nil {
		return engine.Result{}, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	return s.Run(context.Background(), o)
}

// timeless is the report of a run without what two equal runs may differ in.
func timeless(t *testing.T, dir string) report.Report {
	r := fold(t, dir)
	r.Timing = report.Timing{}
	return r
}

// answered are the calls whose exchange is complete in a trace.
func answered(t *testing.T, text []byte) map[trace.CallKey]bool {
	t.Helper()
	keys := map[trace.CallKey]bool{}
	for record, err := range trace.NewReader(bytes.NewReader(text)).All() {
		if errors.Is(err, trace.ErrTorn) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := record.(trace.ModelCall); ok {
			keys[trace.CallKey{Tick: c.Tick, Agent: c.AgentID, Step: c.Step}] = true
		}
	}
	return keys
}

// TestResumeFromAnywhere cuts the trace of a run at random bytes, as a kill would, and
// resumes each: trace and report must equal those of the run that never stopped, and
// nothing may be asked whose answer was there.
func TestResumeFromAnywhere(t *testing.T) {
	slow(t)
	const ticks = 8
	o, counted := eventful(t, ticks)
	run(t, o)
	whole, wantTrace, wantReport := readTrace(t, o.RunDir), canonical(t, o.RunDir), timeless(t, o.RunDir)
	total := len(counted.asked)
	header := bytes.IndexByte(whole, '\n') + 1
	offsets := []int{header, len(whole) - 1, bytes.LastIndex(whole, []byte(`{"type":"run_end"`)), bytes.LastIndex(whole, []byte(`{"type":"event"`))}
	for range ticksUpTo(2, 8) {
		offsets = append(offsets, header+rand.IntN(len(whole)-header))
	}
	for _, at := range offsets {
		dir := cutAt(t, whole, at)
		again, counted := eventful(t, ticks)
		result, err := resume(t, dir, again, 0)
		if err != nil || result.Status != trace.RunCompleted || result.TicksDone != ticks {
			t.Fatalf("cut at byte %d: %+v, %v", at, result, err)
		}
		if diff := cmp.Diff(string(wantTrace), string(canonical(t, dir))); diff != "" {
			t.Fatalf("cut at byte %d: the trace differs:\n%.3000s", at, diff)
		}
		if diff := cmp.Diff(wantReport, timeless(t, dir)); diff != "" {
			t.Errorf("cut at byte %d: the report differs:\n%s", at, diff)
		}
		had := answered(t, whole[:at])
		if len(had)+len(counted.asked) != total {
			t.Errorf("cut at byte %d: %d answers were there and %d were asked for, of %d", at, len(had), len(counted.asked), total)
		}
		for _, key := range counted.asked {
			if had[key] {
				t.Errorf("cut at byte %d: %v was asked for again", at, key)
			}
		}
		requireReplays(t, dir, ticks)
	}
}

// TestResumeAfterInterruptions stops a run again and again in the middle of a tick.
// Calls that the interruption ended are asked again, all others once.
func TestResumeAfterInterruptions(t *testing.T) {
	slow(t)
	const ticks = 6
	o, counted := eventful(t, ticks)
	run(t, o)
	want, total := canonical(t, o.RunDir), len(counted.asked)
	dir, stops, broken := t.TempDir(), 0, 0
	var asked []trace.CallKey
	for {
		again, counted := eventful(t, ticks)
		ctx, cancel := context.WithCancel(context.Background())
		counted.after, counted.stop = 13, cancel
		again.RunDir, again.Concurrency = dir, 3
		result, err := continued(ctx, t, dir, again, stops > 0)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, counted.asked...)
		if result.Status == trace.RunCompleted {
			break
		}
		if result.Status != trace.RunInterrupted {
			t.Fatalf("%+v", result)
		}
		stops++
		broken += again.Concurrency
	}
	if stops < 3 {
		t.Errorf("only %d interruptions", stops)
	}
	if diff := cmp.Diff(string(want), string(canonical(t, dir))); diff != "" {
		t.Errorf("the trace differs:\n%.3000s", diff)
	}
	if len(asked) > total+broken {
		t.Errorf("%d calls for %d answers with %d interruptions of at most 3 calls each", len(asked), total, stops)
	}
	if cut, err := os.ReadFile(filepath.Join(dir, rundir.CutFile)); err != nil || !bytes.Contains(cut, []byte(llmclient.ErrInterrupted)) {
		t.Errorf("what was cut off is not kept: %v %.200s", err, cut)
	}
}

// continued begins the run of o or resumes it.
func continued(ctx context.Context, t *testing.T, dir string, o engine.Options, begun bool) (engine.Result, error) {
	if !begun {
		return engine.Run(ctx, o)
	}
	s, err := engine.PrepareResume(dir, engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource, BaseURL: o.BaseURL})
	if err != nil {
		return engine.Result{}, err
	}
	defer s.Close()
	return s.Run(ctx, o)
}

// TestExtendedRunEqualsALongerOne lets a finished run go on, twice.
func TestExtendedRunEqualsALongerOne(t *testing.T) {
	slow(t)
	long, _ := eventful(t, 7)
	run(t, long)
	o, _ := eventful(t, 3)
	run(t, o)
	for _, until := range []int64{5, 7} {
		again, _ := eventful(t, 3)
		if result, err := resume(t, o.RunDir, again, until); err != nil || result.TicksDone != until || result.Status != trace.RunCompleted {
			t.Fatalf("until %d: %+v, %v", until, result, err)
		}
	}
	if diff := cmp.Diff(string(canonical(t, long.RunDir)), string(canonical(t, o.RunDir))); diff != "" {
		t.Errorf("the trace differs:\n%.3000s", diff)
	}
	if diff := cmp.Diff(timeless(t, long.RunDir), timeless(t, o.RunDir)); diff != "" {
		t.Errorf("the report differs:\n%s", diff)
	}
	if r := fold(t, o.RunDir); r.Timing.Resumes != 2 {
		t.Errorf("the report tells %d resumes, want 2", r.Timing.Resumes)
	}
	s, err := engine.PrepareResume(o.RunDir, engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource})
	if err != nil || !s.Complete() || s.State.Tick != 7 {
		t.Errorf("the run is not complete: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	requireReplays(t, o.RunDir, 7)
}

// TestResumeOfARunWithoutAnswers: a run in which every call failed fails the same way
// when it is killed anywhere and resumed, and then nothing is left to do.
func TestResumeOfARunWithoutAnswers(t *testing.T) {
	down := func() engine.Options {
		o := options(t, "minimal", 4)
		client, err := openai.New(openai.Config{BaseURL: "http://127.0.0.1:1/v1", BackoffBase: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		o.Source = engine.Live(client)
		return o
	}
	o := down()
	unbroken := run(t, o)
	if unbroken.Status != trace.RunProviderFailed || unbroken.TicksDone != 4 {
		t.Fatalf("%+v", unbroken)
	}
	whole, want := readTrace(t, o.RunDir), canonical(t, o.RunDir)
	header := bytes.IndexByte(whole, '\n') + 1
	for _, at := range []int{header, bytes.LastIndex(whole, []byte(`{"type":"run_end"`)), header + rand.IntN(len(whole)-header-2)} {
		dir := cutAt(t, whole, at)
		result, err := resume(t, dir, down(), 0)
		if err != nil || result.Status != trace.RunProviderFailed || result.Reason != unbroken.Reason || !bytes.Equal(canonical(t, dir), want) {
			t.Errorf("cut at byte %d: %+v, %v", at, result, err)
		}
		s, err := engine.PrepareResume(dir, engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource})
		if err != nil || !s.Complete() || s.State.End.RunStatus != trace.RunProviderFailed {
			t.Fatalf("cut at byte %d: something is left to do: %v", at, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestResumeAfterAResumeThatDied: a run that its provider ended continues on an explicit
// resume, even if the first process to try was killed before it asked anything.
func TestResumeAfterAResumeThatDied(t *testing.T) {
	o := options(t, "minimal", 14)
	model := o.Source
	o.Source = sourceFunc(func(context.Context, trace.CallKey, llmclient.Request) llmclient.Answer {
		return llmclient.Failed(llmclient.ErrTimeout, "no")
	})
	ended := run(t, o)
	if ended.Status != trace.RunProviderFailed || ended.TicksDone == 14 {
		t.Fatalf("%+v", ended)
	}
	f, err := os.OpenFile(filepath.Join(o.RunDir, rundir.TraceFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(trace.NewWriter(f).Write(trace.Resume{Tick: ended.TicksDone, TicksRequested: 14}), f.Close())
	if err != nil {
		t.Fatal(err)
	}
	o.Source = model
	if result, err := resume(t, o.RunDir, o, 14); err != nil || result.Status != trace.RunCompleted || result.TicksDone != 14 {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestResumeComparesWithTheRecords changes a recorded run: the resume must stop and
// leave it as it is.
func TestResumeComparesWithTheRecords(t *testing.T) {
	o := options(t, "llm_bootstrap", 4)
	run(t, o)
	whole := string(readTrace(t, o.RunDir))
	cut := strings.LastIndex(whole, `{"type":"step"`)
	for name, change := range map[string]func(string) string{
		"digest":  func(s string) string { return replaceLast(s, `"digest":"`, `"digest":"0`) },
		"request": func(s string) string { return strings.Replace(s, `"request_hash":"`, `"request_hash":"0`, 1) },
		"open":    func(s string) string { return replaceLast(s, `"request_hash":"`, `"request_hash":"0`) },
		"answer":  func(s string) string { return strings.Replace(s, `"status":"completed"`, `"status":"incomplete"`, 1) },
		"seed":    func(s string) string { return strings.Replace(s, `"seed":`, `"seed":9`, 1) },
		"part": func(s string) string {
			return strings.Replace(s, `\"type\":\"function_call\"`, `\"type\":\"function_call\" `, 1)
		},
		"prompt":   func(s string) string { return strings.Replace(s, `# Goals`, `# Goal`, 1) },
		"step":     func(s string) string { return strings.Replace(s, `"kind":"plan"`, `"kind":"plot"`, 1) },
		"section":  func(s string) string { return strings.Replace(s, `"clipped_chars":0`, `"clipped_chars":1`, 1) },
		"decision": func(s string) string { return strings.Replace(s, `"decided_by":"model"`, `"decided_by":"engine"`, 1) },
		"outcome":  func(s string) string { return strings.Replace(s, `"accepted":true`, `"accepted":false`, 1) },
		"event":    func(s string) string { return strings.Replace(s, `"kind":"power_settled"`, `"kind":"power_state"`, 1) },
		"posting": func(s string) string {
			return strings.Replace(s, `"resource":"electricity"`, `"resource":"compound"`, 1)
		},
		"line": func(s string) string {
			return cutLast(s[:strings.LastIndex(s, `{"type":"tick_end"`)], `{"type":"event"`) + s[strings.LastIndex(s, `{"type":"tick_end"`):]
		},
	} {
		tampered := tracetest.Sealed([]byte(change(whole[:cut])))
		if string(tampered) == whole[:cut] {
			t.Fatalf("%s: nothing to change", name)
		}
		dir := cutAt(t, tampered, len(tampered))
		_, err := resume(t, dir, o, 0)
		if err == nil {
			t.Errorf("%s: a resume does not notice the change", name)
		} else if _, differs := errors.AsType[*trace.DifferenceError](err); !differs {
			t.Errorf("%s: %v", name, err)
		}
		// Damage in the unfinished tick is found when that tick is run.
		if name != "open" && !bytes.Equal(readTrace(t, dir), tampered) {
			t.Errorf("%s: the trace was changed", name)
		}
	}
}

// TestResumeRefusals asks for what cannot be.
func TestResumeRefusals(t *testing.T) {
	o := options(t, "minimal", 3)
	run(t, o)
	for name, tt := range map[string]struct {
		o    engine.ResumeOptions
		want string
	}{
		"model":  {engine.ResumeOptions{Model: "other", ModelSource: o.ModelSource}, "makes another run, which is a fork"},
		"source": {engine.ResumeOptions{Model: o.Model, ModelSource: trace.SourceLive}, "which is a fork"},
		"back":   {engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource, UntilTick: 2}, "it has 3 whole ticks"},
	} {
		if _, err := engine.PrepareResume(o.RunDir, tt.o); !errors.Is(err, engine.ErrNotResumable) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	whole := readTrace(t, o.RunDir)
	for _, length := range []int{0, 100} {
		_, err := engine.PrepareResume(cutAt(t, whole, length), engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource})
		if !errors.Is(err, engine.ErrNotResumable) || !strings.Contains(err.Error(), "before anything was recorded") {
			t.Errorf("a trace of %d bytes: %v", length, err)
		}
	}
	damaged := slices.Concat(whole[:len(whole)/2], []byte("\nnot a record\n"), whole[len(whole)/2:])
	dir := cutAt(t, damaged, len(damaged))
	if _, err := engine.PrepareResume(dir, engine.ResumeOptions{Model: o.Model, ModelSource: o.ModelSource}); err == nil || !strings.Contains(err.Error(), "the chain is broken") {
		t.Errorf("a run damaged in the middle: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, rundir.LockFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refusal leaves the lock: %v", err)
	}
}

// TestResumeAfterDamageInTheOpenTick spoils a record of the open tick, under a chain that fits:
// the record is cut with what follows, asked again, and stored again.
func TestResumeAfterDamageInTheOpenTick(t *testing.T) {
	o := options(t, "minimal", 4)
	run(t, o)
	whole := readTrace(t, o.RunDir)
	end := bytes.LastIndex(whole, []byte(`{"type":"decision"`))
	open := bytes.LastIndex(whole[:end], []byte(`{"type":"tick_end"`))
	for _, damage := range []struct{ in, was, is string }{
		{"blob", `"body":"`, `"body":"` + string(make([]byte, 20))}, {"blob", `"body":"`, `"body":5,"was":"`},
		{"model_call", `"input_chars":`, `"input_chars":"x","was":`}, {"model_call", `"request_hash":"`, `"Answer":5,"request_hash":"`},
	} {
		record := open + bytes.Index(whole[open:], []byte(`{"type":"`+damage.in))
		spoilt := slices.Concat(whole[:record], bytes.Replace(whole[record:end], []byte(damage.was), []byte(damage.is), 1))
		dir := cutAt(t, spoilt, len(spoilt))
		if _, err := resume(t, dir, o, 0); err != nil {
			t.Errorf("%q in place of %q: %v", damage.is, damage.was, err)
			continue
		}
		if diff := cmp.Diff(string(canonical(t, o.RunDir)), string(canonical(t, dir))); diff != "" {
			t.Errorf("%q in place of %q: the trace differs:\n%.3000s", damage.is, damage.was, diff)
			continue
		}
		requireReplays(t, dir, 4)
	}
}

// TestResumeCutsWhatAPowerFailureLeft ends the trace in zeros.
// TestResumeUsesNoChangedAnswer: a line of the open tick that does not fit its chain is no answer,
// even if it could be read as one.
func TestResumeUsesNoChangedAnswer(t *testing.T) {
	o := options(t, "minimal", 4)
	run(t, o)
	whole := readTrace(t, o.RunDir)
	end := bytes.LastIndex(whole, []byte(`{"type":"decision"`))
	open := bytes.LastIndex(whole[:end], []byte(`{"type":"tick_end"`))
	changed := bytes.Replace(whole[open:end], []byte(`"usage":{"input":`), []byte(`"usage":{"input":9`), 1)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rundir.TraceFile), slices.Concat(whole[:open], changed), 0o600); err != nil || len(changed) == end-open {
		t.Fatal(err, "or no answer in the open tick")
	}
	if _, err := resume(t, dir, o, 0); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(canonical(t, o.RunDir)), string(canonical(t, dir))); diff != "" {
		t.Errorf("the trace differs:\n%.3000s", diff)
	}
}

func TestResumeCutsWhatAPowerFailureLeft(t *testing.T) {
	o := options(t, "minimal", 4)
	run(t, o)
	whole := readTrace(t, o.RunDir)
	at := bytes.LastIndex(whole, []byte(`{"type":"decision"`))
	dir := cutAt(t, slices.Concat(whole[:at], make([]byte, 300), []byte("\n{\"type\":\"event\",\"tick\":4}\n")), at+300+30)
	if _, err := resume(t, dir, o, 0); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(canonical(t, o.RunDir)), string(canonical(t, dir))); diff != "" {
		t.Errorf("the trace differs:\n%.3000s", diff)
	}
}
