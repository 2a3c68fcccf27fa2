package run

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/trace"
)

// zstdMagic begins every file compressed with zstd.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// recordedFile is a recording that is open for reading.
type recordedFile struct {
	io.Reader
	close func() error
}

// Close releases the file.
func (f *recordedFile) Close() error { return f.close() }

// encodingBytes are enough to see how a text is encoded: a shell may have written it again.
const encodingBytes = 64

// OpenRecording opens the records of a run directory, read in a way, or of a file that [Source.ExportAnswers]
// wrote, compressed or not. The error says what path is instead.
func OpenRecording(path string, how *Reading) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	if info.IsDir() {
		return Dir(path).As(how).Open()
	}
	f, err := OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	plain := bufio.NewReaderSize(f, 64<<10)
	// A file too short to hold the mark is no recording, which its reader will say.
	if begin, _ := plain.Peek(len(zstdMagic)); !bytes.Equal(begin, zstdMagic) {
		text, _ := plain.Peek(encodingBytes)
		if err := document.CheckEncoding(text); err != nil {
			return nil, errors.Join(fmt.Errorf("open recording: %w", err), f.Close())
		}
		return &recordedFile{plain, f.Close}, nil
	}
	// The window bounds what a hostile file can make a reader allocate.
	unpacked, err := zstd.NewReader(plain, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open recording: %w", err), f.Close())
	}
	return &recordedFile{unpacked, func() error {
		unpacked.Close()
		return f.Close()
	}}, nil
}

// ReadRecording returns the header of the recording at path: that of a run, or the
// facts an answers file has kept of one.
func ReadRecording(path string, how *Reading) (trace.Header, error) {
	f, err := OpenRecording(path, how)
	if err != nil {
		return trace.Header{}, err
	}
	defer f.Close()
	return recordingHeader(path, trace.NewReader(f))
}

// recordingHeader reads the header of the recording at path, which lines are read from.
func recordingHeader(path string, lines *trace.Reader) (trace.Header, error) {
	h, err := lines.Header()
	switch {
	case err != nil:
		return trace.Header{}, fmt.Errorf("read recording %s: %w", path, err)
	case h.Extract != "" && h.Extract != trace.ExtractAnswers:
		return h, fmt.Errorf("read recording %s: it holds %q of a run, which no answers can be taken from", path, h.Extract)
	}
	return h, nil
}

// Records iterates over the records of some types, or of all if none is given, of the recording at path,
// which is as for [OpenRecording]. It stops after the first error.
func Records(path string, how *Reading, types ...trace.Type) iter.Seq2[trace.Record, error] {
	return func(yield func(trace.Record, error) bool) {
		f, err := OpenRecording(path, how)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for record, err := range trace.NewReader(f).Records(types...) {
			if !yield(record, err) {
				return
			}
		}
	}
}

// findBlob looks for a blob in all of the recording at path.
func findBlob(path string, how *Reading, hash string) (trace.Blob, error) {
	for record, err := range Records(path, how, trace.TypeBlob) {
		if err != nil {
			return trace.Blob{}, fmt.Errorf("look for blob %s: %w", hash, err)
		}
		if p, ok := record.(trace.Blob); ok && p.Hash == hash {
			return p, nil
		}
	}
	return trace.Blob{}, fmt.Errorf("blob %s is missing", hash)
}

// ErrNoAnswers says that a run has nothing to export.
var ErrNoAnswers = errors.New("the run holds no answer")

// ExportAnswers writes the recorded answers of the run to w as a compressed
// file of records: what [trace.WriteAnswers] keeps. Equal runs give equal bytes.
// check is shown every line before it is written, and its error ends the export; nil
// checks nothing.
func (d Source) ExportAnswers(w io.Writer, check func(line []byte) error) (trace.AnswerCounts, error) {
	f, err := d.Open()
	if err != nil {
		return trace.AnswerCounts{}, err
	}
	defer f.Close()
	// One goroutine makes the bytes independent of the machine.
	packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return trace.AnswerCounts{}, fmt.Errorf("compress answers: %w", err)
	}
	lines := checkedLines{packed, check}
	counts, err := trace.WriteAnswers(trace.NewReader(f), trace.NewWriter(lines),
		func(hash string) (trace.Blob, error) { return findBlob(string(d.Dir), d.how, hash) })
	if err == nil && counts.Answers == 0 {
		err = ErrNoAnswers
	}
	if err := errors.Join(err, packed.Close()); err != nil {
		return counts, fmt.Errorf("export the answers of %s: %w", d.Dir, err)
	}
	return counts, nil
}

// checkedLines passes on what check lets through.
type checkedLines struct {
	w     io.Writer
	check func(line []byte) error
}

// Write implements io.Writer; a trace is written one line at a time.
func (c checkedLines) Write(line []byte) (int, error) {
	if c.check != nil {
		if err := c.check(line); err != nil {
			return 0, err
		}
	}
	return c.w.Write(line)
}
