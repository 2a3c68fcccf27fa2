package trace

// Refusal is a request that a cap refused. Nothing was sent and nothing was charged: it
// is no [ModelCall]. The turn took it as an answer and went on to its end. A refusal
// follows from the caps and the calls before it, so a resume makes it again.
type Refusal struct {
	Tick    int64  `json:"tick"`
	AgentID string `json:"agent_id"`
	// Step and Stage are those that the call would have had.
	Step  int   `json:"step"`
	Stage Stage `json:"stage"`
	// Cap is the cap that refused, scope and unit, such as "run_tokens" or "tick_cost".
	Cap string `json:"cap"`
	// Limit is that cap. Available is what was left of it, or of the turn's share once
	// the turn had begun; Requested is the most that the call, or the turn, would have
	// taken. Cost is in units of 10^-12 of the currency.
	Limit     int64 `json:"limit"`
	Available int64 `json:"available"`
	Requested int64 `json:"requested"`
	// RequestHash is the hex SHA-256 of the request body.
	RequestHash string `json:"request_hash"`
}

// RecordType implements [Record].
func (Refusal) RecordType() Type { return TypeRefusal }

// RecordTick implements [Record].
func (r Refusal) RecordTick() int64 { return r.Tick }

func (r Refusal) untimed() Record { return r }
