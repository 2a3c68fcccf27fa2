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
	f, err := d.Open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	line, err := trace.NewReader(f).NextLine()
	if err != nil {
		return nil, nil, fmt.Errorf("read trace of %s: %w", d, err)
	}
	run := llmclient.Hash(line)
	if kept := d.keptIndex(run); !rebuild && kept != nil {
		if now, err := d.extend(kept, h); err == nil {
			return kept, now, nil
		}
		// What it points to is not as it was: it is rebuilt.
	}
	x := state.NewIndex(run)
	now, err := d.extend(x, h)
	return x, now, err
}

// keptIndex reads the index file; nil when there is none that can be read, or it is not
// one of the run with a hash as its files are now.
func (d Dir) keptIndex(run string) *state.Index {
	data, err := os.ReadFile(d.file(IndexFile))
	if err != nil {
		return nil
	}
	hash, body, _ := bytes.Cut(data, []byte("\n"))
	var x state.Index
	if string(hash) != llmclient.Hash(body) || json.Unmarshal(body, &x) != nil || !x.Of(run) {
		return nil
	}
	f, number, err := d.openLast()
	if err != nil || number < x.File {
		return nil
	}
	defer f.Close()
	if number == x.File && x.Offset > 0 && len(x.Ticks) > 0 {
		// The index ends in a file that can still change: the line before has to be its last.
		before := make([]byte, min(x.Offset, 4096))
		if _, err := f.ReadAt(before, x.Offset-int64(len(before))); err != nil {
			return nil
		}
		if !bytes.HasSuffix(before, []byte("\n")) || !bytes.Contains(before, []byte(x.Digest)) {
			return nil
		}
	}
	return &x
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
		if data, err := json.Marshal(x); err == nil {
			_ = atomicfile.Write(d.file(IndexFile), fmt.Appendf(nil, "%s\n%s", llmclient.Hash(data), data))
		}
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
