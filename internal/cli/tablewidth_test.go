package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/plaintext"
)

// TestTablesFitATerminal: on a terminal the tables of a batch and of its runs have its width, in a pipe
// they have every column.
func TestTablesFitATerminal(t *testing.T) {
	dir := t.TempDir()
	text := "name = \"b\"\nscenarios = [\"task_production_chips_40\"]\nseeds = \"1\"\n[settings.run]\nticks = 1\n[axes.prompt_protocol.full.run]\nprotocol = \"full\"\n[axes.prompt_protocol.lean.run]\nprotocol = \"lean\"\n[compare]\naxis = \"prompt_protocol\"\nbaseline = \"full\"\nprimary = \"calls\"\n"
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	played := func(columns int, args ...string) string {
		p := newProcess(t, nil, args...)
		p.dir, p.Getwd = dir, func() (string, error) { return dir, nil }
		p.OutputColumns = func() int { return columns }
		if code := p.run(t); code != exitCompleted {
			t.Fatalf("%v: exit code %d: %s", args, code, p.output())
		}
		return p.stdout.String()
	}
	// A summary begins with lines of prose.
	tables := func(text string) string { _, text, _ = strings.Cut(text, "\n\n"); return text }
	batchRun := []string{"batch", "run", "b.toml", "--dir", "d", "--quiet"}
	_ = played(80, batchRun...)
	for _, c := range []struct {
		args      []string
		of        func(string) string
		keeps, no string
		widths    []int
	}{
		{batchRun, tables, "VERDICT", "PAIRS", []int{40, 80, 0}},
		{[]string{"batch", "report", "d"}, tables, "VERDICT", "PAIRS", []int{40, 80, 0}},
		{[]string{"runs", "list", "d"}, func(text string) string { return text }, "SCORE", "STARTED", []int{40, 80, 0}},
		{[]string{"scenarios", "list"}, func(text string) string { text, _, _ = strings.Cut(text, "\n\n"); return text }, "BOUND", "RANDOM", []int{80}},
	} {
		for _, columns := range c.widths {
			text := c.of(played(columns, c.args...))
			if columns == 0 {
				if !strings.Contains(text, c.keeps) || !strings.Contains(text, c.no) || strings.Contains(text, "also has") {
					t.Errorf("%v: in a pipe:\n%s", c.args, text)
				}
				continue
			}
			for line := range strings.Lines(text) {
				if n := plaintext.Cells(strings.TrimSuffix(line, "\n")); n > columns {
					t.Errorf("%v: %d of %d columns: %s", c.args, n, columns, line)
				}
			}
			if columns == 80 && !strings.Contains(text, c.keeps) || !strings.Contains(text, "a pipe also has:") {
				t.Errorf("%v: %d columns:\n%s", c.args, columns, text)
			}
		}
	}
}
