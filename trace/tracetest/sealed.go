// Package tracetest helps tests that change a trace by hand.
package tracetest

import (
	"bytes"

	"example.com/agentworld/trace"
)

// Sealed returns the lines of a trace chained again from the beginning, as somebody would who
// forges it. What has no line feed at the end stays as it is.
func Sealed(text []byte) []byte {
	sealed, _ := SealedAfter(text, "")
	return sealed
}

// SealedAfter is [Sealed] for a file that follows another one, the last line of which has a
// chain. It returns the chain of its own last line too.
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
