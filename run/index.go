package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Index returns the index of the run, up to its last whole tick, and where the run stands
// now. It reads what the trace has gained since the index was kept last, all of it when
// there is none or it belongs to something else, and keeps the result. With rebuild it
// reads everything. The error says that the trace cannot be read; that the index cannot
// be kept is none, the next one who asks waits again.
func (d Dir) Index(rebuild bool) (*state.Index, *state.State, error) {
	h, err := d.Header()
	if err != nil {
		return nil, nil, err
	}
	run, err := d.runHash()
	if err != nil {
		return nil, nil, err
	}
	if kept := d.keptIndex(); !rebuild && d.holds(kept, run) {
		if now, err := d.extend(kept, h); err == nil {
			return kept, now, nil
		}
		// What it points to is not as it was: it is rebuilt.
	}
	x := state.NewIndex(run)
	now, err := d.extend(x, h)
	return x, now, err
}

// runHash hashes the first line of the trace.
func (d Dir) runHash() (string, error) {
	f, err := d.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := trace.NewReader(f).NextLine()
	if err != nil {
		return "", fmt.Errorf("read trace of %s: %w", d, err)
	}
	return llmclient.Hash(line), nil
}

// keptIndex reads the index file; nil when there is none that can be read.
func (d Dir) keptIndex() *state.Index {
	data, err := os.ReadFile(d.file(IndexFile))
	if err != nil {
		return nil
	}
	hash, body, _ := bytes.Cut(data, []byte("\n"))
	var x state.Index
	if string(hash) != llmclient.Hash(body) || json.Unmarshal(body, &x) != nil {
		return nil
	}
	return &x
}

// holds reports whether x is an index of the run as its files are now.
func (d Dir) holds(x *state.Index, run string) bool {
	return x != nil && x.Of(run) && d.endsAtItsTick(x)
}

// endsAtItsTick looks at the line before the index's end, where that is in a file that
// can still change.
func (d Dir) endsAtItsTick(x *state.Index) bool {
	f, number, err := d.openLast()
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

// keepIndex writes the index file.
func (d Dir) keepIndex(x *state.Index) error {
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return atomicfile.Write(d.file(IndexFile), fmt.Appendf(nil, "%s\n%s", llmclient.Hash(data), data))
}

// extend reads what follows the index's end, keeps the index if ticks were added, and
// returns where the run stands.
func (d Dir) extend(x *state.Index, h trace.Header) (*state.State, error) {
	r, err := d.openAt(x.File, x.Offset)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	count, changed := state.NewCount(x, h), false
	for lines := trace.NewReader(r); ; {
		line, err := lines.NextLine()
		if err == io.EOF || errors.Is(err, trace.ErrTorn) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read trace of %s: %w", d, err)
		}
		whole, err := count.Add(line, lines.Failed)
		if err != nil {
			return nil, fmt.Errorf("read trace of %s: %w", d, err)
		}
		changed = changed || whole
	}
	if changed {
		_ = d.keepIndex(x)
	}
	return &count.State, nil
}

// OpenFrom opens the trace where a tick begins that the index holds, or, behind its
// last one, where that ends.
func (d Dir) OpenFrom(x *state.Index, tick int64) (io.ReadCloser, error) {
	if at, _ := x.At(tick); at < len(x.Ticks) {
		return d.openAt(x.Files[at], x.Offsets[at])
	}
	return d.openAt(x.File, x.Offset)
}
