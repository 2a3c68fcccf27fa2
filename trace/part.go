package trace

import (
	"encoding/base64"
	"fmt"
	"unicode/utf8"

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

// NewPart returns the part that holds body.
func NewPart(tick int64, kind PartKind, body []byte) Part {
	return hashedPart(tick, kind, body, llmclient.Hash(body))
}

func hashedPart(tick int64, kind PartKind, body []byte, hash string) Part {
	p := Part{Tick: tick, Hash: hash, Kind: kind, Body: string(body)}
	if !utf8.Valid(body) {
		// A JSON string cannot carry these bytes, and a prompt that comes back
		// changed would not replay.
		p.Base64, p.Body = true, base64.StdEncoding.EncodeToString(body)
	}
	return p
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

// RecordType implements [Record].
func (Part) RecordType() Type { return TypePart }

// RecordTick implements [Record].
func (p Part) RecordTick() int64 { return p.Tick }

func (p Part) untimed() Record { return p }
