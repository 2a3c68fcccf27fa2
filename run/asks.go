package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/agentworld/trace"
)

// AsksFile holds the questions that were put to agents of the run, and the answers, one object a
// line. It is not part of the trace.
const AsksFile = "asks.jsonl"

// KeepAsk appends a question with its answers, a JSON object on one line, and syncs it. The line is
// sealed with a hash over itself and the run's first line, so that [Dir.Asks] finds lines that
// were changed or come from another run. The rest of a line that a crash cut short is removed.
func (d Dir) KeepAsk(object []byte) error {
	first, err := d.Identity()
	if err != nil {
		return err
	}
	line, _ := trace.Seal(bytes.Clone(object), first)
	if err := d.appendAsk(append(line, '\n')); err != nil {
		return fmt.Errorf("keep a question: %w", err)
	}
	return nil
}

// ProbeAsks reports that no question can be kept, before one is paid for.
func (d Dir) ProbeAsks() error {
	f, err := d.openAsks()
	if err != nil {
		return fmt.Errorf("keep a question: %w", err)
	}
	return f.Close()
}

// openAsks opens the file of questions for writing, and makes it if it is missing.
func (d Dir) openAsks() (*os.File, error) {
	f, err := d.folder().OpenFile(AsksFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > wholeBytesMax {
		err = fmt.Errorf("%s has %d bytes; allowed: %d", f.Name(), info.Size(), wholeBytesMax)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// appendAsk writes a line behind the last whole one. Several processes may ask at the same time, so
// the file is locked meanwhile. Of a line that cannot be written nothing stays.
func (d Dir) appendAsk(line []byte) (err error) {
	f, err := d.openAsks()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		held, err := lockFile(f, true)
		if err != nil && lockless(err) {
			err = &NoLocksError{Dir: string(d), Err: err}
		}
		if err != nil {
			return err
		}
		if held {
			break
		}
		time.Sleep(lockPause)
	}
	kept, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	// After half a line this one would be part of it, and neither could be read.
	end := int64(bytes.LastIndexByte(kept, '\n') + 1)
	err = f.Truncate(end)
	if err == nil {
		_, err = f.WriteAt(line, end)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return onDisk.SyncDir(d.folder())
}

// Asks returns what [Dir.KeepAsk] kept, oldest first, and nil if there is nothing. A last line
// that a crash cut short is left out. The error names the line that is not as it was written.
func (d Dir) Asks() (objects [][]byte, err error) {
	data, err := d.folder().Read(AsksFile, wholeBytesMax)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the questions of a run: %w", err)
	}
	first, err := d.Identity()
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			break
		}
		object, ours := trace.Opened(line, first)
		if !ours {
			return nil, fmt.Errorf("%s, line %d: it is not as it was written, or is of another run", d.file(AsksFile), number)
		}
		objects = append(objects, object)
	}
	return objects, nil
}
