package openai

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
)

func TestBaseURLFormsArrive(t *testing.T) {
	for _, c := range []struct{ suffix, want string }{
		{"", "/v1/responses"},
		{"/", "/v1/responses"},
		{"/v1", "/v1/responses"},
		{"/v1/", "/v1/responses"},
		{"/v1/responses", "/v1/responses"},
		{"/v1/responses/", "/v1/responses"},
		{"/v1/chat/completions", "/v1/responses"},
		{"/responses", "/v1/responses"},
		{"/v1/responses/responses", "/v1/responses/responses"},
		{"/api/v3", "/api/v3/responses"},
		{"/a/../b//c", "/a/../b//c/responses"},
		{"/a%2Fb%20c", "/a%2Fb%20c/responses"},
		{"?api-version=2025-01-01&key=k+1%2F&flag", "/v1/responses?api-version=2025-01-01&key=k+1%2F&flag"},
		{"/deployments/x/responses?z=1&a=2&z=0", "/deployments/x/responses?z=1&a=2&z=0"},
	} {
		p := newProvider(t, says(500, "{}"), says(200, goodOne))
		for _, base := range []string{p.URL + c.suffix, strings.TrimPrefix(p.URL, "http://") + c.suffix} {
			client, _ := newClient(t, Config{BaseURL: base})
			if answer := client.Respond(t.Context(), request()); answer.Reply == nil {
				t.Fatalf("base URL suffix %q: %+v", c.suffix, answer.Failure)
			}
		}
		for _, r := range p.requests() {
			if r.method != http.MethodPost || r.uri != c.want {
				t.Errorf("base URL suffix %q: %s %s arrived, want POST %s", c.suffix, r.method, r.uri, c.want)
			}
		}
	}
}

func TestBodyArrivesUnchanged(t *testing.T) {
	answer, p, _ := ask(t, says(503, "{}"), says(200, goodOne))
	if answer.Reply == nil || answer.Attempts != 2 {
		t.Fatalf("answer = %+v, want a reply after 2 attempts", answer)
	}
	want := request().Body()
	for i, r := range p.requests() {
		if !bytes.Equal(r.body, want) {
			t.Errorf("attempt %d sent\n%s\nwant\n%s", i+1, r.body, want)
		}
		if got := r.header.Get("Content-Type"); got != "application/json" {
			t.Errorf("attempt %d has content type %q", i+1, got)
		}
		if got := r.header.Get("Authorization"); got != "Bearer "+testKey {
			t.Errorf("attempt %d has authorization %q", i+1, got)
		}
	}
}

func TestEnvironmentIsNotRead(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-from-env", "OPENAI_ADMIN_KEY": "sk-admin-env", "OPENAI_BASE_URL": "",
		"OPENAI_ORG_ID": "org-env", "OPENAI_PROJECT_ID": "proj-env", "OPENAI_WEBHOOK_SECRET": "wh-env",
		"OPENAI_CUSTOM_HEADERS": "X-From-Env: yes",
	} {
		t.Setenv(name, value)
	}
	p := newProvider(t, says(200, goodOne))
	client, _ := newClient(t, Config{BaseURL: p.URL})
	if answer := client.Respond(t.Context(), request()); answer.Reply == nil {
		t.Fatalf("no reply: %+v", answer.Failure)
	}
	for name, values := range p.requests()[0].header {
		if strings.HasPrefix(name, "Openai-") || name == "Authorization" || strings.Contains(strings.Join(values, " "), "env") {
			t.Errorf("header %s: %q comes from the environment", name, values)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"OpenAI without a key", Config{}, "no API key"},
		{"a blank key", Config{APIKey: NewSecret(" \n")}, "no API key"},
		{"a key with a line break", Config{BaseURL: "localhost", APIKey: NewSecret("s3cr\n3t")}, "API key holds"},
		{"a key beyond ASCII", Config{BaseURL: "localhost", APIKey: NewSecret("s3cr3té")}, "API key holds"},
		{"a bad base URL", Config{BaseURL: "example.org"}, "no scheme"},
		{"a negative timeout", Config{BaseURL: "localhost", Timeout: -1}, "negative"},
		{"a negative wait", Config{BaseURL: "localhost", BackoffBase: -1}, "negative"},
	} {
		_, err := New(c.cfg)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cr") {
			t.Errorf("%s: New = %v, want an error about %q", c.name, err, c.want)
		}
	}
}

