package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
)

// Status is how far a batch is.
type Status struct {
	Name string `json:"name"`
	// Done cells have a result, of which Unscored ended without a score; Failed ones have only
	// failures, Playing ones a process that is alive, Stale ones a process that was not heard of for
	// a lease, and Waiting ones neither.
	Done     int `json:"done"`
	Unscored int `json:"unscored"`
	// CutShort are the done cells whose runs had fewer ticks than their task, and so no score.
	CutShort int `json:"cut_short"`
	Failed   int `json:"failed"`
	Playing  int `json:"playing"`
	Stale    int `json:"stale"`
	Waiting  int `json:"waiting"`
	// Thinned says that runs were removed by [Dir.Thin].
	Thinned bool `json:"thinned"`
	// Calls, Tokens and CostMicros are what the cells with a result took.
	Calls      int64  `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"`
	// Leased is what of the budget is spent or set apart, unfinished cells included: calls, tokens and
	// cost. It is zero without a budget.
	Leased budget.Amount `json:"leased"`
	Cells  []CellStatus  `json:"cells"`
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

// Status looks at all cells of the batch, and writes nothing: a cell of another machine is stale by
// the clock of this one. The error says that there is no batch, or what is wrong with it.
func (d Dir) Status(lease time.Duration) (Status, error) {
	name, cells, err := d.Cells()
	if err != nil {
		return Status{}, err
	}
	out, now := Status{Name: name, Thinned: d.Thinned(), Cells: make([]CellStatus, 0, len(cells))}, time.Now()
	store := &dirStore{dir: d.folder(), now: &now}
	elsewhere, err := d.playedElsewhere(lease, now)
	if err != nil {
		return out, err
	}
	found, err := d.survey(cells)
	if err != nil {
		return out, err
	}
	for i, c := range cells {
		one := CellStatus{Cell: c}
		r, err := found.results[i], found.wrong[i]
		known := r.ID != ""
		s := waiting
		if found.done[i] {
			s = done
		} else if found.begun[i] && err == nil {
			var at Standing
			s, at, err = standing(store, c.ID, lease)
			one.Attempt, one.Owner = at.Number, at.Host
		}
		switch {
		case err != nil: // one of this cell alone
			one.State, one.Reason = "failed", err.Error()
			out.Failed++
		case s == done:
			one.State = "done"
			out.Done++
			one.Attempt = r.Attempt
			if !r.Scored() {
				out.Unscored++
				one.Reason = fmt.Sprintf("%s: %s", r.Status, r.Reason)
			} else if r.CutShort {
				out.CutShort++
				one.Reason = r.Reason
			}
		case s == playing:
			one.State = "playing"
			out.Playing++
		case elsewhere[c.ID] > 0:
			one.State = "playing"
			one.Attempt, one.Owner = elsewhere[c.ID], "a worker"
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
		if one.State != "playing" && one.State != "stale" {
			one.Owner = ""
		}
		if known {
			out.Calls += r.Calls
			out.Tokens += r.Tokens
			out.CostMicros += r.CostMicros
			if r.Currency != "" {
				out.Currency = r.Currency
			}
		}
		out.Cells = append(out.Cells, one)
	}
	out.Leased, err = d.Leased()
	return out, err
}

// workersPlaying lists the cells that workers elsewhere play; its modification time says when that was
// known last.
const workersPlaying = "playing.json"

// KeepPlaying writes down which cells workers elsewhere play, with the numbers of their attempts. The
// caller repeats it four times a lease: [Dir.Status] ignores an older list.
func (d Dir) KeepPlaying(attempts map[ID]int64) error {
	if err := d.replace(workersPlaying, llmclient.Marshal(attempts)); err != nil {
		return fmt.Errorf("keep which cells are played: %w", err)
	}
	return nil
}

// playedElsewhere is what [Dir.KeepPlaying] wrote down; nothing if that was longer ago than a lease.
func (d Dir) playedElsewhere(lease time.Duration, now time.Time) (attempts map[ID]int64, err error) {
	info, err := d.folder().Stat(workersPlaying)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	data, readErr := d.read(workersPlaying)
	if err := errors.Join(err, readErr); err != nil {
		return nil, fmt.Errorf("read which cells are played: %w", err)
	}
	if now.Sub(info.ModTime()) > lease {
		return nil, nil
	}
	if err := json.Unmarshal(data, &attempts); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; it may be removed", d.path(workersPlaying), err)
	}
	return attempts, nil
}
