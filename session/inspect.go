package session

import (
	"os"
	"time"

	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/session/access"
)

// Look says what of a run is shown by [Inspect].
type Look struct {
	// Tick is shown, 0 for the last ones.
	Tick int64
	// Agent limits what is shown, empty is all.
	Agent string
	// Rebuild reads the whole trace again, however old its index is.
	Rebuild bool
	// Now tells which waits have not ended.
	Now time.Time
}

// Inspect says how far a run is and what happened in it last, with what only its directory knows: who
// works on it, the current waits for endpoints, its files. It reads the run's index, the part of the
// trace after the index, and the few ticks that are shown. The error is one of [explain.Inspect], or
// [run.ErrNothingRecorded].
func Inspect(dir run.Source, l Look) (i explain.Inspection, waits []access.CurrentWait, err error) {
	x, now, err := dir.Index(l.Rebuild)
	if err != nil {
		return i, nil, err
	}
	i, err = explain.Inspect(dir, x, now, l.Tick, l.Agent)
	// Any damage after the whole ticks is ignored: a resume discards that part.
	if err != nil && !(i.Tick == 0 && run.Damaged(err)) {
		return i, nil, err
	}
	i.Process = dir.Holder()
	if i.Process != "" {
		i.State, waits = "running", access.WaitsAt(dir.Dir, l.Now)
	}
	if len(waits) > 0 {
		i.Waits = llmclient.Marshal(waits)
	}
	files, err := dir.Files()
	if err != nil {
		return i, nil, err
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return i, nil, err
		}
		i.Files++
		i.Bytes += info.Size()
	}
	return i, waits, nil
}
