package policy

import (
	"cmp"
	"math"
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The limits of what texts may cost an agent, in any ticks of a row as many as
// [DeviationWindow].
const (
	DeviationWindow = trace.DeviationWindow
	// DeviationsMax is how many ticks may be deviations from the plan.
	DeviationsMax = 3
	// RoundsMax is in how many ticks a refusal under texts may cost a further round.
	RoundsMax = 6
)

// Ledger is what one agent did that limits count: settlements by tick, rule and asker,
// deviations and rounds by tick, and the messages that were answered. The zero value is the
// start of a run. Its methods do not change it but return the next one, so that a turn may
// read it while others do.
type Ledger struct {
	settled            []settlement
	deviations, rounds []spell
	// answered is the tick of the newest message that was answered, by agent and kind of deed.
	answered map[string]int64
}

// settlement is what was settled under a rule, by its number from 0. asker is empty where
// nobody asked. The settlements of a rule without a window are one entry.
type settlement struct {
	tick, amount int64
	rule         int
	asker        string
}

// spell is a number of ticks that were counted in a tick.
type spell struct{ tick, n int64 }

// sum is what a rule settled in its window, for an asker or, with "", for all.
func (l Ledger) sum(rule int, window, now int64, asker string) (n int64) {
	for _, s := range l.settled {
		if s.rule == rule && (asker == "" || s.asker == asker) && (window == 0 || s.tick > now-window) {
			n += min(s.amount, math.MaxInt64-n)
		}
	}
	return n
}

func inWindow(list []spell, now int64) (n int64) {
	for _, s := range list {
		if s.tick > now-DeviationWindow {
			n += s.n
		}
	}
	return n
}

// Deviations is how many ticks of deviation are in the window that ends with a tick.
func (l Ledger) Deviations(now int64) int64 { return inWindow(l.deviations, now) }

// Rounds reports whether a refusal in a tick may cost a further round.
func (l Ledger) Rounds(now int64) bool { return inWindow(l.rounds, now) < RoundsMax }

// counted adds to a list what is not 0, and drops what no window holds any more.
func counted(list []spell, now, n int64) []spell {
	list = slices.DeleteFunc(slices.Clone(list), func(s spell) bool { return s.tick <= now-DeviationWindow })
	if n == 0 {
		return list
	}
	return append(list, spell{now, n})
}

// Spend counts what a turn cost: its deviation, and a further round or none.
func (l Ledger) Spend(tick int64, by *trace.Authority, round bool) Ledger {
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

// giftsMax is how many gifts to those who may ask for them use up a rule in its window, however
// small: each costs a tick.
const giftsMax = 5

// least is what a gift to who may ask for it counts at least.
func (c *clause) least() int64 { return c.Total/giftsMax + min(1, c.Total%giftsMax) }

// Settle counts an action that the world accepted for every rule with a sum that describes
// it, whichever of them allowed it; amounts count as ordered, after clamping, but a gift to who
// may ask for it at least a fifth of the total. Of a standing order each attempt is an action of
// its own.
func (m Policy) Settle(l Ledger, tick int64, d Deed, by *trace.Authority) Ledger {
	if d.spec == nil {
		return l
	}
	asked := ""
	if by != nil {
		asked = by.Asker
	}
	settled := make([]settlement, 0, len(l.settled)+1)
	for _, s := range l.settled {
		if w := m.rules[s.rule].Window; w == 0 || s.tick > tick-w {
			settled = append(settled, s)
		}
	}
	for i := range m.rules {
		c, done := &m.rules[i], &d
		if c.Action == ArgumentOrder && d.order != nil {
			done = d.ordering() // all its attempts, when it begins
		}
		if c.Total == 0 && c.TotalEach == 0 || !c.describes(done) {
			continue
		}
		next := settlement{tick: tick, amount: max(0, done.amount), rule: i, asker: asked}
		if c.toAsker() && d.spec.Name != (world.Move{}).ActionName() {
			next.asker = d.to
		}
		if _, gift := d.do.(world.Transfer); gift && (c.heeds(d.to) || asked != "") {
			next.amount = max(next.amount, c.least())
		}
		same := func(s settlement) bool { return s.rule == i && s.asker == next.asker && c.Window == 0 }
		if at := slices.IndexFunc(settled, same); at >= 0 {
			settled[at].amount += min(next.amount, math.MaxInt64-settled[at].amount)
		} else {
			settled = append(settled, next)
		}
	}
	l.settled = settled
	if key := d.answerTo(cmp.Or(asked, d.to)); d.replies > l.answered[key] {
		answered := map[string]int64{key: d.replies}
		for other, sent := range l.answered {
			answered[other] = max(sent, answered[other])
		}
		l.answered = answered
	}
	return l
}

// left is the highest amount that a rule allows now, for an asker or "" for none, and the
// rule of the guard that more would break.
func (c *clause) left(l Ledger, number int, now int64, asker string) (most int64, broken Rule, limited bool) {
	most, broken = math.MaxInt64, RuleAmount
	if c.Most > 0 {
		most, limited = c.Most, true
	}
	lower := func(total int64, asker string) {
		if total == 0 {
			return
		}
		limited = true
		if n := max(0, total-l.sum(number, c.Window, now, asker)); n < most {
			most, broken = n, RuleTotal
		}
	}
	lower(c.Total, "")
	if asker != "" {
		lower(c.TotalEach, asker)
	}
	return most, broken, limited
}
