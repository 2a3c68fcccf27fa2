package engine

import (
	"context"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// LiveByAgent makes a Source of several transports: agents named in own use theirs,
// all others use main.
func LiveByAgent(main Responder, own map[string]Responder) Source {
	if len(own) == 0 {
		return Live(main)
	}
	return routed{main, own}
}

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
