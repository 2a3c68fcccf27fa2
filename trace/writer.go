package trace

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	fastjson "github.com/segmentio/encoding/json"

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
	// hashes are those of the items written lately, which the next request of a turn repeats.
	hashes map[itemText]string
	// chained says that lines are chained; chain is that of the last one.
	chained bool
	chain   []byte
	chainer chainer
	encoder encoder
	// direct, when set, takes the records in place of w.
	direct func(Record) error
	err    error
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

// itemText is the text of an item, which never changes: where it begins, and how long it is.
type itemText struct {
	first *byte
	len   int
}

// hashesMax is how many items a writer knows the hashes of.
const hashesMax = 512

// NewWriter returns a writer of records to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, stored: map[blobKey]bool{}, hashes: map[itemText]string{}}
}

// NewChainedWriter returns a writer of records to w, each with its chain. after is the chain
// of the line before, empty at the beginning of a trace.
func NewChainedWriter(w io.Writer, after Chain) *Writer {
	writer := NewWriter(w)
	writer.Redirect(w, after)
	return writer
}

// Chain returns the chain of the last line written.
func (w *Writer) Chain() Chain { return Chain(w.chain) }

// Write appends one record. The error names the record's type. It distinguishes a record
// that cannot be encoded, which writes nothing, from a failed write.
func (w *Writer) Write(r Record) error {
	if w.err != nil {
		return w.err
	}
	if w.direct != nil {
		w.err = w.direct(r)
	} else {
		line, err := w.encoder.encode(r)
		if err != nil {
			return err
		}
		if w.chained {
			line, w.chain = w.chainer.seal(line, w.chain)
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

// Items stores the items' exact JSON as blobs and returns their hashes in order. The bytes must
// never change: the writer knows items that it has stored by where they are.
func (w *Writer) Items(tick int64, items []llmclient.Item) (hashes []string, err error) {
	hashes = make([]string, len(items))
	for i, it := range items {
		hashes[i], err = w.item(tick, it.Raw)
		if err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

func (w *Writer) item(tick int64, raw []byte) (hash string, err error) {
	if len(raw) == 0 {
		return w.Blob(tick, BlobItem, raw)
	}
	w.reach(tick)
	text := itemText{&raw[0], len(raw)}
	hash = w.hashes[text]
	if hash != "" && w.stored[blobKey{BlobItem, hash}] {
		return hash, w.err
	}
	if len(w.hashes) == hashesMax {
		clear(w.hashes)
	}
	hash, err = w.Blob(tick, BlobItem, raw)
	w.hashes[text] = hash
	return hash, err
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
	w.chained = true
	w.chain = []byte(after)
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
func Encode(r Record) ([]byte, error) { return new(encoder).encode(r) }

// encoder encodes records, one after the other in the same memory.
type encoder struct {
	line bytes.Buffer
	json *json.Encoder // into line
}

// encode is [Encode]. The line is valid until the next call, with room after it for its chain
// and a line feed.
func (e *encoder) encode(r Record) ([]byte, error) {
	if e.json == nil {
		e.json = json.NewEncoder(&e.line)
		e.json.SetEscapeHTML(false)
	}
	e.line.Reset()
	if u, ok := r.(Unknown); ok {
		e.line.Write(u.Raw)
	} else {
		// The type is written first and not as a field, so a record cannot carry a wrong one.
		e.line.WriteString(`{"type":"`)
		e.line.WriteString(string(r.RecordType()))
		e.line.WriteByte('"')
		if fields, ok := appended(e.line.AvailableBuffer(), r); ok {
			e.line.Write(fields)
		} else {
			brace := e.line.Len()
			if err := e.json.Encode(r); err != nil {
				return nil, fmt.Errorf("encode %s record: %w", r.RecordType(), err)
			}
			e.line.Truncate(e.line.Len() - 1) // the line feed
			e.line.Bytes()[brace] = ','       // between the type and the fields
		}
	}
	e.line.Grow(chainTail + 1)
	return e.line.Bytes(), nil
}

// appended appends the fields of a record and the brace that closes its line, as package
// encoding/json writes them. ok is false for the types that most of a trace does not consist of,
// and for what cannot be encoded.
func appended(line []byte, r Record) (fields []byte, ok bool) {
	switch r := r.(type) {
	case Blob:
		line = strconv.AppendInt(append(line, `,"tick":`...), r.Tick, 10)
		line = llmclient.AppendText(append(line, `,"hash":`...), r.Hash)
		line = llmclient.AppendText(append(line, `,"kind":`...), string(r.Kind))
		if r.Base64 {
			line = append(line, `,"base64":true`...)
		}
		line = llmclient.AppendText(append(line, `,"body":`...), r.Body)
	case Event:
		event, err := r.Event.MarshalJSON()
		if err != nil {
			return nil, false
		}
		line = strconv.AppendInt(append(line, `,"tick":`...), r.Tick, 10)
		line = append(append(line, `,"event":`...), event...)
	case ModelCall:
		return reflected(line, r, r.ToolChoice)
	case Decision:
		return reflected(line, r, r.Proposed, r.Adjusted, r.Executed, r.Outcome)
	case Step:
		return reflected(line, r, r.Detail)
	case TickEnd:
		return reflected(line, r)
	default:
		return nil, false
	}
	return append(line, '}'), true
}

// reflected is [appended] for a record with raw JSON in it. The library copies that as it is, so
// what encoding/json would refuse or change is left to it; and it knows no omitzero, which other
// types use. The library's own check of raw JSON leaves the upper halves of the vector registers
// in use, which makes the SHA-256 instructions of the chain up to ten times slower.
func reflected(line []byte, r Record, raw ...json.RawMessage) (rest []byte, ok bool) {
	for _, part := range raw {
		if part != nil && !llmclient.IsCompact(part) {
			return nil, false
		}
	}
	brace := len(line)
	line, err := fastjson.Append(line, r, fastjson.TrustRawMessage)
	if err != nil {
		return nil, false
	}
	line[brace] = ','
	return line, true
}
