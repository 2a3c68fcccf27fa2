package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/agentworld/trace"
)

// TraceFile and ReportFile are the names of a run's files in its directory.
const (
	TraceFile  = "trace.jsonl"
	ReportFile = "report.json"
)

// CreateRunDir makes the directory of a new run with its parents and proves that
// it can be written. It refuses a directory that holds a trace already, because
// two runs in one file cannot be told apart, or what is left of a run: closed segments
// of its trace, which the new run would replace one by one, or a report.
func CreateRunDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create run directory: %w", err)
	}
	if left := leftIn(dir); left != "" {
		return fmt.Errorf("run directory %s already holds a run, at least its %s; choose another --run-dir", dir, left)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("write to run directory: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// leftIn names a file in dir that belongs to a run and would be lost to another one in
// the same directory; empty when there is none. What is made again when it is missed,
// such as an index, does not count.
func leftIn(dir string) string {
	names := []string{TraceFile}
	if n := lastSegment(dir); n > 0 {
		names = append(names, segmentName(n))
	}
	for _, name := range append(names, ReportFile) {
		// Lstat: a link to a file that is gone is somebody's, too.
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return name
		}
	}
	return ""
}

// ReadHeader returns the header of the run in dir.
func ReadHeader(dir string) (trace.Header, error) {
	f, err := OpenTrace(dir)
	if err != nil {
		return trace.Header{}, err
	}
	defer f.Close()
	record, err := trace.NewReader(f).Next()
	if err != nil {
		return trace.Header{}, fmt.Errorf("read trace of %s: %w", dir, err)
	}
	h, ok := record.(trace.Header)
	if !ok {
		return trace.Header{}, fmt.Errorf("read trace of %s: %w", dir, trace.ErrNoHeader)
	}
	return h, nil
}
