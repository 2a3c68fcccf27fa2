package answer

import (
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestWithoutThinking takes out what was only thought.
func TestWithoutThinking(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		whole            bool
	}{
		{"none", `{"decision":"wait"}`, `{"decision":"wait"}`, true},
		{"one", `<think>a {"decision":"fly"}</think>b`, "b", true},
		{"two of different kinds", `<think>a</think>b[THINK]c[/THINK]d`, "bd", true},
		{"begun before the text", "so I mine.</think>\nb", "\nb", true},
		{"never ended", `a<think>b`, "", false},
		{"inside of a value", `{"text":"<think>"}`, `{"text":"<think>"}`, true},
		{"a flood", strings.Repeat("<think></think>", 1000), "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said, whole := withoutThinking(tt.text)
			if whole != tt.whole || whole && said != tt.want {
				t.Errorf("%q, %v, want %q, %v", said, whole, tt.want, tt.whole)
			}
		})
	}
}

// TestReadNeedsNoTurn reads texts over a vocabulary of two tools, with and without
// decisions.
func TestReadNeedsNoTurn(t *testing.T) {
	v := Vocabulary{
		Tools:  []llmclient.Tool{{Name: "note", Parameters: []byte(`{"properties":{"text":{"type":"string"}},"required":["text"]}`)}, {Name: "decision"}},
		Fields: []FieldTool{{Field: "text", Tool: "note"}},
	}
	for _, tt := range []struct {
		text, decides string
		want          string
		problem       Problem
	}{
		{`{"name":"note","arguments":{"text":"x"}}`, "", `note {"text":"x"}`, ""},
		{`I write: {"text":"x"}`, "", `note {"text":"x"}`, ""},
		{"Action: note[x]", "", `note {"text":"x"}`, ""},
		{`{"action":"wait"}`, "", "", UnknownShape},
		{`{"action":"wait"}`, "decision", `decision {"action":{"action":"wait"},"execute_until":null}`, ""},
		{"I would wait.", "decision", "", NoJSON},
	} {
		v.Decides = tt.decides
		r, got := v.Read(tt.text), ""
		for _, c := range r.Calls {
			got += c.Tool + " " + c.Arguments
		}
		if got != tt.want || r.Problem != tt.problem {
			t.Errorf("%s is read as %q, %q; want %q, %q", tt.text, got, r.Problem, tt.want, tt.problem)
		}
	}
}
