package openai

import (
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// BenchmarkRespondLoopback measures one call with a prompt of usual size against
// a server in the same process.
func BenchmarkRespondLoopback(b *testing.B) {
	p := newProvider(b, says(200, goodOne))
	c, _ := newClient(b, Config{BaseURL: p.URL})
	r := request()
	r.Input = append(r.Input, llmclient.Message("user", strings.Repeat("an observation ", 800)))
	b.ReportAllocs()
	for b.Loop() {
		if answer := c.Respond(b.Context(), r); answer.Reply == nil {
			b.Fatalf("no reply: %+v", answer.Failure)
		}
	}
}
