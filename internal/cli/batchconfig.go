package cli

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/settings"
)

// shapingConfig refuses what a configuration file says about the runs of a batch that its own file does not say: the
// cells would be others without a word. A problem names the setting and where it belongs. What only reaches models,
// such as keys and rates, is allowed there, and so is what a batch file cannot say. What the environment says for all
// cells is returned, to be told.
func shapingConfig(m *Main, name string, b batch.File, file settings.File,
	all settings.Table) (problems, told []string) {
	environment, config := settings.Environment(m.LookupEnv), file.Source()
	for _, s := range all {
		if !s.Shapes || m.extended(s.Key) || saysEverywhere(b, s.Key) {
			continue
		}
		if v, set := environment(s); set {
			told = append(told, s.Name()+" ("+v.Origin.At+")")
			continue
		}
		v, set := config(s)
		if !set {
			continue
		}
		table, key, _ := strings.Cut(s.Key, ".")
		where := fmt.Sprintf("the same line under [settings.%s] of %s", table, shown(name))
		switch {
		case isSuite(m, name) && slices.Contains(playerSettings, s.Key):
			where = fmt.Sprintf("--%s of batch run %s", s.Flag, name)
		case isSuite(m, name):
			where = fmt.Sprintf("without it, or a batch file with suite = \"%s\", where the suite leaves it to players", name)
		case s.Kind == settings.KindAgents:
			where = fmt.Sprintf("AGENT = \"MODEL@URL\" under [settings.%s] of %s", settings.AgentsTable, shown(name))
		case s.Key == "run.seed":
			where = "seeds in " + shown(name)
		case slices.Contains(cellSettings, s.Key):
			where = "leave it out, a batch does not take it"
		}
		if key == "" {
			key = table
		}
		problems = append(problems, fmt.Sprintf("%s: %s would shape all cells, and %s does not say it; allowed: %s",
			v.Origin.At, key, shown(name), where))
	}
	return problems, told
}

// saysEverywhere says that a batch file gives a setting to all of its cells.
func saysEverywhere(b batch.File, key string) bool {
	sets := func(list []batch.Setting) bool {
		return slices.ContainsFunc(list, func(s batch.Setting) bool {
			return s.Key == key || key == settings.AgentsTable && strings.HasPrefix(s.Key, key+".")
		})
	}
	if key == "run.scenario" || key == "run.seed" && len(b.Seeds) > 0 || sets(b.Settings) {
		return true
	}
	return slices.ContainsFunc(b.Axes, func(a batch.Axis) bool {
		return !slices.ContainsFunc(a.Values, func(v batch.AxisValue) bool { return !sets(v.Settings) })
	})
}
