package cli

import (
	"context"

	"github.com/spf13/pflag"
)

// serveOpenEnv serves a task as an environment.
func serveOpenEnv(_ context.Context, _ *Main, _ []string, _ *pflag.FlagSet) error {
	return badInput("--openenv is not built yet")
}
