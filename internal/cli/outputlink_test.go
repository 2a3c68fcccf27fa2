package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/run"
)

// TestNoOutputReplacesARecord: no record of a run is replaced, neither by its own name nor through a link to it.
func TestNoOutputReplacesARecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, name := range []string{run.TraceFile, run.IndexFile, run.ClaimFile, run.AsksFile, run.AheadFile} {
		link := filepath.Join(filepath.Dir(dir), "to-"+name)
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte("kept\n"), 0o600)
		}
		if err == nil {
			err = os.Symlink(filepath.Join(dir, name), link)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{filepath.Join(dir, name), link} {
			if _, err := prepareOutput(path); err == nil || !strings.Contains(err.Error(), "would replace a record of a run") {
				t.Errorf("an output at %s: %v", path, err)
			}
		}
	}
	if out, err := prepareOutput(filepath.Join(dir, run.ReportFile)); err != nil || out.path == "" {
		t.Errorf("the report of a run: %v", err)
	}
}
