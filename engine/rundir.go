package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentworld/trace"
)

// TraceFile and ReportFile are the names of a run's files in its directory.
const (
	TraceFile  = "trace.jsonl"
	ReportFile = "report.json"
)

// CreateRunDir makes the directory of a new run with its parents and proves that
// it can be written. It refuses a directory that holds a trace already, because
// two runs in one file cannot be told apart.
func CreateRunDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create run directory: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, TraceFile)); err == nil {
		return fmt.Errorf("run directory %s already holds a run; choose another --run-dir", dir)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("write to run directory: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
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
