package ahead

import (
	"cmp"
	"slices"
)

// chanceMin is the least chance of a prediction, in thousandths, at which a call is asked for it.
const chanceMin = 850

// callsPerTurn is how many calls of a turn are reckoned with where a cap of the run may end it before it comes to a
// tick. Most turns take one or two, and a cap ends the run when the longest turn does not fit.
const callsPerTurn = 4

// callsUpTo is how many calls of the run are reckoned with up to each foreseen tick and in it.
func (p *Planner) callsUpTo() (list []int64) {
	calls := int64(0)
	for _, f := range p.shadow.ticks {
		for n := range f.lives {
			if t := f.lives[n].turn; t != nil && t.asks {
				calls += callsPerTurn
			}
		}
		list = append(list, calls)
	}
	return list
}

// candidate is a request that may be asked ahead.
type candidate struct {
	*request
	agent int
	outlook
	at stand
}

// candidates are the requests that are likely enough to be worth asking, the surest first and of those the earliest.
func (p *Planner) candidates() (all []candidate) {
	for _, f := range p.shadow.ticks[1:] {
		for n := range f.lives {
			o, wanted := p.wanted(f, n)
			if !wanted {
				continue
			}
			t := f.lives[n].turn
			if t.deliberation == nil {
				p.shadow.proceed(f, n, p)
			}
			if t.ask == nil {
				continue
			}
			p.predict(o.certainty, t.ask.id)
			if p.calls[t.ask.id] != nil {
				continue
			}
			before := p.latest[t.ask.id.CallKey]
			p.supersede(before)
			if (before == nil || before.yieldsTo(o.certainty)) && p.records[n].chance(o) >= chanceMin {
				all = append(all, candidate{t.ask, n, o, stand{f.tick, f.lives[n].place}})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.certainty, b.certainty), cmp.Compare(a.id.Tick, b.id.Tick))
	})
	return all
}

// Choose returns the calls to ask now, the surest first and of those the earliest. They count as asked.
func (p *Planner) Choose() (list []Call) {
	p.foresee()
	if p.limits.Depth == 0 || len(p.shadow.ticks) < 2 || p.underWay >= p.limits.InFlight {
		return nil
	}
	all := p.candidates()
	calls := p.callsUpTo()
	allowance := p.allowance()
	open := p.openAt()
	for _, c := range all {
		distance := c.id.Tick - p.shadow.ticks[0].tick
		risk := 1000 - p.records[c.agent].chance(c.outlook)
		foretold := risk
		if p.room >= 0 && calls[distance] > p.room {
			risk = 1000 // the run may end before it comes to it
		}
		if p.underWay >= p.limits.InFlight || p.likely(p.risk+risk) > allowance {
			break
		}
		if c.certainty.guessed() && spared(1000*(open[c.at]+1)) > allowance {
			continue // predictions at one place fail together
		}
		everywhere := stand{tick: c.at.tick}
		if c.certainty >= likelySettled && spared(1000*(open[everywhere]+1)) > spared(allowance) {
			continue // and where places are alike, those of all places do
		}
		open.count(c.at, c.certainty)
		p.calls[c.id] = &call{agent: c.agent, ahead: true, certainty: c.certainty, risk: risk, foretold: foretold,
			at: c.at, sent: c.sent}
		p.latest[c.id.CallKey] = p.calls[c.id]
		p.risk += risk
		p.underWay++
		p.counts.Asked++
		list = append(list, Call{ID: c.id, Agent: c.agent, Ask: c.ask, Request: c.sent})
	}
	return list
}

// stand is a place in a tick.
type stand struct {
	tick  int64
	place string
}

// openCalls counts the calls of each place and tick that may still be in vain, and at the place "" those of each tick
// that are not nearly settled.
type openCalls map[stand]int64

func (o openCalls) count(at stand, c certainty) {
	if c.guessed() {
		o[at]++
	}
	if c >= likelySettled {
		o[stand{tick: at.tick}]++
	}
}

// openAt counts the calls that are open.
func (p *Planner) openAt() openCalls {
	open := openCalls{}
	for _, c := range p.calls {
		if c.ahead && !c.closed {
			open.count(c.at, c.certainty)
		}
	}
	return open
}

// wanted reports whether it matters now what agent n is asked in a foreseen turn, and how certain the turn is: a call
// for it may be asked or was, or is compared with what the run asks.
func (p *Planner) wanted(f *foreseen, n int) (o outlook, wanted bool) {
	t := f.lives[n].turn
	if t == nil || !t.asks || t.decision != nil {
		return outlook{}, false
	}
	o = p.shadow.outlookOf(f, n)
	key := f.first(n)
	return o, t.deliberation != nil || p.asked(key) || p.records[n].chance(o) >= chanceMin ||
		o.certainty.guessed() && o.certainty < unsettled && !p.predicted(key, o.certainty)
}

// supersede notes that a later prediction of the turn of a call asks something else, so that the call has
// failed, as it seems: it weighs as one in vain until the run tells.
func (p *Planner) supersede(c *call) {
	if c != nil && !c.closed {
		p.risk += 1000 - c.risk
		c.risk = 1000
	}
}

// misjudged is how much may go wrong, in thousandths of a call, before chances are taken to be worse than they are
// said to be.
const misjudged = 1000

// likely is how much open calls with a risk are likely to waste: so many times as much as their risk as closed ones
// wasted, if those wasted more than theirs.
func (p *Planner) likely(risk int64) int64 {
	return risk * (max(1000*p.failed, p.foretold) + misjudged) / (p.foretold + misjudged)
}

// spared is what is used of what calls may waste: a quarter is kept back, since agents in view of each other fail
// together.
func spared(risk int64) int64 { return risk * 3 / 4 }

// allowance is how much risk open calls may have together, in thousandths of a call: what the calls of the whole run
// allow, if it goes on as so far or its caps let it, without those that were in vain.
func (p *Planner) allowance() int64 {
	made := p.counts.Own + p.counts.Used
	calls := made
	now := p.shadow.ticks[0].tick
	played := now - 1 - p.first
	if played > 0 {
		calls = max(calls, p.before+(calls-p.before)*(p.shadow.base.Last-p.first)/played)
	}
	if p.room >= 0 {
		calls = min(calls, made+p.room)
	}
	return spared(calls*p.limits.WastePermille - 1000*p.counts.Wasted)
}

// yieldsTo reports whether another prediction of the turn, of a certainty, may be asked beside the call: one that is as
// sure, and of whose neighbours none has an open turn. Where one guess was wrong, the next one is likely to be, too.
func (c *call) yieldsTo(other certainty) bool { return other <= min(c.certainty, settledInSight) }
