package scenario

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

//go:embed files/*.toml files/tasks/*.toml
var files embed.FS

// defaultScenario is listed first and is what a run without a name uses.
const defaultScenario = "llm_bootstrap"

// Names lists the names of the built-in scenarios, the default one
// first, the others sorted.
func Names() []string {
	names := []string{defaultScenario}
	for _, file := range paths() {
		if name := strings.TrimSuffix(path.Base(file), ".toml"); name != defaultScenario {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	return names
}

// paths lists the embedded files: the scenarios and, one directory below,
// the scored tasks.
func paths() []string {
	var list []string
	for _, pattern := range []string{"files/*.toml", "files/tasks/*.toml"} {
		found, err := fs.Glob(files, pattern)
		if err != nil || len(found) == 0 {
			panic("scenario: the embedded scenarios are missing: " + pattern)
		}
		list = append(list, found...)
	}
	return list
}

// Embedded returns a built-in scenario and its TOML by name or alias;
// hyphens and underscores are the same. It reports false for an unknown name.
func Embedded(name string) (world.Scenario, []byte, bool) {
	wanted := strings.ReplaceAll(name, "-", "_")
	all := paths()
	// Nearly always a file is called as its scenario is, and the others need not be parsed.
	if i := slices.IndexFunc(all, func(file string) bool { return path.Base(file) == wanted+".toml" }); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	for _, file := range all {
		// That what ships with the package is sound is tested, so anything else is a bug.
		text, err := files.ReadFile(file)
		if err != nil {
			panic("scenario: an embedded scenario cannot be read: " + err.Error())
		}
		if !strings.Contains(strings.ReplaceAll(string(text), "-", "_"), wanted) {
			continue // parsing all of them takes long
		}
		s, err := Parse(file, text)
		if err != nil {
			panic("scenario: an embedded scenario is wrong: " + err.Error())
		}
		for _, known := range append([]string{s.ID}, s.Aliases...) {
			if strings.ReplaceAll(known, "-", "_") == wanted {
				return s, text, true
			}
		}
	}
	return world.Scenario{}, nil, false
}
