package trace

import (
	"strings"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
)

// Caps bound what a run may spend; the zero value bounds nothing.
type Caps struct {
	// Run bounds the whole run, Agent each agent over the run, Tick each tick.
	Run   Limit `json:"run,omitzero"`
	Agent Limit `json:"agent,omitzero"`
	Tick  Limit `json:"tick,omitzero"`
}

// Limit bounds spending; a zero field bounds nothing.
type Limit struct {
	// Calls counts requests to a model, Tokens input and output.
	Calls  int64 `json:"calls,omitempty"`
	Tokens int64 `json:"tokens,omitempty"`
	// Cost is in the currency of the run's prices.
	Cost price.Money `json:"cost_pico,omitempty"`
}

// Charge is what a call counted against the caps.
type Charge struct {
	// ReservedTokens is the most the call was expected to bill, reserved before it
	// was sent; 0 where no cap is on tokens or cost.
	ReservedTokens int64 `json:"reserved_tokens"`
	// Tokens is what the provider billed or, if it did not say, the reserved amount. Cost
	// is the price of the same tokens.
	Tokens int64       `json:"tokens"`
	Cost   price.Money `json:"cost_pico"`
}

// Estimate is what a run was expected to take, before its first call.
type Estimate struct {
	// Least has every decision on its shortest path, Likely on a usual one, Most on
	// its longest.
	Least  Usage `json:"least"`
	Likely Usage `json:"likely"`
	Most   Usage `json:"most"`
}

// Usage is an amount of calls, tokens and money.
type Usage struct {
	Calls        int64 `json:"calls"`
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	// Cost is 0 where a model has no price.
	Cost price.Money `json:"cost_pico"`
}

// Text lists the caps for people, with costs in a currency, which may be empty where no
// cap is on cost: "the run 60 calls; each tick 0.03 USD". Without any it is "none".
func (c Caps) Text(currency string) string {
	var parts []string
	for _, at := range []struct {
		scope string
		limit Limit
	}{{"the run", c.Run}, {"each agent", c.Agent}, {"each tick", c.Tick}} {
		var of []string
		if at.limit.Calls > 0 {
			of = append(of, plaintext.Count(at.limit.Calls, "call"))
		}
		if at.limit.Tokens > 0 {
			of = append(of, plaintext.Count(at.limit.Tokens, "token"))
		}
		if at.limit.Cost > 0 {
			of = append(of, strings.TrimSpace(at.limit.Cost.String()+" "+currency))
		}
		if len(of) > 0 {
			parts = append(parts, at.scope+" "+strings.Join(of, ", "))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}

// CapChange says what changes from a tick on because a resume asked for it: the caps,
// whether endpoints are asked again, and seats. Earlier spending counts. The record is before the
// first request of its tick.
type CapChange struct {
	// Tick is the first tick in which the caps hold.
	Tick int64 `json:"tick"`
	// Caps are all that hold from then on; the zero value is none.
	Caps Caps `json:"caps"`
	// AskAgain says that from then on the endpoints that were given up are asked again.
	AskAgain bool `json:"ask_again,omitempty"`
	// Seats are all that hold from then on; nil if they stay.
	Seats []AgentSeat `json:"seats,omitempty"`
}
