package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/agentworld/trace"
)

// Dir is the path of a run directory.
type Dir string

// The files of a run in its directory. A long trace is spread over more files; see
// [Dir.Open].
const (
	TraceFile  = "trace.jsonl"
	ReportFile = "report.json"
	// IndexFile holds the hash of a [state.Index] in JSON, and that JSON. It has nothing
	// that the trace does not have, and may be deleted at any time.
	IndexFile = "trace.index"
	// CutFile collects what resumes cut off a trace, for people.
	CutFile = "trace-cut.jsonl"
	// LockFile holds the process id of who works on the run, for people. Its lock is what
	// claims the run.
	LockFile = "run.lock"
	// PlaybookDir holds the agents' playbooks, one file AGENT.toml for each.
	PlaybookDir = "playbooks"
)

// file is the path of a file of the run.
func (d Dir) file(name string) string { return filepath.Join(string(d), name) }

// Create makes the directory of a new run with its parents and proves that
// it can be written. It refuses a directory that holds a trace already, because
// two runs in one file cannot be told apart, or what is left of a run: closed segments
// of its trace, which the new run would replace one by one, or a report. What is made
// again when it is missed, such as an index, does not count.
func (d Dir) Create() error {
	var parents []string
	for at := filepath.Clean(string(d)); !exists(at) && filepath.Dir(at) != at; at = filepath.Dir(at) {
		parents = append(parents, filepath.Dir(at))
	}
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return fmt.Errorf("create run directory: %w", err)
	}
	for _, parent := range parents {
		_ = syncDir(parent) // one that may be written and not read cannot be synced
	}
	left := []string{TraceFile}
	if n := d.lastSegment(); n > 0 {
		left = append(left, segmentName(n))
	}
	for _, name := range append(left, ReportFile) {
		if exists(d.file(name)) { // also a link to a file that is gone is somebody's
			return fmt.Errorf("run directory %s already holds a run, at least its %s; choose another directory", d, name)
		}
	}
	probe, err := os.CreateTemp(string(d), ".probe-*")
	if err != nil {
		return fmt.Errorf("write to run directory: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// exists reports whether there is something at a path, or that nobody can tell.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// ErrNothingRecorded marks a run that was stopped before its header was written.
var ErrNothingRecorded = errors.New("it was stopped before anything was recorded")

// Header returns the header of the run, or [ErrNothingRecorded].
func (d Dir) Header() (trace.Header, error) {
	f, err := d.Open()
	if err != nil {
		return trace.Header{}, err
	}
	defer f.Close()
	h, err := trace.NewReader(f).Header()
	if err == io.EOF || errors.Is(err, trace.ErrTorn) {
		err = ErrNothingRecorded
	}
	if err != nil {
		return trace.Header{}, fmt.Errorf("read trace of %s: %w", d, err)
	}
	return h, nil
}

// Clear removes the files of a run. Whatever ends it midway, what is left
// is found unfinished again by a fork: the trace goes from its end to its beginning.
func (d Dir) Clear() error {
	var names []string
	books, _ := os.ReadDir(d.file(PlaybookDir))
	for _, b := range books {
		if filepath.Ext(b.Name()) == ".toml" {
			names = append(names, filepath.Join(PlaybookDir, b.Name()))
		}
	}
	names = append(names, ReportFile, IndexFile, CutFile, TraceFile)
	for n := d.lastSegment(); n > 0; n-- {
		names = append(names, segmentName(n))
	}
	for _, name := range names {
		if err := os.Remove(d.file(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove an unfinished fork: %w", err)
		}
	}
	_ = os.Remove(d.file(PlaybookDir)) // which stays when somebody else keeps something there
	return nil
}
