package batch

import (
	"strings"
	"testing"

	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// TestOutageNamesTheOutage, and not a more frequent failure that is none of the endpoint.
func TestOutageNamesTheOutage(t *testing.T) {
	var r report.Report
	r.RunStatus = trace.RunCompleted
	r.TraceCounts.ModelCalls = 100
	r.TraceCounts.LLMErrorsByKind = report.Counts{"bad_request": 30, "server_error": 6, "timeout": 6}
	got := ResultOf(Cell{}, 1, r, "")
	if got.Status != trace.RunProviderFailed || !strings.Contains(got.Reason, "12 of 100 calls") || !strings.Contains(got.Reason, "(server_error)") {
		t.Errorf("%s: %s", got.Status, got.Reason)
	}
}
