package doctor

import (
	"fmt"

	"example.com/agentworld/llmclient"
)

// usageTokensLeast is the least prompt, in tokens of our own count, by which reported counts are judged:
// what a server puts around a short one may be more than the prompt.
const usageTokensLeast = 1000

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
	counted := r.Tokens(x.count)
	off := llmclient.Underreported(u.Input, counted) || llmclient.Overreported(u.Input, counted)
	if off && counted >= usageTokensLeast {
		x.found.add(CheckUsage, Warn, fmt.Sprintf(
			"%d input tokens are reported where %d were counted here", u.Input, counted), doubtAdvice)
	}
}

const doubtAdvice = "compare the reported cost with the provider's bill; " +
	"if less than half of our own count is reported, caps count ours"
