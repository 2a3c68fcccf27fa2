package llmclient

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Prompt is what a model sees in a request, as hashes of its parts. Two requests
// with equal prompts ask a model the same; what else a request holds (the bound on
// the answer, the routing hint of the cache, what the provider is to store) is not
// part of it. It is what a recorded answer is found by.
type Prompt struct {
	// Model is the model asked for.
	Model string
	// Instructions, Tools and each of Input are the hex SHA-256 of the text, of the
	// tool list as [ToolList] writes it, and of each item's exact JSON.
	Instructions string
	Tools        string
	Input        []string
	// Choice is the tool choice as sent.
	Choice json.RawMessage
}

// Prompt returns what the model sees in r.
func (r Request) Prompt() Prompt {
	p := Prompt{
		Model: r.Model, Instructions: Hash([]byte(r.Instructions)), Tools: Hash(ToolList(r.Tools)),
		Input: make([]string, len(r.Input)), Choice: r.Choice.Wire(),
	}
	for i, it := range r.Input {
		p.Input[i] = Hash(it.Raw)
	}
	return p
}

// PromptDifference says where two prompts begin to differ.
type PromptDifference struct {
	// Name is model, instructions, tools, tool_choice or input; empty when the
	// prompts are equal.
	Name string
	// Item is the number of the input item from 1, 0 outside the input.
	Item int
	// Recorded and Asked are the two values: hashes of texts, the names of models,
	// choices as sent. One is empty where its list of items has ended.
	Recorded, Asked string
}

// Differs returns the first part in which asked is not what p is, in the order in
// which a model reads them; the zero value when they are equal.
func (p Prompt) Differs(asked Prompt) PromptDifference {
	for _, part := range []PromptDifference{
		{"model", 0, p.Model, asked.Model},
		{"instructions", 0, p.Instructions, asked.Instructions},
		{"tools", 0, p.Tools, asked.Tools},
	} {
		if part.Recorded != part.Asked {
			return part
		}
	}
	for i := range max(len(p.Input), len(asked.Input)) {
		if a, b := at(p.Input, i), at(asked.Input, i); a != b {
			return PromptDifference{"input", i + 1, a, b}
		}
	}
	// The choice comes last: with equal items it is what the stage asks for.
	if string(p.Choice) != string(asked.Choice) {
		return PromptDifference{"tool_choice", 0, string(p.Choice), string(asked.Choice)}
	}
	return PromptDifference{}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// String names the part for people, such as "input item 2".
func (p PromptDifference) String() string {
	if p.Item > 0 {
		return fmt.Sprintf("input item %d", p.Item)
	}
	return strings.ReplaceAll(p.Name, "_", " ")
}

// ToolList returns the tool list as a request contains it: a JSON array.
func ToolList(tools []Tool) json.RawMessage {
	list := append(make([]byte, 0, toolBytes(tools)), '[')
	for i, t := range tools {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, t.Wire()...)
	}
	return append(list, ']')
}

// toolBytes is the length of the list, if its tools have been made ready.
func toolBytes(tools []Tool) int {
	size := 2
	for _, t := range tools {
		size += len(t.wire) + 1
	}
	return size
}
