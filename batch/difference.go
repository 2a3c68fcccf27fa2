package batch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Difference is something that shaped the runs of two arms, or who answered in them, and is not the same.
type Difference struct {
	// What is the name of a setting in records, world.PART, version.engine, version.rules, version.prompt,
	// version.program, ticks, or answered, for the models that answered.
	What string `json:"what"`
	// Arm and Baseline are the values of both, several with commas between; empty is none.
	Arm      string `json:"arm"`
	Baseline string `json:"baseline"`
	// Declared says that this is what is compared. Otherwise there is no verdict.
	Declared bool `json:"declared"`
}

// follows names what differs because a declared difference does.
var follows = map[string][]string{
	"model":         {"base_url", "agent_models", "model_source", "prices", whatAnswered},
	"base_url":      {"model_source", whatAnswered},
	"agent_models":  {"model_source", "prices", whatAnswered},
	"seats":         {"seat_timeout_ms", "model_source", whatAnswered},
	"service_tier":  {whatAnswered},
	"scripted_mode": {"stub_manner"},
	"protocol":      {whatPrompt},
	"language":      {whatPrompt, "world.personas", "world.goals"},
	"words":         {whatPrompt},
	"learn_every":   {"freeze_playbook", whatPrompt},
}

// declares says that a difference is one that was declared, by its name or that of its group, or that it follows
// from one.
func declares(declared []string, what string) bool {
	return slices.ContainsFunc(declared, func(one string) bool {
		return one == what || strings.HasPrefix(what, one+".") || slices.Contains(follows[one], what)
	})
}

// declarable are the names that a difference can be declared by: groups and settings, and the parts of the groups.
func declarable() (names, parts []string) {
	names = append(names, "world", "version", whatTicks, whatAnswered)
	names = append(names, slices.DeleteFunc(trace.SettingNames(), func(name string) bool {
		return slices.Contains(notShaping, name) || slices.Contains(names, name)
	})...)
	parts = append(parts, versionPrefix+"engine", versionPrefix+"rules", whatPrompt, whatProgram, worldPrefix+"rules")
	for _, part := range world.PartNames() {
		parts = append(parts, worldPrefix+part)
	}
	return names, parts
}

// Declared checks the names of what is to be compared, in which hyphens are underscores. The error says what is
// allowed.
func Declared(names []string) (list []string, err error) {
	allowed, parts := declarable()
	for _, name := range names {
		name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
		if !slices.Contains(allowed, name) && !slices.Contains(parts, name) {
			return nil, undeclarable(name, allowed, parts)
		}
		list = append(list, name)
	}
	return list, nil
}

// undeclarable says that nothing which shapes runs has a name, and which names are allowed: those of its group if it
// is written as one of their parts. Rules are many, and told by the word rules.
func undeclarable(name string, allowed, parts []string) error {
	more := ", or one part such as world.personas or version.prompt"
	group, _, parted := strings.Cut(name, ".")
	if parted && (group == "world" || group == "version") {
		ofGroup := func(part string) bool { return strings.HasPrefix(part, group+".") }
		allowed = slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return !ofGroup(part) })
		more = ""
	}
	near := ""
	if meant := document.Nearest(name, allowed); meant != "" {
		near = fmt.Sprintf("did you mean %q? ", meant)
	}
	shown := slices.DeleteFunc(allowed, func(part string) bool { return strings.HasPrefix(part, worldPrefix+"rules.") })
	if len(shown) < len(allowed) {
		more = ", or one of the rules such as world.rules.idle_draw"
	}
	return fmt.Errorf("%s is nothing that shapes runs; %sallowed: %s%s", quoted(name), near, strings.Join(shown, ", "),
		more)
}

// differencesOf are all differences of the runs of pairs, by name, without a word on which are declared. Models
// that answered differ if those of all runs do: a pair may differ by chance while a provider changes them.
func differencesOf(pairs []pairing) []Difference {
	type both struct{ arm, base shaped }
	seen := map[both]bool{}
	answers := [2]map[string]bool{{}, {}}
	arm, base := map[string][]string{}, map[string][]string{}
	note := func(values map[string][]string, what, value string) {
		if !slices.Contains(values[what], value) {
			values[what] = append(values[what], value)
		}
	}
	for _, p := range pairs {
		if !p.scored() {
			continue
		}
		b := both{shapedBy(p.arm), shapedBy(p.base)}
		if seen[b] {
			continue
		}
		seen[b] = true
		if b.arm.shape == "" || b.base.shape == "" { // the rest can be compared
			b.arm.shape, b.base.shape = "", ""
		}
		of, with := b.arm.values(), b.base.values()
		answers[0][b.arm.answered], answers[1][b.base.answered] = true, true
		names := maps.Clone(of)
		maps.Copy(names, with)
		for _, what := range slices.Sorted(maps.Keys(names)) {
			if of[what] != with[what] && what != whatAnswered {
				note(arm, what, orUsual(of, what))
				note(base, what, orUsual(with, what))
			}
		}
	}
	delete(answers[0], "")
	delete(answers[1], "")
	if len(answers[0]) > 0 && len(answers[1]) > 0 && !maps.Equal(answers[0], answers[1]) {
		arm[whatAnswered] = slices.Sorted(maps.Keys(answers[0]))
		base[whatAnswered] = slices.Sorted(maps.Keys(answers[1]))
	}
	list := []Difference{}
	for _, what := range slices.Sorted(maps.Keys(arm)) {
		list = append(list, Difference{What: what, Arm: firstOf(arm[what]), Baseline: firstOf(base[what])})
	}
	return list
}

