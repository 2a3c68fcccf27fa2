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
// How the package works, in the order things happen:
//
//  1. [Main] holds everything taken from the process: arguments, streams,
//     environment, working directory. Tests drive the same wiring.
//  2. Each setting is one row of settingTable. A value comes from the strongest
//     source that has one: flag, environment, file, default; it keeps its origin.
//  3. The values become a config, checked as a whole. Everything that can be
//     refused is refused here, with exit code 2, before a call or a file is made.
//  4. chooseModel decides between a live and a scripted model, and says which.
//  5. The engine runs the world; progress goes to stderr.
//  6. The trace is folded into a report, whatever ended the run, and the summary
//     goes to stdout.
//
// Three kinds of output never mix: results on stdout, fit for a pipe; progress,
// notes and errors on stderr, an error being one line; files in the run directory,
// each complete or absent, except for the trace, which grows as the run goes on.
//
// Text written by models and providers is shown with its control characters
// escaped and within bounds (escape.go). Keys are held in a type that does not
// print, and their values appear in no error, announcement or file.
//
// To change the command line: a new setting is a row in settingtable.go and a
// field in config.go; a new command is a function that returns a *cobra.Command,
// added in rootCommand, with a story in testdata/script.
//
// Exit codes: 0 completed, 1 internal error, 2 bad input, 3 provider, 4 budget,
// 5 replay differs, 6 gate failed, 130 interrupted.
package main
