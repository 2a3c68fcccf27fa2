//go:build !race

package engine

import "testing"

// TestRecordingAnExchangeAllocatesLittle takes the least of five measurements: package encoding/json keeps
// buffers that a collection of garbage drops. With the race detector it drops some of them always.
func TestRecordingAnExchangeAllocatesLittle(t *testing.T) {
	record := recordsExchanges(t)
	least := testing.AllocsPerRun(100, record)
	for range 4 {
		least = min(least, testing.AllocsPerRun(100, record))
	}
	if least > 38 {
		t.Errorf("recording an exchange takes %v allocations, want at most 38", least)
	}
}
