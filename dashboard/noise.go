package dashboard

import (
	"context"
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

// runList are the runs of a catalog, one of which has the id.
type runList struct {
	catalog *catalog.Catalog
	rows    []catalog.Row
	id      string
}

// repeats are the results of the run, which has a report, and of its repeats in the list, the run first, until ctx
// ends. A run that cannot be read is none. They are nil if the run is not in the list, or did not come to its end.
func (l runList) repeats(ctx context.Context, of report.Report) []batch.Result {
	rows := l.rows
	at := slices.IndexFunc(rows, func(r catalog.Row) bool { return r.ID == l.id })
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
		other, _, err := l.catalog.ReportOf(ctx, r.ID)
		if err != nil {
			continue
		}
		if result := batch.ResultOf(batch.Cell{}, 1, other, ""); isRepeat(group[0], result) {
			group = append(group, result)
		}
	}
	return group
}

// noise is how far repeats of two runs differ, each looked for in a list with the run. It is nil if neither has another
// run of its settings there. The error is that of ctx.
func noise(ctx context.Context, of [2]Compared, among [2]runList) (*noiseView, error) {
	v := &noiseView{Metrics: map[string]float64{}}
	groups := map[string][][]float64{}
	var first batch.Result
	for i, list := range among {
		group := list.repeats(ctx, of[i].Report)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(group) < 2 || i > 0 && isRepeat(first, group[0]) {
			continue // it says nothing, or was counted as a repeat of the other one
		}
		first = group[0]
		v.Runs += len(group)
		for name := range first.Metrics.Map() {
			var values []float64
			for _, r := range group {
				if value, has := r.Metrics.Map()[name]; has {
					values = append(values, value)
				}
			}
			groups[name] = append(groups[name], values)
		}
	}
	for name, of := range groups {
		if noise, known := stats.Noise(of, 0.05); known {
			v.Metrics[name] = noise
		}
	}
	if len(v.Metrics) == 0 {
		return nil, nil
	}
	return v, nil
}
