package limiter

import "time"

// pace spreads an amount a minute evenly: each piece delays the next one by the
// time that its size takes. In any minute at most perMinute is sent, and the last
// piece beyond it.
//
// It is not x/time/rate because what a call costs in tokens is known only after it:
// there is no giving back there, and no call larger than the burst.
type pace struct {
	// perMinute is 0 for no bound.
	perMinute int64
	// next is when the next piece may be sent.
	next time.Time
}

// spend notes that n is sent now.
func (p *pace) spend(now time.Time, n int64) {
	if p.perMinute == 0 {
		return
	}
	if p.next.Before(now) {
		p.next = now
	}
	p.next = p.next.Add(p.worth(n))
}

// after is when a piece may be sent that comes after n more.
func (p *pace) after(now time.Time, n int64) time.Time {
	if p.perMinute == 0 {
		return time.Time{}
	}
	if p.next.After(now) {
		now = p.next
	}
	return now.Add(p.worth(n))
}

// correct changes what was spent by n, which is negative when it was less. It never
// makes up for time that went by unused before.
func (p *pace) correct(n int64) {
	if p.perMinute != 0 {
		p.next = p.next.Add(p.worth(n))
	}
}

// worth is the time that n takes at this pace. Tokens of one call stay far below
// what would overflow: 2^31 of them are worth 68 years at one a second.
func (p *pace) worth(n int64) time.Duration {
	return time.Duration(float64(n) / float64(p.perMinute) * float64(time.Minute))
}
