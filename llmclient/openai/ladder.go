package openai

import (
	"slices"

	"example.com/agentworld/llmclient"
)

// climbing is the ladder of a model whose callers bring none, and its rung: an answer to a request of
// an earlier rung is not judged.
type climbing struct {
	llmclient.Ladder
	rung int
}

// rung is the present rung of a model.
func (c *Client) rung(model string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.ladders[model]; l != nil {
		return l.rung
	}
	return 0
}

// chosen are the parts of its tool choice that a request goes without because of earlier answers.
// The caller holds mu.
func (c *Client) chosen(r llmclient.Request) []string {
	switch l := c.ladders[r.Model]; {
	case c.config.Steady:
		return nil
	case r.Ladder != nil:
		return r.Ladder.Without()
	case l != nil:
		return l.Without()
	}
	return nil
}

// judge takes a reply to a request of some rung, as it was asked for, and says what is settled by now.
func (c *Client) judge(r llmclient.Request, reply llmclient.Reply, rung int) {
	if c.config.Steady {
		return
	}
	for _, text := range c.judgedNow(r, reply, rung) {
		c.note(text)
	}
}

// judgedNow returns what there is to say for the first time.
func (c *Client) judgedNow(r llmclient.Request, reply llmclient.Reply, rung int) (texts []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ladder := r.Ladder
	if ladder == nil {
		l := c.ladders[r.Model]
		if l == nil {
			l = &climbing{}
			c.ladders[r.Model] = l
		}
		if l.rung == rung && l.Take(llmclient.ShownBy(r, reply)) {
			l.rung++
		}
		ladder = &l.Ladder
	}
	for _, step := range ladder.Settled() {
		text := step.Text(r.Model)
		if !slices.Contains(c.settled, text) {
			c.settled = append(c.settled, text)
			texts = append(texts, text)
		}
	}
	return texts
}