func TestNewFillsDefaults(t *testing.T) {
	c, err := New(Config{APIKey: NewSecret(" " + testKey + "\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.URL(), BaseURLDefault+"/responses"; got != want {
		t.Errorf("URL() = %q, want %q", got, want)
	}
	got := c.config.patience()
	if got.timeout != TimeoutDefault || got.DefaultTimeout != TimeoutDefault || got.retries != RetriesDefault || got.backoff != BackoffBaseDefault || got.BackoffBase != BackoffBaseDefault {
		t.Errorf("patience is %s, then %s, %d retries, waits from %s", got.timeout, got.DefaultTimeout, got.retries, got.backoff)
	}
	if c.config.APIKey.Reveal() != testKey {
		t.Error("space around the key was kept")
	}
}

func TestRedirects(t *testing.T) {
	var other *httptest.Server
	reached := make(chan struct{}, 8)
	other = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached <- struct{}{} }))
	t.Cleanup(other.Close)

	answer, p, _ := ask(t, says(307, "", "Location", "/v2/responses"), says(200, goodOne))
	if answer.Reply == nil || len(p.requests()) != 2 || p.requests()[1].uri != "/v2/responses" {
		t.Errorf("redirect on the server: %+v after %d requests, want a reply after 2", answer, len(p.requests()))
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		answer, _, _ := ask(t, says(status, "", "Location", other.URL+"/v1/responses?key=s3cr3t"))
		if kindOf(answer) != llmclient.ErrWrongPath || !strings.Contains(answer.Failure.Message, other.URL+"/v1/responses") ||
			strings.Contains(answer.Failure.Message, "s3cr3t") {
			t.Errorf("redirect %d to another server: %+v", status, answer.Failure)
		}
	}
	for _, c := range []struct {
		status      int
		place, want string
	}{
		{302, "/login?next=s3cr3t", "/login, which is not followed"},
		{300, "http://%zz?s3cr3t", "a place that is no URL"},
	} {
		answer, p, _ := ask(t, says(c.status, "", "Location", c.place))
		if kindOf(answer) != llmclient.ErrWrongPath || !strings.Contains(answer.Failure.Message, c.want) ||
			strings.Contains(answer.Failure.Message, "s3cr3t") || len(p.requests()) != 1 {
			t.Errorf("%d to %s: %+v after %d requests, want one about %q", c.status, c.place, answer.Failure, len(p.requests()), c.want)
		}
	}
	if answer, _, _ := ask(t, says(304, "")); kindOf(answer) != llmclient.ErrWrongPath || answer.Failure.Status != 304 {
		t.Errorf("304: %+v", answer.Failure)
	}
	answer, p, _ = ask(t, says(308, "", "Location", "/v1/responses"))
	if kindOf(answer) != llmclient.ErrWrongPath || len(p.requests()) != redirectsMax+1 {
		t.Errorf("endless redirect: %+v after %d requests", answer.Failure, len(p.requests()))
	}
	if len(reached) > 0 {
		t.Error("a request reached the other server")
	}
}

func TestConfiguredHTTPClient(t *testing.T) {
	p := newProvider(t, says(200, goodOne))
	own := &http.Client{Timeout: time.Nanosecond, Transport: http.DefaultTransport}
	client, _ := newClient(t, Config{BaseURL: p.URL, HTTPClient: own})
	if answer := client.Respond(t.Context(), request()); answer.Reply == nil {
		t.Errorf("no reply: %+v", answer.Failure)
	}
	if own.Timeout != time.Nanosecond || own.CheckRedirect != nil {
		t.Error("the configured client was changed")
	}
}

