package behavior_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestTextsOfOthersFollowThePlan holds in both protocols. The first request shows no text of
// other agents. The next one does, after everything of the first. Only then do the texts count as
// sources and as a section.
func TestTextsOfOthersFollowThePlan(t *testing.T) {
	for _, protocol := range []behavior.Protocol{behavior.ProtocolFull, behavior.ProtocolLean} {
		turn := newReader(t, behavior.Config{Settings: trace.Settings{Protocol: protocol}}, []string{"message zebra", "note giraffe"})
		first := firstAsk(t, turn)
		body := string(first.Request.Body())
		for _, word := range []string{"zebra", "giraffe", "my own words", "msg-1-agent-2-1", "note-2-agent-2-1"} {
			if strings.Contains(body, word) {
				t.Errorf("%s: the first request shows %q", protocol, word)
			}
		}
		if !strings.Contains(body, `texts: 2 from agent-2, shown after the plan; 2 new`) {
			t.Errorf("%s: the first request does not tell that there are two texts", protocol)
		}
		if allowed := first.Request.Choice.Allowed; protocol == behavior.ProtocolLean && strings.Join(allowed, " ") != "plan" {
			t.Errorf("lean: allowed before the texts are %v, want plan alone", allowed)
		}
		before := append([]llmclient.Item{}, first.Request.Input...)
		turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{
			llmclient.FunctionCall("c", "plan", `{"goal":"g","steps":[],"actions":[]}`),
		}}})
		second := firstAsk(t, turn)
		for i, it := range before {
			if string(second.Request.Input[i].Raw) != string(it.Raw) {
				t.Fatalf("%s: the second request changes item %d of the first", protocol, i)
			}
		}
		if last := second.Request.Input[len(second.Request.Input)-1]; !strings.HasPrefix(last.Text, "# Messages\n{") ||
			!strings.Contains(last.Text, "zebra") || !strings.Contains(last.Text, "giraffe") || strings.Count(last.Text, "\n") != 1 {
			t.Errorf("%s: the texts are shown as %q", protocol, last.Text)
		}
		if len(second.Sections) != len(first.Sections)+1 || second.Sections[len(first.Sections)].Name != "messages" {
			t.Errorf("%s: sections are %v, then %v", protocol, first.Sections, second.Sections)
		}
	}
}

// TestOldTextsAreCutFirst fills an inbox with long texts in the smallest window:
// the newest stay, what was cut is counted, and only what is shown is a source.
func TestOldTextsAreCutFirst(t *testing.T) {
	var lines []string
	for i := range 8 {
		lines = append(lines, fmt.Sprintf("message %d %s", i, strings.Repeat("鉱石を掘", 40)))
	}
	cfg := behavior.Config{Settings: trace.Settings{ContextWindowTokens: behavior.ContextWindowMin}, CountTokens: tokens.Count, Needless: untyped}
	turn := newReader(t, cfg, lines)
	firstAsk(t, turn)
	turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{
		llmclient.FunctionCall("c", "plan", `{"goal":"g","steps":[],"actions":[]}`),
	}}})
	second := firstAsk(t, turn)
	if total := tokens.Count(string(second.Request.Body())); total > behavior.ContextWindowMin-behavior.ContextWindowMin/8 {
		t.Errorf("the request takes %d tokens of %d, %d reserved for the answer", total, behavior.ContextWindowMin, behavior.ContextWindowMin/8)
	}
	last := second.Request.Input[len(second.Request.Input)-1].Text
	section := second.Sections[len(second.Sections)-1]
	if section.Name != "messages" || !section.Clipped {
		t.Fatalf("the section is %+v", section)
	}
	turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{
		llmclient.FunctionCall("d", "decision", `{"candidate":0,"execute_until":null,"why":"","sources_used":[]}`),
	}}})
	d, ok := turn.Next().(behavior.Decision)
	if !ok {
		t.Fatal("no decision")
	}
	shown := 0
	for _, s := range d.SourcesRetrieved {
		if s.Kind == trace.KindMessage {
			shown++
		}
	}
	if shown == 0 || (!strings.Contains(last, `"left_out":`) || !strings.Contains(last, `"text":"7 `) || strings.Contains(last, `"text":"0 `)) {
		t.Errorf("%d of 8 texts are shown as %s", shown, last)
	}
	if shown == 8 || shown != strings.Count(last, `"id":"msg-`) {
		t.Errorf("%d sources for what is shown as %s", shown, last)
	}
}

