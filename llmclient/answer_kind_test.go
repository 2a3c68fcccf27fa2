package llmclient

import "testing"

func TestAnswerKinds(t *testing.T) {
	const (
		call      = `{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}`
		half      = `{"type":"function_call","call_id":"c","name":"n","arguments":"{","status":"incomplete"}`
		text      = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}`
		blank     = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":" \n"}]}`
		refusal   = `{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`
		reasoning = `{"type":"reasoning","id":"rs_1","summary":[]}`
		halfway   = `{"type":"reasoning","id":"rs_1","status":"incomplete","summary":[]}`
		strange   = `{"type":"telepathy"}`
	)
	for _, tt := range []struct {
		name   string
		status string
		reason string
		items  []string
		output int64
		others int
		want   AnswerKind
	}{
		{"nothing", "completed", "", nil, 0, 0, AnswerEmpty},
		{"nothing, billed", "completed", "", nil, 9, 0, AnswerBilledEmpty},
		{"elements that are no objects", "completed", "", nil, 9, 2, AnswerUnknown},
		{"strangers", "completed", "", []string{strange}, 9, 0, AnswerUnknown},
		{"reasoning", "completed", "", []string{reasoning, strange}, 9, 0, AnswerReasoning},
		{"blank text", "completed", "", []string{reasoning, blank}, 9, 0, AnswerBlank},
		{"text", "completed", "", []string{blank, text}, 9, 0, AnswerText},
		{"text and a refusal", "completed", "", []string{text, refusal}, 9, 0, AnswerRefusal},
		{"a call beside all of them", "completed", "", []string{reasoning, text, refusal, call, strange}, 9, 1, AnswerCalls},
		{"a status of its own", "done", "", []string{call}, 9, 0, AnswerCalls},
		{"a whole call after half a thought", "completed", "", []string{halfway, call}, 9, 0, AnswerCalls},
		{"a half call in a complete reply", "completed", "", []string{call, half}, 9, 0, AnswerTruncated},
		{"cut", "incomplete", "max_output_tokens", []string{call}, 9, 0, AnswerTruncated},
		{"filtered", "incomplete", "content_filter", []string{text}, 9, 0, AnswerFiltered},
		{"another reason", "incomplete", "max_prompt_tokens", []string{call}, 9, 0, AnswerIncomplete},
		{"no reason", "incomplete", "", nil, 0, 0, AnswerIncomplete},
		{"failed", "failed", "", []string{call}, 9, 0, AnswerIncomplete},
		{"still running", "in_progress", "", []string{call}, 9, 0, AnswerIncomplete},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &Reply{Status: tt.status, IncompleteReason: tt.reason, NonObjects: tt.others, Usage: Usage{Output: tt.output}}
			for _, raw := range tt.items {
				r.Items = append(r.Items, parsed(t, raw))
			}
			if got := (Answer{Reply: r}).Kind(); got != tt.want {
				t.Errorf("kind %q, want %q", got, tt.want)
			}
		})
	}
	if got := Failed(ErrTimeout, "late").Kind(); got != AnswerNone {
		t.Errorf("a failure has kind %q, want %q", got, AnswerNone)
	}
}
