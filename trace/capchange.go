package trace

import "example.com/agentworld/llmclient/price"

// CapChange says that from a tick on other caps hold, as somebody who went on with the
// run wanted. What was spent before counts. It stands in front of the first records of
// the tick that were made under the new caps.
type CapChange struct {
	// Tick is the first tick in which the caps hold.
	Tick int64 `json:"tick"`
	// Caps are all that hold from then on; the zero value is none.
	Caps Caps `json:"caps"`
	// Answered is what of Tick was asked and answered before the caps changed, by agent
	// in the order of ids; empty when the tick had not begun. It stands, and counts.
	// Where there is any, the shares under the caps before hold for the whole tick beside
	// those under the new ones, since they have shaped what was asked.
	Answered []Answered `json:"answered,omitempty"`
}

// Answered is what an agent had asked in a tick.
type Answered struct {
	AgentID string `json:"agent_id"`
	// Steps is the last of the steps that were there.
	Steps int64 `json:"steps"`
	// Calls, Tokens and Cost are what they counted.
	Calls  int64       `json:"calls"`
	Tokens int64       `json:"tokens"`
	Cost   price.Money `json:"cost_pico"`
}

// RecordType implements [Record].
func (CapChange) RecordType() Type { return TypeCapChange }

// RecordTick implements [Record].
func (c CapChange) RecordTick() int64 { return c.Tick }

func (c CapChange) untimed() Record { return c }
