package engine_test

import (
	"bytes"
	"net/http"
	"testing"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// TestWhatIsNoFaultOfAnEndpointEndsNone: calls that a server cannot read, and prompts that a filter
// stops, never give up an endpoint that has answered, however many turns in a row end so.
func TestWhatIsNoFaultOfAnEndpointEndsNone(t *testing.T) {
	for kind, body := range map[string]string{
		"parse_error:malformed_call": `{"error":{"message":"Failed to call a function.","code":"tool_use_failed"}}`,
		"llm_error:prompt_filter":    `{"error":{"message":"filtered","code":"content_filter"}}`,
	} {
		server := endpoint(t, func(w http.ResponseWriter, _ *http.Request, sent []byte) bool {
			if bytes.Contains(sent, []byte("# Observation, tick 1\\n")) {
				return false
			}
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(body))
			return true
		})
		const ticks = 14
		o := through(t, options(t, "minimal", ticks), openai.Config{BaseURL: server.URL, RetriesMax: -1})
		if result := run(t, o); result.Status != trace.RunCompleted {
			t.Errorf("%s: %+v", kind, result)
		}
		if got := fold(t, o.RunDir).DecisionCounts.WaitDegradedByReason[kind]; got < 10 {
			t.Errorf("%s: %d turns ended so, want at least 10", kind, got)
		}
		requireReplays(t, o.RunDir, ticks)
	}
}

// TestConcessionsStayBelowTheRecord: a server that overlooks a list of allowed tools is sent another
// form of the choice. The requests of the record stay those that the turns made, so the run replays.
func TestConcessionsStayBelowTheRecord(t *testing.T) {
	server := endpoint(t, func(w http.ResponseWriter, _ *http.Request, sent []byte) bool {
		if !bytes.Contains(sent, []byte(`"type":"allowed_tools"`)) {
			return false
		}
		_, _ = w.Write([]byte(`{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":"I would mine."}],"usage":{"input_tokens":9,"output_tokens":9}}`))
		return true
	})
	const ticks = 6
	o := through(t, options(t, "minimal", ticks), openai.Config{BaseURL: server.URL})
	if result := run(t, o); result.Status != trace.RunCompleted {
		t.Errorf("%+v", result)
	}
	r := fold(t, o.RunDir)
	if r.TraceCounts.ItemRepairsByKind["without_allowed_tools"] == 0 || r.DecisionCounts.WaitDegraded > 2 {
		t.Errorf("repairs %v, %d degraded waits", r.TraceCounts.ItemRepairsByKind, r.DecisionCounts.WaitDegraded)
	}
	requireReplays(t, o.RunDir, ticks)
}
