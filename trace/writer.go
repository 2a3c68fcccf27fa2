package trace

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// Writer appends records to a trace.
//
// Each record is one line and reaches the underlying writer in a single Write
// call, so that a killed process can only tear the last line. After a failed
// write the writer refuses everything with the same error: what follows a torn
// line could not be read. Ticks must not go back. A Writer is for one goroutine,
// and its memory does not grow with the run.
type Writer struct {
	w io.Writer
	// stored are the blobs written in the epoch of ticks numbered epoch.
	stored map[blobKey]bool
	epoch  int64
	// chained says that lines are chained; chain is that of the last one.
	chained bool
	chain   Chain
	// line is the memory of the line that is written.
	line bytes.Buffer
	// take, when set, takes the records in place of w.
	take func(Record) error
	err  error
}

// EpochTicks is the length in ticks of an epoch within which a blob is stored
// once: ticks 1 to 63, 64 to 127, and so on. What an epoch needs is in it, so
// that neither a writer nor a reader has to remember, or to read, the whole run.
// The boundaries are ticks rather than bytes, because sizes depend on the clock.
const EpochTicks = 64

// blobKey identifies a stored blob. The kind belongs to it, because two agents
// may first use equal bytes for different purposes, in either order.
type blobKey struct {
	kind BlobKind
	hash string
}

// NewWriter returns a writer of records to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, stored: map[blobKey]bool{}} }

// NewRecordWriter returns a writer that hands its records to take instead of encoding them, until it
// is redirected. An error of take is one of the writer.
func NewRecordWriter(take func(Record) error) *Writer {
	w := NewWriter(nil)
	w.take = take
	return w
}

// NewChainedWriter returns a writer of records to w, each with its chain. after is the chain
// of the line before, empty at the beginning of a trace.
func NewChainedWriter(w io.Writer, after Chain) *Writer {
	writer := NewWriter(w)
	writer.Redirect(w, after)
	return writer
}

// Chain returns the chain of the last line written.
func (w *Writer) Chain() Chain { return w.chain }

// Write appends one record. The error names the record's type. It distinguishes a record
// that cannot be encoded, which writes nothing, from a failed write.
func (w *Writer) Write(r Record) error {
	if w.err != nil {
		return w.err
	}
	if w.take != nil {
		w.err = w.take(r)
	} else {
		w.line.Reset()
		if err := encode(&w.line, r); err != nil {
			return err
		}
		w.line.Grow(chainTail + 1) // for the chain and the line feed
		line := w.line.Bytes()
		if w.chained {
			line, w.chain = Seal(line, w.chain)
		}
		if _, err := w.w.Write(append(line, '\n')); err != nil {
			w.err = fmt.Errorf("write %s record: %w", r.RecordType(), err)
		}
	}
	if p, ok := r.(Blob); ok && w.err == nil {
		w.MarkStored(p)
	}
	return w.err
}

// Blob makes sure that body is stored and returns its hash. Only the first call
// for a (kind, body) within an epoch of [EpochTicks] writes a record; tick is the
// tick that uses it.
func (w *Writer) Blob(tick int64, kind BlobKind, body []byte) (hash string, err error) {
	hash = llmclient.Hash(body)
	w.reach(tick)
	if w.stored[blobKey{kind, hash}] {
		return hash, w.err
	}
	return hash, w.Write(newBlob(tick, kind, hash, body))
}

// NewBlob returns a blob that holds body byte for byte.
func NewBlob(tick int64, kind BlobKind, body []byte) Blob {
	return newBlob(tick, kind, llmclient.Hash(body), body)
}

func newBlob(tick int64, kind BlobKind, hash string, body []byte) Blob {
	p := Blob{Tick: tick, Hash: hash, Kind: kind, Body: string(body)}
	if !utf8.Valid(body) {
		// A JSON string cannot carry these bytes, and a prompt that changes on the way
		// would not replay.
		p.Base64, p.Body = true, base64.StdEncoding.EncodeToString(body)
	}
	return p
}

// Items stores the items' exact JSON as blobs and returns their hashes in order.
func (w *Writer) Items(tick int64, items []llmclient.Item) (hashes []string, err error) {
	hashes = make([]string, len(items))
	for i, it := range items {
		hashes[i], err = w.Blob(tick, BlobItem, it.Raw)
		if err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// Answer stores the items of an answer and returns its record form.
func (w *Writer) Answer(tick int64, a llmclient.Answer) (Answer, error) {
	if a.Reply == nil {
		return AnswerOf(a, []string{}), nil
	}
	output, err := w.Items(tick, a.Reply.Items)
	return AnswerOf(a, output), err
}

// Redirect lets the writer go on in another place, such as the next file of the
// same trace, where after is the chain of the last line, and chain its lines from now on. What
// is stored stays stored.
func (w *Writer) Redirect(to io.Writer, after Chain) {
	w.w = to
	w.take = nil
	w.chained = true
	w.chain = after
}

// MarkStored tells the writer that the trace it continues holds p already. Blobs
// of earlier epochs than the last one marked have no effect.
func (w *Writer) MarkStored(p Blob) {
	w.reach(p.Tick)
	if p.Tick/EpochTicks == w.epoch {
		w.stored[blobKey{p.Kind, p.Hash}] = true
	}
}

// reach forgets the stored blobs when tick begins a new epoch.
func (w *Writer) reach(tick int64) {
	if epoch := tick / EpochTicks; epoch > w.epoch {
		w.epoch, w.stored = epoch, map[blobKey]bool{}
	}
}

// Encode returns the record's line without its line feed: "type" and "tick"
// first, then the fields in the order of the struct. The error says that a raw
// JSON field holds something else.
func Encode(r Record) ([]byte, error) {
	var line bytes.Buffer
	err := encode(&line, r)
	return line.Bytes(), err
}

// encode writes the line of a record.
func encode(line *bytes.Buffer, r Record) error {
	if u, ok := r.(Unknown); ok {
		line.Write(u.Raw)
		return nil
	}
	// The type is written first and not as a field, so a record cannot carry a wrong one.
	line.WriteString(`{"type":"` + string(r.RecordType()) + `"`)
	brace := line.Len()
	fields := json.NewEncoder(line)
	fields.SetEscapeHTML(false)
	if err := fields.Encode(r); err != nil {
		return fmt.Errorf("encode %s record: %w", r.RecordType(), err)
	}
	line.Bytes()[brace] = ','     // between the type and the fields
	line.Truncate(line.Len() - 1) // the line feed
	return nil
}
