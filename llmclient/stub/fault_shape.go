package stub

import (
	"encoding/json"
	"fmt"
)

// Fill returns the answer in this shape in place of proper, which [Decide] made.
//
// Calls keep their order and their ids. Arguments in a shape replace those of the
// first call. A text replaces the whole answer and stands for its first call only:
// what the policy would have asked besides, it asks again in the next request. An
// answer without calls has nothing to misshape and is returned as it is.
//
// The token counts are those of the answer in its shape. Equal answers are filled
// equally.
func (s Shape) Fill(proper Result) Result {
	x := proper.exchange
	if x == nil {
		panic("stub: Fill needs a result that Decide returned")
	}
	if len(x.answer.calls) == 0 {
		return proper
	}
	text := s.Render(x.stage.parts(x.answer.calls[0]))
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
	panic(fmt.Sprintf("stub: shape %s stands in for %q, which nothing does", s.Name, s.As))
}
