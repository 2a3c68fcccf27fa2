package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/llmclient"

	"github.com/google/go-cmp/cmp"
)

func TestRetries(t *testing.T) {
	ms := func(ns ...int) (all []time.Duration) {
		for _, n := range ns {
			all = append(all, time.Duration(n)*time.Millisecond)
		}
		return all
	}
	soon := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	good := says(200, goodOne)
	for _, c := range []struct {
		name     string
		handlers []http.HandlerFunc
		kind     llmclient.ErrorKind
		waits    []time.Duration
	}{
		{"success at once", []http.HandlerFunc{good}, "", nil},
		{"500 then success", []http.HandlerFunc{says(500, ""), good}, "", ms(250)},
		{"every passing status", []http.HandlerFunc{says(408, ""), says(409, ""), says(529, ""), good}, "", ms(250, 500, 1000)},
		{"the budget ends", []http.HandlerFunc{says(502, "<html>")}, llmclient.ErrServer, ms(250, 500, 1000)},
		{"408 stays", []http.HandlerFunc{says(408, "")}, llmclient.ErrBadRequest, ms(250, 500, 1000)},
		{"429 stays", []http.HandlerFunc{says(429, "")}, llmclient.ErrRateLimited, ms(250, 500, 1000)},
		{"hang up before an answer", []http.HandlerFunc{hangsUp(""), good}, "", ms(250)},
		{"hang up within an answer", []http.HandlerFunc{hangsUp("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"id\""), good}, "", ms(250)},
		{"hang up for ever", []http.HandlerFunc{hangsUp("")}, llmclient.ErrConnection, ms(250, 500, 1000)},
		{"Retry-After in seconds", []http.HandlerFunc{says(429, "", "Retry-After", "7"), good}, "", ms(7250)},
		{"Retry-After with a fraction", []http.HandlerFunc{says(503, "", "Retry-After", "1.5"), good}, "", ms(1750)},
		{"Retry-After-Ms comes first", []http.HandlerFunc{says(429, "", "Retry-After", "7", "Retry-After-Ms", "40"), good}, "", ms(290)},
		{"Retry-After as a past date", []http.HandlerFunc{says(429, "", "Retry-After", soon), good}, "", ms(250)},
		{"Retry-After cannot be read", []http.HandlerFunc{says(429, "", "Retry-After", "soon"), good}, "", ms(250)},
		{"Retry-After is negative", []http.HandlerFunc{says(429, "", "Retry-After", "-3"), good}, "", ms(250)},
		{"Retry-After does not move the backoff", []http.HandlerFunc{says(500, ""), says(429, "", "Retry-After", "2"), says(500, ""), good}, "", ms(250, 2250, 500)},
		{"Retry-After is long", []http.HandlerFunc{says(429, "", "Retry-After", "600"), good}, "", ms(600_250)},
		{"Retry-After is too long", []http.HandlerFunc{says(429, "", "Retry-After", "601"), good}, "", ms(250)},
		{"Retry-After is absurd", []http.HandlerFunc{says(503, "", "Retry-After", "1e300"), good}, "", ms(250)},
		{"Retry-After counts since 1970", []http.HandlerFunc{says(503, "", "Retry-After", "1795334400"), good}, "", ms(250)},
		{"Retry-After-Ms counts since 1970", []http.HandlerFunc{says(503, "", "Retry-After-Ms", "1795334400000", "Retry-After", "2"), good}, "", ms(2250)},
		{"Retry-After as a duration", []http.HandlerFunc{says(429, "", "Retry-After", "1m30s"), good}, "", ms(90_250)},
		{"no credit", []http.HandlerFunc{says(429, `{"error":{"code":"insufficient_quota"}}`, "Retry-After", "1"), good}, llmclient.ErrQuota, nil},
		{"the server says no", []http.HandlerFunc{says(500, "", "X-Should-Retry", "false"), good}, llmclient.ErrServer, nil},
		{"400", []http.HandlerFunc{says(400, ""), good}, llmclient.ErrBadRequest, nil},
		{"401", []http.HandlerFunc{says(401, ""), good}, llmclient.ErrAuth, nil},
		{"404", []http.HandlerFunc{says(404, ""), good}, llmclient.ErrWrongPath, nil},
		{"a malformed success", []http.HandlerFunc{says(200, "null"), good}, llmclient.ErrMalformed, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, p, w := ask(t, c.handlers...)
			if kindOf(answer) != c.kind {
				t.Fatalf("failure %+v, want kind %q", answer.Failure, c.kind)
			}
			if diff := cmp.Diff(c.waits, w.all); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
			if want := len(c.waits) + 1; answer.Attempts != want || len(p.requests()) != want {
				t.Errorf("%d attempts and %d requests, want %d", answer.Attempts, len(p.requests()), want)
			}
			failed := answer.Attempts
			if answer.Failure == nil {
				failed-- // the last one did not
			}
			if len(answer.FailedAttempts) != failed {
				t.Errorf("failed attempts %v, want %d", answer.FailedAttempts, failed)
			}
		})
	}
}

