package cli

import "example.com/agentworld/plaintext"

// oneLine makes text that others wrote safe for one line of the terminal.
func oneLine(text string) string { return plaintext.EscapeLine(text) }
