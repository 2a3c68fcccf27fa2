package cli

import (
	"testing"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
)

// TestBatchProgressCountsOnce plays a cell again that has failed: it is not done, and its calls are
// counted once, as the report has them.
func TestBatchProgressCountsOnce(t *testing.T) {
	cell := func(id, arm string) batch.Cell {
		return batch.Cell{ID: batch.ID(id), Labels: []batch.Label{{Axis: "p", Value: arm}}}
	}
	bp := &batchPrinter{cells: []batch.Cell{cell("1", "full"), cell("2", "lean"), cell("3", "lean")}, now: func() time.Time { return time.Time{} }, part: true}
	var known batch.Tally
	for _, r := range []batch.Result{
		{Cell: cell("1", "full"), Status: trace.RunInternalError, Calls: 3, Tokens: 30},
		{Cell: cell("2", "lean"), Status: trace.RunProviderFailed, Calls: 4, Tokens: 40},
		{Cell: cell("1", "full"), Status: trace.RunCompleted, Calls: 10, Tokens: 100},
	} {
		known.Add(r)
	}
	for _, c := range []struct {
		playing map[batch.ID]engine.Progress
		want    string
	}{
		{nil, "cells 2/3  failed 1  playing 0  calls 14  tokens 140  p=full 1/1, p=lean 1/2"},
		{map[batch.ID]engine.Progress{"2": {}}, "cells 1/3  failed 0  playing 1  calls 14  tokens 140  p=full 1/1, p=lean 0/2"},
		{map[batch.ID]engine.Progress{"2": {ModelCalls: 6, InputTokens: 50, OutTokens: 5}}, "cells 1/3  failed 0  playing 1  calls 16  tokens 155  p=full 1/1, p=lean 0/2"},
		{map[batch.ID]engine.Progress{"3": {ModelCalls: 2, InputTokens: 5}}, "cells 2/3  failed 1  playing 1  calls 16  tokens 145  p=full 1/1, p=lean 1/2"},
	} {
		if text := bp.text(batch.Progress{Tally: &known, Playing: c.playing}); text != c.want {
			t.Errorf("%v:\n%s\nwant\n%s", c.playing, text, c.want)
		}
	}
	bp = &batchPrinter{cells: bp.cells[1:], now: bp.now, part: true}
	if text := bp.text(batch.Progress{Tally: &batch.Tally{}}); text != "cells 0/2  failed 0  playing 0  calls 0  tokens 0" {
		t.Errorf("one arm: %s", text)
	}
}
