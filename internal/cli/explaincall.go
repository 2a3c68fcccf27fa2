package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/agentworld/explain"
	"example.com/agentworld/plaintext"
)

// call writes one model call: what was sent, item by item, and what ended it: the output
// items in the provider's order with the tokens billed, or why there are none. n counts
// the calls shown, from 1.
func (e *explainer) call(n int, p explain.Prompt) {
	c, a := p.Record, p.Record.Answer
	plaintext.Fprintf(&e.b, "\nCall %d  (step %d, stage %s)\n", n, c.Step, c.Stage)
	e.field("model", c.Model)
	e.field("request", fmt.Sprintf("%s, %d characters and %d of tools", c.RequestHash, c.InputChars, c.ToolChars))
	// descriptions and schemas are the same in every call of a run; --json shows them
	e.field("tools", orNone(p.ToolNames()))
	e.field("tool choice", choiceText(c.ToolChoice))
	for _, s := range c.Sections {
		// Sections that were sent whole are not worth a line: their text follows.
		if s.Clipped {
			e.field("clipped", fmt.Sprintf("section %s by %d characters", s.Name, s.ClippedChars))
		}
	}
	e.part(n, "instructions", c.Instructions, p.Instructions)
	for i, it := range p.Input {
		e.part(n, fmt.Sprintf("input %d of %d: %s", i+1, len(p.Input), itemTitle(it)), c.Input[i], itemText(it))
	}
	if a.Failure != nil {
		plaintext.Fprintf(&e.b, "--- answer: failed, %s\n", failureText(a.Failure))
		return
	}
	plaintext.Fprintf(&e.b, "--- answer: %s\n", strings.TrimSpace(a.Status+" "+a.IncompleteReason))
	for i, it := range p.Output {
		plaintext.Fprintf(&e.b, "--- output %d of %d: %s\n%s", i+1, len(p.Output), itemTitle(it),
			plaintext.Block(itemText(it)))
	}
	plaintext.Fprintf(&e.b, "--- tokens: %s\n", tokensText(a.Usage))
}

// part writes one text, or where it was shown before.
func (e *explainer) part(call int, title, hash, text string) {
	if earlier, ok := e.shownIn[hash]; ok && !e.full {
		plaintext.Fprintf(&e.b, "--- %s, as in call %d\n", title, earlier)
		return
	}
	e.shownIn[hash] = call
	plaintext.Fprintf(&e.b, "--- %s\n%s", title, plaintext.Block(text))
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
		return strings.Trim(string(choice), `"`)
	}
	text := narrowed.Mode + " of"
	for _, t := range narrowed.Tools {
		text += " " + t.Name
	}
	return text
}
