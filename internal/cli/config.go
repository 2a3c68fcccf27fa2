package cli

import (
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// config is a run's settings with what else decides who may be asked. Whether the settings fit
// each other, and what the files hold that they name, is for newPlan to find out.
type config struct {
	settings.Config
	// configFile is the configuration file that a flag named, empty for none.
	configFile string
	// estimateOnly says that nothing will be sent, so that no key is needed.
	estimateOnly bool
	// trusts says, for settings of a run directory, which endpoints may get a key; nil trusts
	// all, since the user named them. withheld says that the run's key is not sent.
	trusts   func(url openai.BaseURL, keyEnv string) bool
	withheld string
}

// newConfig reads the values into a config.
func newConfig(base trace.Settings, values settings.Values) (config, error) {
	c, err := settings.New(base, values)
	return config{Config: c}, wrongSettings(err)
}

// settingTable returns every setting of a run.
func settingTable() settings.Table {
	return settings.Standard().Checked("run.gate", func(text string) error {
		_, err := report.ParseBound(text)
		return err
	})
}
