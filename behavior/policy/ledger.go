package policy

import (
	"maps"
	"math"
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The limits of what texts may cost an agent in any [DeviationWindow] ticks in a row.
const (
	DeviationWindow = trace.DeviationWindow
	// DeviationsMax is how many ticks may be deviations from the plan.
	DeviationsMax = 3
	// RoundsMax is in how many ticks a refusal under texts may cost a further round.
	RoundsMax = 6
)

// giftsMax is how many gifts to those who may ask for them use up the total of a rule, however
// small they are: each costs the agent a tick.
const giftsMax = 5

// Ledger is what one agent did that limits count: settlements by tick, rule and asker,
// deviations and rounds by tick, and the messages that were answered. The zero value is the
// start of a run. Its methods do not change it but return the next one, so that a turn may
// read it while others do.
type Ledger struct {
	settled            []settlement
	deviations, rounds []tickCount
	// given are gifts that answered a request of another agent than the receiver: the world does
	// not count them towards it.
	given []gift
	// answered is the tick of the newest message that was answered.
	answered map[answerKey]int64
}

// account is what an amount counts for: a rule by its number, and the agent that asked, or may have.
type account struct {
	rule  int
	asker string
}

// gift is an amount that was given for a request.
type gift struct {
	tick, amount int64
	request      string
}

// settlement is an amount that counts for a rule, by the rule's number, and for each of some
// askers. The settlements of a rule without a window are one entry for the same askers.
type settlement struct {
	tick, amount int64
	rule         int
	askers       []string
}

// tickCount is a number that was counted in a tick.
type tickCount struct{ tick, n int64 }

// answerKey is an agent and the kind of action that answers its messages.
type answerKey struct{ agent, action string }

// Deviations is how many ticks of deviation are in the window that ends with a tick.
func (l Ledger) Deviations(now int64) int64 { return inWindow(l.deviations, now) }

// RoundLeft reports whether a refusal in a tick may cost a further round.
func (l Ledger) RoundLeft(now int64) bool { return inWindow(l.rounds, now) < RoundsMax }

// CountTurn counts what a turn cost: its deviation, and a further round or none.
func (l Ledger) CountTurn(tick int64, by *trace.Authority, round bool) Ledger {
	var rounds, deviation int64
	if round {
		rounds = 1
	}
	if by != nil {
		deviation = by.Deviation
	}
	l.rounds, l.deviations = counted(l.rounds, tick, rounds), counted(l.deviations, tick, deviation)
	return l
}

func inWindow(list []tickCount, now int64) (sum int64) {
	for _, c := range list {
		if c.tick > now-DeviationWindow {
			sum += c.n
		}
	}
	return sum
}

// counted adds n to a list unless it is 0, and drops what is before the window.
func counted(list []tickCount, now, n int64) []tickCount {
	list = slices.DeleteFunc(slices.Clone(list), func(c tickCount) bool { return c.tick <= now-DeviationWindow })
	if n == 0 {
		return list
	}
	return append(list, tickCount{now, n})
}

// Settle counts an action that the world accepted for every rule with a total that describes
// it, or that could answer a request that it suits, whichever of them allowed it. Amounts count
// as ordered, after clamping, but a gift to an agent that may ask for it, or at the request of one,
// counts at least a fifth of the total. Each attempt of a standing order is an action of its own; the rules about
// execute_until count all its attempts when it begins.
func (p Policy) Settle(l Ledger, tick int64, op Operation, by *trace.Authority) Ledger {
	if op.spec == nil {
		return l
	}
	asker := ""
	if by != nil {
		asker = by.Asker
	}
	settled := make([]settlement, 0, len(l.settled)+1)
	for _, s := range l.settled {
		if window := p.rules[s.rule-1].Window; window == 0 || s.tick > tick-window {
			settled = append(settled, s)
		}
	}
	for i := range p.rules {
		r, done := &p.rules[i], &op
		if r.Action == ArgumentOrder && op.ordered() {
			done = op.asOrder()
		}
		next := settlement{tick: tick, amount: max(0, done.amount), rule: r.number}
		for _, c := range op.countsFor {
			if c.rule == r.number {
				next.askers = append(next.askers, c.asker)
			}
		}
		if r.Total == 0 && r.TotalEach == 0 || !r.counts(done) && len(next.askers) == 0 {
			continue
		}
		switch {
		case asker == "" || r.toAsker() && !op.isMove():
			next.askers = append(next.askers, done.receiver())
		case len(next.askers) == 0:
			next.askers = append(next.askers, asker)
		}
		slices.Sort(next.askers)
		next.askers = slices.Compact(next.askers)
		if op.isGift() && done == &op && (r.mayAsk(op.to) || r.mayAsk(asker)) {
			next.amount = max(next.amount, r.giftMin())
		}
		same := func(s settlement) bool { return s.rule == next.rule && slices.Equal(s.askers, next.askers) }
		if at := slices.IndexFunc(settled, same); at >= 0 && r.Window == 0 {
			settled[at].amount += min(next.amount, math.MaxInt64-settled[at].amount)
		} else {
			settled = append(settled, next)
		}
	}
	l.settled = settled
	if by != nil && by.Terms != "" && op.isGift() && op.to != by.Asker {
		// A request is open for so many ticks at most.
		l.given = slices.DeleteFunc(slices.Clone(l.given), func(g gift) bool { return g.tick < tick-world.TermsTicksMax })
		l.given = append(l.given, gift{tick, op.amount, by.Terms})
	}
	if len(op.answers) > 0 {
		answered := maps.Clone(op.answers)
		for key, tick := range l.answered {
			answered[key] = max(tick, answered[key])
		}
		l.answered = answered
	}
	return l
}

// leftOf is how much of a request is still to be given, if the world counts that much as left.
func (l Ledger) leftOf(request string, left int64) int64 {
	for _, g := range l.given {
		if g.request == request {
			left -= min(g.amount, left)
		}
	}
	return left
}

// giftMin is the least that a gift counts if its receiver or its asker may ask by the rule.
func (r *rule) giftMin() int64 { return r.Total/giftsMax + min(1, r.Total%giftsMax) }

// settledFor is the sum that a rule settled in its window, for an asker or, with "", for all.
func (l Ledger) settledFor(r *rule, now int64, asker string) (sum int64) {
	for _, s := range l.settled {
		if s.rule == r.number && (asker == "" || slices.Contains(s.askers, asker)) &&
			(r.Window == 0 || s.tick > now-r.Window) {
			sum += min(s.amount, math.MaxInt64-sum)
		}
	}
	return sum
}

// remaining is the highest amount that a rule allows now, for an asker or "" for none, and the
// reason to refuse more. Without a limit it is the highest number.
func (r *rule) remaining(l Ledger, now int64, asker string) (most int64, reason Reason) {
	most, reason = math.MaxInt64, ReasonAmount
	if r.Most > 0 {
		most = r.Most
	}
	lower := func(total int64, asker string) {
		if left := max(0, total-l.settledFor(r, now, asker)); total != 0 && left < most {
			most, reason = left, ReasonTotal
		}
	}
	lower(r.Total, "")
	if asker != "" {
		lower(r.TotalEach, asker)
	}
	return most, reason
}

// Quota is a rule that sets a limit, or lets others ask, and what it still allows.
type Quota struct {
	world.PolicyRule
	// Number counts the agent's rules from 1.
	Number int
	// Most is the highest amount of one action now. Left is what is left of the total. Spent are
	// the askers that have had all that each may have.
	Most, Left int64
	Spent      []string
	// OnlyAsked says that another rule leaves free what the agent plans itself: the limits hold for what others
	// ask for alone, though all that is done counts.
	OnlyAsked bool
}

// OnlyInAnswer says that the limits hold only where the action answers who asks: those about offers
// hold for every offer.
func (q *Quota) OnlyInAnswer() bool {
	return q.To == world.ToAsker && q.Action != (world.Offer{}).ActionName()
}

// For reports whether the rule is about giving a resource, or doing something with a thing, for another one. An
// empty get asks about what brings whatever it brings.
func (q *Quota) For(what, get string) bool {
	return (q.What == "" || q.What == what) && (q.Get == "" || q.Get == get)
}

// Quotas lists what the rules still allow, of those that set a limit or let others ask.
func (p Policy) Quotas(l Ledger, now int64) (list []Quota) {
	for i := range p.rules {
		r := &p.rules[i]
		if !r.allows() || len(r.AskedBy) == 0 && !r.limited() {
			continue
		}
		most, _ := r.remaining(l, now, "")
		var spent []string
		for _, s := range l.settled {
			for _, asker := range s.askers {
				if s.rule == r.number && asker != "" && r.TotalEach > 0 && l.settledFor(r, now, asker) >= r.TotalEach {
					spent = append(spent, asker)
				}
			}
		}
		slices.Sort(spent)
		list = append(list, Quota{r.PolicyRule, r.number, most, max(0, r.Total-l.settledFor(r, now, "")),
			slices.Compact(spent), leavesPlansFree(p.rules, r)})
	}
	return list
}
