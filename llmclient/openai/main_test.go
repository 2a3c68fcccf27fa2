package openai

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/agentworld/llmclient"

	"example.com/agentworld/plaintext"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testKey = "sk-test-0123456789abcdef"
	goodOne = `{"id":"resp_1","object":"response","model":"m-1","status":"completed","error":null,"incomplete_details":null,` +
		`"output":[{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}]}],` +
		`"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":17}}`
)

// provider is a server that answers the nth request with the nth handler, and
// any further one with the last.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	handlers []http.HandlerFunc
	arrived  []arrival
	conns    int // connections accepted
}

// arrival is one request as the server saw it.
type arrival struct {
	method, uri string
	header      http.Header
	body        []byte
}

func newProvider(t testing.TB, handlers ...http.HandlerFunc) *provider {
	t.Helper()
	p := &provider{handlers: handlers}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ConnState = p.connected
	p.Start()
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	n := len(p.arrived)
	p.arrived = append(p.arrived, arrival{r.Method, r.RequestURI, r.Header.Clone(), body})
	handler := p.handlers[min(n, len(p.handlers)-1)]
	p.mu.Unlock()
	handler(w, r)
}

// connected counts new connections.
func (p *provider) connected(_ net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if state == http.StateNew {
		p.conns++
	}
}

// requests returns what has arrived so far.
func (p *provider) requests() []arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.arrived)
}

// says answers with a status, headers ("Name", "value", ...) and a body.
func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// holds never answers: it returns when the client has gone.
func holds(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// hangsUp sends the beginning of an answer and closes the connection.
func hangsUp(beginning string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, stream, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic("hijack a test connection: " + err.Error())
		}
		_, _ = stream.WriteString(beginning)
		_ = stream.Flush()
		_ = conn.Close()
	}
}

// waits records the waits of a client instead of waiting.
type waits struct{ all []time.Duration }

// newClient returns a client whose waits are recorded and whose jitter is always
// a half.
func newClient(t testing.TB, cfg Config) (*Client, *waits) {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(c.Close)
	w := &waits{}
	c.sleep = func(_ context.Context, wait time.Duration) { w.all = append(w.all, wait) }
	c.jitter = func() float64 { return 0.5 }
	return c, w
}

// ask sends one request to a provider with these handlers.
func ask(t *testing.T, handlers ...http.HandlerFunc) (llmclient.Answer, *provider, *waits) {
	t.Helper()
	p := newProvider(t, handlers...)
	c, w := newClient(t, Config{BaseURL: p.URL, APIKey: NewSecret(testKey)})
	answer := c.Respond(t.Context(), request())
	check(t, answer)
	return answer, p, w
}

// check demands what holds for every answer.
func check(t *testing.T, a llmclient.Answer) {
	t.Helper()
	if (a.Reply == nil) == (a.Failure == nil) {
		t.Fatalf("answer has reply %v and failure %v, want exactly one", a.Reply, a.Failure)
	}
	if a.Failure == nil {
		return
	}
	if n := len([]rune(a.Failure.Message)); n == 0 || n > messageRunesMax {
		t.Errorf("message has %d characters, want 1 to %d", n, messageRunesMax)
	}
	if a.Failure.Message != plaintext.Line(a.Failure.Message) {
		t.Errorf("message is not one clean line: %q", a.Failure.Message)
	}
}

// request returns a request with texts that encoders like to change.
func request() llmclient.Request {
	return llmclient.Request{
		Model: "m-1", Instructions: "a < b && c > d \u2028 é\n\t\"quoted\"",
		Input: []llmclient.Item{
			llmclient.Message("user", "go <on>"),
			{Kind: "strange", Raw: []byte(`{"type":"strange","z":1.50,"a":1e3,"a2":"\u00e9"}`)},
		},
		Tools: []llmclient.Tool{{Name: "act", Description: "acts", Parameters: []byte(`{"type":"object"}`), Strict: true}},
	}
}

// kindOf returns the kind of an answer's failure, "" for a reply.
func kindOf(a llmclient.Answer) llmclient.ErrorKind {
	if a.Failure == nil {
		return ""
	}
	return a.Failure.Kind
}
