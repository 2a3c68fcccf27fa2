package openai

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestAKeyThatIsRepeatedStaysOut: a server that puts the key into its output must
// not bring it into a trace.
func TestAKeyThatIsRepeatedStaysOut(t *testing.T) {
	const key = "planted-key-0123456789"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		echoed := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"response","status":"completed","output":[
			{"type":"function_call","call_id":"c","name":"decision","arguments":"{\"why\":\"` + echoed + `\"}"},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + echoed + `"}]}]}`))
	}))
	defer server.Close()
	client, err := New(Config{BaseURL: server.URL, APIKey: NewSecret(key)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	answer := client.Respond(context.Background(), llmclient.Request{Model: "m"})
	if answer.Reply == nil || len(answer.Reply.Items) != 2 {
		t.Fatalf("answer %+v", answer)
	}
	for _, it := range answer.Reply.Items {
		if strings.Contains(string(it.Raw), key) || strings.Contains(it.Text, key) {
			t.Errorf("the key is in an item: %s", it.Raw)
		}
	}
}
