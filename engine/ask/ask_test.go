package ask_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/agentworld/behavior/interview"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ask"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

const ticks = 10

// played is a run of the embedded model over HTTP, which answers questions as odd says: with the
// output items of a response, or as the model does where odd is nil or says nothing.
type played struct {
	dir   run.Dir
	index *state.Index
	o     ask.Options
	// odd returns the output for the nth question asked, from 1.
	odd func(n int) string
	// mu guards what follows and odd, which the server reads.
	mu    sync.Mutex
	asked int
	// bodies are the requests with a question.
	bodies [][]byte
}

func play(t *testing.T, language string) *played {
	t.Helper()
	p := &played{dir: run.Dir(t.TempDir())}
	model := stub.NewHandler(stub.Options{Seed: 1})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte(`"tool_choice":"none"`)) || !bytes.Contains(body, []byte(`"content":"# `)) {
			model.ServeHTTP(w, r)
			return
		}
		p.mu.Lock()
		p.asked++
		p.bodies = append(p.bodies, body)
		asked, output := p.asked, ""
		if p.odd != nil {
			output = p.odd(p.asked)
		}
		p.mu.Unlock()
		if output == "" {
			model.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"resp_%d","object":"response","status":"completed","model":"m","output":%s,"usage":{"input_tokens":100,"output_tokens":5,"total_tokens":105}}`, asked, output)
	}))
	t.Cleanup(server.Close)
	client, err := openai.New(openai.Config{BaseURL: server.URL, Steady: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	_, text, ok := scenario.Embedded("llm_bootstrap")
	if !ok {
		t.Fatal("there is no such scenario")
	}
	s := trace.DefaultSettings()
	s.Scenario, s.ScenarioTOML, s.Ticks, s.Seed, s.Language = "llm_bootstrap", string(text), ticks, 5, language
	s.Model, s.ModelSource, s.BaseURL = stub.ModelName, trace.SourceScripted, stub.EmbeddedURL
	if _, err := engine.Run(t.Context(), engine.Options{Settings: s, RunDir: string(p.dir), Source: engine.Live(client)}); err != nil {
		t.Fatal(err)
	}
	if p.index, _, err = p.dir.Index(false); err != nil {
		t.Fatal(err)
	}
	p.answers(nil)
	p.o = ask.Options{
		Source: engine.Live(client), ModelSource: trace.SourceScripted, CountTokens: tokens.Count, Meter: engine.NewMeter(s),
		Now: func() time.Time { return time.Unix(0, 0) },
	}
	return p
}

// answers sets what questions from now on are answered with; nil leaves it to the model.
func (p *played) answers(odd func(n int) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.odd, p.asked, p.bodies = odd, 0, nil
}

// ask asks an agent after a tick, and checks that what is kept can be derived again.
func (p *played) ask(t *testing.T, tick int64, agent, question string) ask.Record {
	t.Helper()
	a, err := ask.Agent(p.dir, p.index, tick, agent)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ask.Ask(t.Context(), a, question, p.o)
	if err != nil {
		t.Fatal(err)
	}
	if err := ask.Keep(p.dir, r); err != nil {
		t.Fatal(err)
	}
	kept, err := ask.Kept(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := ask.Check(p.dir, p.index, kept[len(kept)-1], tokens.Count); err != nil {
		t.Error(err)
	}
	return r
}

// TestAskLeavesTheRunAsItIs: every agent answers at every tick, in both languages, and neither the
// trace nor what a replay makes of it changes.
func TestAskLeavesTheRunAsItIs(t *testing.T) {
	for _, language := range []string{"en", "zh"} {
		t.Run(language, func(t *testing.T) {
			p := play(t, language)
			before, err := os.ReadFile(filepath.Join(string(p.dir), run.TraceFile))
			if err != nil {
				t.Fatal(err)
			}
			cited := 0
			for tick := int64(1); tick <= ticks; tick++ {
				r := p.ask(t, tick, "agent-2", "Why?")
				if !strings.HasPrefix(r.Text, "I decided so because: ") || r.TurnTick > tick || r.TurnTick < 1 {
					t.Errorf("tick %d: decided in tick %d: %q", tick, r.TurnTick, r.Text)
				}
				for _, c := range r.Cited {
					if cited++; c.Status != trace.CitedUsed {
						t.Errorf("tick %d: %+v", tick, c)
					}
				}
			}
			if cited == 0 {
				t.Error("no answer names a source")
			}
			after, err := os.ReadFile(filepath.Join(string(p.dir), run.TraceFile))
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the trace is another one: %v", err)
			}
			if again, err := engine.Replay(context.Background(), string(p.dir), engine.ReplayOptions{}); err != nil || !again.Equal {
				t.Errorf("replay: %+v, %v", again, err)
			}
		})
	}
}

// TestAskGoesOnWithTheConversation: the request begins with the bytes of the agent's last one, so
// that a provider's cache still holds them, and offers the same tools, none of which may be called.
func TestAskGoesOnWithTheConversation(t *testing.T) {
	p := play(t, "en")
	a, err := ask.Agent(p.dir, p.index, ticks, "agent-1")
	if err != nil {
		t.Fatal(err)
	}
	p.ask(t, ticks, "agent-1", "What do you\nwant? \"quoted\"")
	p.mu.Lock()
	body := p.bodies[0]
	p.mu.Unlock()
	input := func(body []byte) []byte { return body[bytes.Index(body, []byte(`"input":[`)):] }
	at := len(body) - len(input(body))
	last := input(llmclient.Request{Input: a.Input, Breakpoints: a.Call.Breakpoints}.Body())
	if kept, _ := bytes.CutSuffix(last, []byte("]}")); len(a.Call.Breakpoints) < 2 || !bytes.HasPrefix(body[at:], kept) {
		t.Fatalf("the request does not begin with the last one, %s", kept)
	}
	if !bytes.HasSuffix(body, []byte(`{"type":"message","role":"user","content":"What do you\nwant? \"quoted\""}]}`)) {
		t.Errorf("the request ends with %s", body[len(body)-200:])
	}
	for _, tool := range a.Tools {
		if !bytes.Contains(body[:at], tool.Wire()) {
			t.Errorf("tool %s is another one", tool.Name)
		}
	}
}

// TestAskHearsOddModels: a model that calls a tool is asked once more, beside a text the call is
// passed over, and one that says nothing twice has not answered.
func TestAskHearsOddModels(t *testing.T) {
	call := `{"type":"function_call","id":"fc_1","call_id":"c1","name":"decision","arguments":"{}"}`
	said := func(text string) string {
		return fmt.Sprintf(`{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, text)
	}
	p := play(t, "en")
	for _, c := range []struct {
		name    string
		outputs []string
		text    string
		failure trace.WaitReason
		calls   int
	}{
		{"a call, then text", []string{"[" + call + "]", "[" + said("For power.") + "]"}, "For power.", "", 2},
		{"a call beside text", []string{"[" + call + "," + said("For power.") + "]"}, "For power.", "", 1},
		{"calls alone", []string{"[" + call + "]", "[" + call + "]"}, "", "parse_error:not_allowed_now", 2},
		{"nothing", []string{"[]", "[]"}, "", "parse_error:empty_output", 2},
		{"written as people read it", []string{"[ {\n \"type\": \"message\",\n \"role\": \"assistant\",\n \"content\": [ { \"type\": \"output_text\", \"text\": \"For power.\" } ]\n} ]"}, "For power.", "", 1},
		{"thinking aloud", []string{"[" + said("<think>It asks [mem-1-1].</think>For power.") + "]"}, "For power.", "", 1},
		{"white space, then text", []string{"[" + said(" \n") + "]", "[" + said(" For power. ") + "]"}, "For power.", "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.answers(func(n int) string { return c.outputs[n-1] })
			r := p.ask(t, 5, "agent-3", "Why?")
			if len(r.Cited) > 0 || r.Text != c.text || r.Failure != c.failure || len(r.Exchanges) != c.calls || r.Usage.Total != 105*int64(c.calls) {
				t.Errorf("%q, %q, %d exchanges, %+v", r.Text, r.Failure, len(r.Exchanges), r.Usage)
			}
		})
	}
}

