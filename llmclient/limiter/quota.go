package limiter

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// quota is how much of one thing, requests or tokens, the endpoint says may still be
// sent, by the x-ratelimit-* headers of its last response, less what was sent since.
type quota struct {
	// known says that the endpoint reported it.
	known bool
	// left may be sent at the time since; full is there again after reset.
	left, full int64
	since      time.Time
	reset      time.Duration
}

// WaitMax is the longest wait that a server is believed to ask for.
const WaitMax = 10 * time.Minute

// ReadWait reads a wait as servers write it: a duration such as 6m0s, or a count of units.
// It is no wait when it is negative or longer than [WaitMax]: a Unix time in place of a
// wait, or a wrong unit, would stop all callers.
func ReadWait(text string, unit time.Duration) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	wait, err := time.ParseDuration(text)
	if n, nan := strconv.ParseFloat(text, 64); nan == nil {
		wait, err = WaitMax+1, nil
		if units := n * float64(unit); units <= float64(WaitMax) { // which NaN is not
			wait = time.Duration(max(units, -1))
		}
	}
	return wait, err == nil && wait >= 0 && wait <= WaitMax
}

// read takes in what a response's headers say of it; absent or unreadable ones change
// nothing.
func (a *quota) read(h http.Header, what string, now time.Time) {
	left, err := strconv.ParseInt(h.Get("X-Ratelimit-Remaining-"+what), 10, 64)
	if err != nil || left < 0 {
		return
	}
	reset, ok := ReadWait(h.Get("X-Ratelimit-Reset-"+what), time.Second)
	if !ok {
		*a = quota{} // what was known before is over, too
		return
	}
	full, err := strconv.ParseInt(h.Get("X-Ratelimit-Limit-"+what), 10, 64)
	if err != nil {
		full = 0
	}
	*a = quota{known: true, left: left, full: full, since: now, reset: reset}
}

// readyFor is when n is there, as what was used comes back evenly until the reset. A
// piece larger than all there ever is has to be tried then: the endpoint knows better.
func (a *quota) readyFor(n int64) time.Time {
	if !a.known || a.left >= n {
		return time.Time{}
	}
	gap, missing := a.full-a.left, n-a.left
	if gap <= 0 || missing >= gap {
		return a.since.Add(a.reset)
	}
	return a.since.Add(time.Duration(float64(a.reset) * float64(missing) / float64(gap)))
}
