package cli

import (
	"os"

	"github.com/mattn/go-isatty"
)

// isTerminal reports whether f is a terminal that understands cursor control. In
// a pipe, a log file or a dumb terminal progress comes as plain lines.
func isTerminal(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb"
}
