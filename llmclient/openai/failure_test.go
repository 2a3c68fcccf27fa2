package openai

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"example.com/agentworld/llmclient"
)

// errorBody is an error as OpenAI writes it.
func errorBody(message, kind, code string) string {
	return string(llmclient.Marshal(map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}}))
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name          string
		status        int
		body          string
		kind          llmclient.ErrorKind
		code, message string
	}{
		{"401", 401, errorBody("Incorrect key", "invalid_request_error", "invalid_api_key"), llmclient.ErrAuth, "invalid_api_key", "HTTP 401: Incorrect key"},
		{"401 without a body", 401, "", llmclient.ErrAuth, "", "HTTP 401: an empty body (application/json)"},
		{"403", 403, errorBody("Country not supported", "request_forbidden", "unsupported_country"), llmclient.ErrForbidden, "unsupported_country", "HTTP 403: Country not supported"},
		{"403 about a model", 403, errorBody("no access", "", "model_not_found"), llmclient.ErrModelNotFound, "model_not_found", "HTTP 403: no access"},
		{"404 about a model", 404, errorBody("The model 'x' does not exist", "invalid_request_error", "model_not_found"), llmclient.ErrModelNotFound, "model_not_found", "HTTP 404: The model 'x' does not exist"},
		{"400 about a model", 400, errorBody("no such model", "model_not_found", ""), llmclient.ErrModelNotFound, "model_not_found", "HTTP 400: no such model"},
		{"404 about the path", 404, `{"detail":"Not Found"}`, llmclient.ErrWrongPath, "", "HTTP 404 from URL: Not Found"},
		{"404 as a page", 404, "<html><h1>404</h1>", llmclient.ErrWrongPath, "", "HTTP 404 from URL: a body of 18 bytes (application/json) that begins with <html><h1>404</h1>"},
		{"405", 405, `{"message":"Method Not Allowed","code":405}`, llmclient.ErrWrongPath, "405", "HTTP 405 from URL: Method Not Allowed"},
		{"400", 400, errorBody("Invalid schema", "invalid_request_error", "invalid_function_parameters"), llmclient.ErrBadRequest, "invalid_function_parameters", "HTTP 400: Invalid schema"},
		{"400 with a text", 400, `{"error":"text"}`, llmclient.ErrBadRequest, "", "HTTP 400: text"},
		{"400 in a list", 400, `[{"error":{"code":400,"message":"listed","status":"INVALID_ARGUMENT"}}]`, llmclient.ErrBadRequest, "400", "HTTP 400: listed"},
		{"400 with a type only", 400, `{"error":{"type":"overloaded"}}`, llmclient.ErrBadRequest, "overloaded", "HTTP 400: overloaded"},
		{"400 with null", 400, `null`, llmclient.ErrBadRequest, "", "HTTP 400: a body of 4 bytes (application/json) that begins with null"},
		{"422 with details", 422, `{"detail":[{"loc":["body"]}]}`, llmclient.ErrBadRequest, "", `HTTP 422: [{"loc":["body"]}]`},
		{"402", 402, errorBody("Insufficient Balance", "", ""), llmclient.ErrQuota, "", "HTTP 402: Insufficient Balance"},
		{"429", 429, errorBody("Slow down", "requests", "rate_limit_exceeded"), llmclient.ErrRateLimited, "rate_limit_exceeded", "HTTP 429: Slow down"},
		{"429 by code", 429, errorBody("No credit", "billing", "insufficient_quota"), llmclient.ErrQuota, "insufficient_quota", "HTTP 429: No credit"},
		{"429 by type", 429, errorBody("No credit", "insufficient_quota", ""), llmclient.ErrQuota, "insufficient_quota", "HTTP 429: No credit"},
		{"500", 500, errorBody("Oops", "server_error", ""), llmclient.ErrServer, "server_error", "HTTP 500: Oops"},
		{"502 as a page", 502, "<html>\r\n<title>Bad\x00 Gateway</title>", llmclient.ErrServer, "", "HTTP 502: a body of 35 bytes (application/json) that begins with <html> <title>Bad Gateway</title>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, p, _ := ask(t, says(c.status, c.body))
			want := llmclient.Failure{Kind: c.kind, Status: c.status, Code: c.code,
				Message: strings.Replace(c.message, "URL", p.URL+"/v1/responses", 1)}
			if answer.Failure == nil || *answer.Failure != want {
				t.Errorf("failure = %+v, want %+v", answer.Failure, want)
			}
		})
	}
}

