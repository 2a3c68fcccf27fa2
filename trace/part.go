package trace

import (
	"encoding/base64"
	"fmt"

	"example.com/agentworld/llmclient"
)

// PartKind says what a part is a part of.
type PartKind string

// The part kinds.
const (
	// PartInstructions is an instructions text.
	PartInstructions PartKind = "instructions"
	// PartTools is a tool list: the JSON array as sent.
	PartTools PartKind = "tools"
	// PartItem is one input or output item: its JSON as sent or received.
	PartItem PartKind = "item"
)

// Part holds the bytes of one distinct piece of a request or an answer. A trace
// stores each (kind, body) once in every stretch of [PartTicks] that uses it, before
// the first record there that names its hash.
//
// Invariants:
//  1. Hash is the hex SHA-256 of the bytes that [Part.Bytes] returns.
//  2. Body is those bytes, or their base64 form when Base64 is set, which is so
//     exactly when they are not valid UTF-8.
type Part struct {
	// Tick is the tick in which the part was first used within its stretch.
	Tick   int64    `json:"tick"`
	Hash   string   `json:"hash"`
	Kind   PartKind `json:"kind"`
	Base64 bool     `json:"base64,omitempty"`
	Body   string   `json:"body"`
}

// Bytes returns the stored bytes. The error says that the part is damaged: its
// base64 does not decode or its bytes do not have its hash.
func (p Part) Bytes() ([]byte, error) {
	body := []byte(p.Body)
	if p.Base64 {
		decoded, err := base64.StdEncoding.DecodeString(p.Body)
		if err != nil {
			return nil, fmt.Errorf("decode part %s: %w", p.Hash, err)
		}
		body = decoded
	}
	if llmclient.Hash(body) != p.Hash {
		return nil, fmt.Errorf("part %s: the stored bytes have another hash", p.Hash)
	}
	return body, nil
}

// Parts is an index of the parts of a trace by hash. The zero value is empty and
// ready to use. Parts are checked when they are read, not when they are added.
type Parts struct {
	byHash map[string]Part
}

// Add puts p into the index.
func (p *Parts) Add(part Part) {
	if p.byHash == nil {
		p.byHash = map[string]Part{}
	}
	p.byHash[part.Hash] = part
}

// Part returns the part with the given hash, unchecked.
func (p *Parts) Part(hash string) (Part, bool) {
	part, ok := p.byHash[hash]
	return part, ok
}

// Body returns the bytes with the given hash. The error says that the part is
// missing or damaged.
func (p *Parts) Body(hash string) ([]byte, error) {
	part, ok := p.byHash[hash]
	if !ok {
		return nil, fmt.Errorf("part %q is not in the trace", hash)
	}
	return part.Bytes()
}

// Items returns the items with the given hashes, in order. The error names the
// part that is missing, damaged or not an item.
func (p *Parts) Items(hashes []string) ([]llmclient.Item, error) {
	items := make([]llmclient.Item, len(hashes))
	for i, hash := range hashes {
		body, err := p.Body(hash)
		if err != nil {
			return nil, err
		}
		it, ok := llmclient.ParseItem(body)
		if !ok {
			return nil, fmt.Errorf("part %q is not an item", hash)
		}
		items[i] = it
	}
	return items, nil
}
