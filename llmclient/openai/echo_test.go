package openai

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestAKeyThatIsRepeatedStaysOut: a server that puts the key into its output must
// not bring it into a trace.
func TestAKeyThatIsRepeatedStaysOut(t *testing.T) {
	const key = "planted/key-0123456789"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		echoed := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		escaped := ""
		for _, c := range echoed {
			escaped += fmt.Sprintf(`\u%04x`, c)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"response","status":"completed","output":[
			{"type":"function_call","call_id":"c","name":"decision","arguments":"{\"why\":\"` + echoed + `\"}"},
			{"type":"function_call","call_id":"d","name":"decision","arguments":"{\"why\":\"` + strings.ReplaceAll(escaped, `\`, `\\`) + `\"}"},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + echoed + ` ` + escaped + ` ` + strings.ReplaceAll(echoed, "/", `\/`) + `"}]},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + hex.EncodeToString([]byte(echoed)) + `"}]},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + base64.StdEncoding.EncodeToString([]byte("Bearer "+echoed+"x")) + `"}]}]}`))
	}))
	defer server.Close()
	client, err := New(Config{BaseURL: server.URL, APIKey: NewSecret(key)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	answer := client.Respond(context.Background(), llmclient.Request{Model: "m"})
	if answer.Reply == nil || len(answer.Reply.Items) != 5 {
		t.Fatalf("answer %+v", answer)
	}
	for _, it := range answer.Reply.Items {
		text, _ := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(it.Text, `\"`, `'`), `"`, `'`) + `"`)
		plain, _ := base64.StdEncoding.DecodeString(it.Text)
		if strings.Contains(string(it.Raw)+it.Text+text+string(plain), key) || strings.Contains(it.Text, "706c616e746564") {
			t.Errorf("the key is in an item: %s", it.Raw)
		}
	}
}
