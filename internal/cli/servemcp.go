package cli

import (
	"context"

	"github.com/spf13/pflag"
)

// mcpProtocol serves runs as tools.
func mcpProtocol() protocol {
	return protocol{flag: "mcp", doc: "serve runs as tools of MCP", serve: serveMCP}
}

// serveMCP serves runs as tools.
func serveMCP(_ context.Context, _ *Main, _ []string, _ *pflag.FlagSet) error {
	return badInput("--mcp is not built yet")
}
