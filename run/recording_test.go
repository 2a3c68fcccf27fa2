package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/run"
)

// TestARecordingOfAnotherEncoding: what a shell wrote as UTF-16 is named as that.
func TestARecordingOfAnotherEncoding(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	for name, text := range map[string]string{
		"marked": "\xff\xfe{\x00\"\x00t\x00", "unmarked": "{\x00\"\x00t\x00y\x00p\x00e\x00",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := run.ReadRecording(path, nil); err == nil || !strings.Contains(err.Error(), "UTF-16") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