func TestSuccessesThatAreFailures(t *testing.T) {
	const page = "<!DOCTYPE html><html><body>Welcome</body></html>"
	for _, c := range []struct {
		name, body string
		kind       llmclient.ErrorKind
		code, part string
	}{
		{"null", "null", llmclient.ErrMalformed, "", "begins with null"},
		{"nothing", "", llmclient.ErrMalformed, "", "an empty body"},
		{"a page", page, llmclient.ErrMalformed, "", "begins with <!DOCTYPE html>"},
		{"cut JSON", goodOne[:90], llmclient.ErrMalformed, "", `begins with {"id":"resp_1"`},
		{"JSON and more", goodOne + "}", llmclient.ErrMalformed, "", "expected a response"},
		{"a stream", "event: response.created\ndata: {}\n\n", llmclient.ErrMalformed, "", "an event stream without a final response"},
		{"a text", `"hello"`, llmclient.ErrMalformed, "", `"hello"`},
		{"a list", `[]`, llmclient.ErrMalformed, "", "[]"},
		{"output of the wrong type", `{"object":"response","output":7}`, llmclient.ErrMalformed, "", "output is not a list"},
		{"too many items", `{"output":[` + strings.Repeat("{},", itemsMax) + `{}]}`, llmclient.ErrMalformed, "", "more than 1024 items"},
		{"an error object", errorBody("bad thing", "odd", "boom"), llmclient.ErrErrorObject, "boom", "HTTP 200: a success status with an error object: bad thing"},
		{"an error text", `{"error":"bad thing"}`, llmclient.ErrErrorObject, "", "bad thing"},
		{"an empty error", `{"error":{}}`, llmclient.ErrErrorObject, "", "error object"},
		{"an error beside output", `{"error":{"message":"bad"},"output":[]}`, llmclient.ErrErrorObject, "", "bad"},
		{"Chat Completions", `{"id":"c","object":"chat.completion","choices":[{"message":{"content":"hi"}}]}`, llmclient.ErrChatCompletions, "", "Chat Completions"},
		{"Chat Completions without a type", `{"choices":[{"message":{"content":"hi"}}],"output_text":"hi"}`, llmclient.ErrChatCompletions, "", "not in the Responses API"},
		{"a list of models", `{"object":"list","data":[]}`, llmclient.ErrForeignObject, "", `type "list"`},
		{"an empty object", `{}`, llmclient.ErrForeignObject, "", "an object without output"},
		{"a greeting", `{"status":"ok"}`, llmclient.ErrForeignObject, "", "without output"},
		{"failed", `{"object":"response","status":"failed","error":{"code":"odd","message":"it broke"},"output":[]}`, llmclient.ErrFailedResponse, "odd", "HTTP 200: the response has status failed: it broke"},
		{"failed without an error", `{"status":"failed","output":[]}`, llmclient.ErrFailedResponse, "", "status failed"},
		{"cancelled", `{"object":"response","status":"cancelled","output":[]}`, llmclient.ErrCancelledResponse, "", "status cancelled"},
		{"in progress", `{"object":"response","status":"in_progress","output":[]}`, llmclient.ErrUnfinishedResponse, "", "status in_progress"},
		{"queued", `{"object":"response","status":"queued"}`, llmclient.ErrUnfinishedResponse, "", "status queued"},
		{"an error without a status", `{"object":"response","error":{"code":"x","message":"it broke"}}`, llmclient.ErrFailedResponse, "x", "it broke"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, _, _ := ask(t, says(200, c.body))
			f := answer.Failure
			if f == nil || f.Kind != c.kind || f.Status != 200 || f.Code != c.code || !strings.Contains(f.Message, c.part) {
				t.Errorf("failure = %+v, want %s with code %q about %q", f, c.kind, c.code, c.part)
			}
			if answer.Attempts != 1 {
				t.Errorf("%d attempts, want 1: it was paid for", answer.Attempts)
			}
		})
	}
}

