package mcp

import (
	"context"
	"slices"
	"strings"

	"example.com/agentworld/batch"
	"example.com/agentworld/explain"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
)

type compareArguments struct {
	A []string `json:"a" jsonschema:"the baseline: ids of runs, or of one batch"`
	B []string `json:"b" jsonschema:"what is compared with it: ids of runs, or of one batch"`
	// By declares what is compared.
	By []string `json:"by,omitempty" jsonschema:"of sides: what is compared, such as model; what else differs: no verdict"`
	// After is the last tick that does not count.
	After int64 `json:"after_tick,omitempty" jsonschema:"of two runs: compare only the ticks after this one"`
	// Details asks for all figures.
	Details bool `json:"details,omitempty" jsonschema:"also all figures and differing ticks, which is long"`
}

// compareMax bounds the runs of one comparison that are not of a batch.
const compareMax = 200

func (s *Server) compare(ctx context.Context, in compareArguments) (any, error) {
	if len(in.A) == 0 || len(in.B) == 0 || len(in.A)+len(in.B) > compareMax {
		return nil, refuse("a has %d ids and b %d; allowed: one or more each, %d in all", len(in.A), len(in.B), compareMax)
	}
	if len(in.A) == 1 && len(in.B) == 1 && s.isRun(in.A[0]) && s.isRun(in.B[0]) {
		if len(in.By) > 0 {
			return nil, refuse("by is for sides of several runs; allowed: more ids, or batches")
		}
		return s.comparePair(ctx, in)
	}
	if in.After != 0 {
		return nil, refuse("after_tick is for two runs; allowed: leave it out")
	}
	declared := []string{}
	if len(in.By) > 0 {
		var err error
		declared, err = batch.Declared(in.By)
		if err != nil {
			return nil, refuse("by: %v", err)
		}
	}
	a, err := s.sideOf(ctx, "A", in.A)
	if err != nil {
		return nil, err
	}
	b, err := s.sideOf(ctx, "B", in.B)
	if err != nil {
		return nil, err
	}
	how := &batch.Compare{Metrics: slices.Clone(batch.ShownMetrics)}
	summary, err := batch.CompareSides(batch.File{Name: "A and B", Compare: how}, declared, []batch.Side{a, b})
	if err != nil {
		return nil, err
	}
	r := compared{Summary: by("report", summary.Text(columns))}
	if in.Details {
		r.Sides = &summary
	}
	return r, nil
}

// sideOf is a side of a comparison, of the results of its runs and batches.
func (s *Server) sideOf(ctx context.Context, name string, ids []string) (batch.Side, error) {
	side := batch.Side{Name: name}
	if len(slices.Compact(slices.Sorted(slices.Values(ids)))) < len(ids) {
		return side, refuse("%s has an id twice, which is no further evidence; allowed: different ones",
			strings.ToLower(name))
	}
	for _, id := range ids {
		results, err := s.resultsOf(ctx, id)
		if err != nil {
			return side, err
		}
		side.Results = append(side.Results, results...)
	}
	if len(side.Results) == 0 {
		return side, refuse("side %s has no run with an end", strings.ToLower(name))
	}
	return side, nil
}

func (s *Server) isRun(id string) bool {
	_, err := s.catalog.Run(id)
	return err == nil
}

// columns is the width of tables in texts.
const columns = 120

// compared is a comparison in words, and in figures if they are asked for: of two runs, or of sides.
type compared struct {
	Summary Text               `json:"comparison"`
	Pair    *report.Comparison `json:"pair,omitempty"`
	Sides   *batch.Summary     `json:"sides,omitempty"`
}

func (s *Server) comparePair(ctx context.Context, in compareArguments) (any, error) {
	if in.After < 0 {
		return nil, refuse("after_tick %d is out of range; allowed: from 0", in.After)
	}
	var reports [2]report.Report
	var dirs [2]run.Dir
	for i, id := range []string{in.A[0], in.B[0]} {
		of, dir, err := s.catalog.ReportOf(ctx, id)
		if err != nil {
			return nil, err
		}
		reports[i], dirs[i] = of, dir
	}
	c, err := report.Compare(reports[0], reports[1], dirs[0].Until(ctx), dirs[1].Until(ctx), in.After)
	if err != nil {
		return nil, err
	}
	r := compared{Summary: by("report", c.Text(in.A[0], in.B[0], reports[0], reports[1],
		explain.ActionText))}
	if in.Details {
		r.Pair = &c
	}
	return r, nil
}

// resultsOf are the results of a run, or of all cells of a batch.
func (s *Server) resultsOf(ctx context.Context, id string) ([]batch.Result, error) {
	if dir, err := s.catalog.Batch(id); err == nil {
		_, cells, err := dir.Cells()
		if err != nil {
			return nil, err
		}
		return dir.Results(cells)
	}
	of, _, err := s.catalog.ReportOf(ctx, id)
	if err != nil {
		return nil, err
	}
	cell := batch.Cell{ID: batch.ID(id), Scenario: of.Scenario, Seed: of.Seed}
	return []batch.Result{batch.ResultOf(cell, 1, of, "")}, nil
}
