package batch

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// Status is how far a batch is.
type Status struct {
	Name string `json:"name"`
	// Done cells have a result, Failed ones only failures, Playing ones a process that is alive, Stale
	// ones a process that was not heard of for a lease, and Waiting ones neither.
	Done    int `json:"done"`
	Failed  int `json:"failed"`
	Playing int `json:"playing"`
	Stale   int `json:"stale"`
	Waiting int `json:"waiting"`
	// Calls, Tokens and CostMicros are what the cells with a result took.
	Calls      int64        `json:"calls"`
	Tokens     int64        `json:"tokens"`
	CostMicros int64        `json:"cost_micros"`
	Currency   string       `json:"currency"`
	Cells      []CellStatus `json:"cells"`
}

// CellStatus is how a cell stands.
type CellStatus struct {
	Cell Cell `json:"cell"`
	// State is done, failed, playing, stale or waiting.
	State string `json:"state"`
	// Attempt is the latest attempt, Owner the machine that plays it or did last.
	Attempt int64  `json:"attempt"`
	Owner   string `json:"owner"`
	// Reason is why it failed.
	Reason string `json:"reason"`
}

// Status looks at all cells of the batch. The error says that there is no batch, or what is wrong
// with it.
func (d Dir) Status(lease time.Duration) (Status, error) {
	name, cells, err := d.Cells()
	if err != nil {
		return Status{}, err
	}
	out := Status{Name: name, Cells: []CellStatus{}}
	for _, c := range cells {
		one := CellStatus{Cell: c}
		s, latest, _, err := d.look(c.ID, lease)
		if err != nil {
			return out, err
		}
		one.Attempt = latest
		r, known, err := d.result(c.ID, failureFile)
		if err != nil {
			return out, err
		}
		switch {
		case s == done:
			one.State = "done"
			out.Done++
			if r, known, err = d.result(c.ID, resultFile); err != nil {
				return out, err
			}
			one.Attempt = r.Attempt
		case s == playing:
			one.State = "playing"
			out.Playing++
		case s == stale:
			one.State = "stale"
			out.Stale++
		case known:
			one.State, one.Reason = "failed", fmt.Sprintf("%s: %s", r.Status, r.Reason)
			out.Failed++
		default:
			one.State = "waiting"
			out.Waiting++
		}
		if one.State == "playing" || one.State == "stale" {
			owner, _ := os.ReadFile(d.attempt(c.ID, latest, ownerFile)) // it is only for people
			one.Owner = strings.TrimSpace(string(owner))
		}
		if known {
			out.Calls, out.Tokens, out.CostMicros = out.Calls+r.Calls, out.Tokens+r.Tokens, out.CostMicros+r.CostMicros
			if r.Currency != "" {
				out.Currency = r.Currency
			}
		}
		out.Cells = append(out.Cells, one)
	}
	return out, nil
}
