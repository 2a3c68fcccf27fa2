package cli

import (
	"fmt"
	"reflect"
	"slices"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// config is a run's settings, read and within their ranges: those that shape it and
// those of this process. Whether they fit each other, and what the files hold that they
// name, is for newPlan to find out.
type config struct {
	trace.Settings
	settings.Process
	// Values are the texts with where they came from, for messages. A key is in none of
	// them.
	Values []settings.Value
	// configFile is the configuration file that a flag named, empty for none.
	configFile string
	// estimateOnly says that nothing will be sent, so that no key is needed.
	estimateOnly bool
	// trusts says, for settings of a run directory, which endpoints may get a key; nil trusts
	// all, since the user named them. withheld says that the run's key is not sent.
	trusts   func(url openai.BaseURL, keyEnv string) bool
	withheld string
}

// newConfig reads the values into a config. The error names each value that is not allowed, its
// place and the allowed values:
//
//	config.toml:8: run.ticks: "0" is out of range; allowed: a whole number from 1 to 10000000
//
// Values are checked in the order of the table. What comes from a run that is forked is in base.
func newConfig(base trace.Settings, values []settings.Value) (config, error) {
	c := config{Settings: base, Values: slices.Clone(values)}
	keys := settings.KeysOf(values)
	var wrong []string
	for i, v := range values {
		if v.Text == "" && v.Origin.Rank == settings.FromFlag {
			reflect.ValueOf(v.Setting.Into(&c)).Elem().SetZero()
		}
		if v.Text == "" {
			continue
		}
		if err := settings.MisplacedKey(v, keys); err != nil {
			return config{}, err
		}
		if v.Origin.Rank == settings.FromRun {
			continue
		}
		if err := v.Setting.Read(v.Text, v.Setting.Into(&c)); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", v.Where(), err))
		}
		if v.Setting.Kind == settings.KindSecret {
			c.Values[i].Text = "set"
		}
	}
	return c, badInputs(wrong)
}
