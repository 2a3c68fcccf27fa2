package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/explain"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Row is a run in a list.
type Row struct {
	ID        string `json:"id"`
	Scenario  string `json:"scenario"`
	Seed      string `json:"seed"`
	Model     string `json:"model"`
	Source    string `json:"model_source"`
	Agents    int    `json:"agents"`
	StartedAt string `json:"started_at"`
	// Status is running, unfinished, or how the run ended; not_begun without any record, damaged if it
	// cannot be read, or gone if it was removed while it was looked at.
	Status string `json:"status"`
	// Problem says why a run is damaged.
	Problem string `json:"problem,omitempty"`
	Ticks   int64  `json:"ticks"`
	Asked   int64  `json:"ticks_requested"`
	// Counted says that the run ended and wrote a report: what follows is not known before.
	Counted bool `json:"counted"`
	// Score is that of the task, Goals counts the goals met.
	Score *int64 `json:"score,omitempty"`
	// Best is the best score known for its task, absent where nobody knows one.
	Best       *int64 `json:"best,omitempty"`
	Goals      int64  `json:"goals_met"`
	Calls      int64  `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"`
	Parent     string `json:"parent,omitempty"`
	// Set is what was set and is not the default.
	Set []Setting `json:"set"`
	// FailedPct is the share of turns that ended in no decision, in percent; MaxFailedPct is the share from
	// which the run is no success.
	FailedPct    int64 `json:"failed_pct"`
	MaxFailedPct int64 `json:"max_failed_pct"`
	// Batch is the batch that it is of, Labels what its cell says.
	Batch  string        `json:"batch,omitempty"`
	Labels []batch.Label `json:"labels,omitempty"`
	// written is when its trace changed last.
	written time.Time
}

// The states of a run that its records do not name.
const (
	StatusRunning  = "running"
	StatusNotBegun = "not_begun"
	StatusDamaged  = "damaged"
	StatusGone     = "gone"
)

// Row describes a run for a list. A run that ended is described by its report, any other by its
// header and where its trace ends.
func (c *Catalog) Row(id string) (Row, error) {
	stamp := c.Stamp(id, run.ReportFile) + " " + c.Stamp(id, run.TraceFile)
	c.mu.Lock()
	was, known := c.cached[id]
	c.mu.Unlock()
	grows := was.row.Status == StatusRunning || was.row.Status == string(trace.RunUnfinished)
	if known && was.stamp == stamp && !grows {
		return was.row, nil
	}
	dir, err := c.Run(id)
	if err != nil {
		return Row{}, err
	}
	h, changed := dir.Header()
	if changed != nil {
		h, err = dir.As(&run.Reading{Unverified: true}).Header()
	}
	if err != nil {
		return Row{}, changed
	}
	s := h.Latest()
	r := Row{
		ID: id, Scenario: scenarioName(s), Seed: strconv.FormatUint(s.Seed, 10), Model: s.Model,
		Source: string(s.ModelSource), Agents: len(h.Agents),
		Status: string(trace.RunUnfinished), Asked: s.Ticks, Currency: s.Currency(), Set: SetOf(s),
		MaxFailedPct: int64(s.MaxDegradedPct),
	}
	if len(h.Forks) > 0 {
		r.Parent = h.Forks[len(h.Forks)-1].Parent.Name
	}
	if h.Timing != nil {
		r.StartedAt = h.Timing.StartedAt
	}
	tick, status := dir.Ending()
	r.Ticks, r.Status = tick, string(status)
	of, head, err := c.Report(id)
	switch {
	case dir.Holder() != "":
		r.Status = StatusRunning
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		r.Damage(&run.DamageError{File: run.ReportFile, Err: err})
	default:
		r.fill(of)
		if last, err := dir.Head(); err != nil || last != head {
			r.Damage(readThrough(context.Background(), dir))
		}
	}
	if changed != nil {
		r.Damage(errors.New(c.Shown(changed.Error())))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.cached) > entriesMax {
		clear(c.cached)
	}
	now := cachedRow{stamp: stamp, row: r}
	if was := c.cached[id]; was.stamp == stamp {
		now.checked, now.damage = was.checked, was.damage
	}
	if r.Status != StatusRunning {
		now.row.Damage(now.damage)
	}
	c.cached[id] = now
	return now.row, nil
}

