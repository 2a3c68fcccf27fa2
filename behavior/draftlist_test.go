package behavior_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// protocolBeginner begins the same first turn of an agent in a protocol again and again.
func protocolBeginner(t *testing.T, p behavior.Protocol) func() *behavior.Turn {
	t.Helper()
	runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Protocol: p, Model: "m"}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "llm_bootstrap")
	w.Advance()
	agent, view := runtime.Agent(w.AgentID(0), w.Persona(0)), w.View(0)
	return func() *behavior.Turn { return agent.Begin(view) }
}

func replyOf(items ...llmclient.Item) llmclient.Answer {
	return llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: items}, Attempts: 1}
}

// TestADraftsListExecutesNothing answers with the list of a draft under any name, as a call and as a
// text. The turn asks on, and falls back to the newest accepted candidate if no decision comes.
func TestADraftsListExecutesNothing(t *testing.T) {
	list := `{"candidates":[{"action":"harvest_radiation","amount":5},{"action":"wait"}]}`
	for _, p := range []behavior.Protocol{behavior.ProtocolFull, behavior.ProtocolLean} {
		begin := protocolBeginner(t, p)
		for _, name := range []string{
			"decision_draft", "decision", "turn", "wait", "harvest_radiation", "finish", "final_answer", "respond", "draft", "functions.decision_1", "decision</arg_value>",
			"world_route", "launch", "parallel", "multi_tool_use.parallel",
		} {
			for form, item := range map[string]llmclient.Item{
				"call":         llmclient.FunctionCall("c", name, list),
				"in the name":  llmclient.FunctionCall("c", name+list, ""),
				"recipient":    textItem(t, " to=functions."+name+" commentary json\n"+list),
				"tags":         textItem(t, "<tool_call>"+name+"<arg_key>candidates</arg_key><arg_value>"+list[14:len(list)-1]+"</arg_value></tool_call>"),
				"without keys": textItem(t, "<tool_call>"+name+"<arg_value>"+list[14:len(list)-1]+"</arg_value></tool_call>"),
			} {
				t.Run(fmt.Sprintf("%s/%s/%s", p, name, form), func(t *testing.T) {
					turn := begin()
					turn.Next()
					turn.Answer(replyOf(item))
					if call, reads := turn.Next().(behavior.Call); reads {
						turn.Result(modules.New().Call(turn.Env(), call.CallID, call.Tool, call.Arguments))
					}
					if _, asks := turn.Next().(behavior.Ask); !asks {
						t.Fatalf("the answer ends the turn: %+v", turn.Next())
					}
				})
			}
		}
		// Nothing but prose follows: the candidate that was accepted is done.
		for _, name := range []string{"decision_draft", "turn", "wait"} {
			turn := begin()
			turn.Next()
			turn.Answer(replyOf(llmclient.FunctionCall("c", name, list)))
			for range 8 {
				if _, asks := turn.Next().(behavior.Ask); asks {
					turn.Answer(replyOf(textItem(t, "I would rather gather some energy.")))
				}
			}
			d, decided := turn.Next().(behavior.Decision)
			if harvest, did := d.Executed.(world.Harvest); !decided || !did || harvest.MaxAmount != 5 || d.By != trace.ByDraft {
				t.Errorf("%s, %s: the turn ends in %+v by %q", p, name, d.Executed, d.By)
			}
		}
	}
}

