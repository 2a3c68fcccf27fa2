package explain

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/agentworld/trace"
)

// TestOutcomesInATable: a decision about which the world was not asked is neither accepted nor
// rejected.
func TestOutcomesInATable(t *testing.T) {
	for outcome, want := range map[string]string{
		`null`:              ",wait,\"{\"\"action\"\":\"\"wait\"\"}\",,,,",
		``:                  ",wait,\"{\"\"action\"\":\"\"wait\"\"}\",,,,",
		`{"accepted":true}`: ",wait,\"{\"\"action\"\":\"\"wait\"\"}\",accepted,,,",
		`{"accepted":false,"rejection":{"code":"no_power"}}`: ",wait,\"{\"\"action\"\":\"\"wait\"\"}\",rejected,no_power,,",
	} {
		var text strings.Builder
		table := NewTableCSV(&text, &Table{})
		d := trace.Decision{Executed: json.RawMessage(`{"action":"wait"}`), Outcome: json.RawMessage(outcome)}
		if err := table.Row(Row{Agent: "agent-1", Decision: &d}); err != nil {
			t.Fatal(err)
		}
		if err := table.Flush(); err != nil || !strings.HasSuffix(text.String(), want+"\n") {
			t.Errorf("%s: %q, want the end %q, %v", outcome, text.String(), want, err)
		}
	}
}