// TestOwnTextIsRememberedByItsLength: words do not enter memory as the agent's own
// facts.
func TestOwnTextIsRememberedByItsLength(t *testing.T) {
	runtime, err := behavior.NewRuntime(behavior.Config{}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "two_bases")
	mind := runtime.Agent("agent-1", w.Persona(0))
	said := world.SendMessage{To: "agent-2", Text: "zebra crossing"}
	mind.Learn(1, behavior.Decision{Executed: said, Known: []string{"agent-2"}}, world.Outcome{Tick: 1, Accepted: true, Action: said})
	w.Advance()
	body := string(firstAsk(t, mind.Begin(w.View(0))).Request.Body())
	if !strings.Contains(body, "send_message agent-2 (14 characters) ok\\n") || !strings.Contains(body, `sent: message to agent-2 in tick 1 \"zebra crossing\"`) {
		t.Errorf("the history of a message is missing or repeats its text:\n%s", body)
	}
}

// TestOwnTextAfterReading: an agent's own text is shown with its outcome, which is trusted like
// its own observations. That holds only if no untrusted text was in view when it was written.
// Otherwise it may repeat that text after it left the view.
func TestOwnTextAfterReading(t *testing.T) {
	runtime, err := behavior.NewRuntime(behavior.Config{}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		retrieved []trace.Source
		shown     bool
	}{
		"nothing read":     {nil, true},
		"an own memory":    {[]trace.Source{{ID: "mem-0-1", Kind: trace.KindMemory, Trust: trace.TrustSelfObservation}}, true},
		"a note read":      {[]trace.Source{{ID: "note-0-agent-2-1", Kind: trace.KindNote, OriginAgent: "agent-2", Trust: trace.TrustOtherAgent, Text: "zebra crossing"}}, false},
		"a doubted lesson": {[]trace.Source{{ID: "soc-00001", Kind: trace.KindBullet, Trust: trace.TrustDerived}}, false},
	} {
		w := newWorld(t, "two_bases")
		w.Advance()
		w.Apply([]world.Intent{{Agent: 0, Action: world.SendMessage{To: "agent-2", Text: "zebra crossing"}}})
		outcome, _ := w.LastOutcome(0)
		mind := runtime.Agent("agent-1", w.Persona(0))
		mind.Learn(outcome.Tick, behavior.Decision{Executed: outcome.Action, Known: []string{"agent-2"}, Decision: trace.Decision{SourcesRetrieved: tc.retrieved}}, outcome)
		w.Advance()
		turn := mind.Begin(w.View(0))
		body := string(firstAsk(t, turn).Request.Body())
		if !strings.Contains(body, "send_message agent-2 (14 characters) ok") || strings.Contains(body, "zebra") != tc.shown {
			t.Errorf("%s: shown should be %v:\n%s", name, tc.shown, body)
		}
		for _, s := range decide(t, turn, "").SourcesRetrieved {
			if s.Trust > trace.TrustOtherAgent && !tc.shown && strings.Contains(s.Text, "zebra") {
				t.Errorf("%s: %s is trusted as %s and says %q", name, s.ID, s.Trust, s.Text)
			}
		}
	}
}

// TestReadTextsLockNothing: new texts want a plan of their own first; those that were read
// before do not, stay out of sight, and follow a plan that is made all the same.
func TestReadTextsLockNothing(t *testing.T) {
	for _, protocol := range []behavior.Protocol{behavior.ProtocolFull, behavior.ProtocolLean} {
		runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Protocol: protocol}}, world.DefaultRules().Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, "two_bases")
		mind := runtime.Agent(w.AgentID(0), w.Persona(0))
		play := func(action world.Action) {
			w.Advance()
			w.Apply([]world.Intent{{Agent: 1, Action: action}})
		}
		play(world.SendMessage{To: "agent-1", Text: "zebra"})
		w.Advance()
		plan := llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.FunctionCall("c", "plan", `{"goal":"g","steps":[],"actions":[]}`)}}}
		turn := mind.Begin(w.View(0))
		if allowed := firstAsk(t, turn).Request.Choice.Allowed; !slices.Equal(allowed, []string{"plan"}) {
			t.Errorf("%s: with a new text %v are allowed", protocol, allowed)
		}
		turn.Answer(plan)
		firstAsk(t, turn)
		turn.Answer(llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrTimeout}})
		decision := turn.Next().(behavior.Decision)
		w.Apply(nil)
		mind.Learn(w.Tick(), decision, world.Outcome{Tick: w.Tick(), Action: world.Wait{}, Accepted: true})
		play(world.Wait{})
		w.Advance()
		turn = mind.Begin(w.View(0))
		first := firstAsk(t, turn)
		if allowed := first.Request.Choice.Allowed; !slices.Contains(allowed, "plan") || !slices.Contains(allowed, "decision") && !slices.Contains(allowed, "turn") {
			t.Errorf("%s: with a text that was read %v are allowed", protocol, allowed)
		}
		if body := string(first.Request.Body()); strings.Contains(body, "zebra") || strings.Contains(body, "from agent-2") {
			t.Errorf("%s: the first request shows or announces a text that was read", protocol)
		}
		turn.Answer(plan)
		if body := string(firstAsk(t, turn).Request.Body()); !strings.Contains(body, "zebra") {
			t.Errorf("%s: a plan does not show the text again", protocol)
		}
	}
}
