package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/tools"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// consulting is a model that asks a tool in each turn, plans what it always plans, and notes what the tool said.
type consulting struct{}

// Respond implements [engine.Source].
func (consulting) Respond(_ context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	id := fmt.Sprintf("call-%d-%d", key.Tick, key.Step)
	call := func(tool, arguments string) llmclient.Answer {
		return llmclient.Answer{Reply: &llmclient.Reply{Status: "completed",
			Items: []llmclient.Item{llmclient.FunctionCall(id, tool, arguments)}}}
	}
	said := ""
	if last := r.Input[len(r.Input)-1]; last.Kind == llmclient.KindFunctionOutput {
		said = last.Text
	}
	switch key.Step {
	case 1:
		return call("oracle", `{"question":"what now"}`)
	case 2:
		note, _ := json.Marshal(map[string]any{"candidates": []map[string]any{{"action": "post_note", "to": nil, "id": nil,
			"what": nil, "amount": nil, "price": nil, "text": said}}})
		return call("decision_draft", string(note))
	}
	return call("decision", `{"candidate":1,"execute_until":null,"why":"the oracle said so","sources_used":[]}`)
}

// oracle is a tool that counts its calls and says another thing each time.
func oracle(calls *atomic.Int64, change func(*tools.Tool)) tools.Tool {
	type question struct {
		Question string `json:"question"`
	}
	t := tools.New("oracle", "1", "Knows what to do.", func(_ context.Context, q question) (any, error) {
		return fmt.Sprintf("%s: %d", q.Question, calls.Add(1)), nil
	})
	t.Trusted = true
	if change != nil {
		change(&t)
	}
	return t
}

