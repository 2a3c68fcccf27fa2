package cli

import (
	"context"
	"testing"
)

// TestBenchEndsAsOthersDo: it reads the latest run, and an interruption is no failure of its own.
func TestBenchEndsAsOthersDo(t *testing.T) {
	p := newProcess(t, nil, "minimal", "--ticks", "2", "--quiet")
	if code := p.run(t); code != exitCompleted {
		t.Fatalf("exit code %d: %s", code, p.output())
	}
	p.Args = []string{"bench", "ahead", "latest"}
	if code := p.run(t); code != exitCompleted {
		t.Errorf("exit code %d: %s", code, p.output())
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if code := p.Run(ctx); code != exitInterrupted {
		t.Errorf("interrupted: exit code %d: %s", code, p.output())
	}
}
