package engine

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// absent says what is recorded instead of any answer for key.
func (r *Recorded) absent(key CallKey) string {
	agents := make([]string, len(r.header.Agents))
	for i, a := range r.header.Agents {
		agents[i] = a.ID
	}
	var steps []int
	for k := range r.calls {
		if k.Agent == key.Agent {
			steps = append(steps, k.Step)
		}
	}
	switch {
	case !slices.Contains(agents, key.Agent):
		return fmt.Sprintf("the recording has no such agent, it has %d", len(agents))
	case len(steps) > 0:
		return fmt.Sprintf("nothing is recorded; the agent made %d calls in this tick then", slices.Max(steps))
	case r.next == nil && len(r.calls) == 0:
		return "nothing is recorded; the recording ends before this tick"
	}
	return "nothing is recorded; the agent made no call in this tick then"
}

// difference says in words where a request is not the recorded one, and with the
// texts where the recording has them.
func (r *Recorded) difference(part llmclient.PromptPart, request llmclient.Request) string {
	text := part.String() + " is not as recorded"
	switch part.Name {
	case "model", "tool_choice":
		return fmt.Sprintf("%s: recorded %s, asked now %s", text, plaintext.Clip(part.Recorded, differenceCharsMax), plaintext.Clip(part.Asked, differenceCharsMax))
	case "input":
		if part.Asked == "" {
			return fmt.Sprintf("%s: recorded one more than the %d asked now", text, len(request.Input))
		}
		it := request.Input[part.Item-1]
		if part.Recorded == "" {
			return fmt.Sprintf("%s: there was none, now there is a %s", text, it.Kind)
		}
		text = fmt.Sprintf("%s (%s) is not as recorded", part, strings.TrimSpace(string(it.Kind)+" "+it.Role+it.Name))
	}
	recorded, known := r.text(part.Recorded)
	if !known {
		return fmt.Sprintf("%s: hash recorded %.12s, now %.12s", text, part.Recorded, part.Asked)
	}
	a, b, at := apart(recorded, partText(part, request))
	return fmt.Sprintf("%s, from character %d on: recorded %q, asked now %q", text, at, a, b)
}

// text returns the text behind a hash, which only a whole run has.
func (r *Recorded) text(hash string) (string, bool) {
	if r.header.Extract != "" {
		return "", false
	}
	p, err := findPart(r.path, hash)
	if err != nil {
		return "", false
	}
	body, err := p.Bytes()
	if err != nil {
		return "", false
	}
	if it, ok := llmclient.ParseItem(body); ok && p.Kind == trace.PartItem && it.Text != "" {
		return it.Text, true
	}
	return string(body), true
}

// partText is the text in a request that a part is about.
func partText(part llmclient.PromptPart, request llmclient.Request) string {
	switch part.Name {
	case "instructions":
		return request.Instructions
	case "tools":
		return string(llmclient.ToolList(request.Tools))
	}
	it := request.Input[part.Item-1]
	if it.Text != "" {
		return it.Text
	}
	return string(it.Raw)
}

const (
	// differenceCharsMax bounds each side of a difference, beforeCharsMax what is
	// shown of the common text before it.
	differenceCharsMax = 60
	beforeCharsMax     = 20
)

// apart cuts two texts to where they begin to differ and counts the characters
// before that place from 1.
func apart(a, b string) (string, string, int) {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	from := max(0, n-beforeCharsMax)
	return plaintext.Clip(string(x[from:]), differenceCharsMax), plaintext.Clip(string(y[from:]), differenceCharsMax), n + 1
}
