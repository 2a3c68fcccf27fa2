package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// prompt is a model call with the parts in place of their hashes: exactly what was
// sent and received, read from the trace and not derived again.
type prompt struct {
	// instructions is the stable policy text.
	instructions string
	// tools is the tool list as sent, null when there was none.
	tools json.RawMessage
	// input and output are in the order of the request and of the answer; output
	// is empty when the call failed.
	input, output []llmclient.Item
}

// prompt looks up the parts of a call. The error names the part that is missing
// or damaged; a part is checked against its hash, so what is shown is what was
// sent, or nothing.
func (t *transcript) prompt(c trace.ModelCall) (prompt, error) {
	instructions, err := t.body(c.Instructions)
	if err != nil {
		return prompt{}, err
	}
	tools, err := t.body(c.Tools)
	if err != nil {
		return prompt{}, err
	}
	if len(tools) == 0 {
		tools = []byte("null")
	}
	if !json.Valid(tools) {
		return prompt{}, fmt.Errorf("part %s is not a tool list", c.Tools)
	}
	input, err := t.parts.Items(c.Input)
	if err != nil {
		return prompt{}, err
	}
	output, err := t.parts.Items(c.Answer.Output)
	return prompt{string(instructions), tools, input, output}, err
}

// body is a part's body; an empty hash stands for nothing sent.
func (t *transcript) body(hash string) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	return t.parts.Body(hash)
}

// choiceText describes a tool choice: its mode, such as "none", or the tools it
// narrows to, such as "required of plan decision". Anything else a later version
// may record is shown as it is.
func choiceText(choice json.RawMessage) string {
	var narrowed struct {
		Mode  string `json:"mode"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.Unmarshal(choice, &narrowed) != nil || narrowed.Mode == "" {
		return oneLine(strings.Trim(string(choice), `"`))
	}
	text := narrowed.Mode + " of"
	for _, t := range narrowed.Tools {
		text += " " + t.Name
	}
	return oneLine(text)
}

// itemTitle names an item: its kind and who or what it belongs to, such as
// "message user" or "function_call plan call_17". The words may come from a
// provider; callers print them escaped.
func itemTitle(it llmclient.Item) string {
	words := []string{string(it.Kind), it.Role, it.Name, it.CallID}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// itemText is what an item says: a message's text, a call's arguments, an output's
// text, all as they were written. An item without text of its own, such as
// encrypted reasoning or a kind of a later API, is shown as it is on the wire.
func itemText(it llmclient.Item) string {
	switch {
	case it.Refusal != "":
		return strings.TrimSpace(it.Text + "\nrefusal: " + it.Refusal)
	case it.Text != "":
		return it.Text
	}
	return string(it.Raw)
}

// failureText describes a failed call on one line, such as "rate_limited, HTTP
// 429, slow_down, try again in 2 s". The client has removed secrets from the
// provider's message; control characters are escaped here.
func failureText(f *llmclient.Failure) string {
	text := string(f.Kind)
	if f.Status != 0 {
		text += fmt.Sprintf(", HTTP %d", f.Status)
	}
	for _, more := range []string{f.Code, f.Message} {
		if more != "" {
			text += ", " + more
		}
	}
	return oneLine(text)
}
