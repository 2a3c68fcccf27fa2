package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// endpoints are the clients of a run: one for each endpoint and key, and one limiter
// for each endpoint, whatever key and model its callers use.
type endpoints struct {
	limits limiter.Limits
	// shared are the limiters of several runs; nil for a run by itself.
	shared  *limiters
	reached []reached
	closers []func()

	// drain ends when no call may begin any more; nil never ends.
	drain context.Context

	mu    sync.Mutex
	waits []endpointWait
	// say and dir receive waits: say prints a line for people, dir keeps them for inspect.
	// A wait is not reported before they are set.
	say func(text string)
	dir run.Dir
	now func() time.Time
}

// endpointWait is a current wait for an endpoint.
type endpointWait struct {
	Endpoint string `json:"endpoint"`
	// Until is when the wait ends. If the end is unknown, it is when the next report is due.
	Until time.Time `json:"until"`
	Why   string    `json:"why"`

	// unknown says that the end of the wait is.
	unknown bool
}

// waiting reports a wait once for all the calls that it delays. A wait of zero has an
// unknown end.
func (e *endpoints) waiting(endpoint string, wait time.Duration, why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.say == nil {
		return
	}
	now := e.now()
	w := endpointWait{endpoint, now.Add(cmp.Or(wait, time.Minute)), why, wait == 0}
	at := slices.IndexFunc(e.waits, func(old endpointWait) bool { return old.Endpoint == endpoint })
	known := false
	if at < 0 {
		e.waits = append(e.waits, w)
	} else {
		old := e.waits[at]
		if old.Until.After(now) && !(old.unknown && !w.unknown) && w.Until.Before(old.Until.Add(openai.WaitSaid)) {
			return
		}
		// A rate of the user's own holds calls back all the time.
		known = old.Why == why && (limiter.OwnRate(why) || old.Until.After(now))
		e.waits[at] = w
	}
	e.dir.KeepWaits(llmclient.Marshal(e.waits))
	if known {
		return
	}
	long := ""
	if wait > 0 {
		long = " for " + wait.Round(time.Second).String()
	}
	e.say(fmt.Sprintf("waiting%s for %s: %s", long, endpoint, why))
}

// noted says what the calls to an endpoint are changed for from now on.
func (e *endpoints) noted(endpoint, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.say != nil {
		e.say("note: " + endpoint + ": " + text)
	}
}

// traffic is what the calls of a run do now.
func (e *endpoints) traffic() (t terminal.Traffic) {
	hold := func(until time.Time, why string) {
		if until.After(t.Until) {
			t.Until, t.Own = until, limiter.OwnRate(why)
		}
	}
	for _, r := range e.reached {
		n, since, ends := r.client.Sent()
		t.Sent += n
		if n > 0 && (t.Since.IsZero() || since.Before(t.Since)) {
			t.Since = since
		}
		if ends.After(t.Ends) {
			t.Ends = ends
		}
		hold(r.limiter.Held())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.waits {
		if !w.unknown && !limiter.OwnRate(w.Why) { // those the limiters know better
			hold(w.Until, w.Why)
		}
	}
	return t
}

// waitsAt returns the waits in a run directory that have not ended at now.
func waitsAt(dir run.Dir, now time.Time) (waits []endpointWait) {
	if json.Unmarshal(dir.Waits(), &waits) != nil {
		return nil
	}
	return slices.DeleteFunc(waits, func(w endpointWait) bool { return w.Until.Before(now) })
}

// limiters are those of the endpoints of several runs that are played at once, and their traffic.
type limiters struct {
	// jobs is how many runs there are at once: so many times their calls may be in flight.
	jobs  int
	mu    sync.Mutex
	known []knownLimiter
	// playing are the clients of the runs that are played now.
	playing []*endpoints
}

// plays counts the calls of a run in, until done is called.
func (l *limiters) plays(e *endpoints) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.playing = append(l.playing, e)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.playing = slices.DeleteFunc(l.playing, func(other *endpoints) bool { return other == e })
	}
}

// traffic is what the calls of all runs do now that were sent and have no answer yet.
func (l *limiters) traffic() (all terminal.Traffic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.playing {
		t := e.traffic()
		all.Sent += t.Sent
		if t.Ends.After(all.Ends) {
			all.Ends = t.Ends
		}
	}
	return all
}

type knownLimiter struct {
	url     openai.BaseURL
	limiter *limiter.Limiter
}

// of is the limiter of an endpoint, made on first use with the limits of that run.
func (l *limiters) of(url openai.BaseURL, limits limiter.Limits) *limiter.Limiter {
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

// newEndpoints returns none yet, with the limits that each will have.
func newEndpoints(c config) *endpoints {
	return &endpoints{limits: limiter.Limits{InFlightMax: int(c.Concurrency), RequestsPerMinute: c.RequestsPerMinute,
		TokensPerMinute: c.TokensPerMinute}}
}

// reached is a client with what it was made for. shown is what a trace calls the endpoint.
type reached struct {
	url     openai.BaseURL
	key     openai.Secret
	shown   string
	limiter *limiter.Limiter
	client  *openai.Client
}

// client returns the client for an endpoint and a key, made on first use. The
// configuration has everything but limiter; shown is what a trace calls the endpoint.
func (e *endpoints) client(shown string, config openai.Config) (*openai.Client, error) {
	url, err := openai.ParseBaseURL(config.BaseURL)
	if err != nil {
		return nil, badInput("%w", err)
	}
	for _, r := range e.reached {
		if !r.url.Equal(url) {
			continue
		}
		if r.key.Reveal() == config.APIKey.Reveal() {
			return r.client, nil
		}
		config.Limiter, shown = r.limiter, r.shown
	}
	if config.Limiter == nil && e.shared != nil {
		config.Limiter = e.shared.of(url, e.limits)
	}
	if config.Limiter == nil {
		config.Limiter = limiter.New(e.limits)
	}
	config.Drain = e.drain
	config.Waiting = func(wait time.Duration, why string) { e.waiting(shown, wait, why) }
	config.Noted = func(text string) { e.noted(shown, text) }
	client, err := openai.New(config)
	if err != nil {
		return nil, badInput("%w", err)
	}
	e.reached = append(e.reached, reached{url, config.APIKey, shown, config.Limiter, client})
	e.closers = append(e.closers, client.Close)
	return client, nil
}

// close closes the clients, the last one first.
func (e *endpoints) close() {
	for _, closer := range slices.Backward(e.closers) {
		closer()
	}
}

// timing returns how the calls to each endpoint were delayed, the run's own first.
func (e *endpoints) timing() []trace.EndpointTiming {
	list := []trace.EndpointTiming{}
	for i, r := range e.reached {
		if slices.ContainsFunc(e.reached[:i], func(before reached) bool { return before.limiter == r.limiter }) {
			continue // with another key
		}
		s := r.limiter.Stats()
		list = append(list, trace.EndpointTiming{
			BaseURL: r.shown, Attempts: s.Attempts, Waited: s.Waited, GaveUp: s.GaveUp,
			WaitMS: s.WaitTotal.Milliseconds(), WaitLongestMS: s.WaitLongest.Milliseconds(),
			Throttled: s.Throttled, Pauses: s.Pauses, InFlightMost: s.InFlightMost, LimitLowest: s.LimitLowest,
			LimitFinal: s.LimitFinal,
		})
	}
	return list
}
