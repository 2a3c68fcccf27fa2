package stub_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
)

// A server on a free loopback port answers any client of the Responses API.
func ExampleStart() {
	server, err := stub.Start(context.Background(), stub.DefaultAddr, stub.Options{Seed: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Post(server.URL()+"/v1/responses", "application/json", strings.NewReader(`{"model":"any","input":"What now?"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, strings.Contains(string(body), `"object":"response"`), err)
	// Output: 200 true <nil>
}

// The policy of the server can be asked without a server.
func ExampleDecide() {
	observation := `# Observation, tick 3
you: agent-1, at base, power low, electricity 9/100, heat 0 (harmless to 100), compound 0 g, hardware 0, data 0
can: wait; harvest_radiation 1..30`
	request := llmclient.Request{
		Model:  "any",
		Input:  []llmclient.Item{llmclient.Message("user", observation)},
		Tools:  []llmclient.Tool{{Name: "decision", Parameters: []byte(`{"type":"object"}`)}},
		Choice: llmclient.ToolChoice{Mode: llmclient.ChoiceRequired},
	}
	result, err := stub.Decide(7, request.Body())
	if err != nil {
		fmt.Println(err)
		return
	}
	call := result.Items[len(result.Items)-1]
	fmt.Println(call.Name, call.Text[:54])
	// Output: decision {"action":{"action":"harvest_radiation","amount":30},"
}
