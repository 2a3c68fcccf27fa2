package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/agentworld/trace"
)

// CreateForkDir makes the directory of a fork as [CreateRunDir] does. What a fork of the
// same parent left that was killed before its own first tick is removed: it holds no
// answer but the parent's, and nothing can go on with it.
func CreateForkDir(o ForkOptions) error {
	if !unfinishedPrefix(o.RunDir, o.Parent) {
		return CreateRunDir(o.RunDir)
	}
	unlock, err := lockRun(o.RunDir)
	if err != nil {
		return err
	}
	// Looked at again: until now it may have been another process's, and have gone on.
	if unfinishedPrefix(o.RunDir, o.Parent) {
		err = removePrefix(o.RunDir)
	}
	if err := errors.Join(err, unlock()); err != nil {
		return err
	}
	return CreateRunDir(o.RunDir)
}

// unfinishedPrefix reports whether dir holds a fork of the run in parent that ended before
// the ticks it takes over were derived. Without a whole first line, the file about its
// parent tells a fork.
func unfinishedPrefix(dir, parent string) bool {
	h, err := ReadHeader(dir)
	if errors.Is(err, io.EOF) || errors.Is(err, trace.ErrTorn) {
		_, err := os.Stat(filepath.Join(dir, ParentFile))
		return err == nil
	}
	if err != nil || len(h.Forks) == 0 {
		return false
	}
	left, err := ReadHeader(parent)
	if err != nil {
		return false
	}
	point := h.Forks[len(h.Forks)-1]
	t, err := readTail(dir)
	return err == nil && t.last < point.AtTick && point.Parent.Run == left.RunName()
}

// removePrefix removes the files of a run from dir. Whatever ends it midway, what is left
// is found unfinished again: the trace goes from its end to its beginning.
func removePrefix(dir string) error {
	names := []string{ReportFile, IndexFile, CutFile, TraceFile}
	for n := lastSegment(dir); n > 0; n-- {
		names = append(names, segmentName(n))
	}
	for _, name := range append(names, ParentFile) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove an unfinished fork: %w", err)
		}
	}
	return nil
}

// sweepFork removes what a fork left in dir that was killed while it wrote about its
// parent. The caller has the directory's lock.
func sweepFork(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("clear the directory of a fork: %w", err)
	}
	for _, e := range entries {
		if left, _ := filepath.Match("."+ParentFile+"-*", e.Name()); !left {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("clear the directory of a fork: %w", err)
		}
	}
	return nil
}