// statedName is the name that the text of a scenario gives it, before its first table.
var statedName = regexp.MustCompile(`(?m)^[ \t]*name[ \t]*=[ \t]*"([^"\\\n]+)"`)

// scenarioName is the name of the scenario of a run, which of one's own may have been given by its path.
func scenarioName(s trace.Settings) string {
	if path.Ext(s.Scenario) == ".toml" {
		top, _, _ := strings.Cut("\n"+s.ScenarioTOML, "\n[")
		if m := statedName.FindStringSubmatch(top); m != nil {
			return m[1]
		}
	}
	return s.Scenario
}

// Damage notes why a run cannot be read; nil is no damage.
func (r *Row) Damage(err error) {
	if err != nil {
		r.Status, r.Problem = StatusDamaged, err.Error()
	}
}

// readThrough reads a trace to its end. The error says where it is broken, or that ctx ended.
func readThrough(ctx context.Context, dir run.Dir) error {
	for _, err := range explain.Records(dir.Until(ctx), nil, 0, trace.TypeRunEnd) {
		if err != nil {
			return err
		}
	}
	return nil
}

// keepDamage keeps what is wrong with a run until its files change, nil for nothing.
func (c *Catalog) keepDamage(id, stamp string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, known := c.cached[id]; known && t.stamp == stamp {
		t.checked, t.damage = true, err
		t.row.Damage(err)
		c.cached[id] = t
	}
}

// Check reads through one trace that no process adds to and that was not checked yet; found says that
// there was one, damaged that it is. The context ends the reading.
func (c *Catalog) Check(ctx context.Context) (found, damaged bool) {
	id, stamp := "", ""
	c.mu.Lock()
	for other, t := range c.cached {
		if !t.checked && t.row.Status != StatusRunning && t.row.Status != StatusDamaged {
			id, stamp = other, t.stamp
			break
		}
	}
	c.mu.Unlock()
	if id == "" {
		return false, false
	}
	dir, err := c.Run(id)
	if err == nil {
		err = readThrough(ctx, dir)
	}
	if ctx.Err() != nil {
		return false, false
	}
	if errors.Is(err, ErrNoSuch) { // removed meanwhile
		err = nil
	}
	c.keepDamage(id, stamp, err)
	return true, err != nil
}

// Last is the newest row that was made of a run; it has no more than the id if none was.
func (c *Catalog) Last(id string) Row {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.cached[id].row
	r.ID = id
	return r
}

func (r *Row) fill(of report.Report) {
	all := of.Metrics()
	r.Counted = true
	r.Status = string(of.RunStatus)
	r.Ticks = of.WorldTime
	r.Goals = of.GoalsMet
	r.Calls = int64(all["calls"])
	r.Tokens = int64(all["tokens"])
	r.FailedPct = int64(math.Ceil(100 * all["degraded_share"]))
	r.CostMicros, r.Currency = of.Cost.TotalMicros, of.Cost.Currency
	if of.Task != nil && of.Task.Complete {
		score := of.Task.Score
		r.Score = &score
		if of.Task.Baselines != nil {
			r.Best = of.Task.Baselines.Best
		}
	}
}

// Report reads the report that a run wrote at its end, and the head of the trace it was made of.
func (c *Catalog) Report(id string) (of report.Report, head trace.Chain, err error) {
	f, err := c.root.Open(filepath.FromSlash(path.Join(id, run.ReportFile)))
	if err != nil {
		return of, "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, reportBytesMax+1))
	if err == nil {
		head, err = state.ReportHead(data)
	}
	if err == nil {
		err = json.Unmarshal(data, &of)
	}
	return of, head, err
}

// ReportOf is the report of a run: the one that it wrote, or else one made of its trace, until ctx ends. dir is
// where the run is.
func (c *Catalog) ReportOf(ctx context.Context, id string) (of report.Report, dir run.Dir, err error) {
	if ctx.Err() != nil {
		return of, dir, ctx.Err()
	}
	dir, err = c.Run(id)
	if err != nil {
		return of, dir, err
	}
	if row, err := c.Row(id); err == nil && row.Status != StatusRunning {
		if of, _, err := c.Report(id); err == nil {
			return of, dir, nil
		}
	}
	of, err = report.Of(dir.Until(ctx))
	return of, dir, err
}
