package budget

import (
	"iter"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// Counted is what a recorded call counted against the caps: its charge or, in a run
// without caps, what the provider billed. p is the price of its model.
func Counted(call trace.ModelCall, p price.Price) Amount {
	if call.Charge != nil {
		return Amount{1, call.Charge.Tokens, int64(call.Charge.Cost)}
	}
	u := call.Answer.Usage
	return Amount{1, u.Input + u.Output, int64(p.Cost(u))}
}

// Afresh reports whether the caps of a fork count from the fork on: they are other ones
// than its parent had. Where it only takes some of them away the others go on.
func Afresh(parent, fork trace.Caps) bool {
	for _, at := range []struct{ parent, fork trace.Limit }{{parent.Run, fork.Run}, {parent.Agent, fork.Agent}, {parent.Tick, fork.Tick}} {
		before := amountOf(at.parent)
		for u, limit := range amountOf(at.fork) {
			if limit != 0 && limit != before[u] {
				return true
			}
		}
	}
	return false
}

// SpentIn sums up what the calls of a trace counted. The error is the first one that
// the records bring, together with the sum up to there.
func SpentIn(records iter.Seq2[trace.Record, error]) (Amount, error) {
	var spent Amount
	prices := map[string]price.Price{}
	for record, err := range records {
		if err != nil {
			return spent, err
		}
		switch r := record.(type) {
		case trace.Header:
			for _, p := range r.Settings.Prices {
				prices[p.Model] = p
			}
		case trace.Fork:
			for _, p := range r.Settings.Prices {
				prices[p.Model] = p
			}
		case trace.ModelCall:
			spent = spent.Plus(Counted(r, prices[r.Model]))
		}
	}
	return spent, nil
}
