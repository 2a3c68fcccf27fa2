package world

import "testing"

// crowd is a thousand agents on the places of the default scenario.
func crowd(b *testing.B) *World {
	b.Helper()
	w, err := New(mustScenario(b, "llm_bootstrap").WithAgents(1000), 1)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkTick is a whole tick of a thousand agents that all harvest.
func BenchmarkTick(b *testing.B) {
	w := crowd(b)
	for b.Loop() {
		w.Advance()
		var intents []Intent
		for _, n := range w.Due() {
			intents = append(intents, Intent{Agent: n, Action: Harvest{1}})
		}
		w.Apply(intents)
		w.Digest()
	}
}

// BenchmarkQuietTick is a tick in which a thousand agents sleep.
func BenchmarkQuietTick(b *testing.B) {
	w := crowd(b)
	for b.Loop() {
		w.Advance()
		var intents []Intent
		for _, n := range w.Due() {
			intents = append(intents, Intent{Agent: n, Action: WaitTicks{WaitTicksMax}})
		}
		w.Apply(intents)
		w.Digest()
	}
}

// BenchmarkView is one view with its observation.
func BenchmarkView(b *testing.B) {
	w := crowd(b)
	w.Advance()
	for b.Loop() {
		w.View(0).Observe()
	}
}

// BenchmarkApply is one harvest alone in a tick.
func BenchmarkApply(b *testing.B) {
	w := mustWorld(b, "minimal", 1)
	for b.Loop() {
		w.Advance()
		for _, n := range w.Due() {
			w.Apply([]Intent{{Agent: n, Action: Harvest{1}}})
		}
	}
}
