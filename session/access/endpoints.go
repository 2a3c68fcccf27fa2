package access

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// clients are those of a run: one for each endpoint and key, and one limiter for each endpoint,
// whatever key and model its callers use.
type clients struct {
	reached []reached
	server  *stub.Server

	mu    sync.Mutex
	waits []CurrentWait
	// dir keeps the waits for readers of the run, empty for no run.
	dir run.Dir
	// told says that notices are passed on: nothing that happens before the run begins is.
	told bool
}

// reached is a client with what it was made for. shown is what a trace calls the endpoint.
type reached struct {
	url     openai.BaseURL
	key     openai.Secret
	shown   string
	limiter *limiter.Limiter
	client  *openai.Client
}

// Endpoint is what the calls of the run, or of an agent, reach.
type Endpoint struct {
	// Agent is empty for the run's.
	Agent string
	Model string
	// URL is what is called, for people.
	URL string
	// Place is the endpoint, Name the key's name, HasKey says that calls carry the key.
	Place, Name string
	HasKey      bool
}

// Open makes the source of answers: the clients of the run and of agents with endpoints of their
// own. Nothing is sent yet, and no call begins after the end of drain; nil never ends. The same HTTP
// client reaches a live and the embedded model, so that a scripted run exercises all that a live one
// does. dir is the run's, for its current waits. [Access.Close] releases what was opened.
func (a *Access) Open(ctx context.Context, drain context.Context, scripted stub.Options, dir run.Dir) (
	source engine.Source, endpoints []Endpoint, err error) {
	s := a.settings
	a.dir = dir
	config := openai.Config{
		BaseURL: a.endpoint, APIKey: a.key,
		Timeout: time.Duration(s.TimeoutMS) * time.Millisecond, BackoffBase: a.config.Backoff,
		WindowTokens: s.ContextWindowTokens, AllowStore: a.config.AllowStore, Steady: !s.Live(), Drain: drain,
	}
	if !s.Live() {
		// The server outlives an interrupt: the engine decides when calls end.
		a.server, err = stub.Start(context.WithoutCancel(ctx), stub.DefaultAddr, scripted)
		if err != nil {
			return nil, nil, fmt.Errorf("start the embedded scripted server: %w", err)
		}
		config.BaseURL = a.server.URL()
		config.ShownURL = stub.EmbeddedURL
		config.APIKey = openai.Secret{}
	}
	client, err := a.client(s.BaseURL, config)
	if err != nil {
		a.Close()
		return nil, nil, err
	}
	main := Endpoint{Model: s.Model, URL: client.URL(), HasKey: s.Live() && !a.key.Empty()}
	if s.Live() {
		main.Place = Place(a.url)
	}
	endpoints = append(endpoints, main)
	own := map[string]engine.Responder{}
	for _, of := range a.agents {
		config.BaseURL, config.APIKey = cmp.Or(of.BaseURL, a.endpoint), of.key
		client, err := a.client(of.url.String(), config)
		if err != nil {
			a.Close()
			return nil, nil, err
		}
		own[of.Agent] = client
		endpoints = append(endpoints, Endpoint{Agent: of.Agent, Model: cmp.Or(of.Model, s.Model), URL: client.URL(),
			Place: Place(of.url), Name: of.KeyEnv, HasKey: !of.key.Empty()})
	}
	return engine.LiveByAgent(client, own), endpoints, nil
}

// client returns the client for an endpoint and a key, made on first use. The configuration has
// everything but limiter; shown is what a trace calls the endpoint.
func (a *Access) client(shown string, config openai.Config) (*openai.Client, error) {
	url, err := openai.ParseBaseURL(config.BaseURL)
	if err != nil {
		return nil, Refuse("", "%w", err)
	}
	for _, r := range a.reached {
		if !r.url.Equal(url) {
			continue
		}
		if r.key.Reveal() == config.APIKey.Reveal() {
			return r.client, nil
		}
		config.Limiter, shown = r.limiter, r.shown
	}
	limits := limiter.Limits{InFlightMax: cmp.Or(a.config.InFlightMax, 8), RequestsPerMinute: a.config.RequestsPerMinute,
		TokensPerMinute: a.config.TokensPerMinute}
	if config.Limiter == nil && a.config.Limiters != nil {
		config.Limiter = a.config.Limiters.of(url, limits)
	}
	if config.Limiter == nil {
		config.Limiter = limiter.New(limits)
	}
	config.Waiting = func(wait time.Duration, why string) { a.waiting(shown, wait, why) }
	config.Noted = func(text string) {
		if a.begun() {
			a.tell(Change{Endpoint: shown, Text: text})
		}
	}
	client, err := openai.New(config)
	if err != nil {
		return nil, Refuse("", "%w", err)
	}
	a.reached = append(a.reached, reached{url, config.APIKey, shown, config.Limiter, client})
	return client, nil
}

