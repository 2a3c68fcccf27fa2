package catalog

import (
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Setting is one that is not the default.
type Setting struct {
	// Name is that of the records with spaces.
	Name string `json:"name"`
	// Value is its text, cut to valueCharsMax.
	Value string `json:"value"`
	// Warn says that the results of the run are not those of an ordinary one.
	Warn bool `json:"warn,omitempty"`
}

// valueCharsMax bounds what is shown of a value, in characters.
const valueCharsMax = 60

// shownElsewhere are settings that every view of a run has on its own, or that follow from the scenario or
// from another setting.
var shownElsewhere = []string{
	"scenario", "scenario_toml", "ticks", "seed", "model", "model_source", "base_url", "prices", "timeout_ms",
}

// warned are settings that measure or spoil something, with what they are called.
var warned = map[string]string{"guard_off": "guard off", "faults": "faults", "words": "own words",
	"stub_manner": "stub manner", "scripted_mode": "scripted mode"}

// SetOf lists what was set for a run and is not the default, what makes it no ordinary one first.
func SetOf(s trace.Settings) []Setting {
	list := []Setting{}
	for _, c := range trace.DefaultSettings().Changes(s) {
		seeded := (c.What == "scripted_seed" || c.What == "fault_seed") && (s.ScriptedSeed == s.Seed || s.Faults == "")
		if slices.Contains(shownElsewhere, c.What) || seeded || c.To == "" {
			continue
		}
		of := Setting{Name: strings.ReplaceAll(c.What, "_", " "), Value: plaintext.Clip(c.To, valueCharsMax)}
		if name, is := warned[c.What]; is {
			of.Name = name
			of.Warn = true
		}
		if c.What == "guard_off" {
			of.Value = strings.Join(s.GuardOff, ", ")
			if len(s.GuardOff) == len(trace.Checks()) {
				of.Value = trace.ChecksAll
			}
		}
		list = append(list, of)
	}
	slices.SortStableFunc(list, func(a, b Setting) int {
		switch {
		case a.Warn == b.Warn:
			return 0
		case a.Warn:
			return -1
		}
		return 1
	})
	return list
}
