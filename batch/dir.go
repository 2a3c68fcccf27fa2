package batch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/metric"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/world/scenario"
)

// Dir is the path of a batch directory. Its layout is in the package comment. Several processes
// may work on it, also from several machines over a shared file system.
type Dir string

// The names in a batch directory.
const (
	cellsFile     = "batch.json"
	batchFile     = "batch.toml"
	cellsDir      = "cells"
	failureFile   = "failure.json"
	attempts      = "attempt"
	attemptPrefix = attempts + "-"
	runDir        = "run"
	logFile       = "log.txt"
	// ResultFile is the result of a cell, in its directory.
	ResultFile = "result.json"
	// ResultsFile holds all results, a line each.
	ResultsFile = "results.jsonl"
)

// listing is the content of cellsFile.
type listing struct {
	Name  string `json:"name"`
	Cells []Cell `json:"cells"`
}

// path is a place in the directory.
func (d Dir) path(parts ...string) string {
	return filepath.Join(append([]string{string(d)}, parts...)...)
}

// folder is the directory as what it is read and written through: nothing below it is followed.
func (d Dir) folder() folder.Dir { return folder.Dir(d) }

// inCell is a place in the directory of a cell, below the batch directory.
func inCell(id ID, parts ...string) string {
	return filepath.Join(append([]string{cellsDir, string(id)}, parts...)...)
}

// inAttempt is a place in the directory of an attempt, below the batch directory.
func inAttempt(id ID, n int64, parts ...string) string {
	return inCell(id, append([]string{attemptPrefix + strconv.FormatInt(n, 10)}, parts...)...)
}

// cell is the path of a place in the directory of a cell.
func (d Dir) cell(id ID, parts ...string) string { return d.path(inCell(id, parts...)) }

// Create makes the directory of a batch, or brings an existing one up to date: cells that are not
// part of the batch any more stay, and count no more. A cell has a directory once it is played. The
// directory of a batch with another name and no common cell is refused.
func (d Dir) Create(name string, cells []Cell) error {
	if other, theirs, err := d.Cells(); err == nil && other != name && len(theirs) > 0 && !common(theirs, cells) {
		return fmt.Errorf("%s is the directory of another batch, %q", string(d), other)
	}
	if base := filepath.Base(string(d)); base != "." && base != ".." {
		if err := plaintext.FileName(base); err != nil {
			return fmt.Errorf("make the batch directory %s: %w", d, err)
		}
	}
	err := os.MkdirAll(string(d), 0o700)
	if err == nil {
		err = d.folder().MkdirAll(cellsDir)
	}
	if err != nil {
		return fmt.Errorf("make the batch directory: %w", err)
	}
	data := listed(name, cells)
	if old, err := d.read(cellsFile); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return d.replace(cellsFile, data)
}

// common says that two batches have a cell in common.
func common(a, b []Cell) bool {
	ids := map[ID]bool{}
	for _, c := range a {
		ids[c.ID] = true
	}
	return slices.ContainsFunc(b, func(c Cell) bool { return ids[c.ID] })
}

// listed is the content of cellsFile, with a cell a line; [listing] reads it.
func listed(name string, cells []Cell) []byte {
	data := fmt.Appendf(nil, "{\"name\":%s,\"cells\":[", llmclient.Marshal(name))
	for i, c := range cells {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, '\n')
		data = append(data, llmclient.Marshal(c)...)
	}
	return append(data, "\n]}\n"...)
}

// KeepFile keeps the text of the batch file, which says what is compared and what must hold.
func (d Dir) KeepFile(text []byte) error {
	if old, err := d.read(batchFile); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := d.replace(batchFile, text); err != nil {
		return fmt.Errorf("keep the batch file: %w", err)
	}
	return nil
}

// File is the batch file that was kept, the cells that were planned of it, and their results. Metrics are
// those of the list, of the file, those that only results have, and those that the file names and a report computed
// later.
func (d Dir) File(list metric.List) (f File, cells []Cell, results []Result, err error) {
	_, cells, err = d.Cells()
	if err != nil {
		return f, nil, nil, err
	}
	results, err = d.Results(cells)
	if err != nil {
		return f, nil, nil, err
	}
	text, err := d.read(batchFile)
	if err == nil {
		f, err = d.parse(text, list.Known(recorded(results)...), results)
	}
	if err != nil {
		return f, nil, nil, fmt.Errorf("read %s: %w", batchFile, err)
	}
	if f.Suite != nil {
		suite, _ := scenario.SuiteNamed(f.Suite.Name)
		f.Suite, err = d.mark(suite, results)
	}
	return f, cells, results, err
}

// parse reads the batch file that was kept. What was computed of the runs later counts only as far as the file
// names it: a metric that somebody once asked a report for is none of the batch's.
func (d Dir) parse(text []byte, known metric.List, results []Result) (File, error) {
	f, err := Parse(text, known)
	if err == nil {
		return f, nil
	}
	all := known
	for _, r := range results {
		all = all.Known(d.measured(r)...)
	}
	later, laterErr := Parse(text, all)
	if laterErr != nil {
		return f, err
	}
	later.Metrics = slices.DeleteFunc(later.Metrics, func(m metric.Metric) bool {
		_, before := known.Named(m.Name)
		return !before && !later.names(m.Name)
	})
	return later, nil
}

// fileBytesMax bounds a file of the directory, which is read as a whole.
const fileBytesMax = 256 << 20

// read reads a file of the directory, which must be a regular one.
func (d Dir) read(name string) ([]byte, error) { return d.folder().Read(name, fileBytesMax) }

// replace replaces a file of the directory, whole or not at all.
func (d Dir) replace(name string, data []byte) error {
	return d.folder().Replace(name, folder.Content(data))
}

