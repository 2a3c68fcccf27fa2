package explain

import (
	"fmt"
	"testing"
)

// TestTimelinesAreBounded: equal ticks share a line, and lines have a bound.
func TestTimelinesAreBounded(t *testing.T) {
	row := func(tick int64, place string) Row {
		return Row{Tick: tick, State: RowWaiting, Agent: "agent-1", Place: place, Electricity: tick}
	}
	same, varied := Timeline{}, Timeline{From: 3}
	for tick := range int64(1000) {
		same.Add(row(tick+1, "hub"))
		varied.Add(row(tick+1, fmt.Sprint("far", tick)))
	}
	if len(same.Lines) != 1 || same.Lines[0].Last != 1000 || same.More != 0 {
		t.Errorf("%d lines of equal ticks, more from %d", len(same.Lines), same.More)
	}
	if len(varied.Lines) != timelineLinesMax || varied.More != timelineLinesMax+3 {
		t.Errorf("%d lines, more from %d", len(varied.Lines), varied.More)
	}
}
