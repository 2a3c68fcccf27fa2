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
		"Unsupported message type: developer", "system 消息必须位于最前面", "Invalid value: 'developer'. Supported values are: 'system', 'assistant', 'user', and 'tool'.",
	},
	fieldReasoning: {
		"The encrypted content for item rs_1 could not be verified.", "Encrypted content could not be decrypted", "The reasoning content of an answer may not be part of the input",
		"Invalid value: 'reasoning'. Supported values are: 'message', 'function_call'.", "item['content'] is not an array", "encrypted reasoning was not issued to this caller",
		"Reasoning summary is not supported in the input", "Summarized reasoning blocks are not accepted", "thinking is not supported by this model",
		"Item 'rs_1' of type 'reasoning' was provided without its required following item.", "Encrypted content is not supported with this model.", "Invalid signature in thinking block: signature verification failed",
		"Input tag 'reasoning' found using 'type' does not match any of the expected tags: 'message', 'function_call'", "Failed to decrypt reasoning", "不支持 reasoning 类型的输入",
		"Corrupted thought signature.", "messages.1.content.0: Invalid `signature` in `thinking` block", "`thinking` blocks in the latest assistant message cannot be modified.",
	},
	fieldCallIDs: {
		"Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.", "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64.",
		"messages.3.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "'call_id' exceeds 64 chars", "toolUseId failed to satisfy constraint: pattern [a-zA-Z0-9_-]+",
	},
	fieldReasoningIDs: {
		"Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", "Item 'rs_68af' does not exist", "Unknown item: item rs_1 not found in this conversation",
		"No item with ID rs_abc exists", "Referenced item 'rs_123' has expired", "Could not find item rs_123", "Invalid 'input[2].id': 'rs-1'. Expected an ID that begins with 'rs'.",
		"Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string with length 408 instead.", "Duplicate item found with id rs_1.",
	},
	fieldItemIDs: {"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'."},
	fieldStore: {
		"Unknown parameter: 'store'.", "store must be true for this model", "unknown field \"store\"", "stateless mode (store=false) is not supported",
	},
	fieldLength: {"Unsupported parameter: max_output_tokens"},
	fieldArrayBounds: {
		"Invalid schema for function 'plan': In context=('properties', 'candidates'), 'maxItems' is not permitted.", "tools.4: For 'array' type, 'minItems' values other than 0 or 1 are not supported",
		"Unknown name \"maxItems\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.", "Grammar error: min_items/max_items are not implemented",
	},
	"strict": {"Unknown parameter: 'tools[0].strict'.", "the strict parameter is not supported"},
	fieldInclude: {
		"Unrecognized request argument supplied: include", "Invalid value for option include", "Invalid 'include[0]': 'reasoning.encrypted_content'",
		"unknown variant `reasoning.encrypted_content`, expected one of `file_search_call.results`",
	},
	"prompt_cache_key":    {"acme does not support parameters: ['prompt_cache_key'], for model=m", "Unsupported parameter: 'prompt_cache_key'", "Invalid JSON payload received. Unknown name \"promptCacheKey\": Cannot find field.", "prompt_cache_key: Input should be a valid string"},
	"parallel_tool_calls": {"unknown field \"parallel_tool_calls\"", "parallel function calling is not supported"},
	fieldBreakpoints: {
		"Unknown parameter: 'input[0].content[0].prompt_cache_breakpoint'.", "Unsupported parameter(s): prompt_cache_options", "prompt_cache_options is not supported on this model",
		"Extra inputs are not permitted, field: 'prompt_cache_options', value: {'mode': 'explicit'}", "Explicit breakpoints are not available for this model",
		"A maximum of 4 blocks with cache_control may be provided. Found 5.", "Prompt caching is not supported for this model",
	},
	fieldOutputLists: {
		"Invalid type for function_call_output.output: expected string, received list.", "Output of tool call should be 'Input text'", "Invalid type for 'input[3].output': expected a string, but got an array instead.",
		"json: cannot unmarshal array into Go struct field ResponsesFunctionCallOutput.output of type string", "Tool messages must have a content that is a string", "content of tool message must be text", "tool 消息的 content 必须是字符串",
		"240 validation errors: {'type': 'string_type', 'loc': ('body', 'input', 'str'), 'msg': 'Input should be a valid string'",
	},
	fieldAllowedTools: {
		"Invalid type for tool_choice: object. Supported string values: none, auto, required", "Only 'auto' tool_choice is supported in response API",
		"tool_choice.type: unknown variant `allowed_tools`, expected `function`",
		"tool_choice: Input should be a valid string", "Forced tool use is not supported", "Invalid toolChoice",
	},
	"": {
		"The reasoning_content in the thinking mode must be passed back to the API.",
		"Expected `thinking` or `redacted_thinking`, but found `text`. A final assistant message must start with a thinking block.", "Missing reasoning_content in assistant message 3",
		"reasoning items have to be included", "The thinking content should be sent back", "internal error", "the model is overloaded", "an odd value", "Missing required field tools",
		"Answers are not kept because store is false", "Please pass back the reasoning_content", "Your organization must be verified to generate reasoning summaries.",
		"Unsupported value: 'reasoning.effort' does not support 'minimal' with this model.", "received fields: model, input, tools, tool_choice, store; one is invalid", "Bad request: {'model': 'm', 'store': False, 'include': [], 'tool_choice': 'auto'}",
		"Bad input {\"instructions\":\"The system message must be at the beginning\",\"model\":\"m\"}",
		"Unknown parameter: 'acme'. Supported are: 'model', 'input', 'store', 'temperature', 'tools'",
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

// TestServersFaultsAreNoRefusals: a server that says of itself that it failed refuses no role.
func TestServersFaultsAreNoRefusals(t *testing.T) {
	for text, refuses := range map[string]bool{
		"cannot assume role": false, "internal error in role manager": false, "The server had an error": false, "failed to include a file": false,
		"Only user and assistant roles are supported!": true, "Unexpected message role.": true, "Jinja: System message must be at the beginning.": true,
	} {
		p := problem{status: http.StatusInternalServerError, message: text}
		if got := (exchange{status: p.status}).refuses(p); (len(got) > 0) != refuses {
			t.Errorf("%q gives up %q", text, got)
		}
	}
}

// TestOutagesGiveNothingUp: a server that fails and comes back refused nothing. One that answers requests
// without lists and fails at those with lists takes no lists.
func TestOutagesGiveNothingUp(t *testing.T) {
	const fault = `{"error":{"message":"..."}}`
	down := 2 * (1 + RetriesDefault)
	row := reportedCase{asks: 3, request: marked, serve: func(n int, _ string) (int, string) {
		if n <= down {
			return 500, fault
		}
		return 200, goodOne
	}}
	if p := row.play(t); len(p.noted) > 0 || len(p.bodies) != down+1 || p.bodies[down] != p.bodies[0] {
		t.Errorf("%d requests, noted %q", len(p.bodies), p.noted)
	}
	server := newProvider(t, says(200, goodOne), says(500, fault), says(500, fault), says(500, fault), says(500, fault), says(200, goodOne))
	client, _ := newClient(t, Config{BaseURL: server.URL})
	client.Respond(t.Context(), request())
	if a := client.Respond(t.Context(), marked()); a.Reply == nil || !slices.Equal(a.Reply.Repairs, []string{"without_output_lists"}) {
		t.Errorf("%+v %+v", a.Reply, a.Failure)
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
	s := newTierServer(t)
	client, _ = newClient(t, Config{BaseURL: s.URL, Steady: true})
	s.full = true
	client.Respond(t.Context(), flexRequest())
	s.full = false
	if client.Respond(t.Context(), flexRequest()); s.lastTier() != "flex" {
		t.Errorf("a call at tier %s follows one that found flex full", s.lastTier())
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
		{"one paragraph", message(strings.Repeat("First I look at the map. Then I go to the deposit and mine ore; after that I return to the base and sell what I have. "+
			"I think about which factory needs what, who pays for it and how much, and whether the price is right. Then I decide to wait, unless an offer comes that is better than the last one. ", 12)), 100, llmclient.AnswerEndless},
		{"one call", strings.Repeat(call(`{"a":1}`)+",", 8) + call(`{"a"`), 100, llmclient.AnswerEndless},
		{"half a call that nobody counted", call(`{"text":"` + steps[:250]), 0, llmclient.AnswerTruncated},
		{"half a call of a few tokens that nobody counted", call(`{"a":`), 0, llmclient.AnswerCalls},
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

// TestReasonsOfAnEnd reads why an answer is incomplete in the words of other APIs.
func TestReasonsOfAnEnd(t *testing.T) {
	for details, want := range map[string]llmclient.AnswerKind{
		`{"reason":"max_completion_tokens"}`: llmclient.AnswerTruncated, `{"reason":"MAX_TOKENS"}`: llmclient.AnswerTruncated, `"length"`: llmclient.AnswerTruncated,
		`{"reason":"model_context_window_exceeded"}`: llmclient.AnswerTruncated, `null`: llmclient.AnswerTruncated, `{"reason":"PROHIBITED_CONTENT"}`: llmclient.AnswerFiltered,
		`{"reason":"odd"}`: llmclient.AnswerIncomplete,
	} {
		p := newProvider(t, says(200, `{"status":"incomplete","incomplete_details":`+details+`,"output":[],"usage":{"output_tokens":100}}`))
		client, _ := newClient(t, Config{BaseURL: p.URL})
		r := request()
		r.Sampling.MaxOutputTokens = 100
		if answer := client.Respond(t.Context(), r); answer.Kind() != want {
			t.Errorf("%s: %s, want %s", details, answer.Kind(), want)
		}
	}
}
