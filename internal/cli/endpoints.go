package cli

import (
	"cmp"
	"fmt"
	"io"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// endpoints are the clients of a run: one for each endpoint and key, and one limiter
// for each endpoint, whatever key and model its callers use.
type endpoints struct {
	limits  limiter.Limits
	clients []clientOf
	limited []limitedURL
	closers []func()
}

// newEndpoints returns none yet, with the limits that each will have.
func newEndpoints(c config) *endpoints {
	return &endpoints{limits: limiter.Limits{InFlightMax: int(c.Concurrency), RequestsPerMinute: c.RequestsPerMinute, TokensPerMinute: c.TokensPerMinute}}
}

// clientOf is a client with what it was made for.
type clientOf struct {
	url    openai.BaseURL
	key    openai.Secret
	client *openai.Client
}

// limitedURL is the limiter of one endpoint. shown is what a trace calls it.
type limitedURL struct {
	url     openai.BaseURL
	shown   string
	limiter *limiter.Limiter
}

// client returns the client for an endpoint and a key, made on first use. The
// configuration has everything but limiter.
func (e *endpoints) client(url openai.BaseURL, shown string, config openai.Config) (*openai.Client, error) {
	for _, c := range e.clients {
		if c.url.Equal(url) && c.key.Reveal() == config.APIKey.Reveal() {
			return c.client, nil
		}
	}
	config.Limiter = e.limiter(url, shown)
	client, err := openai.New(config)
	if err != nil {
		return nil, badInput("%w", err)
	}
	e.clients = append(e.clients, clientOf{url, config.APIKey, client})
	e.closers = append(e.closers, client.Close)
	return client, nil
}

func (e *endpoints) limiter(url openai.BaseURL, shown string) *limiter.Limiter {
	for _, l := range e.limited {
		if l.url.Equal(url) {
			return l.limiter
		}
	}
	made := limitedURL{url, shown, limiter.New(e.limits)}
	e.limited = append(e.limited, made)
	return made.limiter
}

// close closes the clients, the last one first.
func (e *endpoints) close() {
	for i := len(e.closers) - 1; i >= 0; i-- {
		e.closers[i]()
	}
}

// timing tells how the calls to each endpoint were held back, the run's own first.
func (e *endpoints) timing() []trace.EndpointTiming {
	if e == nil {
		return nil
	}
	list := make([]trace.EndpointTiming, len(e.limited))
	for i, l := range e.limited {
		s := l.limiter.Stats()
		list[i] = trace.EndpointTiming{
			BaseURL: l.shown, Attempts: s.Attempts, Waited: s.Waited, GaveUp: s.GaveUp,
			WaitMS: s.WaitTotal.Milliseconds(), WaitLongestMS: s.WaitLongest.Milliseconds(),
			Throttled: s.Throttled, Pauses: s.Pauses, InFlightMost: s.InFlightMost, LimitLowest: s.LimitLowest, LimitFinal: s.LimitFinal,
		}
	}
	return list
}

// openAgents makes the clients of the agents with endpoints of their own and says
// where each of them will call.
func (p plan) openAgents(w io.Writer, e *endpoints, config openai.Config) (map[string]engine.Responder, error) {
	own := map[string]engine.Responder{}
	for _, a := range p.own {
		config.BaseURL, config.APIKey = cmp.Or(a.BaseURL, p.endpoint()), a.key
		client, err := e.client(a.url, a.url.String(), config)
		if err != nil {
			return nil, err
		}
		own[a.Agent] = client
		key := "no key"
		if !a.key.Empty() {
			key = "key from " + a.keyFrom
		}
		fmt.Fprintf(w, "model of %s: %s at %s, %s\n", oneLine(a.Agent), oneLine(cmp.Or(a.Model, p.Model)), client.URL(), oneLine(key))
	}
	return own, nil
}
