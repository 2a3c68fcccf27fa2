// Package openenv serves tasks as environments of the OpenEnv protocol, as of its version 0.6.1.
package openenv
