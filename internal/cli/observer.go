package cli

import (
	"context"

	"example.com/agentworld/engine"
	"example.com/agentworld/telemetry"
)

// telemetry is what the settings and the standard variables ask to be exported.
func (m *Main) telemetry(c config) (telemetry.Config, error) {
	t, err := telemetry.Read(m.LookupEnv, c.Otel)
	if err != nil {
		return t, badInput("%w", err)
	}
	return t, nil
}

// observed carries out a run and exports what it does, where that is asked for.
// Otherwise nothing is started. A collector that is not there costs the run nothing but
// up to five seconds at its end.
func (m *Main) observed(
	ctx context.Context, c config, o engine.Options, run func(context.Context, engine.Options) (engine.Result, error),
) (engine.Result, error) {
	wanted, err := m.telemetry(c)
	if err != nil {
		return engine.Result{}, err
	}
	if !wanted.On() {
		return run(ctx, o)
	}
	t, err := telemetry.Start(ctx, wanted, func(note string) { _, _ = m.Stderr.Write([]byte("note: " + oneLine(note) + "\n")) })
	if err != nil {
		return engine.Result{}, badInput("%w", err)
	}
	defer func() { _ = t.Close() }() // a failure was noted
	o.Observer = t
	return run(ctx, o)
}
