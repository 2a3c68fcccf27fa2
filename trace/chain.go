package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// Chain is a hash over a line of a trace and all lines before it: the first 8 bytes of a
// SHA-256 hash, in hex. Each line of a chained trace ends with its own, as the
// member "chain"; the chain of the last line is the head of the trace. The empty chain is
// that before the first line.
//
// A chain finds damage and careless edits. It does not find a forgery that chains all
// lines again, unless the head is also kept elsewhere.
type Chain string

// The bytes around a chain at the end of a line.
const (
	chainName = `,"chain":"`
	chainHex  = 16
	chainTail = len(chainName) + chainHex + len(`"}`)
)

// chainAfter returns the chain of a line that follows one. body is the line without its own chain and
// without the brace that closes it.
func chainAfter(before Chain, body []byte) Chain {
	h := sha256.New()
	h.Write([]byte(before))
	h.Write(body)
	return Chain(hex.EncodeToString(h.Sum(nil)[:chainHex/2]))
}

// Seal returns the line, an object without its line feed, with its chain as its last member.
// before is the chain of the line before. The result may share memory with line.
func Seal(line []byte, before Chain) ([]byte, Chain) {
	body := line[:len(line)-1]
	chain := chainAfter(before, body)
	return append(append(append(body, chainName...), chain...), `"}`...), chain
}

// Unseal splits a line, without its line feed, into the object that was sealed, without the
// brace that closes it, in its memory, and its [Chain]. ok is false where it does not end with a
// chain.
func Unseal(line []byte) (body []byte, chain Chain, ok bool) {
	at := len(line) - chainTail
	if at < 1 || !bytes.HasPrefix(line[at:], []byte(chainName)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return nil, "", false
	}
	return line[:at], Chain(line[at+len(chainName) : at+len(chainName)+chainHex]), true
}

// Opened returns the object that [Seal] sealed in a line after a chain, in memory of its own. ok is false if the line
// is not as it was then, or was sealed after another chain.
func Opened(line []byte, before Chain) (object []byte, ok bool) {
	body, chain, ok := Unseal(line)
	if !ok || chain != chainAfter(before, body) {
		return nil, false
	}
	return append(bytes.Clone(body), '}'), true
}

var (
	// ErrChain marks a line that is not the one that was written there.
	ErrChain = errors.New("the chain is broken: this line or one before it is not the one that was written there")
	// ErrNoChain marks a trace whose first line has no chain.
	ErrNoChain = errors.New("the line has no chain: an older version wrote it, or somebody changed it")
)

// Chained is a source of a trace in which every line must fit its chain. For other
// sources, lines are checked against their chains if the first line has one.
type Chained interface {
	// Before returns the chain of the line before the first one of the source, and the tick
	// that begins there.
	Before() (Chain, int64)
	// ReadOn is called with the first line that does not fit its chain. It reports whether
	// the reader continues, without checking further chains.
	ReadOn(*LineError) bool
	// Ended is called each time the reader reaches the end, with the chain of the last
	// line. torn is where the trace ends inside a tick, nil if it does not. Ended returns
	// nil, or why the trace cannot end there; place makes that an error about this end.
	Ended(head Chain, torn *LineError, place func(error) *LineError) error
}

// openTick is the tick that is not whole after a line: lines of later ticks are only written
// once all of it is on disk.
func openTick(line []byte) int64 {
	tick, ok := tickOf(line)
	if !ok {
		return 1
	}
	switch TypeOf(line) {
	case TypeHeader, TypeTickEnd, TypeRunEnd, TypeResume, TypeSegment:
		return tick + 1
	}
	return tick
}

// tickOf reads the tick of a line as this package writes it.
func tickOf(line []byte) (tick int64, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`+string(TypeOf(line))+`","tick":`))
	end := bytes.IndexAny(rest, ",}")
	if !ok || end < 0 {
		return 0, false
	}
	tick, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	return tick, err == nil
}

// broken says what it means that the last line read does not fit its chain. If only lines
// of the open tick follow, the trace ends there: those lines were not yet required to be
// on disk, and a system that crashes may keep a later page of a file and lose an earlier
// one. Otherwise the trace was changed.
func (r *Reader) broken(line []byte, failed *LineError) *LineError {
	if tick, ok := tickOf(line); ok && tick > r.open || failed.Err != ErrChain {
		return failed
	}
	at, offset := r.line-1, r.offset-int64(len(r.buf))
	defer func() { r.line, r.offset = at, offset }()
	for {
		line, err := r.rawLine()
		if err != nil {
			failed.Err = fmt.Errorf("%w %d: from here on its lines do not fit their chain", ErrTorn, r.open)
			return failed
		}
		switch tick, ok := tickOf(line); {
		case !ok:
		case tick > r.open:
			return failed
		default:
			switch TypeOf(line) {
			case TypeRunEnd, TypeResume, TypeSegment:
				return failed
			}
		}
	}
}
