package batch

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unique"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Shape is what shaped a run beside its instance, its repeat and the versions of the program: a line NAME=VALUE for
// each setting, by its name in records, and for each part of the world, as world.PART. What has its default is
// left out, a value that is 0, off or nothing is empty, and a long one is a digest. The shape is empty if it was not
// recorded: in results of earlier versions, and of runs that did not begin.
type Shape string

// UnmarshalText implements [encoding.TextUnmarshaler]. The many results of an arm share one text.
func (s *Shape) UnmarshalText(text []byte) error {
	*s = Shape(unique.Make(string(text)).Value())
	return nil
}

// The names of what is compared beside settings.
const (
	worldPrefix   = "world."
	versionPrefix = "version."
	whatPrompt    = versionPrefix + "prompt"
	whatProgram   = versionPrefix + "program"
	whatTicks     = "ticks"
	whatCaps      = "caps"
	whatAnswered  = "answered"
)

// notShaping are the settings that are no part of a [Shape]: the instance and its repeat, the scenario, whose
// parts are, the ticks, which results have, and what does not change a run.
var notShaping = []string{"scenario", "scenario_toml", "seed", "scripted_seed", "fault_seed", "ticks", "estimate",
	"max_degraded_pct"}

// valueMost bounds a value of a shape, in bytes.
const valueMost = 60

// digestDigits are the hexadecimal digits of a digest that are shown.
const digestDigits = 12

// usual are the settings and rules by name as they are unless somebody sets them.
var usual = func() map[string]string {
	values := map[string]string{}
	for _, c := range (trace.Settings{}).Changes(trace.DefaultSettings()) {
		values[c.What] = c.To
	}
	var rules map[string]int64
	if err := json.Unmarshal(llmclient.Marshal(world.DefaultRules()), &rules); err != nil {
		panic("batch: a rule is no number: " + err.Error())
	}
	for name, value := range rules {
		values[worldPrefix+"rules."+name] = strconv.FormatInt(value, 10)
	}
	return values
}()

// shapeOf is the shape of the run of a report.
func shapeOf(r report.Report) Shape {
	if len(r.World) == 0 { // this version cannot read what it played
		return ""
	}
	var lines []string
	add := func(name, value string) {
		if len(value) > valueMost || strings.ContainsFunc(value, unicode.IsControl) {
			value = "sha256 " + llmclient.Hash([]byte(value))[:digestDigits]
		}
		lines = append(lines, name+"="+value)
	}
	set := map[string]string{} // without what is 0, off or nothing
	for _, row := range r.Settings {
		set[row.Setting] = row.Value
	}
	for _, name := range trace.SettingNames() {
		if !slices.Contains(notShaping, name) && set[name] != usual[name] {
			add(name, set[name])
		}
	}
	for _, row := range r.World {
		add(worldPrefix+row.Setting, row.Value)
	}
	return Shape(unique.Make(strings.Join(lines, "\n")).Value())
}

// values are the values of a shape by their names.
func (s Shape) values() map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(string(s)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		values[name] = value
	}
	return values
}

// shaped is what a result says of how its run was shaped, and who answered.
type shaped struct {
	shape    Shape
	versions Versions
	ticks    int64
	answered string
}

// shapedBy is the key of a result among all that are shaped alike.
func shapedBy(r *Result) shaped {
	return shaped{r.Shape, r.Versions, r.Ticks, strings.Join(r.Answered, " and ")}
}

// values are all that a result says, by name.
func (s shaped) values() map[string]string {
	values := s.shape.values()
	values[versionPrefix+"engine"] = s.versions.Engine
	values[versionPrefix+"rules"] = s.versions.Rules
	values[whatPrompt] = s.versions.Prompt
	values[whatProgram] = "this one"
	if program := s.versions.Program; program != "" {
		values[whatProgram] = "sha256 " + program[:min(len(program), digestDigits)]
	}
	values[whatTicks] = strconv.FormatInt(s.ticks, 10)
	values[whatAnswered] = s.answered
	return values
}

// twins says which scenarios of the baseline are one world, empty if all are others.
func twins(pairs []pairing) string {
	names := map[string]string{} // by world
	seen := map[Shape]string{}
	for _, p := range pairs {
		if p.base == nil || p.base.Shape == "" || seen[p.base.Shape] == p.base.Scenario {
			continue
		}
		seen[p.base.Shape] = p.base.Scenario
		made := p.base.Shape.world(nil)
		if other := names[made]; other != "" && other != p.base.Scenario {
			return fmt.Sprintf("%s and %s are the same world under two names, and would count twice", one(other),
				one(p.base.Scenario))
		}
		names[made] = p.base.Scenario
	}
	return ""
}

// answeredNotes say which models answered in the runs of an arm if they were not the same in all.
func answeredNotes(arm string, runs []*Result) []string {
	counts := map[string]int{}
	for _, r := range runs {
		if r != nil && r.Scored() && len(r.Answered) > 0 {
			counts[strings.Join(r.Answered, " and ")]++
		}
	}
	if len(counts) < 2 {
		return nil
	}
	var parts []string
	for _, models := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", one(models), plaintext.Count(counts[models], "run")))
	}
	return []string{fmt.Sprintf("several models answered in the runs of %s: %s", one(arm), strings.Join(parts, ", "))}
}
