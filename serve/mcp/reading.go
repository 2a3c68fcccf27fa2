package mcp

import (
	"context"
	"slices"

	"example.com/agentworld/explain"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/serve/catalog"
)

// The bounds of lists.
const (
	rowsDefault  = 30
	rowsMax      = 200
	linesDefault = 60
	linesMax     = 200
)

// addReading adds the tools that only read.
func (s *Server) addReading() {
	add(s, tool{name: "list_runs", title: "List runs",
		about: "List the runs and batches that there are, the newest first, with scenario, model, status, score, calls and " +
			"cost."}, s.listRuns)
	add(s, tool{name: "read_run", title: "Read a run",
		about: "How a run went: status, agents, and its summary in some 20 lines; on request its report, which has all " +
			"figures."}, s.readRun)
	add(s, tool{name: "timeline", title: "Timeline of an agent",
		about: "What an agent did in each tick of a run, a line for ticks in which it did the same."}, s.timeline)
	add(s, tool{name: "explain_decision", title: "Explain a decision",
		about: "What an agent decided in a tick and why: proposed, adjusted and executed action, the outcome, the sources " +
			"in view and those it used with where they come from, its steps; on request the exact prompts and answers."},
		s.explainDecision)
	add(s, tool{name: "source_uses", title: "Uses of a source",
		about: "Which decisions had a source in view or named it: a memory, message, lesson or document, by its id. " +
			"explain_decision shows the ids."}, s.sourceUses)
	add(s, tool{name: "compare", title: "Compare runs",
		about: "In what two runs differ, tick by tick; or, for sides of several runs or batches, which side is better, " +
			"with intervals. Sides are lists of ids of runs, or the id of a batch."}, s.compare)
}

type listArguments struct {
	Scenario string `json:"scenario,omitempty" jsonschema:"only runs of this scenario"`
	Status   string `json:"status,omitempty" jsonschema:"only runs with this status, such as completed or running"`
	Batch    string `json:"batch,omitempty" jsonschema:"only runs of this batch"`
	Offset   int    `json:"offset,omitempty" jsonschema:"leave out so many of the newest"`
	Limit    int    `json:"limit,omitempty" jsonschema:"at most so many, 30 by default and up to 200"`
}

// runList is some of the runs.
type runList struct {
	Runs []runLine `json:"runs"`
	// Matching counts all that were asked for.
	Matching int         `json:"matching"`
	Batches  []batchLine `json:"batches"`
}

type batchLine struct {
	Batch string `json:"batch"`
}

// runLine is a run in a list; its id is its member run.
type runLine struct {
	Run string `json:"run"`
	catalog.Row
	// ID is left out of the row.
	ID string `json:"id,omitempty"`
}

func lineOf(r catalog.Row) runLine { return runLine{Run: r.ID, Row: r} }

func (s *Server) listRuns(_ context.Context, in listArguments) (any, error) {
	limit, err := bounded("limit", in.Limit, rowsDefault, 1, rowsMax)
	if err != nil {
		return nil, err
	}
	if in.Offset < 0 {
		return nil, refuse("offset %d is out of range; allowed: from 0", in.Offset)
	}
	rows, batches := s.catalog.Runs()
	list := runList{Runs: []runLine{}, Batches: []batchLine{}}
	for _, b := range batches[:min(len(batches), rowsMax)] {
		list.Batches = append(list.Batches, batchLine{b})
	}
	for _, r := range rows {
		wanted := (in.Scenario == "" || in.Scenario == r.Scenario) && (in.Status == "" || in.Status == r.Status) &&
			(in.Batch == "" || in.Batch == r.Batch)
		if !wanted {
			continue
		}
		if list.Matching >= in.Offset && len(list.Runs) < limit {
			list.Runs = append(list.Runs, lineOf(r))
		}
		list.Matching++
	}
	return list, nil
}

// bounded is a number within its bounds, or its default for 0.
func bounded(name string, got, otherwise, least, most int) (int, error) {
	switch {
	case got == 0:
		return otherwise, nil
	case got < least || got > most:
		return 0, refuse("%s %d is out of range; allowed: %d to %d", name, got, least, most)
	}
	return got, nil
}

type runArguments struct {
	Run    string `json:"run" jsonschema:"id of the run, as list_runs names it"`
	Report bool   `json:"report,omitempty" jsonschema:"also the whole report"`
}

// runResult is how a run went.
type runResult struct {
	runLine
	AgentIDs []string `json:"agent_ids"`
	// Summary is the report in words, which names what others chose.
	Summary Text           `json:"run_summary"`
	Report  *report.Report `json:"report,omitempty"`
}

func (s *Server) readRun(ctx context.Context, in runArguments) (any, error) {
	row, err := s.catalog.Row(in.Run)
	if _, notBatch := s.catalog.Batch(in.Run); err != nil && notBatch == nil {
		return nil, refuse("that is a batch; list_runs with batch lists its runs, and compare takes it as a side")
	}
	if err != nil {
		return nil, err
	}
	of, dir, err := s.catalog.ReportOf(ctx, in.Run)
	if err != nil {
		return nil, err
	}
	h, err := dir.Header()
	if err != nil {
		return nil, err
	}
	r := runResult{runLine: lineOf(row), AgentIDs: explain.AgentIDs(h), Summary: by("report", of.Text())}
	if in.Report {
		r.Report = &of
	}
	return r, nil
}

