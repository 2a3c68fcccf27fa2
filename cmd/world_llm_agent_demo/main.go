// Command world_llm_agent_demo runs a world of language-model agents and keeps
// a record of every decision they make.
//
// The run is the default command; the first word is a scenario:
//
//	world_llm_agent_demo llm_bootstrap --ticks 30 --report-json out/report.json
//
// Without a model it starts an embedded scripted server on a loopback port, so
// it needs no key and no network, and says so. With a model it calls a live
// endpoint that speaks the Responses API:
//
//	export OPENAI_API_KEY=...
//	world_llm_agent_demo llm_bootstrap --model gpt-5 --ticks 30
//
// Keys are read from the environment or the configuration file, never from the
// command line, where other users of the machine could read them. The other commands,
// which help lists, work on what a run left in its directory.
package main

import "example.com/agentworld/cli"

func main() { cli.Main() }
