package main

import (
	"encoding/json"
	"fmt"

	"agentworld/llmclient"
	"agentworld/trace"
)

// prompt is a model call with the parts in place of their hashes.
type prompt struct {
	instructions string
	// tools is the tool list as sent, null when there was none.
	tools         json.RawMessage
	input, output []llmclient.Item
}

// prompt looks up the parts of a call. The error names the part that is missing
// or damaged.
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

// toolNames lists the names in a tool list.
func toolNames(tools json.RawMessage) ([]string, error) {
	var list []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(tools, &list); err != nil {
		return nil, fmt.Errorf("read the tool list: %w", err)
	}
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	return names, nil
}

// choiceText describes a tool choice: its mode, or the tools it narrows to.
func choiceText(choice json.RawMessage) string {
	var narrowed struct {
		Mode  string `json:"mode"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.Unmarshal(choice, &narrowed) != nil || narrowed.Mode == "" {
		return oneLine(string(choice))
	}
	text := narrowed.Mode + " of"
	for _, t := range narrowed.Tools {
		text += " " + t.Name
	}
	return oneLine(text)
}
