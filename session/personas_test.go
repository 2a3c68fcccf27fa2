package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPersonasAreReadBesideTheScenario: from its folder and below it, and from nowhere else, whatever the name
// or a link says. The settings of a run have the personas themselves.
func TestPersonasAreReadBesideTheScenario(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "s")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("secret.csv", "name\nSecret\n")
	write("s/people.csv", "name\nAda\n")
	write("s/below/people.csv", "name\nBo\n")
	if err := os.Symlink(filepath.Join(dir, "secret.csv"), filepath.Join(folder, "link.csv")); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"people.csv": "Ada", "below/people.csv": "Bo", "below/../people.csv": "Ada",
		"../secret.csv": "", filepath.Join(dir, "secret.csv"): "", "link.csv": "", "below": "", "none.csv": "",
	} {
		write("s/s.toml", "id = \"s\"\npersonas_file = \""+file+"\"\nagents = { count = 1, spawn = [\"p\"] }\n"+
			"places = [{ id = \"p\", material = \"ice\", offset_pct = { x = 0, y = 0, z = 0 } }]\n")
		name := filepath.Join(folder, "s.toml")
		settings, err := Defaults(name)
		switch {
		case want == "" && (err == nil || !strings.HasPrefix(err.Error(), name+":2: personas_file: ")):
			t.Errorf("%s: %v", file, err)
		case want != "" && (err != nil || !strings.Contains(settings.ScenarioTOML, "name = '"+want+"'")):
			t.Errorf("%s: %v in\n%s", file, err, settings.ScenarioTOML)
		}
		if err != nil && strings.Contains(err.Error(), "Secret") || strings.Contains(settings.ScenarioTOML, "Secret") {
			t.Errorf("%s: a file outside of the folder is shown", file)
		}
	}
}
