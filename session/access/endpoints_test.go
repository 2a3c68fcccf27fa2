package access_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// TestWhatRequestsGoWithoutIsSaid: progress names once what an endpoint refuses.
func TestWhatRequestsGoWithoutIsSaid(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "prompt_cache_key") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"Unknown parameter: 'prompt_cache_key'"}`)
			return
		}
		_, _ = io.WriteString(w, `{"output":[{"type":"message","role":"assistant","content":"hi"}]}`)
	}))
	t.Cleanup(server.Close)
	var said []access.Notice
	a, err := access.Choose(&trace.Settings{Model: "m", BaseURL: server.URL}, access.Config{Tell: func(n access.Notice) { said = append(said, n) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	source, _, err := a.Open(t.Context(), nil, stub.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	a.Begin()
	for range 2 {
		if answer := source.Respond(t.Context(), trace.CallKey{}, llmclient.Request{Model: "m", CacheKey: "k"}); answer.Reply == nil {
			t.Fatalf("%+v", answer.Failure)
		}
	}
	if len(said) != 1 {
		t.Fatalf("said %v", said)
	}
	change, ok := said[0].(access.Change)
	if !ok || change.Endpoint != server.URL+"/v1" || !strings.HasPrefix(change.Text, "requests to m go without prompt_cache_key from now on") {
		t.Errorf("said %q", said)
	}
}
