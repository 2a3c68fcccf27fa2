package cli

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/session"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// chooseScenario finds the scenario that v names: an embedded one, or a file. A
// built-in name wins over a file of that name, which "./name" reaches. commands
// are offered in the error, because a misspelt command arrives here.
func chooseScenario(m *Main, v settings.Value, commands []string) (
	name string, text []byte, s world.Scenario, err error) {
	name = v.Text
	if s, toml, ok := scenario.Embedded(name); ok {
		return s.ID, toml, s, nil
	}
	// A path ends in .toml or has a separator, or there is such a file.
	info, err := os.Stat(m.path(name))
	isFile := err == nil && info.Mode().Type() != fs.ModeDir
	if !isFile && !strings.HasSuffix(name, ".toml") && !strings.ContainsRune(name, os.PathSeparator) {
		where := ""
		switch {
		case v.Origin.Rank != settings.FromArgument:
			where = v.Where() + ": "
		case len(commands) > 0:
			return name, nil, s, badInput("unknown scenario or command %s; %s%s; %s --help lists the commands",
				shown(name), settings.DidYouMean(name, slices.Concat(commands, m.scenarioNames())), allowedScenarios, m.called())
		}
		return name, nil, s, badInput("%sunknown scenario %s; %s%s", where, shown(name),
			settings.DidYouMean(name, m.scenarioNames()),
			allowedScenarios)
	}
	text, err = readBounded(m.path(name), scenario.BytesMax)
	if err != nil {
		where := "scenario"
		if v.Origin.Rank != settings.FromArgument {
			where = v.Where() + ":"
		}
		meant := ""
		if errors.Is(err, fs.ErrNotExist) {
			meant = settings.DidYouMean(name, m.scenarioNames())
		}
		return name, nil, s, badInput("%s %s cannot be read: %w; %s%s",
			where, shown(name), cause(err), meant, allowedScenarios)
	}
	text, err = session.WholeScenario(m.path(name), name, text)
	if err != nil {
		return name, nil, s, wrongSettings(err)
	}
	s, err = scenario.Parse(name, text)
	return name, text, s, wrongSettings(err)
}

// namedScenario is the name of a scenario as the argument of a command.
func namedScenario(name string) settings.Value {
	return settings.Value{Setting: settings.Setting{Flag: "scenario"}, Text: name,
		Origin: settings.Origin{Rank: settings.FromArgument}}
}

// allowedScenarios says what can be run. The names are too many for an error.
const allowedScenarios = "allowed: a name of \"scenarios list\", or a readable .toml file"
