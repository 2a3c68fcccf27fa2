package batch

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
)

// Axis is one way in which cells differ.
type Axis struct {
	Name   string
	Values []AxisValue
}

// AxisValue is a value of an axis: a name and what it sets. A setting [ScenarioKey] is the scenario that is
// played in place of the batch's only one, written as in Scenarios: with other personas or goals, for one. A setting
// [EngineKey] names the program that plays its cells, as the user calls it; what program that is no file says.
type AxisValue struct {
	Name     string
	Settings []Setting
}

// ScenarioKey and EngineKey are the keys of the scenario and of the program of a value of an axis, WorldTable the
// table of other values of fields of the scenario: a setting with the key world.rules.idle_draw has the value of
// rules.idle_draw as JSON.
const (
	ScenarioKey = "scenario"
	EngineKey   = "engine"
	WorldTable  = "world"
)

// axisEntry is what a value of an axis has: a table of settings or of fields of the scenario, or the scenario or the
// program.
type axisEntry any

// axes are the axes of the file in the order of their lines.
func (l fileLines) axes(t fileTOML, wrong func(int, string, ...any)) (list []Axis) {
	for _, axis := range l.below("axes") {
		a := Axis{Name: axis}
		if !named(axis) {
			wrong(l.of("axes", axis), "axis %s: allowed: %s", quoted(axis), nameAllowed)
		} else if err := plaintext.FileName(axis); err != nil {
			wrong(l.of("axes", axis), "axis %s: %v", quoted(axis), err)
		}
		for _, value := range l.below("axes", axis) {
			if !named(value) {
				wrong(l.of("axes", axis, value), "value %s of axis %s: allowed: %s", quoted(value), quoted(axis), nameAllowed)
			} else if err := plaintext.FileName(value); err != nil {
				wrong(l.of("axes", axis, value), "value %s of axis %s: %v", quoted(value), quoted(axis), err)
			}
			a.Values = append(a.Values, l.value(axis, value, t, wrong))
		}
		if len(a.Values) == 0 {
			wrong(l.of("axes", axis), "axis %s has no values; allowed: a table for each value, such as [axes.%s.first.llm]",
				quoted(axis), quoted(axis))
		}
		list = append(list, a)
	}
	return list
}

// value is a value of an axis: the tables of its settings, and the scenario that it is played in.
func (l fileLines) value(axis, name string, t fileTOML, wrong func(int, string, ...any)) AxisValue {
	path := []string{"axes", axis, name}
	var own []Setting
	tables := map[string]map[string]any{}
	for _, key := range l.below(path...) {
		entry := t.Axes[axis][name][key]
		table, isTable := entry.(map[string]any)
		text, isText := entry.(string)
		line := l.of("axes", axis, name, key)
		problem := ""
		switch {
		case isTable:
			tables[key] = table
			continue
		case key != ScenarioKey && key != EngineKey || !isText || strings.TrimSpace(text) == "":
			problem = fmt.Sprintf("%s: allowed: scenario = \"FILE\", engine = \"NAME\", or tables of settings, such as "+
				"[axes.%s.%s.llm]", strings.Join(append(path, key), "."), axis, name)
		case key == EngineKey && !named(text):
			problem = fmt.Sprintf("%s.engine: %s; allowed: %s. Which program it is, is said where the batch is run",
				strings.Join(path, "."), quoted(text), nameAllowed)
		case key == ScenarioKey && t.Suite != "":
			problem = fmt.Sprintf("%s.scenario: the suite %s has its own; allowed: tables of settings",
				strings.Join(path, "."), t.Suite)
		case key == ScenarioKey && len(t.Scenarios) > 1:
			problem = fmt.Sprintf("%s.scenario: it replaces the scenario of the batch, which has %d; allowed: with one scenario",
				strings.Join(path, "."), len(t.Scenarios))
		}
		if problem != "" {
			wrong(line, "%s", problem)
			continue
		}
		own = append(own, Setting{key, strings.TrimSpace(text), line})
	}
	return AxisValue{name, append(own, l.settings(path, tables, wrong)...)}
}

// contradictions reports settings that two axes give different values: a run could only have one of
// them.
func contradictions(axes []Axis, wrong func(int, string, ...any)) {
	type place struct {
		axis string
		Setting
	}
	set := map[string][]place{}
	for _, axis := range axes {
		for _, value := range axis.Values {
			for _, s := range value.Settings {
				other := func(p place) bool { return p.axis != axis.Name && p.Text != s.Text }
				if i := slices.IndexFunc(set[s.Key], other); i >= 0 {
					before := set[s.Key][i]
					wrong(s.Line, "%s is set by axis %s, and by axis %s in line %d; allowed: one axis for a setting", s.Key,
						quoted(axis.Name), quoted(before.axis), before.Line)
				}
				set[s.Key] = append(set[s.Key], place{axis.Name, s})
			}
		}
	}
}
