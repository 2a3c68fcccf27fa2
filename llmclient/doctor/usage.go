package doctor

import (
	"fmt"

	"example.com/agentworld/llmclient"
)

// usageTokensLeast is the least prompt, in tokens of our own count, by which reported counts are judged:
// what a server puts around a short one may be more than the prompt.
const usageTokensLeast = 1000

// The parts of a request that endpoints put words around, in tokens.
const (
	usageItemTokens    = 4
	usageRequestTokens = 64
)

// doubtUsage compares the usage of an answer with itself and with what was counted here.
func (x *examination) doubtUsage(r llmclient.Request, reply llmclient.Reply) {
	u := reply.Usage
	if !u.Summed() {
		x.found.add(CheckUsage, Warn, fmt.Sprintf(
			"%d input and %d output tokens are reported, and a total of %d", u.Input, u.Output, u.Total), doubtAdvice)
	}
	if x.count == nil || u.Input == 0 {
		return
	}
	counted := int64(x.count(r.Instructions)+x.count(string(llmclient.ToolList(r.Tools)))) + usageRequestTokens
	for _, it := range r.Input {
		text, more := it.Counted()
		counted += int64(x.count(text)+more) + usageItemTokens
	}
	off := llmclient.Underreported(u.Input, counted) || llmclient.Overreported(u.Input, counted)
	if off && counted >= usageTokensLeast {
		x.found.add(CheckUsage, Warn, fmt.Sprintf(
			"%d input tokens are reported where %d were counted here", u.Input, counted), doubtAdvice)
	}
}

const doubtAdvice = "compare the reported cost with the provider's bill; " +
	"if less than half of our own count is reported, caps count ours"
