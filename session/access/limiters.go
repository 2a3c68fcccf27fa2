package access

import (
	"slices"
	"sync"

	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/llmclient/openai"
)

// Limiters are those of the endpoints of several runs that are played at once, and their traffic.
type Limiters struct {
	// jobs is how many runs there are at once: so many times their calls may be in flight.
	jobs  int
	mu    sync.Mutex
	known []knownLimiter
	// playing are the runs that are played now.
	playing []*Access
}

type knownLimiter struct {
	url     openai.BaseURL
	limiter *limiter.Limiter
}

// NewLimiters returns those of so many runs at once, at least 1.
func NewLimiters(jobs int) *Limiters { return &Limiters{jobs: max(1, jobs)} }

// add counts the calls of a run in, and remove no more.
func (l *Limiters) add(a *Access) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.playing = append(l.playing, a)
}

func (l *Limiters) remove(a *Access) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.playing = slices.DeleteFunc(l.playing, func(other *Access) bool { return other == a })
}

// Traffic is what the calls of all runs do now that were sent and have no answer yet.
func (l *Limiters) Traffic() (all Traffic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.playing {
		t := a.Traffic()
		all.Sent += t.Sent
		if t.Ends.After(all.Ends) {
			all.Ends = t.Ends
		}
	}
	return all
}

// of is the limiter of an endpoint, made on first use with the limits of that run.
func (l *Limiters) of(url openai.BaseURL, limits limiter.Limits) *limiter.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.known {
		if k.url.Equal(url) {
			return k.limiter
		}
	}
	limits.InFlightMax *= l.jobs
	l.known = append(l.known, knownLimiter{url, limiter.New(limits)})
	return l.known[len(l.known)-1].limiter
}
