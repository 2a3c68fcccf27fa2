package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// Result is how a cell ended: one line of results.jsonl.
type Result struct {
	Cell
	// Attempt is the number of the claim under which the run ended.
	Attempt int64 `json:"attempt"`
	// Status is how the run ended.
	Status trace.RunStatus `json:"status"`
	// Reason is one line for people, empty for a completed run.
	Reason string `json:"reason"`
	// Versions are those under which it was played.
	Versions Versions `json:"versions"`
	// Model is the model asked for.
	Model string `json:"model"`
	// ModelSource says who answered: "scripted" results are no evidence about a model.
	ModelSource trace.ModelSource `json:"model_source"`
	// Metrics are the figures of the run by name, see [report.Report.Metrics]; empty unless it
	// counts, see [Result.Scored].
	Metrics map[string]float64 `json:"metrics"`
	// Calls, Tokens and CostMicros are what the run took, CostMicros in millionths of the
	// currency.
	Calls      int64  `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"`
	// Digest is the digest of the world at the end, Head the chain of the trace.
	Digest string      `json:"digest"`
	Head   trace.Chain `json:"head"`
	// WallMS is the duration of the last attempt in milliseconds. It says nothing about the run.
	WallMS int64 `json:"wall_ms"`
}

// ResultOf is the result of a cell that was played, from the report of its run.
func ResultOf(c Cell, attempt int64, r report.Report, head trace.Chain) Result {
	all := r.Metrics()
	out := Result{
		Cell: c, Attempt: attempt, Status: r.RunStatus, Reason: r.RunReason,
		Versions: Versions{r.Versions.Engine, r.Versions.Rules, r.Versions.Prompt},
		Model:    r.Model, ModelSource: r.ModelSource, Metrics: map[string]float64{},
		Calls: int64(all["calls"]), Tokens: int64(all["tokens"]), CostMicros: r.Cost.TotalMicros, Currency: r.Cost.Currency,
		Digest: r.FinalDigest, Head: head,
	}
	if out.Scored() {
		out.Metrics = all
	}
	return out
}

// Scored says that the run counts in comparisons: it was played to its end. A failure of the
// infrastructure is no score.
func (r Result) Scored() bool { return r.Status == trace.RunCompleted }

// lineMost bounds a line of results.jsonl, in bytes.
const lineMost = 1 << 20

// ReadResults reads the lines of results.jsonl. The error names the line that is no result.
func ReadResults(r io.Reader) ([]Result, error) {
	var list []Result
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineMost)
	for n := 1; lines.Scan(); n++ {
		var one Result
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&one); err != nil || one.ID == "" || one.Status == "" {
			return nil, fmt.Errorf("line %d is no result of a cell", n)
		}
		list = append(list, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return list, nil
}