func TestOversizedBody(t *testing.T) {
	endless := func(w http.ResponseWriter, _ *http.Request) {
		block := []byte(strings.Repeat(" ", 1<<16))
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
	answer, _, _ := ask(t, endless)
	if kindOf(answer) != llmclient.ErrTooLarge || !strings.Contains(answer.Failure.Message, "more than 8388608 bytes") {
		t.Errorf("failure = %+v, want a malformed body that is too long", answer.Failure)
	}
	full := goodOne + strings.Repeat(" ", BodyBytesMax-len(goodOne))
	if answer, _, _ := ask(t, says(200, full)); answer.Reply == nil {
		t.Errorf("a body of exactly %d bytes: %+v, want a reply", BodyBytesMax, answer.Failure)
	}
}

// TestClosingReadsTheSame holds that timing, which decides how a closed
// connection is seen, does not show in what is recorded.
func TestClosingReadsTheSame(t *testing.T) {
	want := llmclient.Failure{Kind: llmclient.ErrConnection, Message: closedText}
	for _, beginning := range []string{
		"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n",
	} {
		if answer, _, _ := ask(t, hangsUp(beginning)); answer.Failure == nil || *answer.Failure != want {
			t.Errorf("hang up after %q: %+v, want %+v", beginning, answer.Failure, want)
		}
	}
	for _, err := range []error{syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF, errors.New("http: server closed idle connection")} {
		wrapped := &url.Error{Op: "Post", URL: "http://h:1/v1", Err: &net.OpError{Op: "read", Net: "tcp", Err: err}}
		if got := new(Client).with(newScrubber()).lost(wrapped); *got.failure != want || !got.passing {
			t.Errorf("lost(%v) = %+v, want %+v", err, got.failure, want)
		}
	}
}

// with returns c with a scrubber.
func (c *Client) with(s scrubber) *Client {
	c.scrub = s
	return c
}

func TestConnectionRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	c, w := newClient(t, Config{BaseURL: address})
	answer := c.Respond(t.Context(), request())
	want := llmclient.Failure{Kind: llmclient.ErrConnection, Message: "the connection was refused", Unsent: true}
	if answer.Failure == nil || *answer.Failure != want || len(w.all) != RetriesDefault {
		t.Errorf("failure %+v after %d waits, want %+v after %d", answer.Failure, len(w.all), want, RetriesDefault)
	}
}

func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(says(200, goodOne))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	plain := newProvider(t, says(200, goodOne))
	for _, base := range []string{server.URL, strings.Replace(plain.URL, "http:", "https:", 1)} {
		c, _ := newClient(t, Config{BaseURL: base})
		answer := c.Respond(t.Context(), request())
		check(t, answer)
		if kindOf(answer) != llmclient.ErrTLS || answer.Attempts != 1 || !strings.HasPrefix(answer.Failure.Message, "TLS failed: ") {
			t.Errorf("%s: %+v after %d attempts, want a TLS failure after 1", base, answer.Failure, answer.Attempts)
		}
	}
	c, _ := newClient(t, Config{BaseURL: server.URL, HTTPClient: server.Client()})
	if answer := c.Respond(t.Context(), request()); answer.Reply == nil {
		t.Errorf("a trusted certificate: %+v, want a reply", answer.Failure)
	}
}

func TestLost(t *testing.T) {
	for _, c := range []struct {
		err     error
		kind    llmclient.ErrorKind
		passing bool
		message string
	}{
		{&net.DNSError{Err: "no such host", Name: "m.test", IsNotFound: true}, llmclient.ErrDNS, false, "the host name m.test does not resolve: no such host"},
		{&net.DNSError{Err: "server misbehaving", Name: "m.test", IsTemporary: true}, llmclient.ErrDNS, true, "the host name m.test does not resolve: server misbehaving"},
		{x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"a.test"}}, Host: "m.test"}, llmclient.ErrTLS, false, "TLS failed: x509: certificate is valid for a.test, not m.test"},
		{x509.UnknownAuthorityError{}, llmclient.ErrTLS, false, "TLS failed: x509: certificate signed by unknown authority"},
		{tls.AlertError(40), llmclient.ErrTLS, false, "TLS failed: tls: handshake failure"},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, llmclient.ErrTLS, false, "TLS failed: tls: first record does not look like a TLS handshake"},
		{errors.New("tls: protocol version not supported"), llmclient.ErrTLS, false, "TLS failed: tls: protocol version not supported"},
		{syscall.ENETUNREACH, llmclient.ErrConnection, true, "the connection failed: network is unreachable"},
		{errors.New("malformed HTTP response"), llmclient.ErrConnection, true, "the connection failed: malformed HTTP response"},
	} {
		p := newProvider(t, says(200, goodOne))
		client, w := newClient(t, Config{BaseURL: p.URL, HTTPClient: carries(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: 7777}, Err: c.err}
		})})
		answer := client.Respond(t.Context(), request())
		want := llmclient.Failure{Kind: c.kind, Message: c.message, Unsent: c.kind == llmclient.ErrConnection}
		if answer.Failure == nil || *answer.Failure != want {
			t.Errorf("%v: failure %+v, want %+v", c.err, answer.Failure, want)
		}
		if retried := len(w.all) > 0; retried != c.passing {
			t.Errorf("%v: retried %v, want %v", c.err, retried, c.passing)
		}
	}
}

func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	answer, _, _ := ask(t, says(400, errorBody(long, long, long)))
	if n := len([]rune(answer.Failure.Message)); n != messageRunesMax {
		t.Errorf("message has %d characters, want %d", n, messageRunesMax)
	}
	if n := len([]rune(answer.Failure.Code)); n != labelRunesMax {
		t.Errorf("code has %d characters, want %d", n, labelRunesMax)
	}
	if got := fmt.Sprint(answer.Failure.Message[len(answer.Failure.Message)-len("…"):]); got != "…" {
		t.Errorf("message ends with %q, want an ellipsis", got)
	}
}
