package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// IndexFile is the file of a run's index, in its directory: the hash of an [Index] in
// JSON, and that JSON. It holds nothing that the trace does not, and may be deleted at
// any time.
const IndexFile = "trace.index"

// indexVersion grows when what an index holds changes; one of another version is made
// anew.
const indexVersion = 3

// Index knows where each whole tick of a trace begins and what was counted in it, so
// that a question about a tick does not read a gigabyte. Ticks are in rising order;
// all columns have one entry a tick.
type Index struct {
	Version int `json:"version"`
	// Run is the hash of the trace's first line, which tells runs apart.
	Run string `json:"run"`
	// File and Offset are where the last whole tick ends: the number of the trace's
	// file and the byte in it, uncompressed. Digest is that tick's.
	File   int    `json:"file"`
	Offset int64  `json:"offset"`
	Digest string `json:"digest"`
	// Asked is the most ticks that the run was asked for, as far as the index goes.
	Asked int64 `json:"asked"`
	// Resumes counts the processes that went on with the run, as far as it goes.
	Resumes int64 `json:"resumes"`

	// Caps are those that somebody who went on with the run set, nil where the header
	// says which hold.
	Caps *trace.Caps `json:"caps,omitempty"`

	// Ticks are the ticks' numbers, Files and Offsets where they begin.
	Ticks   []int64 `json:"ticks"`
	Files   []int   `json:"files"`
	Offsets []int64 `json:"offsets"`
	// The counts of each tick: model calls that were sent, those of them that failed,
	// requests that a cap refused, decisions by a turn and by a standing order, waits for
	// want of a decision, rejected actions.
	Calls     []int64 `json:"calls"`
	Failed    []int64 `json:"failed"`
	Refused   []int64 `json:"refused"`
	Decided   []int64 `json:"decided"`
	Continued []int64 `json:"continued"`
	Degraded  []int64 `json:"degraded"`
	Rejected  []int64 `json:"rejected"`

	// Usage are the tokens by model asked for, Failures the failed calls by kind, over
	// all whole ticks.
	Usage    map[string]llmclient.Usage `json:"usage"`
	Failures map[string]int64           `json:"failures"`
}

// LoadIndex returns the index of the run in dir, up to its last whole tick. It reads
// what the trace has gained since the index was kept last, all of it when there is none
// or it belongs to something else, and keeps the result. With rebuild it reads
// everything. The error says that the trace cannot be read; that the index cannot be
// kept is none, the next one who asks waits again.
func LoadIndex(dir string, rebuild bool) (*Index, error) {
	x, changed, err := loadIndex(dir, rebuild)
	if err == nil && changed {
		_ = x.keep(dir)
	}
	return x, err
}

func loadIndex(dir string, rebuild bool) (x *Index, changed bool, err error) {
	run, err := runHash(dir)
	if err != nil {
		return nil, false, err
	}
	if kept := keptIndex(dir); !rebuild && kept.holds(dir, run) {
		changed, err := kept.extend(dir)
		if err == nil {
			return kept, changed, nil
		}
		// What it points to is not as it was: it is made anew.
	}
	x = &Index{Version: indexVersion, Run: run, File: 1, Usage: map[string]llmclient.Usage{}, Failures: map[string]int64{}}
	_, err = x.extend(dir)
	return x, true, err
}

// runHash hashes the first line of the trace in dir.
func runHash(dir string) (string, error) {
	f, err := OpenTrace(dir)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := trace.NewLines(f).Next()
	if err != nil {
		return "", fmt.Errorf("read trace of %s: %w", dir, err)
	}
	return llmclient.Hash(line), nil
}

// keptIndex reads the index file; nil when there is none that can be read.
func keptIndex(dir string) *Index {
	data, err := os.ReadFile(filepath.Join(dir, IndexFile))
	if err != nil {
		return nil
	}
	hash, body, _ := bytes.Cut(data, []byte("\n"))
	var x Index
	if string(hash) != llmclient.Hash(body) || json.Unmarshal(body, &x) != nil {
		return nil
	}
	return &x
}

// holds reports whether x is an index of the run as its files are now.
func (x *Index) holds(dir, run string) bool {
	return x != nil && x.Version == indexVersion && x.Run == run && x.endsAtItsTick(dir)
}

// endsAtItsTick looks at the line before the index's end, where that is in a file that
// can still change.
func (x *Index) endsAtItsTick(dir string) bool {
	f, number, err := openLast(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	if number != x.File || x.Offset == 0 || len(x.Ticks) == 0 {
		return number >= x.File
	}
	before := make([]byte, min(x.Offset, 4096))
	if _, err := f.ReadAt(before, x.Offset-int64(len(before))); err != nil {
		return false
	}
	return bytes.HasSuffix(before, []byte("\n")) && bytes.Contains(before, []byte(x.Digest))
}

// keep writes the index file.
func (x *Index) keep(dir string) error {
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, IndexFile), fmt.Appendf(nil, "%s\n%s", llmclient.Hash(data), data))
}

// extend reads the whole ticks behind the index's end; changed says that there were
// any.
func (x *Index) extend(dir string) (changed bool, err error) {
	r, err := openTraceAt(dir, x.File, x.Offset)
	if err != nil {
		return false, err
	}
	defer r.Close()
	lines := trace.NewLines(r)
	tick := newTickCount(x)
	for {
		line, err := lines.Next()
		if err == io.EOF || errors.Is(err, trace.ErrTorn) {
			return changed, nil
		}
		if err != nil {
			return changed, fmt.Errorf("read trace of %s: %w", dir, err)
		}
		whole, err := tick.add(line)
		if err != nil {
			return changed, fmt.Errorf("read trace of %s: %w", dir, lines.Failed(err))
		}
		changed = changed || whole
	}
}

// At returns the place of a tick in the columns; ok is false when the index does not
// hold it.
func (x *Index) At(tick int64) (at int, ok bool) { return slices.BinarySearch(x.Ticks, tick) }

// Last is the last whole tick, 0 for none.
func (x *Index) Last() int64 {
	if len(x.Ticks) == 0 {
		return 0
	}
	return x.Ticks[len(x.Ticks)-1]
}

// OpenFrom opens the trace where a tick begins that the index holds, or, behind its
// last one, where that ends.
func (x *Index) OpenFrom(dir string, tick int64) (io.ReadCloser, error) {
	if at, _ := x.At(tick); at < len(x.Ticks) {
		return openTraceAt(dir, x.Files[at], x.Offsets[at])
	}
	return openTraceAt(dir, x.File, x.Offset)
}
