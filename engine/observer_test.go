package engine_test

import (
	"context"
	"sync"
	"testing"

	"example.com/agentworld/engine"
)

// watcher collects where the model of each span is.
type watcher struct {
	mu   sync.Mutex
	seen map[string]int
}

func (w *watcher) Begin(ctx context.Context, s engine.Span) (context.Context, func(engine.Ending)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[string(s.Kind)+" "+s.BaseURL]++
	return ctx, func(engine.Ending) {}
}

// TestObserversOfAResume: observers of a resume are given the model's current endpoint.
func TestObserversOfAResume(t *testing.T) {
	o := options(t, "minimal", 1)
	run(t, o)
	w := &watcher{seen: map[string]int{}}
	o.Observer, o.BaseURL = w, "http://elsewhere/v1"
	if _, err := resume(t, o.RunDir, o, 2); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []engine.SpanKind{engine.SpanRun, engine.SpanTurn, engine.SpanModelCall} {
		if w.seen[string(kind)+" http://elsewhere/v1"] == 0 {
			t.Errorf("no %s there: %v", kind, w.seen)
		}
	}
	if w.seen["tick "] != 1 || len(w.seen) > 5 {
		t.Errorf("told of %v", w.seen)
	}
}