// Begin says that the run begins: from now on its waits are told and kept, and its calls counted
// among those of all runs with the same [Limiters], until [Access.Close].
func (a *Access) Begin() {
	a.mu.Lock()
	a.told = true
	a.mu.Unlock()
	if a.config.Limiters != nil {
		a.config.Limiters.add(a)
	}
}

func (a *Access) begun() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.told
}

// Close releases what was opened.
func (a *Access) Close() {
	if a.config.Limiters != nil {
		a.config.Limiters.remove(a)
	}
	if a.dir != "" {
		a.dir.ForgetWaits()
	}
	for _, r := range slices.Backward(a.reached) {
		r.client.Close()
	}
	if a.server != nil {
		_ = a.server.Close() // nobody calls it any more
	}
}

// Wait says that calls to an endpoint begin to wait.
type Wait struct {
	Endpoint string
	// For is how long, 0 if the end is unknown.
	For time.Duration
	Why string
}

func (Wait) notice() {}

// Change says what the calls to an endpoint are changed for from now on.
type Change struct{ Endpoint, Text string }

func (Change) notice() {}

// CurrentWait is a wait for an endpoint while it lasts, as a run directory keeps it.
type CurrentWait struct {
	Endpoint string `json:"endpoint"`
	// Until is when the wait ends. If the end is unknown, it is when the next report is due.
	Until time.Time `json:"until"`
	Why   string    `json:"why"`

	// unknown says that the end of the wait is.
	unknown bool
}

// WaitsAt returns the waits in a run directory that have not ended at now.
func WaitsAt(dir run.Dir, now time.Time) (waits []CurrentWait) {
	if json.Unmarshal(dir.Waits(), &waits) != nil {
		return nil
	}
	return slices.DeleteFunc(waits, func(w CurrentWait) bool { return w.Until.Before(now) })
}

// waiting reports a wait once for all the calls that it delays. A wait of zero has an
// unknown end.
func (a *Access) waiting(endpoint string, wait time.Duration, why string) {
	if a.keep(endpoint, wait, why) {
		a.tell(Wait{Endpoint: endpoint, For: wait, Why: why})
	}
}

// keep notes a wait for readers of the run, and reports whether it is one to tell of.
func (a *Access) keep(endpoint string, wait time.Duration, why string) (tells bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.told {
		return false
	}
	now := a.now()
	w := CurrentWait{endpoint, now.Add(cmp.Or(wait, time.Minute)), why, wait == 0}
	at := slices.IndexFunc(a.waits, func(old CurrentWait) bool { return old.Endpoint == endpoint })
	known := false
	if at < 0 {
		a.waits = append(a.waits, w)
	} else {
		old := a.waits[at]
		if old.Until.After(now) && !(old.unknown && !w.unknown) && w.Until.Before(old.Until.Add(openai.WaitSaid)) {
			return false
		}
		// A rate of the user's own holds calls back all the time.
		known = old.Why == why && (limiter.OwnRate(why) || old.Until.After(now))
		a.waits[at] = w
	}
	if a.dir != "" {
		a.dir.KeepWaits(llmclient.Marshal(a.waits))
	}
	return !known
}

func (a *Access) now() time.Time {
	if a.config.Now == nil {
		return time.Now()
	}
	return a.config.Now()
}

// Traffic is what the calls of a run do at a moment.
type Traffic struct {
	// Sent is how many were sent and have no answer yet, since when the first of them was.
	Sent  int
	Since time.Time
	// Ends is when all of them have an answer or are given up.
	Ends time.Time
	// Until is when the next one may be sent, zero or past if that is unknown. Own says that a
	// rate of the user's own is the reason, not the endpoint.
	Until time.Time
	Own   bool
}

// Traffic is what the calls do now.
func (a *Access) Traffic() (t Traffic) {
	hold := func(until time.Time, why string) {
		if until.After(t.Until) {
			t.Until, t.Own = until, limiter.OwnRate(why)
		}
	}
	for _, r := range a.reached {
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
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.waits {
		if !w.unknown && !limiter.OwnRate(w.Why) { // those the limiters know better
			hold(w.Until, w.Why)
		}
	}
	return t
}

// Timing returns how the calls to each endpoint were delayed, the run's own first.
func (a *Access) Timing() []trace.EndpointTiming {
	list := []trace.EndpointTiming{}
	for i, r := range a.reached {
		if slices.ContainsFunc(a.reached[:i], func(before reached) bool { return before.limiter == r.limiter }) {
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
