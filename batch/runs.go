package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/agentworld/engine"
)

// Runs is where the runs of a batch are kept, for processes that do not share its directory: each plays in a
// directory of its own, and others continue what it kept.
type Runs interface {
	// Adopt makes dir, which is not there, the directory of the attempt that a lease is for, with the run
	// that it continues. resume says that there is one.
	Adopt(l Lease, id ID, dir string) (resume bool, err error)
	// Answers is a source of answers for an attempt: those that earlier attempts kept, and those of ask, each
	// kept before it is returned. end ends the attempt whose ctx it is.
	Answers(ctx context.Context, l Lease, a Attempt, ask engine.Source, end func(error)) engine.Source
	// Keep keeps the directory of an attempt, whose run the next one continues.
	Keep(l Lease, id ID, dir string) error
	// Continue says which attempt's run the next one continues; 0 is none, and a negative one none either,
	// with no answer of that attempt or an earlier one.
	Continue(l Lease, id ID, attempt int64) error
}

// ErrNotHere is in the error of a [Player] that leaves a cell to other processes.
var ErrNotHere = errors.New("is left to others")

// CellsKey is the key of the cells of a batch in its store, as [Dir.Create] writes them.
const CellsKey = cellsFile

// ResultKey is the key of the result of a cell.
func ResultKey(id ID) string { return cellsDir + "/" + string(id) + "/" + ResultFile }

// FailureKey is the key of how the latest attempt at a cell failed.
func FailureKey(id ID) string { return cellsDir + "/" + string(id) + "/" + failureFile }

// AttemptKey is the key of who plays a cell.
func AttemptKey(id ID) string { return cellsDir + "/" + string(id) + "/" + attempts }

// ReadCells reads what [CellsKey] holds.
func ReadCells(data []byte) (name string, cells []Cell, err error) {
	list := listing{Cells: make([]Cell, 0, bytes.Count(data, []byte("\n")))} // most have a line each
	if err := json.Unmarshal(data, &list); err != nil {
		return "", nil, fmt.Errorf("%s is damaged: %w", cellsFile, err)
	}
	same := texts{}
	arms := map[string][]Label{}
	for i := range list.Cells {
		c := &list.Cells[i]
		same.cell(c)
		arm := c.Arm()
		if arms[arm] == nil {
			arms[arm] = c.Labels
		}
		c.Labels = arms[arm]
	}
	return list.Name, list.Cells, nil
}

// ReadResult reads a result of a cell.
func ReadResult(id ID, data []byte) (r Result, err error) {
	err = json.Unmarshal(data, &r)
	if err == nil && r.ID != id {
		err = fmt.Errorf("it is that of cell %q", r.ID)
	}
	return r, err
}