// toolCalls are the recorded calls of tools of a run, and its notes.
func toolCalls(t *testing.T, dir string) (calls []trace.ToolCall, notes []string) {
	t.Helper()
	f, err := run.Dir(dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r, err := range trace.NewReader(f).All() {
		if err != nil {
			t.Fatal(err)
		}
		switch r := r.(type) {
		case trace.ToolCall:
			calls = append(calls, r)
		case trace.Decision:
			a, err := world.DecodeAction(r.Executed)
			if note, is := a.(world.PostNote); is && err == nil {
				notes = append(notes, note.Text)
			}
		}
	}
	return calls, notes
}

// played plays with the consulting model and the tools.
func consulted(t *testing.T, dir string, ticks int64, list ...tools.Tool) session.Config {
	t.Helper()
	s := settingsOf(t, "minimal", ticks)
	s.ChainSteps = 0
	return session.Config{Settings: s, Dir: dir, Source: consulting{}, Tools: list}
}

// TestARunOffersTheToolsThatItsSettingsName: each by its name or that of its server. Who names one that is not
// there, or leaves one out that the scenario needs, is told which.
func TestARunOffersTheToolsThatItsSettingsName(t *testing.T) {
	var calls atomic.Int64
	of := func(name, server string) tools.Tool {
		return oracle(&calls, func(t *tools.Tool) { t.Name, t.Server = name, server })
	}
	list := []tools.Tool{of("oracle", ""), of("far_look", "far"), of("far_write", "far")}
	for offer, want := range map[string]string{
		"": "oracle far_look far_write", "none": "", "far": "far_look far_write", " far_write,oracle , far_write ": "oracle far_write",
		"nobody": `run.tools: no tool or server is called "nobody" here; allowed: oracle, far_look, far_write, none`,
		"far,":   `run.tools: no tool or server is called "" here; allowed: oracle, far_look, far_write, none`,
	} {
		c := consulted(t, "", 1, list...)
		c.OfferTools = offer
		s, err := session.New(c)
		var names []string
		if err == nil {
			for _, t := range s.Settings().Tools {
				names = append(names, t.Name)
			}
			if s.Settings().OfferTools != "" {
				t.Errorf("%q is still to be offered", s.Settings().OfferTools)
			}
		} else {
			names = append(names, err.Error())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q offers %s, want %s", offer, got, want)
		}
	}
	c := consulted(t, "", 1, list...)
	c.ScenarioTOML += "\n[[tools]]\nname = \"oracle\"\n"
	c.OfferTools = "far"
	if _, err := session.New(c); err == nil || !strings.Contains(err.Error(), "tool oracle is left out, and the scenario needs it") {
		t.Errorf("the error is %v", err)
	}
}

// TestAToolIsCalledOnceForEachCallThatCommits: what it says decides an action, is recorded, and is taken from
// the record by a replay, a resume, a fork, learning and a rehearsal. Without the tool a run is continued only
// if its user says so.
func TestAToolIsCalledOnceForEachCallThatCommits(t *testing.T) {
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	var calls atomic.Int64
	asked := func(after string, want int64) {
		t.Helper()
		if got := calls.Load(); got != want {
			t.Fatalf("after %s the tool was called %d times, want %d", after, got, want)
		}
	}
	c := consulted(t, at("run"), 3, oracle(&calls, nil))
	s, err := session.New(c)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := engine.Prepare(s.Settings())
	if err != nil {
		t.Fatal(err)
	}
	rehearsal := prepared.Rehearse()
	for step := 1; ; step++ {
		request, more := rehearsal.Next()
		if !more {
			break
		}
		rehearsal.Answer(consulting{}.Respond(t.Context(), trace.CallKey{Tick: 1, Step: step}, request))
	}
	asked("a rehearsal", 0)
	played(t, s, nil)
	asked("the run", 3)
	recorded, notes := toolCalls(t, c.Dir)
	if len(recorded) != 3 || len(notes) != 3 {
		t.Fatalf("%d calls and %d notes are recorded, want 3 each", len(recorded), len(notes))
	}
	for i, call := range recorded {
		want := fmt.Sprintf("what now: %d", i+1)
		if string(call.Result) != fmt.Sprintf("%q", want) || string(call.Arguments) != `{"question":"what now"}` ||
			!strings.Contains(notes[i], want) {
			t.Errorf("call %d is %+v, the note %q", i, call, notes[i])
		}
	}
	agrees(t, c.Dir)
	if _, _, err := engine.Collect(t.Context(), c.Dir, engine.ReplayOptions{}); err != nil {
		t.Fatal(err)
	}
	asked("a replay and learning", 3)

	left, err := session.Parent(c.Dir, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	left.Ticks = 4
	forked := c
	forked.Settings, forked.Dir = left, at("fork")
	f, err := session.Fork(forked, session.Left{Parent: c.Dir, AtTick: 2})
	played(t, f, err)
	asked("a fork by two ticks", 5)
	agrees(t, forked.Dir)

	for name, without := range map[string][]tools.Tool{
		"oracle 1":        nil,
		"oracle 1 (no 2)": {oracle(&calls, func(of *tools.Tool) { of.Version = "2" })},
		"oracle 1 (hash)": {oracle(&calls, func(of *tools.Tool) { of.Hash = "0" })},
	} {
		_, err := session.Resume(session.Config{Dir: c.Dir, Tools: without, Source: consulting{}}, session.Continued{UntilTick: 5})
		missing, ok := errors.AsType[*session.MissingToolError](err)
		if !ok || !missing.Recorded || !strings.HasSuffix(missing.Error(), ": oracle 1") {
			t.Errorf("%s: the resume says %v", name, err)
		}
	}
	r, err := session.Resume(session.Config{Dir: c.Dir, Tools: c.Tools, Source: consulting{}}, session.Continued{UntilTick: 4})
	played(t, r, err)
	asked("a resume by one tick", 6)
	r, err = session.Resume(session.Config{Dir: c.Dir, WithoutTools: true, Source: consulting{}}, session.Continued{UntilTick: 5})
	played(t, r, err)
	asked("a resume without the tool", 6)
	agrees(t, c.Dir)
	recorded, _ = toolCalls(t, c.Dir)
	if last := recorded[len(recorded)-1]; len(recorded) != 5 || last.Code != trace.ToolUnavailable {
		t.Errorf("%d calls are recorded, the last one is %+v", len(recorded), last)
	}

	again := consulted(t, at("again"), 3, c.Tools...)
	again.Recording = session.Recording{Path: c.Dir}
	again.Source = nil
	s, err = session.New(again)
	played(t, s, err)
	asked("a run of recorded answers", 6)
}

// resting is a model that waits. One agent asks the tool before it, and others are slower than that now and then.
type resting struct{}

// Respond implements [engine.Source].
func (resting) Respond(_ context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if r.Hash()[0] < '4' {
		time.Sleep(5 * time.Millisecond)
	}
	tool, arguments := "decision", `{"candidate":0,"execute_until":null,"why":"","sources_used":[]}`
	if key.Agent == "agent-1" && key.Step == 1 {
		tool, arguments = "oracle", fmt.Sprintf(`{"question":"%d"}`, key.Tick)
	}
	return llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.FunctionCall("c", tool, arguments)}}}
}

