package relevance

import (
	"strings"
	"testing"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Refined 2,000 g of Compound!", "refined 2 000 g of compound"},
		{"agent-2 at llm_hub", "agent 2 at llm hub"},
		{"control chips; less gas, radius of the bus", "control chip less gas radius of the bus"},
		{"矿石已耗尽", "矿石 石已 已耗 耗尽"},
		{"去hub采矿 3次", "去 hub 采矿 3 次"},
		{"ÉNERGIE électrique", "energie electrique"},
		{"—!?", ""},
	} {
		if got := strings.Join(Terms(c.text), " "); got != c.want {
			t.Errorf("Terms(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
