package stub

import (
	"sync"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
)

// Used is what one request is billed for. All counts are simulated tokens.
type Used struct {
	// Number counts the requests from 1, in the order in which they met the cache.
	Number int64 `json:"request"`
	// Model and CacheKey are the request's, cut to 64 characters.
	Model    string `json:"model"`
	CacheKey string `json:"prompt_cache_key"`
	// Input is the whole input: Cached were read from the cache, Written were written to
	// it, and the rest is plain.
	Input   int64 `json:"input_tokens"`
	Cached  int64 `json:"cached_tokens"`
	Written int64 `json:"cache_write_tokens"`
	Output  int64 `json:"output_tokens"`
}

// Billed is the input in plain tokens, at the multiples of OpenAI since GPT-5.6: a token that is
// read costs 0.1, one that is written 1.25 of a plain one.
func (u Used) Billed() float64 {
	const read, written = 0.1, 1.25
	return float64(u.Input-u.Cached-u.Written) + read*float64(u.Cached) + written*float64(u.Written)
}

// Add returns the sum of both counts. It has no number, model or key.
func (u Used) Add(v Used) Used {
	return Used{
		Input: u.Input + v.Input, Cached: u.Cached + v.Cached,
		Written: u.Written + v.Written, Output: u.Output + v.Output,
	}
}

// books number the requests of a server and report what each is billed for.
type books struct {
	// cache is nil without one.
	cache *promptCache
	// report takes what a request is billed for, nil for nobody.
	report func(Used)

	mu     sync.Mutex
	opened int64
}

// entry is one request in the books.
type entry struct {
	number int64
	use    cacheUse
}

// open numbers a request and lets the cache have it, so that numbers are in the order in which
// requests met the cache.
func (b *books) open(r request) (e entry) {
	var plan cachePlan
	if b.cache != nil {
		plan = r.cachePlan()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened++
	e.number = b.opened
	if b.cache != nil {
		e.use = b.cache.use(plan)
	}
	return e
}

// close reports what a request is billed for.
func (b *books) close(e entry, r request, u llmclient.Usage) {
	if b.report == nil {
		return
	}
	b.report(Used{
		Number: e.number, Model: plaintext.Clip(llmclient.TextOf(r.sent["model"]), usedTextMax),
		CacheKey: plaintext.Clip(llmclient.TextOf(r.sent["prompt_cache_key"]), usedTextMax),
		Input:    u.Input, Cached: u.Cached, Written: e.use.written, Output: u.Output,
	})
}

// usedTextMax is how much of a client's text the books keep.
const usedTextMax = 64
