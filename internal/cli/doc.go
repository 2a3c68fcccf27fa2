// Package cli is the command line of world_llm_agent_demo: its settings, and one file
// per command.
//
// How the package works, in the order things happen:
//
//  1. [Main] holds everything taken from the process: a printer, files, an environment,
//     interrupts. Commands are functions over it. Tests drive the same wiring.
//  2. A value of a setting comes from the strongest source that has one: flag, environment,
//     file, default; it keeps its origin. See package settings.
//  3. The values become a config, the files that they name are read, and keys are looked for:
//     each with the endpoint that it was given for.
//  4. A session takes all of it, see package session: it checks the settings as a whole before a
//     call or a file is made, and plays. What it refuses becomes words in refusal.go.
//  5. Progress goes to stderr, the summary of the report to stdout, whatever ended the run.
//
// Three kinds of output never mix: results on stdout, fit for a pipe; progress,
// notes and errors on stderr, an error being one line; files in the run directory,
// each complete or absent, except for the trace, which grows during the run.
//
// Everything printed passes a [terminal.Screen], which escapes control characters. Text that models,
// providers and files bring is an argument of [plaintext.Fprintf], so that it begins no line.
// A key appears in no error, announcement or file.
package cli
