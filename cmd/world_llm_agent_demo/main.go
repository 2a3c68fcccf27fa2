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
// command line, where other users of the machine could read them.
//
// The other commands work on what a run left in its directory:
//
//	scenarios list | show NAME      what can be run
//	replay RUN                      derive the run again and compare
//	fork RUN --at-tick N            leave the run there and go on differently
//	answers export RUN FILE         its recorded answers as a small file
//	explain RUN --tick T --agent A  one decision with its exact prompts
//	trace canonical RUN             the trace without wall-clock data
//	report RUN                      fold the trace into a report again
//	model-server                    serve the scripted model by itself
//
// Exit codes: 0 completed, 1 internal error, 2 bad input, 3 provider, 4 budget,
// 5 replay differs, 6 gate failed, 130 interrupted.
package main

import "example.com/agentworld/internal/cli"

func main() { cli.Execute() }