// TestNothingAskedAheadCallsATool: what is asked for coming turns stops before a tool, which is called once for
// each turn that commits.
func TestNothingAskedAheadCallsATool(t *testing.T) {
	var calls atomic.Int64
	list := []tools.Tool{oracle(&calls, func(of *tools.Tool) {
		of.Agents = []string{"agent-1"}
	})}
	s := settingsOf(t, "asteroid_fragment_bootstrap", 12)
	s.AgentsOverride = 6
	s.ChainSteps = 0
	c := session.Config{Settings: s, Dir: filepath.Join(t.TempDir(), "run"), Source: resting{}, Tools: list,
		Ahead: session.Ahead{Depth: 4, WastePermille: 1000}}
	n, err := session.New(c)
	ahead := played(t, n, err).Report.Timing.Ahead
	recorded, _ := toolCalls(t, c.Dir)
	if ahead.Used == 0 {
		t.Fatalf("nothing was asked ahead: %+v", ahead)
	}
	if calls.Load() != 12 || len(recorded) != 12 {
		t.Errorf("the tool was called %d times, %d calls are recorded, want one in each of 12 ticks", calls.Load(), len(recorded))
	}
	for i, call := range recorded {
		if call.Tick != int64(i+1) || string(call.Result) != fmt.Sprintf(`"%d: %d"`, i+1, i+1) {
			t.Errorf("call %d is of tick %d: %s", i+1, call.Tick, call.Result)
		}
	}
	agrees(t, c.Dir)
}

// TestAnInterruptedTickTakesItsResultsAgain: a call whose result is recorded is not made again when the tick
// is resumed, and the run comes out as in one piece.
func TestAnInterruptedTickTakesItsResultsAgain(t *testing.T) {
	var calls atomic.Int64
	dir := filepath.Join(t.TempDir(), "run")
	c := consulted(t, dir, 3, oracle(&calls, nil))
	ctx, cancel := context.WithCancel(t.Context())
	c.Source = stopping{cancel: cancel, tick: 2, step: 2}
	s, err := session.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || calls.Load() != 2 {
		t.Fatalf("before the interruption %d calls, %v", calls.Load(), err)
	}
	r, err := session.Resume(session.Config{Dir: dir, Tools: c.Tools, Source: consulting{}}, session.Continued{})
	played(t, r, err)
	recorded, _ := toolCalls(t, dir)
	if calls.Load() != 3 || len(recorded) != 3 {
		t.Errorf("%d calls were made, %d are recorded, want 3", calls.Load(), len(recorded))
	}
	agrees(t, dir)
}

// TestALostResultIsAskedForAgain: a run that ends while a tool works has no result of it.
func TestALostResultIsAskedForAgain(t *testing.T) {
	var calls atomic.Int64
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	slow := oracle(&calls, nil)
	answer := slow.Call
	slow.Call = func(ctx context.Context, arguments json.RawMessage) (any, error) {
		said, err := answer(ctx, arguments)
		if calls.Load() == 2 {
			cancel()
			<-ctx.Done()
		}
		return said, err
	}
	c := consulted(t, dir, 3, slow)
	s, err := session.New(c)
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Run(ctx)
	if err != nil || result.Status != trace.RunInterrupted || s.Close() != nil {
		t.Fatalf("%s, %v", result.Status, err)
	}
	r, err := session.Resume(session.Config{Dir: dir, Tools: c.Tools, Source: consulting{}}, session.Continued{})
	played(t, r, err)
	recorded, _ := toolCalls(t, dir)
	if calls.Load() != 4 || len(recorded) != 3 || string(recorded[1].Result) != `"what now: 3"` {
		t.Errorf("%d calls were made, recorded are %+v", calls.Load(), recorded)
	}
	agrees(t, dir)
}

