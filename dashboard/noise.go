package dashboard

import (
	"context"
	"math"
	"slices"

	"example.com/agentworld/batch"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/serve/catalog"
	"example.com/agentworld/trace"
)

// repeatsMax bounds the repeats of a run that its noise is taken from, readsMax the runs that are read to find them.
const (
	repeatsMax = 20
	readsMax   = 5 * repeatsMax
)

// noiseView is how far runs of the same settings differ from each other by chance.
type noiseView struct {
	// Runs counts the runs that it was taken from: a compared one with others here of its settings.
	Runs int `json:"runs"`
	// Metrics are by name what the difference of two such runs passes in one of twenty cases.
	Metrics map[string]float64 `json:"metrics"`
}

// seedsOfChance are settings in which repeats of a run differ.
var seedsOfChance = []string{"scripted seed", "fault seed"}

// mayRepeat reports whether two runs that ended may be repeats of each other by what the list shows of them, which
// leaves out the world and cuts long settings.
func mayRepeat(a, b catalog.Row) bool {
	set := func(r catalog.Row) []catalog.Setting {
		return slices.DeleteFunc(slices.Clone(r.Set),
			func(s catalog.Setting) bool { return slices.Contains(seedsOfChance, s.Name) })
	}
	return a.Scenario == b.Scenario && a.Seed == b.Seed && a.Model == b.Model && a.Source == b.Source &&
		a.Asked == b.Asked && a.Parent == "" && b.Parent == "" && a.Status == b.Status && slices.Equal(set(a), set(b))
}

// isRepeat reports whether all that shaped two runs was the same. Of one whose world was not recorded nobody knows.
func isRepeat(a, b batch.Result) bool {
	return a.Scored() && b.Scored() && a.Shape != "" && b.Shape != "" && batch.Between(a, b) == ""
}

// repeatsOf are the results of a run and of its repeats among the runs of the list, the run first, until ctx ends. A
// run that cannot be read is none. They are nil if the run is not in the list, or did not come to its end.
func (s *Server) repeatsOf(ctx context.Context, rows []catalog.Row, id string, of report.Report) []batch.Result {
	at := slices.IndexFunc(rows, func(r catalog.Row) bool { return r.ID == id })
	if at < 0 || rows[at].Status != string(trace.RunCompleted) {
		return nil
	}
	group := []batch.Result{batch.ResultOf(batch.Cell{}, 1, of, "")}
	reads := 0
	for i, r := range rows {
		if i == at || len(group) == repeatsMax || reads == readsMax || !mayRepeat(rows[at], r) {
			continue
		}
		reads++
		other, _, err := s.catalog.ReportOf(ctx, r.ID)
		if err != nil {
			continue
		}
		if result := batch.ResultOf(batch.Cell{}, 1, other, ""); isRepeat(group[0], result) {
			group = append(group, result)
		}
	}
	return group
}

// noise is how far repeats of two runs with their reports differ, nil if neither has another run here with its
// settings. The error is that of ctx.
func (s *Server) noise(ctx context.Context, ids [2]string, reports [2]report.Report) (*noiseView, error) {
	rows, _ := s.catalog.Runs()
	v := &noiseView{Metrics: map[string]float64{}}
	squares, free := map[string]float64{}, map[string]int{}
	var first batch.Result
	for i, id := range ids {
		group := s.repeatsOf(ctx, rows, id, reports[i])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(group) < 2 || i > 0 && isRepeat(first, group[0]) {
			continue // it says nothing, or was counted as a repeat of the other one
		}
		first = group[0]
		v.Runs += len(group)
		for name := range first.Metrics.Map() {
			sum, n := spread(group, name)
			squares[name] += sum
			free[name] += n - 1
		}
	}
	for name, n := range free {
		if n > 0 {
			v.Metrics[name] = stats.StudentQuantile(n, 0.05) * math.Sqrt(2*squares[name]/float64(n))
		}
	}
	if len(v.Metrics) == 0 {
		return nil, nil
	}
	return v, nil
}

// spread is the sum of the squares by which a metric of results differs from its mean, and how many have it.
func spread(of []batch.Result, name string) (squares float64, n int) {
	var values []float64
	mean := 0.0
	for _, r := range of {
		if value, has := r.Metrics.Map()[name]; has {
			values = append(values, value)
			mean += value
		}
	}
	mean /= float64(max(1, len(values)))
	for _, value := range values {
		squares += (value - mean) * (value - mean)
	}
	return squares, len(values)
}