// TestAskKnowsItsSources: an answer's ids are used ones only where the agent had them in view.
func TestAskKnowsItsSources(t *testing.T) {
	p := play(t, "en")
	a, err := ask.Agent(p.dir, p.index, ticks, "agent-1")
	if err != nil {
		t.Fatal(err)
	}
	shown := a.Decisions[0].SourcesRetrieved[0].ID
	p.answers(func(int) string {
		return fmt.Sprintf(`[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"By [%s], [mem-999-1] and [sic]."}]}]`, shown)
	})
	r := p.ask(t, ticks, "agent-1", "On what?")
	if len(r.Cited) != 2 || r.Cited[0].ID != shown || r.Cited[0].Status != trace.CitedUsed || r.Cited[1].ID != "mem-999-1" || r.Cited[1].Status != trace.CitedInvented {
		t.Errorf("%+v", r.Cited)
	}
}

// TestKeptQuestionsCannotLie: a line that was changed, cut inside or brought from another run is
// named, and a record of another answer or question differs.
func TestKeptQuestionsCannotLie(t *testing.T) {
	p, other := play(t, "en"), play(t, "zh")
	p.ask(t, 3, "agent-1", "Why?")
	r := p.ask(t, 4, "agent-1", "Why?")
	other.ask(t, 3, "agent-1", "Why?")
	file := filepath.Join(string(p.dir), run.AsksFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(filepath.Join(string(other.dir), run.AsksFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, line string
		text       []byte
		kept       int
	}{
		{"as written", "", data, 2},
		{"the end is torn", "", data[:len(data)-3], 1},
		{"a word is changed", "line 1", bytes.Replace(data, []byte("because"), []byte("becausE"), 1), 0},
		{"of another run", "line 1", foreign, 0},
		{"no object", "line 3", append(bytes.Clone(data), "null\n"...), 0},
	} {
		if err := os.WriteFile(file, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := ask.Kept(p.dir)
		if (err != nil) != (c.line != "") || len(kept) != c.kept || err != nil && !strings.Contains(err.Error(), c.line) {
			t.Errorf("%s: %d kept, %v", c.name, len(kept), err)
		}
	}
	for name, change := range map[string]func(*ask.Record){
		"question": func(r *ask.Record) { r.Question = "How?" }, "text": func(r *ask.Record) { r.Text += "!" }, "tick": func(r *ask.Record) { r.Tick-- },
		"agent": func(r *ask.Record) { r.AgentID = "agent-2" }, "model": func(r *ask.Record) { r.Model = "other" },
		"item": func(r *ask.Record) {
			r.Exchanges[0].Items[0].Body = strings.Replace(r.Exchanges[0].Items[0].Body, "because", "becausE", 1)
		},
		"an exchange less": func(r *ask.Record) { r.Exchanges = nil },
	} {
		changed := r
		changed.Exchanges = append([]ask.Exchange{}, r.Exchanges...)
		changed.Exchanges[0].Items = append(changed.Exchanges[0].Items[:0:0], changed.Exchanges[0].Items...)
		change(&changed)
		if err := ask.Check(p.dir, p.index, changed, tokens.Count); err == nil {
			t.Errorf("another %s is not noticed", name)
		}
	}
}

// TestAskSaysWhatItCannot: before its first turn an agent has nothing to continue, and a window
// that the conversation fills has no room for a question.
func TestAskSaysWhatItCannot(t *testing.T) {
	p := play(t, "en")
	if _, err := ask.Agent(p.dir, p.index, 5, "agent-99"); !errors.Is(err, ask.ErrNoTurn) {
		t.Error(err)
	}
	a, err := ask.Agent(p.dir, p.index, 5, "agent-1")
	if err != nil {
		t.Fatal(err)
	}
	a.Settings.ContextWindowTokens = 2500
	if _, err := a.Begin("Why?", interview.With{CountTokens: tokens.Count}); !errors.Is(err, interview.ErrWindow) {
		t.Error(err)
	}
}