// TestFailedAttemptsAreTold demands that the caller learns what each attempt failed
// with, also when a further one mended it.
func TestFailedAttemptsAreTold(t *testing.T) {
	answer, _, _ := ask(t, says(429, ""), hangsUp(""), says(503, ""), says(200, goodOne))
	want := []llmclient.ErrorKind{llmclient.ErrRateLimited, llmclient.ErrConnection, llmclient.ErrServer}
	if diff := cmp.Diff(want, answer.FailedAttempts); answer.Reply == nil || diff != "" {
		t.Errorf("reply %v, failed attempts (-want +got):\n%s", answer.Reply, diff)
	}
	p := newProvider(t, says(503, "", "Retry-After", "100"))
	c, _ := newClient(t, Config{BaseURL: p.URL})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer = c.Respond(ctx, request())
	if diff := cmp.Diff([]llmclient.ErrorKind{llmclient.ErrServer}, answer.FailedAttempts); kindOf(answer) != llmclient.ErrDeadline || diff != "" {
		t.Errorf("failure %+v after failed attempts (-want +got):\n%s", answer.Failure, diff)
	}
}

func TestRetriesCanBeSwitchedOff(t *testing.T) {
	p := newProvider(t, says(500, ""))
	c, w := newClient(t, Config{BaseURL: p.URL, RetriesMax: -1})
	answer := c.Respond(t.Context(), request())
	if answer.Attempts != 1 || len(w.all) != 0 || kindOf(answer) != llmclient.ErrServer {
		t.Errorf("answer = %+v after waits %v, want one attempt", answer, w.all)
	}
}

func TestBackoffIsBounded(t *testing.T) {
	p := newProvider(t, says(500, ""))
	c, w := newClient(t, Config{BaseURL: p.URL, RetriesMax: 6, BackoffBase: 2 * time.Second})
	c.Respond(t.Context(), request())
	want := []time.Duration{1000, 2000, 4000, 4000, 4000, 4000}
	for i := range want {
		want[i] *= time.Millisecond
	}
	if diff := cmp.Diff(want, w.all); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestAskedWait(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		text string
		want time.Duration // negative: none
	}{
		{"0", 0}, {"30", 30 * time.Second}, {"0.25", 250 * time.Millisecond},
		{"Sat, 21 Nov 2026 12:00:42 GMT", 42 * time.Second},
		{"Saturday, 21-Nov-26 12:00:42 GMT", 42 * time.Second},
		{"Sat, 21 Nov 2026 11:00:00 GMT", -1},
		{"Sat, 21 Nov 2026 12:10:01 GMT", -1}, {"Sun, 21 Nov 9999 12:00:00 GMT", -1},
		{"99999999999999999999", -1}, {"1e999", -1}, {"Inf", -1}, {"600", 10 * time.Minute}, {"601", -1}, {"1795334400", -1}, {"-5s", -1}, {"2m", 2 * time.Minute},
		{"", -1}, {"-1", -1}, {"-Inf", -1}, {"NaN", -1}, {"later", -1},
	} {
		got := askedWait(http.Header{"Retry-After": {c.text}}, now)
		if c.want < 0 && got != nil || c.want >= 0 && (got == nil || *got != c.want) {
			t.Errorf("askedWait(%q) = %v, want %v", c.text, got, c.want)
		}
	}
}

