package plaintext_test

import (
	"strings"
	"testing"

	"example.com/agentworld/plaintext"
)

// TestFileName: what Windows keeps for devices is refused in every spelling, and what only resembles
// it is not.
func TestFileName(t *testing.T) {
	for _, name := range []string{
		"con", "CON", "Con.txt", "nul", "nul.tar.gz", "aux", "prn", "com1", "COM9.log", "lpt3", "com¹", "LPT².x", "com³", "conin$", "CONOUT$.txt",
		"nul ", "nul .txt", "name.", "name ", "a. .", " .",
	} {
		if err := plaintext.FileName(name); err == nil || !strings.Contains(err.Error(), "Windows") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "console", "com", "com0", "com10", "COM12", "lpt", "lpt0", "nul1", "auxiliary", "x.con", "con-1", "com⁴", "agent-1", ".con", "a.b"} {
		if err := plaintext.FileName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
