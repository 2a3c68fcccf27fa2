package budget

import (
	"fmt"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Reservation is what one turn may spend. It is used by one goroutine.
type Reservation struct {
	agent string
	// refusal is why the turn may not begin, nil when it may.
	refusal *Refusal
	// share is what is left to spend, of the scope in by.
	share Amount
	by    [units]bound
	spent Amount
	// own is what the agent's caps leave beside the share.
	own  Amount
	seen reach
	// first is the counted input of the turn's first call, sent how many were sent.
	first, sent int64
}

// bound is the cap that bounds a share.
type bound struct {
	scope Scope
	limit int64
}

// extend adds the turn's part of what is left to its share and returns it. turns is how
// many turns still wait for their part, this one included.
func (p *Reservation) extend(run, tick Amount, turns int64, caps trace.Caps) (more Amount) {
	for u := range more {
		more[u] = unlimited
		for _, at := range []struct {
			scope Scope
			limit trace.Limit
			part  int64
		}{{Run, caps.Run, part(run[u], turns)}, {Agent, caps.Agent, p.own[u]}, {Tick, caps.Tick, part(tick[u], turns)}} {
			if at.part < more[u] {
				more[u], p.by[u] = at.part, bound{at.scope, AmountOf(at.limit)[u]}
			}
		}
		if more[u] == unlimited {
			p.share[u], more[u] = unlimited, 0
		} else {
			p.share[u] += more[u]
		}
	}
	return more
}

// part is an equal part of what is left, rounded down.
func part(left, turns int64) int64 {
	if left == unlimited {
		return unlimited
	}
	return left / turns
}

// Reserve says why the call may not be sent, nil when it may.
func (p *Reservation) Reserve(c Call) *Refusal {
	if p.refusal != nil {
		return p.refusal
	}
	need := c.amount()
	for u := range Unit(units) {
		if p.share[u] < need[u] {
			if p.sent > 0 && u != Calls {
				p.seen.growth = max(p.seen.growth, (c.counted-p.first+p.sent-1)/p.sent)
			}
			return &Refusal{Agent: p.agent, Scope: p.by[u].scope, Unit: u, Cap: p.by[u].limit, Left: p.share[u], Need: need[u],
				Begun: true}
		}
	}
	return nil
}

// Affords is how many calls the share can pay for, if c is the first of them.
func (p *Reservation) Affords(c Call) int {
	if p.refusal != nil {
		return 0
	}
	left := p.share
	for n := range affordsMax {
		for u, need := range c.amount() {
			if left[u] < need {
				return n
			}
		}
		left = left.minus(c.amount())
		c = c.Next()
	}
	return affordsMax
}

// affordsMax is more calls than any turn makes.
const affordsMax = 64

// Charge counts the answer to a call that was sent, and returns the record of it.
func (p *Reservation) Charge(c Call, a llmclient.Answer) trace.Charge {
	charge := c.Charge(a)
	spent := Amount{1, charge.Tokens, int64(charge.Cost)}
	p.sent++
	if p.sent == 1 {
		p.first = c.counted
	}
	p.spent = p.spent.Plus(spent)
	for u := range p.share {
		if p.share[u] != unlimited {
			p.share[u] = max(0, p.share[u]-spent[u])
		}
	}
	p.seen = p.seen.with(c, a)
	return charge
}

// Refusal is a cap that leaves less than is needed.
type Refusal struct {
	// Agent is whose turn it is.
	Agent string
	Scope Scope
	Unit  Unit
	// Cap is the cap, Left what is left of it, or of the turn's share once the turn has
	// begun, and Need what the turn or the call needs at most.
	Cap, Left, Need int64
	// Spent is what counts against the cap before a turn begins; it is more than the cap
	// where that was lowered or a provider billed more than it might.
	Spent int64
	// Begun says that the turn had begun.
	Begun bool
}

// Code names the cap, such as "run_tokens".
func (r Refusal) Code() string { return string(r.Scope) + "_" + r.Unit.String() }

// String explains the refusal on one line.
func (r Refusal) String() string {
	switch {
	case r.Spent > r.Cap:
		return fmt.Sprintf("%s: %s are spent already", r.CapText(), r.Unit.show(r.Spent))
	case r.Begun:
		return fmt.Sprintf("%s: this turn's share has %s left, the call may take %s", r.CapText(), r.Unit.show(r.Left),
			r.NeedText())
	}
	return fmt.Sprintf("%s: %s left, a turn needs %s", r.CapText(), r.Unit.show(r.Left), r.NeedText())
}

// NeedText writes what the turn needs for people.
func (r Refusal) NeedText() string { return r.Unit.show(r.Need) }

// SpentText writes what counts against the cap for people.
func (r Refusal) SpentText() string { return r.Unit.show(r.Spent) }

// CapText names the cap and its bound for people.
func (r Refusal) CapText() string {
	return fmt.Sprintf("cap on %s of the %s, %s", r.Unit, r.Scope, r.Unit.show(r.Cap))
}

// Record is the refusal of the request with a hash as a trace keeps it, up to whose
// turn it was.
func (r Refusal) Record(requestHash string) trace.Refusal {
	return trace.Refusal{Cap: r.Code(), Limit: r.Cap, Available: r.Left, Requested: r.Need, RequestHash: requestHash}
}

// Answer is the answer to a refused request. Nothing was sent for it.
func (r Refusal) Answer() llmclient.Answer {
	return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrCap, Code: r.Code(), Message: r.String()}}
}
