package batch

import (
	"example.com/agentworld/llmclient/price"
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
	// ModelSource says who answered: "scripted" results are no evidence about a model.
	ModelSource trace.ModelSource `json:"model_source"`
	// Metrics are the figures of the run by name, see report.Metrics; empty unless it
	// completed. A failure of the infrastructure is no score.
	Metrics map[string]float64 `json:"metrics"`
	// Calls, Tokens and Cost are what all attempts of the cell took, answers that were used
	// again not counted twice.
	Calls    int64       `json:"calls"`
	Tokens   int64       `json:"tokens"`
	Cost     price.Money `json:"cost"`
	Currency string      `json:"currency"`
	// Digest is the digest of the world at the end, Head the chain of the trace.
	Digest string      `json:"digest"`
	Head   trace.Chain `json:"head"`
	// WallMS is the duration of the last attempt in milliseconds. It says nothing about the run.
	WallMS int64 `json:"wall_ms"`
}

// Scored says that the result counts in comparisons.
func (r Result) Scored() bool { return r.Status == trace.RunCompleted }
