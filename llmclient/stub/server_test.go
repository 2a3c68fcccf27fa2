package stub

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/agentworld/llmclient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start returns a running server and a client without kept connections.
func start(t *testing.T, o Options) (*Server, *http.Client) {
	t.Helper()
	s, err := Start(context.Background(), "", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

// send makes one request. It may run beside the test's own goroutine, so it reports
// a failure and returns zero values.
func send(t *testing.T, client *http.Client, method, url string, body []byte) (status int, header http.Header, answer []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Errorf("%s %s: %v", method, url, err)
		return 0, nil, nil
	}
	response, err := client.Do(request)
	if err != nil {
		t.Errorf("%s %s: %v", method, url, err)
		return 0, nil, nil
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s %s: %v", method, url, err)
	}
	return response.StatusCode, response.Header, answer
}

// openingBody is the first request of a turn.
func openingBody(t *testing.T) []byte {
	g := opened(t, 0, full)
	return llmclient.Request{Model: "some-model", Instructions: "Keep going.", Input: g.opening(), Tools: toolsOf(full),
		Choice: llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{toolPlan, toolDecision}}}.Body()
}

func TestServerAnswersOnBothPaths(t *testing.T) {
	s, client := start(t, Options{})
	body := openingBody(t)
	want, err := Decide(0, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/responses", "/responses"} {
		status, header, got := send(t, client, http.MethodPost, s.URL()+path, body)
		if status != 200 || header.Get("Content-Type") != "application/json" || !bytes.Equal(bytes.TrimSpace(got), want.Response) {
			t.Errorf("%s: status %d, header %v, body %s; want 200 and %s", path, status, header, got, want.Response)
		}
	}
	if status, _, got := send(t, client, http.MethodGet, s.URL()+"/healthz", nil); status != 200 || string(got) != "{\"status\":\"ok\"}\n" {
		t.Errorf("/healthz: %d %s", status, got)
	}
	if status, _, got := send(t, client, http.MethodGet, s.URL()+"/v1/models", nil); status != 200 || !strings.Contains(string(got), `"id":"scripted"`) {
		t.Errorf("/v1/models: %d %s", status, got)
	}
}

func TestServerErrorsAreErrorObjects(t *testing.T) {
	s, client := start(t, Options{})
	for _, tc := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/v1/responses", "{", 400, "invalid_json"},
		{"POST", "/v1/responses", `{"model":"m","input":"a","top_k":7}`, 400, "unknown_parameter"},
		{"POST", "/v1/responses", strings.Repeat(" ", BodyBytesMax+1), 413, "request_too_large"},
		{"GET", "/v1/responses", "", 405, "method_not_supported"},
		{"DELETE", "/v1/models", "", 405, "method_not_supported"},
		{"POST", "/v1/chat/completions", "{}", 404, "unknown_url"},
		{"GET", "/", "", 404, "unknown_url"},
	} {
		status, header, got := send(t, client, tc.method, s.URL()+tc.path, []byte(tc.body))
		var object struct {
			Error struct{ Message, Type, Code string }
		}
		if err := json.Unmarshal(got, &object); err != nil {
			t.Fatalf("%s %s: %v in %q", tc.method, tc.path, err, got)
		}
		if status != tc.status || object.Error.Code != tc.code || object.Error.Message == "" || object.Error.Type != "invalid_request_error" {
			t.Errorf("%s %s: %d %+v, want %d %s", tc.method, tc.path, status, object.Error, tc.status, tc.code)
		}
		if wantAllow := tc.status == 405; (header.Get("Allow") != "") != wantAllow {
			t.Errorf("%s %s: Allow %q", tc.method, tc.path, header.Get("Allow"))
		}
	}
}

