package engine

import (
	"context"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Source answers requests: a live endpoint, or a recording. Respond returns an
// answer in every case and is called from several goroutines.
type Source interface {
	Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer
}

// Responder sends one request over a transport, such as the client of
// llmclient/openai.
type Responder interface {
	Respond(ctx context.Context, r llmclient.Request) llmclient.Answer
}

// Live makes a Source of a transport; the transport does not need the key.
func Live(r Responder) Source { return live{r} }

type live struct{ Responder }

func (l live) Respond(ctx context.Context, _ trace.CallKey, r llmclient.Request) llmclient.Answer {
	return l.Responder.Respond(ctx, r)
}