// TestWaitsAreSaid demands a line for every long wait, with its length and reason, for
// none that is short, and for none that a deadline makes needless.
func TestWaitsAreSaid(t *testing.T) {
	type said struct {
		wait time.Duration
		why  string
	}
	for _, c := range []struct {
		name     string
		handlers []http.HandlerFunc
		deadline time.Duration
		want     []said
	}{
		{"short", []http.HandlerFunc{says(429, "", "Retry-After", "3"), says(200, goodOne)}, time.Hour, nil},
		{"long", []http.HandlerFunc{says(429, "", "Retry-After", "42"), says(200, goodOne)}, time.Hour,
			[]said{{42250 * time.Millisecond, "it asked for that with HTTP 429"}}},
		{"backoff", []http.HandlerFunc{says(500, ""), says(200, goodOne)}, time.Hour, []said{{6 * time.Second, "tried again after a failure (server_error)"}}},
		{"ignored", []http.HandlerFunc{says(429, "", "Retry-After", "1795334400"), says(200, goodOne)}, time.Hour, nil},
		{"needless", []http.HandlerFunc{says(429, "", "Retry-After", "42")}, 20 * time.Second, nil},
	} {
		var got []said
		base := time.Duration(0)
		if c.name == "backoff" {
			base = 12 * time.Second
		}
		client, _ := newClient(t, Config{BaseURL: newProvider(t, c.handlers...).URL, BackoffBase: base, Waiting: func(wait time.Duration, why string) { got = append(got, said{wait, why}) }})
		if base > 0 {
			client.jitter = func() float64 { return 0.75 } // of at most eight seconds
		}
		ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
		client.Respond(ctx, request())
		cancel()
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: said %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTimeoutThenSuccess(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Attempt") == "1" {
			holds(w, r)
			return
		}
		_, _ = io.WriteString(w, goodOne)
	})
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	attempts := 0
	numbering := carries(func(r *http.Request) (*http.Response, error) {
		attempts++
		r = r.Clone(r.Context())
		r.Header.Set("Attempt", strconv.Itoa(attempts))
		return transport.RoundTrip(r)
	})
	c, w := newClient(t, Config{BaseURL: p.URL, Timeout: 20 * time.Millisecond, DefaultTimeout: time.Hour, HTTPClient: numbering})
	answer := c.Respond(t.Context(), request())
	if answer.Reply == nil || answer.Attempts != 2 || len(w.all) != 0 {
		t.Errorf("answer = %+v after waits %v, want a reply after 2 attempts and no wait", answer, w.all)
	}
}

func TestTimeoutWithinAnswer(t *testing.T) {
	stalls := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, goodOne[:20])
		_ = http.NewResponseController(w).Flush()
		holds(w, r)
	}
	p := newProvider(t, stalls)
	c, _ := newClient(t, Config{BaseURL: p.URL, Timeout: 20 * time.Millisecond, DefaultTimeout: 40 * time.Millisecond})
	answer := c.Respond(t.Context(), request())
	check(t, answer)
	if kindOf(answer) != llmclient.ErrTimeout || answer.Attempts != 2 {
		t.Errorf("answer = %+v, %+v, want a timeout after 2 attempts", answer, answer.Failure)
	}
}

// expiring is a context whose end is a passed deadline, at a moment a test picks.
type expiring struct{ context.Context }

func (e expiring) Err() error {
	if e.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func TestContextEnds(t *testing.T) {
	for _, c := range []struct {
		kind llmclient.ErrorKind
		wrap func(context.Context) context.Context
	}{
		{llmclient.ErrInterrupted, func(ctx context.Context) context.Context { return ctx }},
		{llmclient.ErrDeadline, func(ctx context.Context) context.Context { return expiring{ctx} }},
	} {
		inner, end := context.WithCancel(t.Context())
		ctx := c.wrap(inner)
		p := newProvider(t, func(w http.ResponseWriter, r *http.Request) { end(); holds(w, r) })
		client, _ := newClient(t, Config{BaseURL: p.URL, Timeout: time.Hour})
		answer := client.Respond(ctx, request())
		check(t, answer)
		if kindOf(answer) != c.kind || answer.Attempts != 1 {
			t.Errorf("ended within an attempt: %+v after %d attempts, want %q after 1", answer.Failure, answer.Attempts, c.kind)
		}
		answer = client.Respond(ctx, request())
		check(t, answer)
		if kindOf(answer) != c.kind || answer.Attempts != 0 || len(p.requests()) != 1 {
			t.Errorf("ended before an attempt: %+v after %d attempts, want %q after none", answer.Failure, answer.Attempts, c.kind)
		}
	}
}

func TestContextEndsWhileWaiting(t *testing.T) {
	p := newProvider(t, says(429, "", "Retry-After", "500"))
	c, w := newClient(t, Config{BaseURL: p.URL})
	ctx, cancel := context.WithTimeout(t.Context(), 7*time.Minute)
	defer cancel()
	answer := c.Respond(ctx, request())
	check(t, answer)
	if kindOf(answer) != llmclient.ErrDeadline || answer.Failure.Status != 429 || len(w.all) != 0 {
		t.Errorf("a wait beyond the deadline: %+v after waits %v", answer.Failure, w.all)
	}

	c, _ = newClient(t, Config{BaseURL: newProvider(t, says(429, "", "Retry-After", "60")).URL})
	stopped, stop := context.WithCancel(t.Context())
	c.sleep = func(context.Context, time.Duration) { stop() }
	if answer := c.Respond(stopped, request()); kindOf(answer) != llmclient.ErrInterrupted || answer.Attempts != 1 {
		t.Errorf("cancelled while waiting: %+v, %+v", answer, answer.Failure)
	}
}

// TestCompleteResponseCounts holds the reader of an answer that came just before
// its context ended.
func TestCompleteResponseCounts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	carrier := carries(func(r *http.Request) (*http.Response, error) {
		body := &endsWith{strings.NewReader(goodOne), cancel}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
	})
	c, _ := newClient(t, Config{BaseURL: "http://model.test", HTTPClient: carrier})
	if answer := c.Respond(ctx, request()); answer.Reply == nil {
		t.Errorf("failure %+v, want the reply that had arrived", answer.Failure)
	}
}

