package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/agentworld/batch"
	"example.com/agentworld/explain"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/serve"
	"example.com/agentworld/serve/catalog"
	"example.com/agentworld/trace"
)

// compareMax bounds the runs of one comparison.
const compareMax = 500

// compareView is a comparison of two runs, or of two sides of several.
type compareView struct {
	A []string `json:"a"`
	B []string `json:"b"`
	// Pair is that of two runs, Summary that of sides; the other one is null.
	Pair    *report.Comparison `json:"pair"`
	Reports []report.Report    `json:"reports"`
	// Noise is how far runs of the same settings differ by chance, null where nobody knows.
	Noise *noiseView `json:"noise"`
	// Set are the settings that differ, of two runs, first what shaped the world. Worlds are the parts of the
	// worlds that do: the runs then played in other ones.
	Set    []setDifference `json:"set"`
	Worlds []setDifference `json:"worlds"`
	// Parts are both decisions where two runs part; nil where they never do, or one of them has none there.
	Parts   *partView      `json:"parts"`
	Summary *batch.Summary `json:"summary"`
	// Plots are pictures of it as SVG, by name.
	Plots map[string]string `json:"plots,omitempty"`
	// Pairs are the runs of both sides that stand against each other, with what they scored.
	Pairs []pairView `json:"pairs,omitempty"`
	// Out are the runs that no verdict counts.
	Out []outView `json:"out,omitempty"`
}

// setDifference is a setting of two runs, empty in the one that has it not.
type setDifference struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// partView is the first tick in which two runs decided otherwise.
type partView struct {
	Tick  int64  `json:"tick"`
	Agent string `json:"agent"`
	// A and B are what the agent did then, and why.
	A *partedTurn `json:"a"`
	B *partedTurn `json:"b"`
}

// partedTurn is what an agent did in one of two runs.
type partedTurn struct {
	Executed json.RawMessage  `json:"executed"`
	Why      string           `json:"why"`
	Failed   trace.WaitReason `json:"failed"`
	Outcome  json.RawMessage  `json:"outcome"`
}

// outView is a run that no verdict counts, with the reason.
type outView struct {
	Side string `json:"side"`
	ID   string `json:"id"`
	Why  string `json:"why"`
}

// pairView is two runs of the same instance. A metric that a run does not have is missing.
type pairView struct {
	Instance string                `json:"instance"`
	A        string                `json:"a"`
	B        string                `json:"b"`
	Metrics  [2]map[string]float64 `json:"metrics"`
}

