package limiter

import (
	"net/http"
	"time"
)

// Permit is the right to send one attempt. It must be given back with [Permit.Done].
type Permit struct {
	limiter *Limiter
	epoch   uint64
	tokens  int64 // estimated
}

// Outcome is what an attempt shows about its endpoint.
type Outcome struct {
	// Overloaded: the endpoint said so, or did not answer in time.
	Overloaded bool
	// RetryAfter is the wait the endpoint asked for, 0 for none. It holds all callers,
	// so a caller that will not wait so long passes 0.
	RetryAfter time.Duration
	// Answered: a reply came. Nothing else makes the window grow.
	Answered bool
	// Tokens is what the attempt was billed, 0 if that is unknown.
	Tokens int64
	// Header is the response's header, nil when there was none.
	Header http.Header
}

// Done gives the permit back. It is called once for every attempt, failed ones too.
func (p *Permit) Done(o Outcome) {
	l := p.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == 0 {
		panic("limiter: a permit was given back twice")
	}
	now := time.Now()
	l.out--
	if o.Tokens > 0 {
		l.tokens.correct(o.Tokens - p.tokens)
	}
	if until := now.Add(o.RetryAfter); o.RetryAfter > 0 && until.After(l.paused) {
		l.paused = until
		l.stats.Pauses++
	}
	l.allowedRequests.read(o.Header, "Requests", now)
	l.allowedTokens.read(o.Header, "Tokens", now)
	switch {
	case o.Overloaded:
		l.stats.Throttled++
		// The window is halved once for all calls that were under way together: they met
		// the same overload.
		if p.epoch == l.epoch {
			l.epoch++
			l.window = max(l.window/2, 1)
			l.stats.LimitLowest = min(l.stats.LimitLowest, l.limit())
		}
	case o.Answered:
		l.window = min(l.window+1/l.window, float64(l.limits.InFlightMax))
	}
	l.admit(now)
}
