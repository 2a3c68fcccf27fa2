package stub

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// What a shape replaces: Shape.As.
const (
	// AsText: the template is the text of one message, and there are no calls.
	AsText = "text"
	// AsArguments: the template is the argument string of the first call that the
	// policy would make; everything else of its answer stays as it is.
	AsArguments = "arguments"
	// AsItems: the template is the JSON list of all output items.
	AsItems = "items"
)

// How an answer in a shape ends: Shape.Ends.
const (
	// EndsAccepted: it is read without any repair.
	EndsAccepted = "accepted"
	// EndsRepaired: it is read with the repairs that Repairs names.
	EndsRepaired = "repaired"
	// EndsError: it cannot be used, and Error is the kind that is counted. Another
	// model call is spent on it.
	EndsError = "error"
	// EndsRefused: it is read, with the repairs in Repairs if there are any, and
	// what it asks for is refused; Error is the code of the refusal.
	EndsRefused = "refused"
)

// Shape is one way in which a model's answer differs from what was asked, and what
// must become of such an answer.
type Shape struct {
	// Name is unique and made of lower-case letters, digits and underscores.
	Name string `toml:"name"`
	// Doc says in one sentence what the shape is.
	Doc string `toml:"doc"`
	// Source names who met it in public, see [Source].
	Source []string `toml:"source"`
	// As is [AsText], [AsArguments] or [AsItems].
	As string `toml:"as"`
	// Template is the answer, with placeholders; see [Shape.Render].
	Template string `toml:"template"`
	// Status and Reason are the response's status and the reason of an incomplete
	// one. An empty Status means completed.
	Status string `toml:"status"`
	Reason string `toml:"reason"`
	// Ends is one of the ends above.
	Ends string `toml:"ends"`
	// Repairs are the repairs counted for one answer in this shape, sorted. A
	// name is repeated as often as it is counted.
	Repairs []string `toml:"repairs"`
	// Error is the parse kind of an answer that ends as an error, or the code of a
	// refusal.
	Error string `toml:"error"`
	// Universal says that the shape keeps the meaning of any answer with calls, at
	// every point of a turn where calls are allowed, and that Repairs is exact for
	// every one of them.
	Universal bool `toml:"universal"`
}

// Source is where a form of answers was met in public, by others. A form that nobody met needs no
// reader.
type Source struct {
	// Name is unique; shapes refer to it.
	Name string `toml:"name"`
	// Says is one sentence on what was met, At are the addresses that describe it.
	Says string   `toml:"says"`
	At   []string `toml:"at"`
	// Repairs are the named repairs that read it, sorted.
	Repairs []string `toml:"repairs"`
}

//go:embed corpus.toml
var corpusFile []byte

// Corpus returns every shape in the order of the file corpus.toml, which is
// embedded. The slice is the caller's own. It panics when the file is not sound,
// which a test would have shown.
func Corpus() []Shape { return slices.Clone(loadCorpus().Shapes) }

// Sources returns where the shapes were met, in the order of the file. It panics as [Corpus] does.
func Sources() []Source { return slices.Clone(loadCorpus().Sources) }

type corpus struct {
	Sources []Source `toml:"source"`
	Shapes  []Shape  `toml:"shape"`
}

// loadCorpus reads the embedded file once.
var loadCorpus = sync.OnceValue(func() corpus {
	var content corpus
	if err := toml.NewDecoder(bytes.NewReader(corpusFile)).DisallowUnknownFields().Decode(&content); err != nil {
		panic("stub: corpus.toml: " + err.Error())
	}
	return content
})

// Fill returns the answer in this shape in place of proper, which [Decide] made.
//
// Calls keep their order and their ids. Arguments in a shape replace those of the
// first call. A text replaces the whole answer and means its first call only:
// what the policy would have asked besides, it asks again in the next request. An
// answer without calls has nothing to misshape and is returned as it is.
//
// The token counts are those of the answer in its shape. Equal answers are filled
// equally.
func (s Shape) Fill(proper Result) Result {
	parts, ok := proper.Parts()
	if !ok {
		return proper
	}
	x, text := proper.exchange, s.Render(parts)
	switch s.As {
	case AsText:
		return x.result(x.mark.items(answer{text: text}), s)
	case AsArguments:
		a := x.answer
		a.raw, a.nested = &text, false
		return x.result(x.mark.items(a), s)
	case AsItems:
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			panic(fmt.Sprintf("stub: shape %s does not fill to a list of items: %v", s.Name, err))
		}
		return x.result(items, s)
	}
	panic(fmt.Sprintf("stub: shape %s is given as %q, which nothing is", s.Name, s.As))
}
