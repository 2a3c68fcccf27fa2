package answer

import (
	"strings"
	"testing"
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
