// Package tokens counts the tokens of a text with a vocabulary that is part of
// the binary, so that prompts can be budgeted without a network.
//
//	n := tokens.Count(prompt)
//
// The vocabulary is o200k. Other models cut text differently; the count is close
// for them, and callers keep a reserve.
package tokens

import (
	"crypto/sha256"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// vocabulary is loaded on first use, because it takes tens of milliseconds and
// memory that a run on a large window never needs.
//
// It is made by itself and not looked up by its name, so that the linker leaves out the others.
var vocabulary = sync.OnceValue(codec.NewO200kBase)

// counted holds the tokens of pieces that were counted before. Prompts are made of the
// same words again and again, and cutting them by the vocabulary's pattern is slow. texts are the tokens
// of longer texts, by their hashes: most parts of a request are those of an earlier one.
var counted = struct {
	sync.RWMutex
	of    map[string]int
	texts map[[sha256.Size]byte]int
}{of: map[string]int{}, texts: map[[sha256.Size]byte]int{}}

// A piece is kept when it is short, and only while there is room, so that hostile
// text cannot fill the memory.
const (
	pieceMost  = 48
	piecesMost = 1 << 16
)

// Texts of at least textLeast bytes are remembered. When there are textsMost of them, all are forgotten.
const (
	textLeast = 256
	textsMost = 1 << 14
)

// Count returns the number of tokens of text. It is a pure function and safe for
// concurrent use.
func Count(text string) int {
	if len(text) < textLeast {
		return count(text)
	}
	hash := sha256.Sum256([]byte(text))
	counted.RLock()
	n, known := counted.texts[hash]
	counted.RUnlock()
	if known {
		return n
	}
	n = count(text)
	counted.Lock()
	if len(counted.texts) >= textsMost {
		clear(counted.texts)
	}
	counted.texts[hash] = n
	counted.Unlock()
	return n
}

// count is [Count] piece by piece.
func count(text string) int {
	n := 0
	for text != "" {
		end := cut(text)
		n += piece(text[:end])
		text = text[end:]
	}
	return n
}

// cut is where the first piece of text ends: no token reaches over the end of a word
// that is followed by anything but a letter, a mark or an apostrophe.
func cut(text string) int {
	var letter bool
	for i, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= utf8.RuneSelf && unicode.IsLetter(r):
			letter = true
		case letter && r != '\'' && !unicode.IsMark(r):
			return i
		default:
			letter = false
		}
	}
	return len(text)
}

// piece counts a piece, once if it is short.
func piece(text string) int {
	counted.RLock()
	n, known := counted.of[text]
	counted.RUnlock()
	if known {
		return n
	}
	n = encode(text)
	if len(text) <= pieceMost {
		counted.Lock()
		if len(counted.of) < piecesMost {
			counted.of[strings.Clone(text)] = n
		}
		counted.Unlock()
	}
	return n
}

// encode counts with the vocabulary.
func encode(text string) int {
	ids, _, err := vocabulary().Encode(text)
	if err != nil {
		// A text the codec refuses cannot have more tokens than bytes.
		return len(text)
	}
	return len(ids)
}
