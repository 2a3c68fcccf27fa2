package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ahead"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// TestSimulationEndsWithItsContext ends the context once the run was read, right before the simulation.
func TestSimulationEndsWithItsContext(t *testing.T) {
	o := options(t, "minimal", 2)
	run(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := engine.Simulate(ctx, rundir.Dir(o.RunDir).As(nil), engine.SimulateOptions{
		Limits:  ahead.Limits{Depth: 2, InFlight: 64, WastePermille: 50},
		Latency: func(trace.CallKey, time.Duration) time.Duration { cancel(); return time.Second },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a simulation that nobody waits for ends with %v", err)
	}
}
