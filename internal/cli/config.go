package cli

import (
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// config is a run's settings with what the command line knows of them. Whether the settings fit each
// other is for a session to find out; the files that they name are read by [Main.readFiles].
type config struct {
	settings.Config
	// configFile is the configuration file that a flag named, empty for none.
	configFile string
	// estimateOnly says that nothing will be sent, so that no key is needed.
	estimateOnly bool
	// recording is where recorded answers are, as the user wrote it; empty for none.
	recording string
	// playbookFile is where the playbook was read from, and what is learned goes.
	playbookFile string
	// table is the user's table of prices, nil for none.
	table *price.Table
	// places are where settings are, by their keys, that are not where their values come from.
	places map[string]string
}

// newConfig reads the values into a config.
func newConfig(base trace.Settings, values settings.Values) (config, error) {
	c, err := settings.New(base, values)
	return config{Config: c, places: map[string]string{}}, wrongSettings(err)
}

// settingTable returns every setting of a run.
func settingTable() settings.Table {
	return settings.Standard().Checked("run.gate", func(text string) error {
		_, err := report.ParseBound(text)
		return err
	})
}