// getCompare compares the runs a with the runs b.
func (s *Server) getCompare(w http.ResponseWriter, r *http.Request) {
	v := compareView{A: r.URL.Query()["a"], B: r.URL.Query()["b"]}
	var err error
	switch {
	case len(v.A) == 0 || len(v.B) == 0 || len(v.A)+len(v.B) > compareMax:
		err = badQuery(fmt.Sprintf("allowed are one run or more on each side, %d in all", compareMax))
	case len(v.A) == 1 && len(v.B) == 1:
		err = s.comparePair(r.Context(), &v)
	default:
		err = s.compareSides(r.Context(), &v)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	serve.Answer(w, v)
}

// Compared is one of two runs, with the report that was made of it.
type Compared struct {
	Run    run.Source
	Report report.Report
}

// comparePair compares two runs until ctx ends, when the one who asked has gone.
func (s *Server) comparePair(ctx context.Context, v *compareView) (err error) {
	var of [2]Compared
	var among [2]runList
	rows, _ := s.catalog.Runs()
	for i, id := range []string{v.A[0], v.B[0]} {
		var dir run.Dir
		of[i].Report, dir, err = s.catalog.ReportOf(ctx, id)
		if err != nil {
			return err
		}
		of[i].Run = dir.As(nil)
		among[i] = runList{s.catalog, rows, id}
	}
	v.Noise, err = noise(ctx, of, among)
	if err != nil {
		return err
	}
	return v.compare(ctx, of, 0)
}

// compare fills in what two runs differ in after a tick.
func (v *compareView) compare(ctx context.Context, of [2]Compared, after int64) error {
	v.Reports = []report.Report{of[0].Report, of[1].Report}
	a, b := of[0].Run.Until(ctx), of[1].Run.Until(ctx)
	c, err := report.Compare(v.Reports[0], v.Reports[1], a, b, after)
	v.Pair = &c
	if err != nil {
		return err
	}
	v.Set = differing(v.Reports[0].Settings, v.Reports[1].Settings)
	v.Worlds = differing(v.Reports[0].World, v.Reports[1].World)
	if tick, first := c.Parts(); first != nil {
		p := &partView{Tick: tick, Agent: first.AgentID}
		p.A = partedIn(a, p.Tick, p.Agent)
		p.B = partedIn(b, p.Tick, p.Agent)
		v.Parts = p
	}
	return nil
}

// differing are the settings that are not the same in both lists.
func differing(a, b []report.SettingRow) []setDifference {
	list := []setDifference{}
	value := func(rows []report.SettingRow, name string) string {
		at := slices.IndexFunc(rows, func(r report.SettingRow) bool { return r.Setting == name })
		if at < 0 {
			return ""
		}
		return rows[at].Value
	}
	for _, r := range slices.Concat(a, b) {
		of := setDifference{r.Setting, value(a, r.Setting), value(b, r.Setting)}
		if of.A != of.B && !slices.Contains(list, of) {
			list = append(list, of)
		}
	}
	return list
}

// partedIn is what an agent did in a tick of a run, nil if it decided nothing in it.
func partedIn(of explain.Run, tick int64, agent string) *partedTurn {
	for t, err := range explain.Ticks(of, nil, tick, tick, trace.TypeDecision) {
		if err != nil {
			return nil
		}
		at := slices.IndexFunc(t.Decisions, func(d trace.Decision) bool { return d.AgentID == agent })
		if at >= 0 {
			d := t.Decisions[at]
			return &partedTurn{d.Executed, d.Why, cmp.Or(d.WaitReason, d.FailedBy), d.Outcome}
		}
	}
	return nil
}

// labeled are the runs of batches by id, with their labels.
func (s *Server) labeled() map[string]catalog.Row {
	of := map[string]catalog.Row{}
	rows, _ := s.catalog.Runs()
	for _, r := range rows {
		of[r.ID] = r
	}
	return of
}

// sharedAxes are the axes on which both sides have the same values for each scenario and seed: runs are paired
// within one. What the sides differ in is another one.
func sharedAxes(rows map[string]catalog.Row, a, b []string) map[string]bool {
	var values [2]map[string]map[string]bool
	for i, ids := range [][]string{a, b} {
		values[i] = map[string]map[string]bool{}
		for _, id := range ids {
			r := rows[id]
			for _, l := range r.Labels {
				if values[i][l.Axis] == nil {
					values[i][l.Axis] = map[string]bool{}
				}
				values[i][l.Axis][strings.Join([]string{r.Scenario, r.Seed, l.Value}, " ")] = true
			}
		}
	}
	shared := map[string]bool{}
	for axis, of := range values[0] {
		shared[axis] = maps.Equal(of, values[1][axis])
	}
	return shared
}

// compareSides pairs runs of the same scenario, seed and labels, but for those in which the sides differ, until
// ctx ends.
func (s *Server) compareSides(ctx context.Context, v *compareView) error {
	var cells []batch.Cell
	var results []batch.Result
	pairs := map[string]*pairView{}
	labeled := s.labeled()
	shared := sharedAxes(labeled, v.A, v.B)
	for i, ids := range [][]string{v.A, v.B} {
		side := string(rune('A' + i))
		repeats := map[string]int64{}
		for _, id := range ids {
			of, _, err := s.catalog.ReportOf(ctx, id)
			if err != nil {
				return err
			}
			instance := fmt.Sprintf("%s, seed %d", of.Scenario, of.Seed)
			for _, l := range labeled[id].Labels {
				if shared[l.Axis] {
					instance += ", " + l.Axis + "=" + l.Value
				}
			}
			repeats[instance]++
			c := batch.Cell{
				ID: batch.ID(side + " " + id), Scenario: of.Scenario, Seed: of.Seed, Repeat: repeats[instance],
				Labels: []batch.Label{{Axis: "side", Value: side}},
			}
			cells, results = append(cells, c), append(results, batch.ResultOf(c, 1, of, ""))
			key := fmt.Sprintf("%s #%d", instance, c.Repeat)
			if pairs[key] == nil {
				pairs[key] = &pairView{Instance: instance}
			}
			p := pairs[key]
			*[]*string{&p.A, &p.B}[i], p.Metrics[i] = id, results[len(results)-1].Metrics.Map()
			if last := results[len(results)-1]; !last.Scored() {
				v.Out = append(v.Out, outView{side, id,
					strings.TrimSuffix("it ended as "+string(last.Status)+": "+s.catalog.Shown(last.Reason), ": ")})
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	own := batch.Settle(nil, results)
	how := &batch.Compare{Axis: "side", Baseline: "A", Metrics: slices.Clone(batch.ShownMetrics)}
	for _, o := range own {
		how.Metrics = append(how.Metrics, o.Name)
	}
	sum, err := batch.Summarize(batch.File{Name: "A and B", Compare: how, Metrics: own}, cells, results)
	if err != nil {
		return badQuery(err.Error())
	}
	v.Summary = &sum
	v.Plots = map[string]string{}
	for _, name := range sum.Plots() {
		svg, err := sum.Plot(name)
		if err != nil {
			return err
		}
		v.Plots[name] = string(svg)
	}
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		switch p := pairs[key]; {
		case p.A == "":
			v.Out = append(v.Out, outView{"B", p.B, "no run is left of A with " + p.Instance})
		case p.B == "":
			v.Out = append(v.Out, outView{"A", p.A, "no run is left of B with " + p.Instance})
		default:
			v.Pairs = append(v.Pairs, *p)
		}
	}
	return nil
}
