package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/trace"
)

// WriteParent leaves what the parent of a fork did after a tick in the fork's directory,
// at once or not at all.
func (d Dir) WriteParent(parent Dir, atTick int64) error {
	in, err := parent.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	err = atomicfile.WriteWith(d.file(ParentFile), func(w *os.File) error {
		packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		return errors.Join(trace.WriteDeeds(trace.NewReader(in), trace.NewWriter(packed), atTick), packed.Close())
	})
	if err != nil {
		return fmt.Errorf("keep what the parent did: %w", err)
	}
	return nil
}

// OpenParent opens what a fork's parent did after the fork; nil when the directory
// has no such file, since the run is no fork.
func (d Dir) OpenParent() (io.ReadCloser, error) {
	f, err := OpenRecording(d.file(ParentFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// Clear removes the files of a run. Whatever ends it midway, what is left
// is found unfinished again by a fork: the trace goes from its end to its beginning.
func (d Dir) Clear() error {
	names := []string{ReportFile, IndexFile, CutFile, TraceFile}
	for n := d.lastSegment(); n > 0; n-- {
		names = append(names, segmentName(n))
	}
	for _, name := range append(names, ParentFile) {
		if err := os.Remove(d.file(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove an unfinished fork: %w", err)
		}
	}
	return nil
}

// SweepParent removes what a fork left that was killed while it wrote about its parent.
// The caller has the directory's lock.
func (d Dir) SweepParent() error {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return fmt.Errorf("clear the directory of a fork: %w", err)
	}
	for _, e := range entries {
		if left, _ := filepath.Match("."+ParentFile+"-*", e.Name()); !left {
			continue
		}
		if err := os.Remove(d.file(e.Name())); err != nil {
			return fmt.Errorf("clear the directory of a fork: %w", err)
		}
	}
	return nil
}