// Cells are the name and the cells of the batch. The error says that there is none, or what is wrong with it.
func (d Dir) Cells() (name string, cells []Cell, err error) {
	data, err := d.read(cellsFile)
	if err != nil {
		return "", nil, fmt.Errorf("read the cells of the batch: %w", err)
	}
	name, cells, err = ReadCells(data)
	if err != nil {
		return "", nil, err
	}
	for _, c := range cells {
		if len(c.ID) != 16 || strings.Trim(string(c.ID), "0123456789abcdef") != "" {
			return "", nil, fmt.Errorf("%s is damaged: %q is no cell", cellsFile, c.ID)
		}
	}
	return name, cells, nil
}

// result reads a result of a cell from one of its files; false if there is none.
func (d Dir) result(id ID, file string) (r Result, ok bool, err error) {
	data, err := d.read(inCell(id, file))
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err != nil && !errors.Is(err, run.ErrIrregular) && !errors.Is(err, syscall.ENOTDIR) {
		return r, false, fmt.Errorf("read a result of cell %s: %w", id, err) // it may be whole
	}
	if err == nil {
		r, err = ReadResult(id, data)
	}
	if err != nil {
		return r, false, &damagedError{d.cell(id, file), err}
	}
	return r, true, nil
}

// damagedError says that a file of one cell cannot be read.
type damagedError struct {
	path string
	err  error
}

func (e *damagedError) Error() string {
	return fmt.Sprintf("%s is damaged: %v; batch run puts it aside and plays the cell on", e.path, e.err)
}

func (e *damagedError) Unwrap() error { return e.err }

// asideSuffix ends the name of what was damaged.
const asideSuffix = ".damaged"

// SetAside renames a result of a cell that is damaged, or what is in the place of the cell's directory,
// so that the cell can be played on. It returns the new path, empty if all is well.
func (d Dir) SetAside(id ID) (aside string, err error) {
	name := inCell(id)
	info, err := d.folder().Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("look at cell %s: %w", id, err)
	case info.IsDir():
		name = inCell(id, ResultFile)
		_, _, err := d.result(id, ResultFile)
		if _, damaged := errors.AsType[*damagedError](err); !damaged {
			return "", err
		}
	}
	aside = name + asideSuffix
	for n := 2; d.folder().Exists(aside); n++ {
		aside = name + asideSuffix + "-" + strconv.Itoa(n)
	}
	err = d.folder().Move(name, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process was faster
		return "", fmt.Errorf("put aside %s, which is damaged: %w", d.path(name), err)
	}
	return d.path(aside), nil
}

// Done says that a cell has its result.
func (d Dir) Done(id ID) bool {
	_, err := d.folder().Stat(inCell(id, ResultFile))
	return err == nil
}

// Finish writes the result of a cell. If it has one already, that one stays, and Finish returns
// false. Only the attempt that holds the claim may call it.
func (d Dir) Finish(r Result) (first bool, err error) {
	first, err = d.Store().Put(ResultKey(r.ID), append(llmclient.Marshal(r), '\n'))
	if err != nil {
		return false, fmt.Errorf("write the result of cell %s: %w", r.ID, err)
	}
	return first, nil
}

// Fail notes how the latest attempt at a cell failed. The cell can be played again.
func (d Dir) Fail(r Result) error {
	if err := d.Store().Set(FailureKey(r.ID), append(llmclient.Marshal(r), '\n')); err != nil {
		return fmt.Errorf("write how cell %s failed: %w", r.ID, err)
	}
	return nil
}

// attempts are the numbers of the attempts at a cell, rising.
func (d Dir) attempts(id ID) (numbers []int64, err error) {
	numbers, err = (&dirStore{dir: d.folder()}).claims(AttemptKey(id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for attempts at cell %s: %w", id, err)
	}
	return numbers, nil
}

// attempt is the path of a place in the directory of an attempt.
func (d Dir) attempt(id ID, n int64, parts ...string) string {
	return d.path(inAttempt(id, n, parts...))
}

// Runs are where in the directory the runs of all attempts at some cells are, cell by cell. One without a directory
// has none. The error is the first about a cell that cannot be read; the others have theirs.
func (d Dir) Runs(ids ...ID) (paths []string, err error) {
	listErr := d.folder().ListEach(cellsDir, len(ids), func(i int) string { return string(ids[i]) },
		func(i int, entries []fs.DirEntry, unread error) {
			if unread != nil && !errors.Is(unread, fs.ErrNotExist) {
				err = cmp.Or(err, fmt.Errorf("look for attempts at cell %s: %w", ids[i], unread))
			}
			for _, n := range folder.Numbered(entries, attemptPrefix) {
				paths = append(paths, inAttempt(ids[i], n, runDir))
			}
		})
	return paths, cmp.Or(err, listErr)
}

// RunOfCell is where in the directory of a cell the run of its result is; false if it is no such
// directory, or has no result.
func RunOfCell(dir string) (path string, ok bool) {
	data, err := Dir(dir).read(ResultFile)
	var r Result
	if err != nil || json.Unmarshal(data, &r) != nil || string(r.ID) != filepath.Base(dir) {
		return "", false
	}
	return filepath.Join(attemptPrefix+strconv.FormatInt(r.Attempt, 10), runDir), true
}

// Run is the run directory of an attempt.
func (d Dir) Run(id ID, n int64) string { return d.attempt(id, n, runDir) }

// Records are the files of a batch's directory that nobody could make again; nil if it is none.
func (d Dir) Records() []string {
	if !d.folder().Exists(cellsFile) {
		return nil
	}
	return []string{cellsFile, batchFile, ResultsFile}
}
