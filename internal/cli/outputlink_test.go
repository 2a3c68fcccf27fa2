package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/memory/playbook"
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
	fl := files{dir: dir}
	err := os.Mkdir(filepath.Join(dir, run.PlaybookDir), 0o700)
	for _, name := range []string{run.ReportFile, "../lessons", filepath.Join(run.PlaybookDir, "agent-1.toml")} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), playbook.New().Encode(), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	output := func(name string, owned ...keptPath) error { _, err := fl.output("", name, owned...); return err }
	outputOfPlaybook := func(name string) error { _, err := fl.outputPlaybook(name); return err }
	for name, c := range map[string]struct {
		err     error
		refused string
	}{
		"a report":                 {output("report.json"), "the report of a run"},
		"another run's report":     {output("report.json", fl.ownReport("other")), "the report of a run"},
		"its own report":           {output("report.json", fl.ownReport("")), ""},
		"a playbook":               {output("../lessons"), "a playbook"},
		"a playbook by its owner":  {outputOfPlaybook("../lessons"), ""},
		"what a run learned":       {output("playbooks/agent-1.toml"), "a record of a run"},
		"what another run learned": {outputOfPlaybook("playbooks/agent-1.toml"), "a record of a run"},
	} {
		refused := c.err != nil && strings.Contains(c.err.Error(), "would replace "+c.refused+";")
		if (c.err == nil) != (c.refused == "") || c.err != nil && !refused {
			t.Errorf("%s: %v, want refused for %q", name, c.err, c.refused)
		}
	}
}
