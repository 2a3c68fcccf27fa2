package trace

import (
	"encoding/base64"
	"fmt"
	"maps"

	"example.com/agentworld/llmclient"
)

// BlobKind says what a blob is a part of.
type BlobKind string

// The blob kinds.
const (
	// BlobInstructions is an instructions text.
	BlobInstructions BlobKind = "instructions"
	// BlobTools is a tool list: the JSON array as sent.
	BlobTools BlobKind = "tools"
	// BlobItem is one input or output item: its JSON as sent or received.
	BlobItem BlobKind = "item"
)

// Blob holds the bytes of one distinct piece of a request or an answer. A trace
// stores each (kind, body) once in every epoch of [EpochTicks] that uses it, before
// the first record there that names its hash.
//
// Invariants:
//  1. Hash is the hex SHA-256 of the bytes that [Blob.Bytes] returns.
//  2. Body is those bytes, or their base64 form when Base64 is set, which is so
//     exactly when they are not valid UTF-8.
type Blob struct {
	// Tick is the tick in which the blob was first used within its epoch.
	Tick   int64    `json:"tick"`
	Hash   string   `json:"hash"`
	Kind   BlobKind `json:"kind"`
	Base64 bool     `json:"base64,omitempty"`
	Body   string   `json:"body"`
}

// Bytes returns the stored bytes. The error says that the blob is damaged: its
// base64 does not decode or its bytes do not have its hash.
func (p Blob) Bytes() ([]byte, error) {
	body := []byte(p.Body)
	if p.Base64 {
		decoded, err := base64.StdEncoding.DecodeString(p.Body)
		if err != nil {
			return nil, fmt.Errorf("decode blob %s: %w", p.Hash, err)
		}
		body = decoded
	}
	if llmclient.Hash(body) != p.Hash {
		return nil, fmt.Errorf("blob %s: the stored bytes have another hash", p.Hash)
	}
	return body, nil
}

// Blobs is an index of the blobs of a trace by hash. The zero value is empty and
// ready to use. Blobs are checked when they are read, not when they are added.
type Blobs struct {
	byHash map[string]Blob
}

// Add puts p into the index.
func (p *Blobs) Add(blob Blob) {
	if p.byHash == nil {
		p.byHash = map[string]Blob{}
	}
	p.byHash[blob.Hash] = blob
}

// Keep drops the blobs whose hash is not to be kept.
func (p *Blobs) Keep(keep func(hash string) bool) {
	maps.DeleteFunc(p.byHash, func(hash string, _ Blob) bool { return !keep(hash) })
}

// Blob returns the blob with the given hash, unchecked.
func (p *Blobs) Blob(hash string) (Blob, bool) {
	blob, ok := p.byHash[hash]
	return blob, ok
}

// Body returns the bytes with the given hash. The error says that the blob is
// missing or damaged.
func (p *Blobs) Body(hash string) ([]byte, error) {
	blob, ok := p.byHash[hash]
	if !ok {
		return nil, fmt.Errorf("blob %q is not in the trace", hash)
	}
	return blob.Bytes()
}

// Items returns the items with the given hashes, in order. The error names the
// blob that is missing, damaged or not an item.
func (p *Blobs) Items(hashes []string) ([]llmclient.Item, error) {
	items := make([]llmclient.Item, len(hashes))
	for i, hash := range hashes {
		body, err := p.Body(hash)
		if err != nil {
			return nil, err
		}
		it, ok := llmclient.ParseItem(body)
		if !ok {
			return nil, fmt.Errorf("blob %q is not an item", hash)
		}
		items[i] = it
	}
	return items, nil
}
