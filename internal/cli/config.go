package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
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
	// fields are the fields of the scenario that have other values, and fieldsAt where the last is said.
	fields   []scenario.Field
	fieldsAt string
	// own are the values of flags, environment and the user's file, where others came with a batch file. Keys
	// go to endpoints that these name; nil is that all values are the user's.
	own settings.Values
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
	return settings.Standard()
}

// loadConfigFile reads the file the user named, or config.toml in the working
// directory where there is one. Given by name, the file must exist.
func (fl *files) loadConfigFile(named string, all settings.Table) (settings.File, error) {
	name := named
	if name == "" {
		name = settings.ConfigName
	}
	data, err := readBounded(fl.path(name), settings.FileLimits.Bytes)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		return settings.File{}, nil
	}
	if err != nil {
		return settings.File{}, badInput(
			"configuration file %s cannot be read: %w; allowed: a readable TOML file with the tables [llm] and [run]", name,
			cause(err))
	}
	if err := keyElsewhere(all, name, data); err != nil {
		return settings.File{}, err
	}
	file, err := settings.ParseFile(name, data, all)
	return file, wrongSettings(err)
}

// runAround returns the run directory that holds the configuration file of the working
// directory. It is empty if there is no such file or no such directory. The author of the
// run may also be the author of the file.
func (fl *files) runAround() string {
	if _, err := os.Lstat(fl.path(settings.ConfigName)); err != nil {
		return ""
	}
	for dir := fl.path("."); ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, run.TraceFile))
		if err == nil {
			return dir
		}
		if f, err := run.Dir(dir).Open(); err == nil { // its closed parts alone
			_ = f.Close()
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// keyArgument refuses an argument of any command that holds a key: paths become names of
// files, and other users can see command lines. URLs are left to the
// checks of their settings.
func keyArgument(args []string, keys []openai.Secret) error {
	url := false
	for _, arg := range args {
		name, _, inline := strings.Cut(arg, "=")
		ofURL := name == "--base-url" || name == "--agent-model"
		if settings.HoldsKey(arg, keys) && !url && !ofURL {
			return badInput("an argument holds what looks like a key, which does not belong there; a key is set in %s",
				settings.KeyPlaces)
		}
		url = ofURL && !inline
	}
	return nil
}
