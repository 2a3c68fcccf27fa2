package otel

import (
	"context"

	"example.com/agentworld"
)

// setting is the switch that asks for an export to the usual place.
const setting = "run.otel"

// Extension is this package as an extension of the program.
func Extension() agentworld.Extension {
	return agentworld.Extension{
		Name: "otel", Version: "0.1.0",
		Settings: []agentworld.Setting{{Key: setting, Flag: "otel", Doc: "send OpenTelemetry traces and metrics to a " +
			"collector, at localhost:4318 unless OTEL_* variables say otherwise"}},
		Observers: []agentworld.Observer{{New: observe}},
	}
}

// observe says how to export a run, if settings or variables ask for it.
func observe(on func(string) bool, lookup func(string) (string, bool)) (agentworld.StartObserver, error) {
	c, err := read(lookup, on(setting))
	if err != nil || !c.on() {
		return nil, err
	}
	return func(ctx context.Context, note func(string)) (agentworld.RunObserver, error) {
		t, err := start(ctx, c, note)
		if err != nil {
			return nil, err
		}
		return t, nil
	}, nil
}