// stopping ends the run before it answers one request.
type stopping struct {
	cancel context.CancelFunc
	tick   int64
	step   int
}

// Respond implements [engine.Source].
func (s stopping) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if key.Tick == s.tick && key.Step == s.step {
		s.cancel()
		return llmclient.Failed(llmclient.ErrInterrupted, "interrupted")
	}
	return consulting{}.Respond(ctx, key, r)
}

// TestTrustIsForOneAgent: a tool that two agents have, alone or on one server, is not trusted, nor one that
// takes arguments from texts. A scenario narrows who has it, and needs it to be there.
func TestTrustIsForOneAgent(t *testing.T) {
	var calls atomic.Int64
	for name, c := range map[string]struct {
		scenario string
		more     string
		change   func(*tools.Tool)
		trusted  bool
		missing  string
	}{
		"one agent":        {scenario: "minimal", trusted: true},
		"open arguments":   {scenario: "minimal", change: func(of *tools.Tool) { of.Open = []string{"question"} }},
		"all agents":       {scenario: "llm_bootstrap"},
		"narrowed by user": {scenario: "llm_bootstrap", change: func(of *tools.Tool) { of.Agents = []string{"agent-2"} }, trusted: true},
		"narrowed":         {scenario: "llm_bootstrap", more: "[[tools]]\nname = \"oracle\"\nagents = [\"agent-1\"]\n", trusted: true},
		"narrowed to two":  {scenario: "llm_bootstrap", more: "[[tools]]\nname = \"oracle\"\nagents = [\"agent-1\", \"agent-2\"]\n"},
		"not there":        {scenario: "minimal", more: "[[tools]]\nname = \"delphi\"\n", missing: "delphi"},
	} {
		settings := settingsOf(t, c.scenario, 1)
		settings.ScenarioTOML += "\n" + c.more
		heard := &heard{}
		s, err := session.New(session.Config{Settings: settings, Source: consulting{}, Tools: []tools.Tool{oracle(&calls, c.change)},
			Hooks: session.Hooks{Listener: heard}})
		if missing, ok := errors.AsType[*session.MissingToolError](err); ok != (c.missing != "") || ok && missing.Tools[0].Name != c.missing {
			t.Errorf("%s: %v", name, err)
		}
		if c.missing != "" {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := s.Settings().Tools[0].Trusted; got != c.trusted || (len(heard.notices) == 0) != c.trusted {
			t.Errorf("%s: trusted %t, want %t; notices %v", name, got, c.trusted, heard.notices)
		}
		if len(heard.notices) == 1 {
			if r, ok := heard.notices[0].(access.Remark); !ok || !strings.HasPrefix(r.Text, "results of tool oracle are not trusted: ") {
				t.Errorf("%s: the notice is %+v", name, heard.notices[0])
			}
		}
		_ = s.Close()
	}
}

// TestAnUntrustedToolBringsTexts: a turn that could do without a plan has one, since what the tool returns
// follows it.
func TestAnUntrustedToolBringsTexts(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		var calls atomic.Int64
		c := consulted(t, filepath.Join(t.TempDir(), "run"), 1, oracle(&calls, func(of *tools.Tool) { of.Trusted = trusted }))
		c.Protocol = "lean"
		var offered []string
		c.Source = offering{&offered}
		s, err := session.New(c)
		played(t, s, err)
		if got, want := strings.Join(offered[:2], " "), map[bool]string{true: "turn", false: "turn plan"}[trusted]; !strings.HasPrefix(got, want+" ") && got != want {
			t.Errorf("trusted %t: the tools are %v", trusted, offered)
		}
		if !slices.Contains(offered, "oracle") {
			t.Errorf("the tool is not offered: %v", offered)
		}
	}
}

// offering notes the tools of requests.
type offering struct{ names *[]string }

// Respond implements [engine.Source].
func (o offering) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	*o.names = nil
	for _, tool := range r.Tools {
		*o.names = append(*o.names, tool.Name)
	}
	return consulting{}.Respond(ctx, key, r)
}