func TestServerIsSafeForConcurrentUse(t *testing.T) {
	var seen atomic.Int64
	s, _ := start(t, Options{Seed: 9, OnRequest: func([]byte) { seen.Add(1) }, Faults: NewInjector(mustPlan(t, "latency=1us"), 1)})
	client := &http.Client{}
	defer client.CloseIdleConnections()
	g := opened(t, 9, full)
	g.live(10)
	var wg sync.WaitGroup
	for i, body := range g.bodies {
		for range 3 {
			wg.Go(func() {
				_, _, got := send(t, client, http.MethodPost, s.URL()+"/v1/responses", body)
				if !bytes.Equal(bytes.TrimSpace(got), g.results[i].Response) {
					t.Errorf("request %d: the answer over HTTP differs from Decide", i)
				}
			})
		}
	}
	wg.Wait()
	if want := int64(3 * len(g.bodies)); seen.Load() != want {
		t.Errorf("OnRequest saw %d requests, want %d", seen.Load(), want)
	}
}

func TestCloseWaitsForRequestsInFlight(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s, client := start(t, Options{OnRequest: func([]byte) { close(arrived); <-release }})
	status := make(chan int)
	go func() {
		code, _, _ := send(t, client, http.MethodPost, s.URL()+"/v1/responses", []byte(`{"model":"m","input":"Hello"}`))
		status <- code
	}()
	<-arrived
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	// The listener closes first; from then on Close waits for the request.
	for {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
		if err != nil {
			break
		}
		conn.Close()
	}
	select {
	case err := <-closed:
		t.Errorf("Close returned %v before the request was answered", err)
	default:
	}
	close(release)
	if got := <-status; got != 200 {
		t.Errorf("status %d for the request in flight, want 200", got)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// TestWhoIsSlowIsClosed opens connections that send nothing, half a header, half a body, and
// one that lies idle after an answer. None is kept for longer than the patience.
func TestWhoIsSlowIsClosed(t *testing.T) {
	const head = "POST /v1/responses HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n"
	for name, sent := range map[string]string{
		"nothing": "", "half a header": head, "half a body": head + "\r\n{", "a body that is not read": strings.Replace(head, "/v1/responses", "/none", 1) + "\r\n{",
		"idle": "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := start(t, Options{patience: 50 * time.Millisecond})
			conn := dialed(t, s, sent)
			if answer, err := io.ReadAll(conn); err != nil {
				t.Errorf("not closed: %v after %q", err, answer)
			} else if name == "half a body" && !strings.Contains(string(answer), " 408 ") {
				t.Errorf("answered %q, want status 408", answer)
			}
		})
	}
}

// dialed returns a connection on which text was sent. Reading it ends after 10 s at most.
func dialed(t *testing.T, s *Server, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(patienceDefault + time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestCloseDoesNotWaitForWhoIsStillSending(t *testing.T) {
	s, err := Start(context.Background(), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sent := range []string{"", "POST /v1/responses HTTP/1.1\r\n", "POST /v1/responses HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"} {
		dialed(t, s, sent)
	}
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(began); took > patienceDefault/2 {
		t.Errorf("Close took %v", took)
	}
}

func TestEndOfContextClosesTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Start(ctx, DefaultAddr, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err := http.Get(s.URL() + "/healthz"); err == nil {
		t.Error("the server still answers after its context ended")
	}
}

func TestClientThatLeavesEndsTheLatency(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, client := start(t, Options{OnRequest: func([]byte) { cancel() }, Faults: NewInjector(mustPlan(t, "latency=10m"), 1)})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/v1/responses", strings.NewReader(`{"model":"m","input":"Hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := client.Do(request); err == nil {
		response.Body.Close()
		t.Error("got an answer although the client left")
	}
	// Close in the cleanup would take its whole grace period and fail if the
	// handler were still waiting.
}

func TestStartNamesTheAddressItCannotUse(t *testing.T) {
	s, _ := start(t, Options{})
	addr := strings.TrimPrefix(s.URL(), "http://")
	_, err := Start(context.Background(), addr, Options{})
	if err == nil || !strings.Contains(err.Error(), addr) {
		t.Errorf("Start on a taken address: error %v, want one that names %s", err, addr)
	}
}