// endsWith is a body that calls done when it has been read to its end.
type endsWith struct {
	io.Reader
	done func()
}

func (b *endsWith) Close() error { b.done(); return nil }

// carries returns an HTTP client that needs no network.
func carries(f func(*http.Request) (*http.Response, error)) *http.Client {
	return &http.Client{Transport: roundTripper(f)}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// silent is a server that never answers.
var silent = carries(func(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
})

func TestTimeoutsTakeTheirTime(t *testing.T) {
	for _, c := range []struct {
		name             string
		timeout, longest time.Duration
		deadline         time.Duration // of the context; 0: none
		kind             llmclient.ErrorKind
		attempts         int
		took             time.Duration
	}{
		{"short then default", 8 * time.Second, 0, 0, llmclient.ErrTimeout, 2, 188 * time.Second},
		{"default only", 0, 0, 0, llmclient.ErrTimeout, 1, 180 * time.Second},
		{"longer than default", 300 * time.Second, 0, 0, llmclient.ErrTimeout, 1, 300 * time.Second},
		{"own default", time.Second, 5 * time.Second, 0, llmclient.ErrTimeout, 2, 6 * time.Second},
		{"deadline in the first attempt", 8 * time.Second, 0, 3 * time.Second, llmclient.ErrDeadline, 1, 3 * time.Second},
		{"deadline in the second attempt", 8 * time.Second, 0, 20 * time.Second, llmclient.ErrDeadline, 2, 20 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := New(Config{BaseURL: "http://model.test", Timeout: c.timeout, DefaultTimeout: c.longest, HTTPClient: silent})
				if err != nil {
					t.Fatal(err)
				}
				ctx := t.Context()
				if c.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				answer := client.Respond(ctx, request())
				if kindOf(answer) != c.kind || answer.Attempts != c.attempts || answer.LatencyMS != c.took.Milliseconds() {
					t.Errorf("%q after %d attempts and %d ms, want %q after %d and %d",
						kindOf(answer), answer.Attempts, answer.LatencyMS, c.kind, c.attempts, c.took.Milliseconds())
				}
			})
		})
	}
}

func TestBackoffTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reset := carries(func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") })
		client, err := New(Config{BaseURL: "http://model.test", HTTPClient: reset})
		if err != nil {
			t.Fatal(err)
		}
		client.jitter = func() float64 { return 0.5 }
		answer := client.Respond(t.Context(), request())
		if kindOf(answer) != llmclient.ErrConnection || answer.Attempts != 4 || answer.LatencyMS != 1750 {
			t.Errorf("%q after %d attempts and %d ms, want a lost connection after 4 and 1750", kindOf(answer), answer.Attempts, answer.LatencyMS)
		}

		ctx, stop := context.WithCancel(t.Context())
		go func() { time.Sleep(100 * time.Millisecond); stop() }()
		if answer := client.Respond(ctx, request()); kindOf(answer) != llmclient.ErrInterrupted || answer.LatencyMS != 100 {
			t.Errorf("%q after %d ms, want it interrupted after 100", kindOf(answer), answer.LatencyMS)
		}
	})
}

// TestAttemptsAreCountedForTheServer demands that each request says how often it was
// sent before: what a server makes of a repetition must not depend on its memory.
func TestAttemptsAreCountedForTheServer(t *testing.T) {
	_, p, _ := ask(t, says(500, ""), says(500, ""), says(200, goodOne))
	var counts []string
	for _, r := range p.requests() {
		counts = append(counts, strings.Join(r.header.Values("X-Stainless-Retry-Count"), ","))
	}
	if diff := cmp.Diff([]string{"0", "1", "2"}, counts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}
