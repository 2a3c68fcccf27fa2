package world_test

import (
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// The tests inside the package play built-in scenarios, whose reader imports the package.
func init() { world.EmbeddedScenario = scenario.Embedded }
