// Command agentworld_cluster is world_llm_agent_demo with what few need and much code takes: batches over many
// machines by NATS JetStream (batch run --nats, worker), and export of runs by OpenTelemetry (--otel).
package main

import (
	"example.com/agentworld/cli"
	"example.com/agentworld/extension/jetstream"
	"example.com/agentworld/extension/otel"
)

func main() { cli.Main(jetstream.Extension(), otel.Extension()) }
