package openai

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// refusals are what servers write about what they do not take, by the field that mends it first; under
// "" stand words that mention a field and refuse nothing.
var refusals = map[string][]string{
	fieldRole: {
		"System message must be at the beginning.", "Unexpected message role.", "Only user, assistant and tool roles are supported, got developer.",
		"Conversation roles must alternate user/assistant/user/assistant/...", "messages.2.role: Input should be 'user' or 'assistant'",
		"system messages are only allowed at the start of a conversation", "角色信息不正确", "unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
		"raise_exception('System message must be at the beginning.')", "The system role must be the first message",
	},
	fieldReasoning: {
		"The encrypted content for item rs_1 could not be verified.", "Encrypted content could not be decrypted", "The reasoning content of an answer may not be part of the input",
		"Invalid value: 'reasoning'. Supported values are: 'message', 'function_call'.", "item['content'] is not an array", "encrypted reasoning was not issued to this caller",
		"Reasoning summary is not supported in the input", "Summarized reasoning blocks are not accepted", "thinking is not supported by this model",
		"Item 'rs_1' of type 'reasoning' was provided without its required following item.", "Encrypted content is not supported with this model.", "Invalid signature in thinking block: signature verification failed",
	},
	fieldCallIDs: {
		"Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.", "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64.",
	},
	fieldReasoningIDs: {
		"Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", "Item 'rs_68af' does not exist", "Unknown item: item rs_1 not found in this conversation",
	},
	fieldStore: {
		"Unknown parameter: 'store'.", "store must be true for this model", "unknown field \"store\"",
	},
	"strict":              {"Unknown parameter: 'tools[0].strict'.", "the strict parameter is not supported"},
	fieldInclude:          {"Unrecognized request argument supplied: include", "Invalid value for option include"},
	"prompt_cache_key":    {"acme does not support parameters: ['prompt_cache_key'], for model=m", "Unsupported parameter: 'prompt_cache_key'"},
	"parallel_tool_calls": {"unknown field \"parallel_tool_calls\""},
	fieldBreakpoints: {
		"Unknown parameter: 'input[0].content[0].prompt_cache_breakpoint'.", "Unsupported parameter(s): prompt_cache_options", "prompt_cache_options is not supported on this model",
		"Extra inputs are not permitted, field: 'prompt_cache_options', value: {'mode': 'explicit'}", "Explicit breakpoints are not available for this model",
	},
	fieldOutputLists: {
		"Invalid type for function_call_output.output: expected string, received list.", "Output of tool call should be 'Input text'", "Invalid type for 'input[3].output': expected a string, but got an array instead.",
		"json: cannot unmarshal array into Go struct field ResponsesFunctionCallOutput.output of type string", "Tool messages must have a content that is a string",
		"240 validation errors: {'type': 'string_type', 'loc': ('body', 'input', 'str'), 'msg': 'Input should be a valid string'",
	},
	fieldAllowedTools: {
		"Invalid type for tool_choice: object. Supported string values: none, auto, required", "Only 'auto' tool_choice is supported in response API",
		"tool_choice.type: unknown variant `allowed_tools`, expected `function`",
	},
	"": {
		"The reasoning_content in the thinking mode must be passed back to the API.", "function_call was provided without its required 'reasoning' item: 'rs_1'.",
		"Expected `thinking` or `redacted_thinking`, but found `text`. A final assistant message must start with a thinking block.", "Missing reasoning_content in assistant message 3",
		"reasoning items have to be included", "The thinking content should be sent back", "internal error", "the model is overloaded", "an odd value", "Missing required field tools",
		"Answers are not kept because store is false", "Unknown parameter: 'acme'. Supported are: 'model', 'input', 'store', 'temperature', 'tools'",
	},
}

// TestWordingsReadBothWays: each refusal leads to its field first, and words that only mention one to
// none. Every field but those that follow another one has words.
func TestWordingsReadBothWays(t *testing.T) {
	for field, texts := range refusals {
		for _, text := range texts {
			body := `{"error":{"message":` + string(llmclient.Marshal(text)) + `}}`
			p := readProblem([]byte(body))
			p.status = http.StatusBadRequest
			first := ""
			for _, step := range (exchange{status: p.status, body: []byte(body)}).refuses(p) {
				if len(step) > 0 && first == "" {
					first = step[0]
				}
			}
			if first != field {
				t.Errorf("%q gives up %q, want %q", text, first, field)
			}
		}
	}
	unsaid := []string{fieldOtherTools, fieldRequired, fieldToolChoice, fieldCommon} // steps of others
	for _, f := range fields {
		if !slices.Contains(unsaid, f.name) && len(refusals[f.name]) == 0 {
			t.Errorf("nothing says that a server refuses %s", f.name)
		}
	}
	for _, w := range wordings {
		for _, step := range w.steps {
			for _, name := range step {
				fieldOf(name)
			}
		}
	}
}