type timelineArguments struct {
	Run   string `json:"run" jsonschema:"id of the run"`
	Agent string `json:"agent" jsonschema:"id of the agent"`
	From  int64  `json:"from,omitempty" jsonschema:"first tick"`
	To    int64  `json:"to,omitempty" jsonschema:"last tick"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most so many lines, 60 by default and up to 200"`
}

// timelineLine is some ticks in which an agent did the same.
type timelineLine struct {
	First int64            `json:"first"`
	Last  int64            `json:"last"`
	State explain.RowState `json:"state"`
	Place string           `json:"place"`
	Did   string           `json:"did"`
	Notes []Text           `json:"notes,omitempty"`
}

func (s *Server) timeline(ctx context.Context, in timelineArguments) (any, error) {
	limit, err := bounded("limit", in.Limit, linesDefault, 1, linesMax)
	if err != nil {
		return nil, err
	}
	dir, err := s.open(ctx, in.Run)
	if err != nil {
		return nil, err
	}
	t := explain.Timeline{From: in.From, To: in.To}
	for row, err := range explain.TableOf(dir, in.Agent).Rows() {
		if err != nil {
			return nil, known(err)
		}
		t.Add(row)
		if len(t.Lines) > limit || in.To > 0 && row.Tick > in.To {
			break
		}
	}
	lines := []timelineLine{}
	for _, l := range t.Lines[:min(limit, len(t.Lines))] {
		line := timelineLine{First: l.First, Last: l.Last, State: l.Row.State, Place: l.Row.Place, Did: l.Did}
		for _, n := range l.Notes {
			line.Notes = append(line.Notes, by(in.Agent, n))
		}
		lines = append(lines, line)
	}
	more := int64(0)
	if len(t.Lines) > limit {
		more = t.Lines[limit].First
	}
	return struct {
		Agent string         `json:"agent"`
		Lines []timelineLine `json:"lines"`
		// More is the tick at which what is left out begins.
		More int64 `json:"more_from,omitempty"`
	}{in.Agent, lines, more}, nil
}

// open opens a run for a reading that ends with ctx.
func (s *Server) open(ctx context.Context, id string) (run.Source, error) {
	of, err := s.catalog.Run(id)
	return of.Until(ctx), err
}

type decisionArguments struct {
	Run     string `json:"run" jsonschema:"id of the run"`
	Tick    int64  `json:"tick" jsonschema:"tick of the decision, from 1"`
	Agent   string `json:"agent" jsonschema:"id of the agent"`
	Step    int    `json:"step,omitempty" jsonschema:"only this step of the turn, from 1"`
	Prompts bool   `json:"prompts,omitempty" jsonschema:"also the prompts and answers of the model, which are long"`
}

// decisionResult is a decision with where its sources come from.
type decisionResult struct {
	AgentID string `json:"agent_id"`
	Tick    int64  `json:"tick"`
	*explain.Decision
	Origins []origin `json:"origins"`
}

// origin says where a source comes from, a line a link.
type origin struct {
	Source string `json:"source"`
	Lines  []Text `json:"lines"`
}

func (s *Server) explainDecision(ctx context.Context, in decisionArguments) (any, error) {
	if in.Tick < 1 || in.Step < 0 {
		return nil, refuse("tick %d, step %d is out of range; allowed: from 1", in.Tick, in.Step)
	}
	dir, err := s.open(ctx, in.Run)
	if err != nil {
		return nil, err
	}
	d, err := explain.ReadDecision(dir, in.Tick, in.Agent)
	if err == nil && in.Step > 0 {
		err = d.Only(in.Step)
	}
	if err == nil && in.Prompts {
		err = d.ReadCalls(dir)
	}
	if err != nil {
		return nil, known(err)
	}
	r := decisionResult{AgentID: in.Agent, Tick: in.Tick, Decision: d, Origins: []origin{}}
	if d.Decision == nil {
		return r, nil
	}
	for _, source := range d.Decision.SourcesRetrieved {
		if slices.Contains(d.Decision.SourcesUsed, source.ID) {
			o := origin{Source: source.ID}
			for _, line := range d.Provenance.Chain(source) {
				o.Lines = append(o.Lines, by(unknownAuthor, line))
			}
			r.Origins = append(r.Origins, o)
		}
	}
	return r, nil
}

type sourceArguments struct {
	Run    string `json:"run" jsonschema:"id of the run"`
	Source string `json:"source" jsonschema:"id of the source"`
	Agent  string `json:"agent,omitempty" jsonschema:"only decisions of this agent"`
}

func (s *Server) sourceUses(ctx context.Context, in sourceArguments) (any, error) {
	dir, err := s.open(ctx, in.Run)
	if err != nil {
		return nil, err
	}
	uses, err := explain.ReadSource(dir, in.Source, in.Agent, "")
	if err != nil {
		return nil, known(err)
	}
	return uses, nil
}
