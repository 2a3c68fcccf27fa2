package openai

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
)

// TestAllCallersHonourAPauseAskedOfOne lets one call be turned away with a wait, and
// looks at when the server sees the others.
func TestAllCallersHonourAPauseAskedOfOne(t *testing.T) {
	const asked = 150 * time.Millisecond
	var refused atomic.Int64 // when, in nanoseconds since start
	var early atomic.Int64
	start := time.Now()
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		refused.Store(int64(time.Since(start)))
		says(429, "", "Retry-After-Ms", "150")(w, r)
	}, func(w http.ResponseWriter, r *http.Request) {
		if time.Since(start)-time.Duration(refused.Load()) < asked {
			early.Add(1)
		}
		says(200, goodOne)(w, r)
	})
	l := limiter.New(limiter.Limits{InFlightMax: 8})
	var group sync.WaitGroup
	call := func() {
		c, err := New(Config{BaseURL: p.URL, Limiter: l, BackoffBase: time.Millisecond})
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if answer := c.Respond(t.Context(), request()); answer.Reply == nil {
			t.Errorf("no reply: %+v", answer.Failure)
		}
	}
	group.Go(call)
	for l.Stats().Pauses == 0 {
		time.Sleep(time.Millisecond)
	}
	for range 6 {
		group.Go(call)
	}
	group.Wait()
	if got := l.Stats(); early.Load() != 0 || len(p.requests()) != 8 || got.Throttled != 1 || got.LimitLowest != 4 {
		t.Errorf("%d of %d requests came within the wait asked for; %+v", early.Load(), len(p.requests()), got)
	}
}

// TestPressure checks which outcomes count as an overload, which hold all callers, and
// what a call is counted with.
func TestPressure(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    limiter.Stats
	}{
		{"an answer", says(200, goodOne), limiter.Stats{Attempts: 1, LimitLowest: 8, LimitFinal: 8}},
		{"429", says(429, ""), limiter.Stats{Attempts: 1, Throttled: 1, LimitLowest: 4, LimitFinal: 4}},
		{"503", says(503, "", "Retry-After-Ms", "30"), limiter.Stats{Attempts: 1, Throttled: 1, Pauses: 1, LimitLowest: 4, LimitFinal: 4}},
		{"529", says(529, ""), limiter.Stats{Attempts: 1, Throttled: 1, LimitLowest: 4, LimitFinal: 4}},
		{"500", says(500, ""), limiter.Stats{Attempts: 1, LimitLowest: 8, LimitFinal: 8}},
		{"no credit", says(429, `{"error":{"code":"insufficient_quota"}}`, "Retry-After", "9"), limiter.Stats{Attempts: 1, LimitLowest: 8, LimitFinal: 8}},
		{"a wait that is too long to wait for", says(429, "", "Retry-After", "3600"), limiter.Stats{Attempts: 1, Throttled: 1, LimitLowest: 4, LimitFinal: 4}},
		{"a timeout", holds, limiter.Stats{Attempts: 1, Throttled: 1, LimitLowest: 4, LimitFinal: 4}},
	} {
		p := newProvider(t, c.handler)
		l := limiter.New(limiter.Limits{InFlightMax: 8})
		cfg := Config{BaseURL: p.URL, Limiter: l, RetriesMax: -1}
		if c.name == "a timeout" { // the others have the patience of a slow machine
			cfg.Timeout, cfg.DefaultTimeout = 50*time.Millisecond, 50*time.Millisecond
		}
		client, _ := newClient(t, cfg)
		check(t, client.Respond(t.Context(), request()))
		got := l.Stats()
		got.InFlightMost = 0
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestWaitingCountsTowardsTheDeadline: an agent that waits for its place has as much
// time as any other, and a call that cannot make it is not sent.
func TestWaitingCountsTowardsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter.New(limiter.Limits{InFlightMax: 1, RequestsPerMinute: 2})
		attempts := 0
		carrier := carries(func(*http.Request) (*http.Response, error) {
			attempts++
			return nil, context.DeadlineExceeded
		})
		c, err := New(Config{BaseURL: "http://model.test", HTTPClient: carrier, Limiter: l, RetriesMax: -1})
		if err != nil {
			t.Fatal(err)
		}
		c.Respond(t.Context(), request())
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		answer := c.Respond(ctx, request())
		check(t, answer)
		if kindOf(answer) != llmclient.ErrDeadline || answer.Attempts != 0 || attempts != 1 || answer.LatencyMS != 0 {
			t.Errorf("%+v, %+v after %d requests, want a deadline at once and no request", answer, answer.Failure, attempts)
		}
		if answer := c.Respond(t.Context(), request()); answer.LatencyMS != 30_000 || attempts != 2 {
			t.Errorf("a call without a deadline took %d ms, want the 30 s that two requests a minute leave", answer.LatencyMS)
		}
	})
}