// TestPhasesSayWhichTextDecides: with phases, only the final answer is read as a decision; calls are
// read whatever phase a text beside them has; what is rebuilt keeps its phase.
func TestPhasesSayWhichTextDecides(t *testing.T) {
	message := func(phase, text string, rest ...string) string {
		m := map[string]any{"type": "message", "id": "m" + phase, "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": text}}}
		if phase != "" {
			m["phase"] = phase
		}
		raw, _ := json.Marshal(m)
		return string(raw)
	}
	wait, harvest := `{"decision":"wait"}`, `{"decision":"harvest_radiation","amount":5}`
	call := `{"type":"function_call","id":"f","call_id":"c","status":"completed","name":"plan","arguments":"{\"goal\":\"Dig.\",\"steps\":[],\"actions\":[]}"}`
	begin := protocolBeginner(t, behavior.ProtocolFull)
	for _, tt := range []struct {
		name, list, executed string
	}{
		{"commentary alone", message("commentary", wait), ""},
		{"a final answer after commentary", message("commentary", wait) + "," + message("final_answer", harvest), "harvest_radiation"},
		{"no phases", message("", harvest), "harvest_radiation"},
		{"a call beside commentary", message("commentary", wait) + "," + call, ""},
		{"a call beside a final answer", message("final_answer", wait) + "," + call, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn := begin()
			turn.Next()
			turn.Answer(replyOf(items(t, "["+tt.list+"]")...))
			switch step := turn.Next().(type) {
			case behavior.Decision:
				if step.Executed.ActionName() != tt.executed {
					t.Errorf("executes %s, want %q", step.Executed.ActionName(), tt.executed)
				}
			case behavior.Ask:
				if tt.executed != "" {
					t.Errorf("asks again, want %s", tt.executed)
				}
				for _, it := range step.Request.Input {
					var m struct{ Role, Phase string }
					if err := json.Unmarshal(it.Raw, &m); err != nil {
						t.Errorf("item %s: %v", it.Raw, err)
					}
					if m.Role == "assistant" && m.Phase == "" {
						t.Errorf("a message goes back without its phase: %s", it.Raw)
					}
				}
			}
		})
	}
}

// TestTenRefusedCallsAreToldOnce: what was wrong with all of them is said in full to the first.
func TestTenRefusedCallsAreToldOnce(t *testing.T) {
	turn := protocolBeginner(t, behavior.ProtocolFull)()
	turn.Next()
	var calls []llmclient.Item
	for i := range 10 {
		calls = append(calls, llmclient.FunctionCall(fmt.Sprintf("c%d", i), "launch", `{}`))
	}
	turn.Answer(replyOf(calls...))
	ask, asks := turn.Next().(behavior.Ask)
	if !asks {
		t.Fatalf("the turn ends: %+v", turn.Next())
	}
	full, pointers := 0, 0
	for _, it := range ask.Request.Input {
		if it.Kind != llmclient.KindFunctionOutput {
			continue
		}
		var told struct {
			Code   string   `json:"code"`
			Known  []string `json:"known"`
			SameAs string   `json:"same_as"`
		}
		if err := json.Unmarshal([]byte(it.Text), &told); err != nil || told.Code != behavior.CodeUnknownTool {
			t.Errorf("output %s, %v", it.Text, err)
		}
		if len(told.Known) > 0 {
			full++
		}
		if told.SameAs == "c0" {
			pointers++
		}
	}
	if full != 1 || pointers != 9 {
		t.Errorf("%d outputs in full and %d pointers to the first, want 1 and 9", full, pointers)
	}
}

// TestSchemasBoundCandidates: a schema says what is refused afterwards.
func TestSchemasBoundCandidates(t *testing.T) {
	for p, want := range map[behavior.Protocol]string{behavior.ProtocolFull: "decision_draft 1-3", behavior.ProtocolLean: "turn 0-3"} {
		runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Protocol: p, Model: "m"}}, world.DefaultRules().Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, tool := range runtime.Tools() {
			var schema struct {
				Properties struct {
					Candidates *struct{ MinItems, MaxItems int } `json:"candidates"`
				} `json:"properties"`
			}
			if err := json.Unmarshal(tool.Parameters, &schema); err != nil {
				t.Fatal(err)
			}
			if c := schema.Properties.Candidates; c != nil {
				got += fmt.Sprintf("%s %d-%d", tool.Name, c.MinItems, c.MaxItems)
			}
		}
		if got != want {
			t.Errorf("%s: candidates are bounded in %q, want %q", p, got, want)
		}
	}
}
