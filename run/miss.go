package run

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// absent says what is recorded instead of any answer for key.
func (a *Answers) absent(key trace.CallKey) string {
	agents := make([]string, len(a.header.Agents))
	for i, agent := range a.header.Agents {
		agents[i] = agent.ID
	}
	var steps []int
	for k := range a.at.calls {
		if k.Agent == key.Agent {
			steps = append(steps, k.Step)
		}
	}
	switch {
	case !slices.Contains(agents, key.Agent):
		return fmt.Sprintf("the recording has no such agent, it has %d", len(agents))
	case len(steps) > 0:
		return fmt.Sprintf("nothing is recorded; the agent made %d calls in this tick then", slices.Max(steps))
	case a.broken != nil && len(a.at.calls) == 0:
		return "nothing is recorded; the recording ends before this tick"
	}
	return "nothing is recorded; the agent made no call in this tick then"
}

// difference describes how a request differs from the recorded one, with the texts if the
// recording has them.
func (a *Answers) difference(part llmclient.PromptDifference, request llmclient.Request) string {
	text := part.String() + " is not as recorded"
	switch part.Name {
	case "model", "tool_choice":
		return fmt.Sprintf("%s: recorded %s, asked now %s", text, plaintext.Clip(part.Recorded, trace.DifferenceCharsMax),
			plaintext.Clip(part.Asked, trace.DifferenceCharsMax))
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
	recorded, known := a.text(part.Recorded)
	if !known {
		return fmt.Sprintf("%s: hash recorded %.12s, now %.12s", text, part.Recorded, part.Asked)
	}
	x, y, at := trace.Apart(recorded, partText(part, request))
	return fmt.Sprintf("%s, from character %d on: recorded %q, asked now %q", text, at, x, y)
}

// text returns the text with a hash; only a whole run has it.
func (a *Answers) text(hash string) (string, bool) {
	if a.header.Extract != "" {
		return "", false
	}
	p, err := findBlob(a.path, a.how, hash)
	if err != nil {
		return "", false
	}
	body, err := p.Bytes()
	if err != nil {
		return "", false
	}
	if it, ok := llmclient.ParseItem(body); ok && p.Kind == trace.BlobItem && it.Text != "" {
		return it.Text, true
	}
	return string(body), true
}

// partText is the text in a request that a part is about.
func partText(part llmclient.PromptDifference, request llmclient.Request) string {
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
