package agentworld

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/explain"
	"example.com/agentworld/explain/export"
	"example.com/agentworld/metric"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
)

// Report is a run in numbers.
type Report = report.Report

// Comparison says in what two runs differ.
type Comparison = report.Comparison

// ReplayResult is what a replay found.
type ReplayResult = engine.ReplayResult

// Header says what a run began with.
type Header = trace.Header

// Row is what an agent did in a tick.
type Row = explain.Row

// Decision is one decision of an agent with its reasons.
type Decision = explain.Decision

// SourceUses are what decisions made of one source, such as a memory, a message or a lesson.
type SourceUses = explain.SourceUses

// Inspection is the progress of a run and its last events.
type Inspection = explain.Inspection

// Conversation is one decision as trainers read it: messages with their trust, tools, reward and outcome.
type Conversation = export.Conversation

// Replay derives the run in dir again from its recorded answers and compares every
// record. The error is a failure to read the run, or a run of another version.
func Replay(ctx context.Context, dir string) (ReplayResult, error) {
	return engine.Replay(ctx, dir, engine.ReplayOptions{})
}

// Compare compares the runs in two directories, tick by tick after a tick, 0 for all. The error is a
// failure to read them.
func Compare(a, b string, after int64) (Comparison, error) {
	reportA, err := metric.List{}.Report(context.Background(), run.Dir(a).As(nil))
	if err != nil {
		return Comparison{}, err
	}
	reportB, err := metric.List{}.Report(context.Background(), run.Dir(b).As(nil))
	if err != nil {
		return Comparison{}, err
	}
	return report.Compare(reportA, reportB, run.Dir(a), run.Dir(b), after)
}

// Recorded is a run in its directory. It may still be played: each method reads what is there by then.
type Recorded struct {
	// Header says what the run began with: settings, agents, versions.
	Header Header

	dir run.Dir
}

// Read opens the run in dir. The error is a failure to read it.
func Read(dir string) (*Recorded, error) {
	header, err := run.Dir(dir).Header()
	if err != nil {
		return nil, err
	}
	return &Recorded{header, run.Dir(dir)}, nil
}

// Report folds the records into figures, whether the run has ended or not. Metrics of your own are those that
// the run was measured by at its end; see [Recorded.Measure].
func (r *Recorded) Report() (Report, error) {
	return metric.List{}.Report(context.Background(), r.dir.As(nil))
}

// Measure is [Recorded.Report] with metrics that may be younger than the run. What goes wrong with one is in
// its row. The error is one of reading the run, or that of ctx, or says which metric cannot be.
func (r *Recorded) Measure(ctx context.Context, metrics ...Metric) (Report, error) {
	list := metric.List(metrics)
	if err := list.Check(); err != nil {
		return Report{}, err
	}
	return list.Report(ctx, r.dir.As(nil))
}

// Inspect says how far the run is and who works on it, and what happened in a tick, 0 for the last ones,
// to an agent, empty for all.
func (r *Recorded) Inspect(tick int64, agent string) (Inspection, error) {
	look := session.Look{Tick: tick, Agent: agent, Now: time.Now()}
	i, _, err := session.Inspect(r.dir.As(nil), look)
	return i, err
}

// Rows iterates over what agents did in each whole tick, of one agent or of all if agent is empty. An
// error ends it.
func (r *Recorded) Rows(agent string) iter.Seq2[Row, error] {
	return explain.TableOf(r.dir, agent).Rows()
}

// Export writes a table to w, as "csv" or "jsonl"; docs/data.md has the tables with their columns. missing says what of
// the run is not in it, empty if nothing is. The error is a failure to read the run or to write, or an unknown name.
func (r *Recorded) Export(w io.Writer, table, format string) (missing string, err error) {
	t, known := export.TableNamed(table)
	if !known {
		return "", fmt.Errorf("no table %q; allowed: %s", table, strings.Join(export.TableNames(), ", "))
	}
	as := export.Format(format)
	if as != export.CSV && as != export.JSONLines {
		return "", fmt.Errorf("no format %q; allowed: csv, jsonl", format)
	}
	rows := export.NewWriter(w, as, t, export.Resources(r.Header))
	summary, err := r.recording().Rows([]export.Table{t}, rows.Row)
	if err == nil && table == export.RunsTable {
		err = rows.Row(summary)
	}
	if err != nil {
		return summary.Missing, err
	}
	return summary.Missing, rows.Flush()
}

// Conversations iterates over the decisions for which a model or seat was asked. An error ends it.
func (r *Recorded) Conversations() iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		_, err := r.recording().Conversations(func(c Conversation) error {
			if !yield(c, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Conversation{}, err)
		}
	}
}

// errEnough ends a reading whose reader wants no more.
var errEnough = errors.New("enough")

// recording is the run as exports read it.
func (r *Recorded) recording() export.Recording {
	return export.Recording{Trace: r.dir, Of: export.Of{Run: filepath.Base(string(r.dir))}}
}

// Decision is what an agent decided in a tick, with its prompts, answers and sources.
func (r *Recorded) Decision(tick int64, agent string) (*Decision, error) {
	d, err := explain.ReadDecision(r.dir, tick, agent)
	if err != nil {
		return nil, err
	}
	return d, d.ReadCalls(r.dir)
}

// Source is what the decisions of an agent, or of all if agent is empty, made of the source with an id.
func (r *Recorded) Source(id, agent string) (SourceUses, error) {
	return explain.ReadSource(r.dir, id, agent, "")
}
