package openai

import (
	"slices"

	"example.com/agentworld/llmclient"
)

// chosen are the parts of its tool choice that a request goes without because of earlier answers, which
// its caller knows.
func (c *Client) chosen(r llmclient.Request) []string {
	if c.config.Steady || r.Ladder == nil {
		return nil
	}
	return r.Ladder.Without()
}

// tellSettled says, once each, what is settled of the tool choices of a request.
func (c *Client) tellSettled(r llmclient.Request) {
	if c.config.Steady || r.Ladder == nil {
		return
	}
	for _, step := range r.Ladder.Settled() {
		text := step.Text(r.Model)
		c.mu.Lock()
		told := slices.Contains(c.settled, text)
		if !told {
			c.settled = append(c.settled, text)
		}
		c.mu.Unlock()
		if !told {
			c.note(text)
		}
	}
}
