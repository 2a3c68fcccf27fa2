package cli

import (
	"io"
	"time"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
)

// environment is what the program takes from its process beside streams and files.
type environment struct {
	// LookupEnv finds an environment variable. Environ lists them as in [os.Environ]; nil lists
	// none.
	LookupEnv func(name string) (string, bool)
	Environ   func() []string
	// Getwd returns the directory that relative paths start from.
	Getwd func() (string, error)
	// Now is the wall clock; it names run directories.
	Now func() time.Time
	// Random is a source of random bytes; it names run directories.
	Random io.Reader
	// keys are those that the settings hold, for taking them out of errors.
	keys []openai.Secret
}

// keysOfEnvironment are the keys in the variables that can hold one. An error can come
// before any setting was read, and quote an argument.
func (e *environment) keysOfEnvironment() []openai.Secret {
	var keys []openai.Secret
	for _, s := range settingTable() {
		for _, name := range s.Env {
			if text, _ := e.LookupEnv(name); s.Kind == settings.KindSecret && text != "" {
				keys = append(keys, openai.NewSecret(text))
			}
		}
	}
	return keys
}