// TestConnectionsAreReused holds that agents thinking at once do not open a
// connection per call.
func TestConnectionsAreReused(t *testing.T) {
	const agents, rounds = 64, 5
	p := newProvider(t, says(200, goodOne))
	c, _ := newClient(t, Config{BaseURL: p.URL})
	for range rounds {
		var group sync.WaitGroup
		for range agents {
			group.Go(func() {
				if answer := c.Respond(t.Context(), request()); answer.Reply == nil {
					t.Errorf("no reply: %+v", answer.Failure)
				}
			})
		}
		group.Wait()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := p.conns; n > 2*agents {
		t.Errorf("%d connections for %d calls of %d agents, want at most %d", n, agents*rounds, agents, 2*agents)
	}
}

// TestDrain ends a drain while an attempt is under way: the attempt is let finish, and none
// follows it. A call that begins later sends nothing.
func TestDrain(t *testing.T) {
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	never := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client has gone
		<-r.Context().Done()
	}
	for _, c := range []struct {
		name    string
		then    http.HandlerFunc
		timeout time.Duration
		kind    llmclient.ErrorKind
	}{
		{"an answer is taken", says(200, goodOne), 0, ""},
		{"a failure is not tried again", says(503, ""), 0, llmclient.ErrInterrupted},
		{"a timeout is not tried again with a longer one", never, 50 * time.Millisecond, llmclient.ErrInterrupted},
		{"a long wait is not waited for", says(429, "", "Retry-After", "500"), 0, llmclient.ErrInterrupted},
	} {
		drain, begin := context.WithCancel(t.Context())
		asked := 0
		s := httptest.NewServer(c.then)
		// The drain begins when the request is on its way, however long that takes to the server.
		carrier := &http.Client{Transport: sending(func(r *http.Request) (*http.Response, error) {
			asked++
			begin()
			return http.DefaultTransport.RoundTrip(r)
		})}
		client, err := New(Config{BaseURL: s.URL, Drain: drain, Timeout: c.timeout, HTTPClient: carrier, Limiter: limiter.New(limiter.Limits{})})
		if err != nil {
			t.Fatal(err)
		}
		if answer := client.Respond(t.Context(), llmclient.Request{}); kindOf(answer) != c.kind || answer.Attempts != 1 {
			t.Errorf("%s: %+v after %d attempts", c.name, answer.Failure, answer.Attempts)
		}
		if answer := client.Respond(t.Context(), llmclient.Request{}); kindOf(answer) != llmclient.ErrInterrupted || answer.Attempts != 0 || asked != 1 {
			t.Errorf("%s: a later call: %+v after %d attempts, %d requests", c.name, answer.Failure, answer.Attempts, asked)
		}
		client.Close()
		s.Close()
		begin()
	}
}

// sending carries requests by a function.
type sending func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (s sending) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

// TestSentSaysHowLongItMayTake asks a server that never answers, which has more time for the second
// attempt: what is under way ends with the timeout of its attempt, and no later than its context.
func TestSentSaysHowLongItMayTake(t *testing.T) {
	asked := make(chan struct{}, 2)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer s.Close()
	client, err := New(Config{BaseURL: s.URL, Timeout: 50 * time.Millisecond, DefaultTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, bound := range []time.Duration{2 * time.Hour, time.Minute} {
		ctx, end := context.WithTimeout(t.Context(), bound)
		var done sync.WaitGroup
		done.Go(func() { client.Respond(ctx, llmclient.Request{}) })
		<-asked
		<-asked
		n, since, until := client.Sent()
		if took, want := until.Sub(since), min(bound, time.Hour); n != 1 || took > want || took < want/2 {
			t.Errorf("%d attempts, for %s at most, want 1 within %s", n, took, want)
		}
		end()
		done.Wait()
	}
	if n, _, until := client.Sent(); n != 0 || !until.IsZero() {
		t.Errorf("at the end: %d attempts until %s", n, until)
	}
}
