package report

import (
	"fmt"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Ahead is what became of the calls that were asked ahead of the run, see docs/ahead.md. They are in no other
// figure but those that the run used.
type Ahead struct {
	// Ticks looked ahead; 0 where nothing was to be asked ahead, and for an unfinished run.
	Depth int64 `json:"depth"`
	// Calls that could be in vain, for a thousand calls of the run.
	WastePermille int64 `json:"waste_permille"`
	// Calls asked ahead.
	Asked int64 `json:"asked"`
	// Calls asked ahead that the run used.
	Used int64 `json:"used"`
	// Calls asked ahead in vain.
	Wasted int64 `json:"wasted"`
	// Calls asked ahead that were neither when the run stopped; a resume may use them.
	Open int64 `json:"open"`
	// Input tokens of calls in vain, as far as they were answered.
	WastedInputTokens int64 `json:"wasted_input_tokens"`
	// Output tokens of calls in vain, as far as they were answered.
	WastedOutputTokens int64 `json:"wasted_output_tokens"`
	// Cost of calls in vain, in millionths of the currency, as far as they have a price: of those that were cut off what
	// was reserved for them, since they may have been billed.
	WastedMicros int64 `json:"wasted_micros"`
	// Milliseconds by which ticks were shorter than the answers of their slowest turns took.
	SavedMS int64 `json:"saved_ms"`
}

// aheadOf is what a trace says was asked ahead.
func aheadOf(t *trace.AheadTiming) Ahead {
	if t == nil {
		return Ahead{}
	}
	return Ahead{
		Depth: int64(t.Depth), WastePermille: t.WastePermille, Asked: t.Asked, Used: t.Used, Wasted: t.Wasted, Open: t.Open,
		WastedInputTokens: t.WastedUsage.Input, WastedOutputTokens: t.WastedUsage.Output, SavedMS: t.SavedMS,
		WastedMicros: t.WastedCost.Micros(),
	}
}

// Text says what became of the calls, nothing where none were to be asked. currency is that of costs, empty without
// prices.
func (a Ahead) Text(currency string) string {
	if a.Depth == 0 {
		return ""
	}
	cost := plaintext.Count(a.WastedInputTokens+a.WastedOutputTokens, "token")
	if currency != "" {
		cost += ", " + micros(a.WastedMicros) + " " + plain(currency)
	}
	text := fmt.Sprintf("%s asked ahead, %d used, %d in vain (%s), %s s saved", plaintext.Count(a.Asked, "call"), a.Used,
		a.Wasted, cost, milli(a.SavedMS))
	if a.Open > 0 {
		text += fmt.Sprintf(", %d open", a.Open)
	}
	return text
}
