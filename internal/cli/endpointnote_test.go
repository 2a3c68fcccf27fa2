package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
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
	e := newEndpoints(config{})
	t.Cleanup(e.close)
	var said []string
	e.say = func(text string) { said = append(said, text) }
	client, err := e.client("http://shown/v1", openai.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if answer := client.Respond(t.Context(), llmclient.Request{Model: "m", CacheKey: "k"}); answer.Reply == nil {
			t.Fatalf("%+v", answer.Failure)
		}
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], "note: http://shown/v1: requests to m go without prompt_cache_key from now on") {
		t.Errorf("said %q", said)
	}
}
