package dashboard

import (
	"context"
	"math"
	"slices"

	"example.com/agentworld/batch"
	"example.com/agentworld/serve/catalog"
	"example.com/agentworld/trace"
)

// repeatsMax bounds the repeats of a run that are read for the noise.
const repeatsMax = 20

// noiseView is how far runs of the same settings differ from each other by chance.
type noiseView struct {
	// Runs counts the runs that it was taken from: both compared ones, and others here with the settings of either.
	Runs int `json:"runs"`
	// Metrics are by name what the difference of two such runs passes in one of twenty cases.
	Metrics map[string]float64 `json:"metrics"`
}

// seedsOfChance are settings in which repeats of a run differ.
var seedsOfChance = []string{"scripted seed", "fault seed"}

// isRepeat reports whether two runs that ended were played with the same settings in the same world.
func isRepeat(a, b catalog.Row) bool {
	set := func(r catalog.Row) []catalog.Setting {
		return slices.DeleteFunc(slices.Clone(r.Set),
			func(s catalog.Setting) bool { return slices.Contains(seedsOfChance, s.Name) })
	}
	return a.Scenario == b.Scenario && a.Seed == b.Seed && a.Model == b.Model && a.Source == b.Source &&
		a.Asked == b.Asked && a.Parent == "" && b.Parent == "" && a.Status == b.Status && slices.Equal(set(a), set(b))
}

// noise is how far repeats of two runs differ, nil if neither has another run here with its settings.
func (s *Server) noise(ctx context.Context, a, b string) (*noiseView, error) {
	rows, _ := s.catalog.Runs()
	groups := [][]catalog.Row{}
	for _, id := range []string{a, b} {
		at := slices.IndexFunc(rows, func(r catalog.Row) bool { return r.ID == id })
		if at < 0 || rows[at].Status != string(trace.RunCompleted) {
			continue
		}
		if len(groups) > 0 && isRepeat(groups[0][0], rows[at]) {
			continue // one is a repeat of the other
		}
		group := []catalog.Row{rows[at]}
		for i, r := range rows {
			if i != at && len(group) < repeatsMax && isRepeat(rows[at], r) {
				group = append(group, r)
			}
		}
		groups = append(groups, group)
	}
	v := &noiseView{Metrics: map[string]float64{}}
	squares, free := map[string]float64{}, map[string]float64{}
	for _, group := range groups {
		var list []map[string]float64
		for _, r := range group {
			of, _, err := s.catalog.ReportOf(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			list = append(list, batch.ResultOf(batch.Cell{}, 1, of, "").Metrics.Map())
		}
		v.Runs += len(list)
		for name := range list[0] {
			sum, n := 0.0, 0.0
			for _, of := range list {
				if value, has := of[name]; has {
					sum += value
					n++
				}
			}
			for _, of := range list {
				if value, has := of[name]; has {
					squares[name] += (value - sum/n) * (value - sum/n)
				}
			}
			free[name] += n - 1
		}
	}
	for name, n := range free {
		if n > 0 {
			v.Metrics[name] = 1.96 * math.Sqrt(2*squares[name]/n)
		}
	}
	if len(v.Metrics) == 0 {
		return nil, nil
	}
	return v, nil
}
