package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}]}`)
	}))
	defer server.Close()

	client, err := openai.New(openai.Config{BaseURL: server.URL})
	if err != nil {
		fmt.Println("model access:", err)
		return
	}
	defer client.Close()
	answer := client.Respond(context.Background(), llmclient.Request{
		Model: "m", Instructions: "Be polite.", Input: []llmclient.Item{llmclient.Message("user", "hi")},
	})
	if answer.Failure != nil {
		fmt.Println(answer.Failure.Kind, answer.Failure.Message)
		return
	}
	fmt.Println(answer.Reply.Status, answer.Reply.Items[0].Text)
	// Output: completed hello
}

func ExampleParseBaseURL() {
	for _, written := range []string{"localhost:8000", "https://api.example.org/openai/responses?api-version=1&api-key=abc", "example.org"} {
		base, err := openai.ParseBaseURL(written)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(base)
	}
	// Output:
	// http://localhost:8000/v1
	// https://api.example.org/openai?api-version=1&api-key=[secret]
	// base URL has no scheme: write http:// or https:// before the host (it may be left out only for localhost, 127.x.x.x and [::1])
}
