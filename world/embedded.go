package world

import (
	"embed"
	"sort"
	"strings"
)

//go:embed scenarios/*.toml
var scenarioFiles embed.FS

// defaultScenario is listed first and is what a run without a name uses.
const defaultScenario = "llm_bootstrap"

// EmbeddedScenarios lists the names of the built-in scenarios, the default one
// first, the others sorted.
func EmbeddedScenarios() []string {
	entries, err := scenarioFiles.ReadDir("scenarios")
	if err != nil {
		panic("world: the embedded scenarios are missing: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := names[i] == defaultScenario, names[j] == defaultScenario; a != b {
			return a
		}
		return names[i] < names[j]
	})
	return names
}

// EmbeddedScenario returns a built-in scenario and its TOML by name or alias;
// hyphens and underscores are the same. It reports false for an unknown name.
func EmbeddedScenario(name string) (Scenario, []byte, bool) {
	wanted := strings.ReplaceAll(name, "-", "_")
	for _, id := range EmbeddedScenarios() {
		s, text := mustEmbedded(id)
		if s.isCalled(wanted) {
			return s, text, true
		}
	}
	return Scenario{}, nil, false
}

// mustEmbedded reads a scenario that ships with the package; that it is sound is
// tested, so anything else is a bug.
func mustEmbedded(id string) (Scenario, []byte) {
	path := "scenarios/" + id + ".toml"
	text, err := scenarioFiles.ReadFile(path)
	if err != nil {
		panic("world: an embedded scenario cannot be read: " + err.Error())
	}
	s, err := ParseScenario(path, text)
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
