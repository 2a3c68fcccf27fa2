package cli

import (
	"io"
	"slices"

	"example.com/agentworld/batch"
	"example.com/agentworld/explain/export"
	"example.com/agentworld/internal/document"
	"example.com/agentworld/report/plot"
)

// exportPlot writes a picture.
func exportPlot(m *Main, arg string, f exportFlags) error {
	if !slices.Contains(plotNames, f.Plot) {
		return badInput("--plot %s: unknown; %s", shown(f.Plot), document.Offer(f.Plot, plotNames, ""))
	}
	if f.Plot == "score" {
		e, err := newExporting(m, arg, "")
		if err != nil {
			return err
		}
		return e.writeTo("", f.Out, e.scores, e.kept...)
	}
	s, err := summaryOf(m, arg)
	if err != nil {
		return err
	}
	svg, err := s.Plot(f.Plot)
	if err != nil {
		return badInput("%s: %w", shown(arg), err)
	}
	return m.writeTo("", f.Out, whole(svg), keptPath{what: "the batch", path: m.path(arg)})
}

// summaryOf sums up a batch.
func summaryOf(m *Main, name string) (batch.Summary, error) {
	dir := batch.Dir(m.path(name))
	f, cells, results, err := dir.File(nil)
	if err != nil {
		return batch.Summary{}, noBatch(m, "", name, err)
	}
	s, err := batch.Summarize(f, cells, results)
	if err != nil {
		return s, badInput("%w", err)
	}
	return s, nil
}

// linesMost bounds the lines of a panel: more cannot be told apart.
const linesMost = 7

// scores draws the score over time: a panel for each scenario, a line for each arm of a batch or each run.
func (e *exporting) scores(w io.Writer) error {
	ticks, _ := export.TableNamed("ticks")
	type series struct {
		name string
		runs [][]int64
	}
	var scenarios []string
	lines := map[string][]series{}
	for _, one := range e.runs {
		var scores []int64
		summary, err := e.recording(one).Rows([]export.Table{ticks}, func(r export.Row) error {
			if tick := r.(export.TickRow); tick.Score != nil {
				scores = append(scores, *tick.Score)
			}
			return nil
		})
		if err := e.missing(one, &summary, err); err != nil {
			return err
		}
		if len(scores) == 0 {
			e.note("%s: it has no score to draw", one.name)
			continue
		}
		if !slices.Contains(scenarios, summary.Scenario) {
			scenarios = append(scenarios, summary.Scenario)
		}
		name := summary.Arm
		if name == "" {
			name = summary.Run
		}
		list := lines[summary.Scenario]
		at := slices.IndexFunc(list, func(s series) bool { return s.name == name })
		if at < 0 {
			at = len(list)
			list = append(list, series{name: name})
		}
		list[at].runs = append(list[at].runs, scores)
		lines[summary.Scenario] = list
	}
	if len(scenarios) == 0 {
		return badInput("no run has a score; allowed: runs of a scenario with a task")
	}
	var panels []plot.Panel
	for _, name := range scenarios {
		panel := plot.Panel{Title: name}
		list := lines[name]
		if len(list) > linesMost {
			e.note("%s: %d of %d lines are drawn", name, linesMost, len(list))
			list = list[:linesMost]
		}
		for _, s := range list {
			panel.Lines = append(panel.Lines, plot.Mean(s.name, s.runs))
		}
		panels = append(panels, panel)
	}
	_, err := w.Write(plot.Score(panels))
	return err
}