// TestConcessionsThatDoNotHelpAreUndone: the next one is tried in the place of one that did not
// help, and what helped nothing is sent again by the next call.
func TestConcessionsThatDoNotHelpAreUndone(t *testing.T) {
	const refusal = `{"error":{"message":"Encrypted content is not supported with this model."}}`
	row := reportedCase{serve: refusingText(`"include"`, 400, refusal), asks: 2}
	p := row.play(t)
	if !p.mended("without_include") || !strings.Contains(p.bodies[1], `"include"`) || !strings.Contains(p.bodies[2], "rs_1") {
		t.Errorf("%d requests: %+v", len(p.bodies), p.last().Reply)
	}
	row.serve = always(400, refusal)
	p = row.play(t)
	if !p.failed(llmclient.ErrBadRequest, 400, 3) || p.bodies[3] != p.bodies[0] || len(p.noted) != 0 {
		t.Errorf("%d requests, the second call begins with %s", len(p.bodies), p.bodies[3])
	}
}

// TestReasoningIsGivenBack: a server that turns out to want reasoning gets it again.
func TestReasoningIsGivenBack(t *testing.T) {
	row := reportedCase{asks: 2, serve: func(n int, body string) (int, string) {
		has := strings.Contains(body, "rs_1")
		switch {
		case n == 1:
			return 400, `{"error":{"message":"The reasoning content is odd"}}`
		case n > 2 && !has:
			return 400, `{"error":{"message":"The reasoning_content must be passed back to the API."}}`
		}
		return 200, goodOne
	}}
	if p := row.play(t); p.last().Reply == nil || p.last().Attempts != 2 || !strings.Contains(p.bodies[3], "rs_1") {
		t.Errorf("%d requests: %+v %+v", len(p.bodies), p.last().Reply, p.last().Failure)
	}
}

// TestASteadyClientClimbsNothing: with a scripted endpoint no request follows from the answers before.
func TestASteadyClientClimbsNothing(t *testing.T) {
	p := newProvider(t, says(200, answers(hiText)))
	client, _ := newClient(t, Config{BaseURL: p.URL, Steady: true})
	for range 5 {
		client.Respond(t.Context(), narrowed())
	}
	for _, r := range p.requests() {
		if string(r.body) != string(p.requests()[0].body) {
			t.Errorf("another request: %s", r.body)
		}
	}
}

// TestEndings tells what was cut and what would never have ended from what is whole.
func TestEndings(t *testing.T) {
	message := func(text string) string {
		return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + string(llmclient.Marshal(text)) + `}]}`
	}
	call := func(arguments string) string {
		return `{"type":"function_call","call_id":"c","name":"act","arguments":` + string(llmclient.Marshal(arguments)) + `}`
	}
	list := ""
	for i := range 60 {
		list += `{"id":"deposit-` + strings.Repeat(string(rune('a'+i%26)), 1+i%7) + `","amount":` + strings.Repeat(string(rune('1'+i%9)), 1+i%5) + `},`
	}
	steps := strings.Repeat("Step 1: mine. ", 40)
	for _, c := range []struct {
		name, output string
		used         int64
		want         llmclient.AnswerKind
	}{
		{"a whole text of fewer tokens", message("I think"), 99, llmclient.AnswerText},
		{"a text that fills its room", message("I think"), 100, llmclient.AnswerTruncated},
		{"a decision as text that fills its room", message(`{"candidate":1}`), 100, llmclient.AnswerText},
		{"a call that fills its room", call(`{"a":1}`), 100, llmclient.AnswerCalls},
		{"half a call", call(`{"a":`), 120, llmclient.AnswerTruncated},
		{"thought that fills its room", `{"type":"reasoning","id":"r","summary":[]}`, 100, llmclient.AnswerTruncated},
		{"nothing that fills its room", "", 100, llmclient.AnswerTruncated},
		{"nothing", "", 1, llmclient.AnswerBilledEmpty},
		{"white space", message(strings.Repeat(" \n", 80)), 100, llmclient.AnswerEndless},
		{"white space within a call", call(`{"a":` + strings.Repeat("\n  ", 40)), 100, llmclient.AnswerEndless},
		{"one word", message("The " + strings.Repeat("ore ", 100)), 100, llmclient.AnswerEndless},
		{"one sentence with a counter", message("So: " + steps + "Step 41"), 100, llmclient.AnswerEndless},
		{"thought in circles", `{"type":"reasoning","id":"r","summary":[],"content":[{"type":"reasoning_text","text":` + string(llmclient.Marshal(strings.Repeat("Wait, no. ", 50))) + `}]}`, 100, llmclient.AnswerEndless},
		{"a long list", call(`{"list":[` + list), 100, llmclient.AnswerTruncated},
		{"much of the same without a limit", message(strings.Repeat("ore ", 1000)), 1, llmclient.AnswerEndless},
		{"repetition that ended", message(strings.Repeat("ore ", 100)), 99, llmclient.AnswerText},
	} {
		body := fmt.Sprintf(`{"status":"completed","output":[%s],"usage":{"output_tokens":%d}}`, c.output, c.used)
		p := newProvider(t, says(200, body))
		client, _ := newClient(t, Config{BaseURL: p.URL})
		r := request()
		r.Sampling.MaxOutputTokens = 100
		if answer := client.Respond(t.Context(), r); answer.Kind() != c.want {
			t.Errorf("%s: %s, want %s", c.name, answer.Kind(), c.want)
		}
	}
}
