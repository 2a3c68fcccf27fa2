// Package tracetest helps tests that change a trace by hand.
package tracetest

import (
	"bytes"

	"example.com/agentworld/trace"
)

// Sealed returns the lines of a trace chained again from the beginning, as a forger
// would. A last line without a line feed stays as it is.
func Sealed(text []byte) []byte {
	sealed, _ := SealedAfter(text, "")
	return sealed
}

// SealedAfter is [Sealed] for a file that follows another one; chain is that of the other
// file's last line. It returns the chain of its own last line too.
func SealedAfter(text []byte, chain trace.Chain) ([]byte, trace.Chain) {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		if body, _, ok := trace.Unseal(line); ok {
			line = append(bytes.Clone(body), '}')
		}
		if whole && bytes.HasSuffix(line, []byte("}")) {
			line, chain = trace.Seal(bytes.Clone(line), chain)
		}
		b.Write(line)
		if whole {
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), chain
}
