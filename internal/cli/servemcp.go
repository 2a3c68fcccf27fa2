package cli

import (
	"context"

	"github.com/spf13/pflag"
)

// serveMCP serves runs as tools.
func serveMCP(_ context.Context, _ *Main, _ []string, _ *pflag.FlagSet) error {
	return badInput("--mcp is not built yet")
}
