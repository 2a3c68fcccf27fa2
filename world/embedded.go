package world

import (
	"embed"
	"io/fs"
	"path"
	"sort"
	"strings"
)

//go:embed scenarios/*.toml scenarios/tasks/*.toml
var scenarioFiles embed.FS

// defaultScenario is listed first and is what a run without a name uses.
const defaultScenario = "llm_bootstrap"

// EmbeddedScenarios lists the names of the built-in scenarios, the default one
// first, the others sorted.
func EmbeddedScenarios() []string {
	var names []string
	for _, file := range scenarioPaths() {
		names = append(names, strings.TrimSuffix(path.Base(file), ".toml"))
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := names[i] == defaultScenario, names[j] == defaultScenario; a != b {
			return a
		}
		return names[i] < names[j]
	})
	return names
}

// scenarioPaths lists the embedded files: the scenarios and, one directory below,
// the scored tasks.
func scenarioPaths() []string {
	var files []string
	for _, pattern := range []string{"scenarios/*.toml", "scenarios/tasks/*.toml"} {
		found, err := fs.Glob(scenarioFiles, pattern)
		if err != nil || len(found) == 0 {
			panic("world: the embedded scenarios are missing: " + pattern)
		}
		files = append(files, found...)
	}
	return files
}

// EmbeddedScenario returns a built-in scenario and its TOML by name or alias;
// hyphens and underscores are the same. It reports false for an unknown name.
func EmbeddedScenario(name string) (Scenario, []byte, bool) {
	wanted := strings.ReplaceAll(name, "-", "_")
	for _, file := range scenarioPaths() {
		s, text := mustEmbedded(file)
		if s.isCalled(wanted) {
			return s, text, true
		}
	}
	return Scenario{}, nil, false
}

// mustEmbedded reads a scenario that ships with the package; that it is sound is
// tested, so anything else is a bug.
func mustEmbedded(file string) (Scenario, []byte) {
	text, err := scenarioFiles.ReadFile(file)
	if err != nil {
		panic("world: an embedded scenario cannot be read: " + err.Error())
	}
	s, err := ParseScenario(file, text)
	if err != nil {
		panic("world: an embedded scenario is wrong: " + err.Error())
	}
	return s, text
}

// isCalled says whether name, written with underscores, means s.
func (s Scenario) isCalled(name string) bool {
	for _, known := range append([]string{s.ID}, s.Aliases...) {
		if strings.ReplaceAll(known, "-", "_") == name {
			return true
		}
	}
	return false
}
