package trace

import "example.com/agentworld/llmclient"

// Counted is what the engine counted of an exchange itself, in tokens of its own vocabulary.
type Counted struct {
	// Input are the tokens of the request, Output those of the answer's texts and calls. Reasoning is not
	// among them.
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}

// The doubts about a usage.
const (
	// DoubtTotal: the provider's total is not the sum of the counts, however they are read.
	DoubtTotal = "total_is_not_the_sum"
	// DoubtInputLow and DoubtInputHigh: the input differs from the engine's count by more than half of it.
	DoubtInputLow  = "input_under_half_of_ours"
	DoubtInputHigh = "input_over_1.5_times_ours"
	// DoubtOutputLow: the output is less than half of what the answer says.
	DoubtOutputLow = "output_under_half_of_ours"
)

// Doubts names what of a usage the count contradicts. Counts that were not reported are no doubts.
func (c Counted) Doubts(u llmclient.Usage) (doubts []string) {
	if llmclient.Underreported(u.Input, c.Input) {
		doubts = append(doubts, DoubtInputLow)
	}
	if llmclient.Overreported(u.Input, c.Input) {
		doubts = append(doubts, DoubtInputHigh)
	}
	if llmclient.Underreported(u.Output, c.Output) {
		doubts = append(doubts, DoubtOutputLow)
	}
	return doubts
}

// Doubts names what is doubtful about the usage of the call's answer.
func (c ModelCall) Doubts() (doubts []string) {
	if !c.Answer.Usage.Summed() {
		doubts = append(doubts, DoubtTotal)
	}
	if c.Counted != nil {
		doubts = append(doubts, c.Counted.Doubts(c.Answer.Usage)...)
	}
	return doubts
}
