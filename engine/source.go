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
func Live(r Responder) Source { return LiveByAgent(r, nil) }

// LiveByAgent makes a Source of several transports: agents named in own use theirs,
// all others use main.
func LiveByAgent(main Responder, own map[string]Responder) Source { return routed{main, own} }

type routed struct {
	main Responder
	own  map[string]Responder
}

func (s routed) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if own, ok := s.own[key.Agent]; ok {
		return own.Respond(ctx, r)
	}
	return s.main.Respond(ctx, r)
}

// forkSource answers a fork's requests: as recorded up to a tick, then by its own
// model.
type forkSource struct {
	prefix *Recorded
	atTick int64
	own    Source
}

// Respond implements [Source].
func (s forkSource) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if key.Tick <= s.atTick {
		return s.prefix.Respond(ctx, key, r)
	}
	return s.own.Respond(ctx, key, r)
}