// orUsual is a value that is there, or the default.
func orUsual(values map[string]string, what string) string {
	if value, set := values[what]; set {
		return value
	}
	return usual[what]
}

// differences are those of pairs, of which the declared ones are compared. All that the axis of a batch changes is
// declared but for versions, which it changes with the program alone, and models that answered although others were not
// asked.
func (c *Compare) differences(pairs []pairing) []Difference {
	list := differencesOf(pairs)
	declared := c.declared
	if declared == nil {
		engines := slices.ContainsFunc(list, func(d Difference) bool { return d.What == whatProgram })
		for _, d := range list {
			version := strings.HasPrefix(d.What, versionPrefix)
			if d.What != whatAnswered && (!version || d.What == whatPrompt || engines) {
				declared = append(declared, d.What)
			}
		}
	}
	for i := range list {
		list[i].Declared = declares(declared, list[i].What)
	}
	return list
}

// valuesMost bounds the values of a difference that are told.
const valuesMost = 3

// firstOf are some values as one text.
func firstOf(values []string) string {
	text := strings.Join(values[:min(len(values), valuesMost)], ", ")
	if more := len(values) - valuesMost; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Undeclared are the names of what the runs differ in beside what is compared, without what follows from another
// difference.
func (c Comparison) Undeclared() (names []string) {
	var all []string
	for _, d := range c.Differences {
		all = append(all, d.What)
	}
	for _, d := range c.Differences {
		others := slices.DeleteFunc(slices.Clone(all), func(what string) bool { return what == d.What })
		if !d.Declared && !declares(others, d.What) {
			names = append(names, d.What)
		}
	}
	return names
}

// Worse says that the arm is worse than the baseline in the primary metric.
func (c Comparison) Worse() bool { return len(c.Metrics) > 0 && c.Metrics[0].Outcome == stats.Worse }

// Between says what shaped two runs and is not the same, for people; empty if all is the same.
func Between(base, arm Result) string {
	base.Status, arm.Status = trace.RunCompleted, trace.RunCompleted // it is not about how they ended
	var texts []string
	for _, d := range differencesOf([]pairing{{arm: &arm, base: &base}}) {
		texts = append(texts, d.text())
	}
	return strings.Join(texts, ", ")
}

// text is the difference for people.
func (d Difference) text() string {
	if strings.HasPrefix(d.Arm, "sha256 ") && strings.HasPrefix(d.Baseline, "sha256 ") {
		return d.What // digests say no more than that
	}
	value := func(v string) string { return cmp.Or(one(v), "none") }
	return fmt.Sprintf("%s (%s against %s)", d.What, value(d.Arm), value(d.Baseline))
}

// opening are the lines on which worlds were played, on who answered if no line of methods says it, and on what the
// arms of comparisons differ in. Of what is compared these are the differences from the baseline alone.
func (s Summary) opening() (lines []opened) {
	if worlds := s.worlds(); worlds != "" {
		lines = append(lines, opened{"worlds", worlds})
	}
	if who := answerers(s.Results); who != "" && s.Methods == "" {
		lines = append(lines, opened{"models", "answered by " + who})
	}
	for _, c := range s.Comparisons {
		var compared, others []string
		undeclared := c.Undeclared()
		for _, d := range c.Differences {
			switch {
			case slices.Contains(undeclared, d.What):
				others = append(others, d.text())
			case d.Declared && c.Baseline == s.Comparisons[0].Baseline:
				compared = append(compared, d.text())
			}
		}
		who := fmt.Sprintf("%s against %s: ", one(c.Arm), one(c.Baseline))
		if len(compared) > 0 {
			lines = append(lines, opened{"arms", who + "what is compared: " + strings.Join(compared, ", ")})
		}
		if len(others) > 0 {
			lines = append(lines, opened{"arms", who + "no verdict, since what else differs is " + strings.Join(others, ", ")})
		}
	}
	return lines
}

// opened is a line at the top of a report: what it is about, and the text.
type opened struct{ about, text string }

// String is the line where nothing is aligned.
func (o opened) String() string { return o.about + ": " + o.text }

// worlds are the scenarios of the cells, with how many instances of each are played how often.
func (s Summary) worlds() string {
	var parts []string
	for _, w := range s.Worlds {
		part := fmt.Sprintf("%s, %s", one(w.Scenario), plaintext.Count(w.Instances, "instance"))
		if w.Repeats > 1 {
			part += fmt.Sprintf(", each %d times", w.Repeats)
		}
		parts = append(parts, part)
	}
	if more := len(parts) - worldsMost; more > 0 {
		parts = append(parts[:worldsMost], fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

// worldsMost bounds the worlds that are told.
const worldsMost = 12
