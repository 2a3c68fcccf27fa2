package limiter

import "time"

// Stats are what a limiter did so far. They depend on the clock and the network.
type Stats struct {
	// Attempts were let through, Waited of them not at once. GaveUp ended before
	// their turn: interrupted, or with a deadline that came first.
	Attempts, Waited, GaveUp int64
	// WaitTotal and WaitLongest are the time that attempts waited for a permit.
	WaitTotal, WaitLongest time.Duration
	// Throttled attempts found the endpoint overloaded; Pauses counts the waits that
	// it asked for and that held everybody.
	Throttled, Pauses int64
	// InFlightMost is the most attempts under way at once.
	InFlightMost int
	// LimitLowest and LimitFinal are the least and the last limit on them.
	LimitLowest, LimitFinal int
}

// Stats returns what the limiter did so far.
func (l *Limiter) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.LimitFinal = l.limit()
	return s
}
