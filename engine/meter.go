package engine

import (
	"sync"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
)

// meter counts the tokens of requests. Texts that stand in many requests are counted
// once.
type meter struct {
	mu    sync.Mutex
	known map[string]int64
}

// itemTokens and requestTokens are for what endpoints put around an item and around a
// request when they make one text of it.
const (
	itemTokens    = 4
	requestTokens = 64
)

// input counts everything of a request that a model may be made to read.
func (m *meter) input(r llmclient.Request, items map[string]int64) int64 {
	n := m.static(r.Instructions) + m.static(string(llmclient.ToolList(r.Tools))) + int64(tokens.Count(string(r.Choice.Wire()))) + requestTokens
	for _, it := range r.Input {
		text := string(it.Raw)
		if _, counted := items[text]; !counted {
			items[text] = int64(tokens.Count(text)) + itemTokens
		}
		n += items[text]
	}
	return n
}

// static counts a text that many requests share.
func (m *meter) static(text string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, known := m.known[text]
	if !known {
		n = int64(tokens.Count(text))
		m.known[text] = n
	}
	return n
}
