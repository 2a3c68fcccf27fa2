// Package cli is the command line as a program of one's own, with extensions.
package cli

import (
	"example.com/agentworld"
	"example.com/agentworld/internal/cli"
)

// Main is the program of this process with some extensions: it catches the signals, runs with the arguments
// and streams of the process, and exits with the exit code. Commands, flags and exit codes are those of
// world_llm_agent_demo, and what the extensions add.
func Main(extensions ...agentworld.Extension) { cli.Execute(extensions...) }
