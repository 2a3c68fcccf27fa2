package openenv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"example.com/agentworld/trace"
)

// archive has the outcomes of the last episodes, and their runs as far as they are kept.
type archive struct {
	keep Keep
	// dir is where runs go, temporary says that it goes with the server.
	dir       string
	temporary bool
	ended     func(Outcome)

	mu sync.Mutex
	// begun counts the names that were tried, which end up in directories.
	begun int64
	// last are the newest outcomes, kept the runs that are kept, both with the oldest first.
	last []Outcome
	kept []string
	// failed is the first run that could not be removed.
	failed error
}

// openArchive makes the directory of the runs. Without one to keep it is a temporary one.
func openArchive(o Options) (*archive, error) {
	a := &archive{keep: o.Keep, dir: o.Dir, ended: o.Ended}
	var err error
	if o.Keep == KeepNone {
		a.temporary = true
		a.dir, err = os.MkdirTemp("", "agentworld-openenv-")
	} else {
		err = os.MkdirAll(o.Dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("make the directory of the episodes: %w", err)
	}
	return a, nil
}

// reserve makes the directory of the next run of an instance. Another server may keep its runs in the same place,
// so that a name is only ours once its directory is made.
func (a *archive) reserve(i instance) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		a.begun++
		dir := filepath.Join(a.dir, fmt.Sprintf("episode-%06d-seed-%d", a.begun, i.seed()))
		err := os.Mkdir(dir, 0o700)
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, os.ErrExist):
			return "", fmt.Errorf("make the directory of an episode: %w", err)
		}
	}
}

// take takes an episode that is over, and keeps its run or removes it.
func (a *archive) take(o Outcome, dir string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	failed := o.Status != string(trace.RunCompleted) || o.Deadlines > 0
	gone := []string{dir}
	if a.keep == KeepAll || a.keep == KeepFailed && failed {
		o.Run = dir
		a.kept = append(a.kept, dir)
		gone = slices.Clone(a.kept[:max(0, len(a.kept)-ringMax)])
		a.kept = slices.Delete(a.kept, 0, len(gone))
	}
	for _, run := range gone {
		a.remove(run)
	}
	a.last = append(a.last, o.forClients())
	a.last = slices.Delete(a.last, 0, max(0, len(a.last)-ringMax))
	if a.ended != nil {
		a.ended(o)
	}
}

// drop removes the run of an episode that nobody is told of.
func (a *archive) drop(dir string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(dir)
}

// remove removes a directory of runs. It is called with mu held.
func (a *archive) remove(dir string) {
	err := os.RemoveAll(dir)
	if err != nil && a.failed == nil {
		a.failed = fmt.Errorf("remove the run of an episode: %w", err)
	}
}

// outcomes are those of the last episodes for clients, the oldest first.
func (a *archive) outcomes() []Outcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Outcome{}, a.last...)
}

// close removes what is temporary. The error says what could not be removed first, now or before.
func (a *archive) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.temporary {
		a.remove(a.dir)
	}
	return a.failed
}
