package doctor

import (
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestUsageIsHeldAgainstOurCount: what is reported of the long prompt may differ by half from what is
// counted here.
func TestUsageIsHeldAgainstOurCount(t *testing.T) {
	words := func(text string) int { return len(strings.Fields(text)) }
	x := examination{count: words, found: findings{}}
	r := llmclient.Request{Input: []llmclient.Item{llmclient.Message("user", strings.Repeat("stone ", 3000))}}
	for _, c := range []struct {
		reported int64
		want     Status
	}{{1600, ""}, {3100, ""}, {4500, ""}, {1500, Warn}, {4700, Warn}, {30, Warn}} {
		x.found = findings{}
		x.doubtUsage(r, llmclient.Reply{Usage: llmclient.Usage{Input: c.reported, Output: 1}})
		if got := x.found[CheckUsage].Status; got != c.want {
			t.Errorf("%d tokens reported: status %q, want %q", c.reported, got, c.want)
		}
	}
	x.found = findings{}
	x.doubtUsage(llmclient.Request{}, llmclient.Reply{Usage: llmclient.Usage{Input: 900, Output: 1}})
	if len(x.found) > 0 {
		t.Errorf("a short prompt was judged: %v", x.found)
	}
}
