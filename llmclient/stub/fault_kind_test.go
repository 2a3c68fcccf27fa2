package stub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// received is what a plain client gets.
type received struct {
	status int
	header http.Header
	body   []byte
	err    error
}

// receive asks a server that injects one kind into every answer. The context ends
// the wait for a server that says nothing.
func receive(t *testing.T, ctx context.Context, kind string) received {
	t.Helper()
	server, client := start(t, Options{Faults: NewInjector(mustPlan(t, kind+"=100%"), 1)})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL()+"/v1/responses", bytes.NewReader(openingBody(t)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return received{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return received{response.StatusCode, response.Header, body, err}
}

// TestTransportFaultsAreWhatTheySay sends each fault of the transport over a real
// connection.
func TestTransportFaultsAreWhatTheySay(t *testing.T) {
	proper, err := Decide(0, openingBody(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range transportFaults {
		t.Run(f.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if f.name == "hang" {
				// The client goes away by itself: the server would never answer.
				time.AfterFunc(20*time.Millisecond, cancel)
			}
			got := receive(t, ctx, f.name)
			switch f.name {
			case "hang":
				if !errors.Is(got.err, context.Canceled) {
					t.Errorf("got %d and error %v before the client went", got.status, got.err)
				}
			case "reset":
				if !errors.Is(got.err, syscall.ECONNRESET) {
					t.Errorf("got %d and error %v, want a reset connection", got.status, got.err)
				}
			case "truncated_body":
				if got.status != 200 || !errors.Is(got.err, io.ErrUnexpectedEOF) || !bytes.Equal(got.body, proper.Response[:len(proper.Response)/2]) {
					t.Errorf("got %d, %d bytes and error %v; want half of %d bytes", got.status, len(got.body), got.err, len(proper.Response))
				}
			default:
				checkAnswer(t, f.name, got)
			}
		})
	}
}

// checkAnswer looks at a fault that is an answer: its status is in its name, 200
// otherwise, and a client that reads JSON strictly gets no response from it.
func checkAnswer(t *testing.T, kind string, got received) {
	t.Helper()
	want := 200
	if _, err := fmt.Sscanf(strings.TrimPrefix(kind, "html_"), "http_%d", &want); err != nil && kind == "html_502" {
		want = 502
	}
	if got.err != nil || got.status != want {
		t.Errorf("got %d and error %v, want %d", got.status, got.err, want)
	}
	var response struct {
		Object string          `json:"object"`
		Status string          `json:"status"`
		Error  json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(got.body, &response)
	fault, _ := findTransport(kind)
	if err == nil && response.Object == "response" && response.Status == "completed" && !strings.HasPrefix(kind, "huge_") && fault.effect != effectRead {
		t.Errorf("a proper response came: %s", got.body)
	}
	if strings.HasPrefix(kind, "http_") && (err != nil || isNull(response.Error)) {
		t.Errorf("a refusal without an error object: %s", got.body)
	}
	if strings.HasPrefix(kind, "html") && !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		t.Errorf("a web page of type %q", got.header.Get("Content-Type"))
	}
	for suffix, header := range map[string]string{"retry_after": "Retry-After", "retry_after_long": "Retry-After", "retry_after_ms": "Retry-After-Ms"} {
		if strings.HasSuffix(kind, suffix) && got.header.Get(header) == "" {
			t.Errorf("no %s among %v", header, got.header)
		}
	}
}

// TestHeldBackAnswersCome demands that latency changes nothing but the time.
func TestHeldBackAnswersCome(t *testing.T) {
	faults := NewInjector(mustPlan(t, "latency=30ms"), 1)
	server, client := start(t, Options{Faults: faults})
	began := time.Now()
	_, _, got := send(t, client, http.MethodPost, server.URL()+"/v1/responses", openingBody(t))
	if took := time.Since(began); took < 30*time.Millisecond {
		t.Errorf("the answer came after %s, want at least 30ms", took)
	}
	want, err := Decide(0, openingBody(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want.Response), strings.TrimSpace(string(got))); diff != "" {
		t.Errorf("the answer that was held back differs:\n%s", diff)
	}
	if counts := faults.Counts(); len(counts) != 0 {
		t.Errorf("latency was counted: %v", counts)
	}
}

// TestLeavingMeanwhileCountsNothing lets a client go while its answer is withheld:
// what it never got was not injected.
func TestLeavingMeanwhileCountsNothing(t *testing.T) {
	faults := NewInjector(mustPlan(t, "http_500=100%,latency=10m"), 1)
	server, client := start(t, Options{Faults: faults})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL()+"/v1/responses", bytes.NewReader(openingBody(t)))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := client.Do(request); err == nil {
		response.Body.Close()
		t.Fatalf("status %d before the time was over", response.StatusCode)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if counts := faults.Counts(); len(counts) != 0 {
		t.Errorf("counted %v", counts)
	}
}

// TestCloseEndsWhatIsHeldBack closes a server that holds a request back far longer
// than Close is patient: it must not wait, and the client must not get an answer.
func TestCloseEndsWhatIsHeldBack(t *testing.T) {
	for _, plan := range []string{"latency=10m", "hang=100%"} {
		t.Run(plan, func(t *testing.T) {
			arrived := make(chan struct{})
			server, client := start(t, Options{
				Faults:    NewInjector(mustPlan(t, plan), 1),
				OnRequest: func([]byte) { close(arrived) },
			})
			body, ended := openingBody(t), make(chan error, 1)
			go func() {
				response, err := client.Post(server.URL()+"/v1/responses", "application/json", bytes.NewReader(body))
				if err == nil {
					response.Body.Close()
				}
				ended <- err
			}()
			<-arrived
			// An error is how Close says that it had to wait its whole time.
			if err := server.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if err := <-ended; !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the client got error %v, want a connection that ended", err)
			}
		})
	}
}
