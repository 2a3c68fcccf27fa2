package report

import (
	"os"
	"testing"
)

// TestReportFileMatchesSchema validates a report that the program has written. The
// gate runs the main command first and names its report; elsewhere there is none.
func TestReportFileMatchesSchema(t *testing.T) {
	path := os.Getenv("AGENT_WORLD_CI_REPORT")
	if path == "" {
		t.Skip("AGENT_WORLD_CI_REPORT names no report to validate")
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(written); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}
