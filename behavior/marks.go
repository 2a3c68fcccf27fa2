package behavior

import (
	"slices"
	"strconv"

	"example.com/agentworld/llmclient"
)

// Breakpoints are the places of the input after which a provider is to keep the prompt so far: the
// first item, which other conversations begin with, and the end of each request that was likely to
// be followed by another one. They are those of the request that [Conversation.Sent] announced.
func (c *Conversation) Breakpoints() []int { return slices.Clip(c.marks) }

// Kept says which places of the present input earlier requests marked, ascending. From a place on that
// the input does not have, they are left out.
func (c *Conversation) Kept(places []int) {
	c.marks = nil
	for i, at := range places {
		if at < 0 || at >= len(c.Input) || i > 0 && at <= places[i-1] {
			return
		}
		c.marks = append(c.marks, at)
	}
}

// mark notes the places of a request that goes out.
func (c *Conversation) mark(continues bool) {
	if len(c.marks) == 0 {
		c.marks = append(c.marks, 0)
	}
	if end := len(c.Input) - 1; continues && end > c.marks[len(c.marks)-1] {
		c.marks = append(c.marks, end)
	}
}

// replace puts items in the place of the input. What a provider has kept is of use up to where they
// differ.
func (c *Conversation) replace(items []llmclient.Item) {
	same := 0
	for same < min(len(items), len(c.Input)) && string(items[same].Raw) == string(c.Input[same].Raw) {
		same++
	}
	c.marks = slices.DeleteFunc(slices.Clone(c.marks), func(at int) bool { return at >= same })
	c.Input = items
	c.tokens = 0
	c.counted = 0
}

// agentsPerKey is how many agents share a cache key. A provider takes about 15 requests a minute
// for one key before it spreads them over machines, each of which then has to read the prompt for
// itself (OpenAI's guide to prompt caching). An agent among others makes a few.
const agentsPerKey = 4

// CacheKey is the routing hint by which a provider finds what it has kept of a request's prompt: the
// same for all agents whose requests have the same model, instructions and tools, in any run. In a
// run of more than a few agents a number is added, so that each key has a few agents.
func (c *Config) CacheKey(agent string, r llmclient.Request) string {
	key := r.Head().CacheKey()
	keys := (len(c.Agents) + agentsPerKey - 1) / agentsPerKey
	if n := slices.Index(c.Agents, agent); keys > 1 && n >= 0 {
		key += "-" + strconv.Itoa(n%keys)
	}
	return key
}
