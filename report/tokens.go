package report

import (
	"fmt"

	"example.com/agentworld/llmclient"
)

// Tokens counts tokens as the providers bill them.
type Tokens struct {
	// Input tokens, cached and written ones included.
	Input int64 `json:"input"`
	// Input tokens that the provider had cached.
	Cached int64 `json:"cached"`
	// Input tokens that the provider wrote to its cache.
	Written int64 `json:"written"`
	// Those of them that it keeps for more than half an hour.
	WrittenLong int64 `json:"written_long"`
	// Output tokens, reasoning included.
	Output int64 `json:"output"`
	// Output tokens spent on reasoning.
	Reasoning int64 `json:"reasoning"`
	// Input and output tokens as the provider adds them up.
	Total int64 `json:"total"`
}

// TokensOf returns the counts of a usage.
func TokensOf(u llmclient.Usage) Tokens {
	return Tokens{
		Input:       u.Input,
		Cached:      u.Cached,
		Written:     u.Written,
		WrittenLong: u.WrittenLong,
		Output:      u.Output,
		Reasoning:   u.Reasoning,
		Total:       u.Total,
	}
}

// Add returns the sum of both counts.
func (t Tokens) Add(s Tokens) Tokens {
	return Tokens{
		Input:       t.Input + s.Input,
		Cached:      t.Cached + s.Cached,
		Written:     t.Written + s.Written,
		WrittenLong: t.WrittenLong + s.WrittenLong,
		Output:      t.Output + s.Output,
		Reasoning:   t.Reasoning + s.Reasoning,
		Total:       t.Total + s.Total,
	}
}

// Text writes the counts for people; what was written to the cache only if there is some.
func (t Tokens) Text() string {
	cache := fmt.Sprintf("%d cached", t.Cached)
	if t.Written > 0 {
		cache += fmt.Sprintf(", %d written to the cache", t.Written)
	}
	return fmt.Sprintf("%d input (%s), %d output (%d reasoning)", t.Input, cache, t.Output, t.Reasoning)
}
