// Package tokens counts the tokens of a text with a vocabulary that is part of
// the binary, so that prompts can be budgeted without a network.
//
//	n := tokens.Count(prompt)
//
// The vocabulary is o200k. Other models cut text differently; the count is close
// for them, and callers keep a reserve.
package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// vocabulary is loaded on first use, because it takes tens of milliseconds and
// memory that a run on a large window never needs.
var vocabulary = sync.OnceValue(func() tokenizer.Codec {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic("tokens: the embedded vocabulary does not load: " + err.Error())
	}
	return codec
})

// Count returns the number of tokens of text. It is a pure function and safe for
// concurrent use.
func Count(text string) int {
	ids, _, err := vocabulary().Encode(text)
	if err != nil {
		// A text the codec refuses cannot have more tokens than bytes.
		return len(text)
	}
	return len(ids)
}
