package llmclient

import "slices"

// BreakpointsMax is the most places of a request at which a provider is asked to keep the prompt so
// far. The API writes that many in one request.
const BreakpointsMax = 4

// The members that keep a prompt. With the mode, a provider keeps the marked places alone; without
// it, it would also keep the end of each prompt, which the next turn does not begin with.
const (
	breakpointsOnly = `"prompt_cache_options":{"mode":"explicit"},`
	breakpoint      = `,"prompt_cache_breakpoint":{"mode":"explicit"}`
)

// sent returns the JSON of input item i as the request carries it. Only a part of a list can be
// marked, so an item at a breakpoint has its text as a list of one. It keeps that form when later
// requests of the conversation mark it no more: the prompt a provider has kept must not change.
func (r Request) sent(i int) []byte {
	it := r.Input[i]
	at, is := slices.BinarySearch(r.Breakpoints, i)
	if !is || !it.divisible() || it.Kind == KindFunctionOutput && r.PlainOutputs {
		return it.Raw
	}
	return it.inParts(at == 0 || at > len(r.Breakpoints)-BreakpointsMax)
}

// WithoutReasoning returns the request without the reasoning in its input, as [WithoutReasoning] does,
// and how much of it there was. Its breakpoints stay at their items.
func (r Request) WithoutReasoning() (without Request, dropped int) {
	items := r.Input
	r.Input, dropped = WithoutReasoning(items)
	if dropped == 0 {
		return r, 0
	}
	var at []int
	kept := 0
	for i, it := range items {
		if _, is := slices.BinarySearch(r.Breakpoints, i); is {
			at = append(at, kept)
		}
		if it.Kind != KindReasoning {
			kept++
		}
	}
	r.Breakpoints = at
	return r, dropped
}

// divisible reports whether the API takes the item's text as a list of input texts.
func (it Item) divisible() bool {
	return it.Kind == KindFunctionOutput || it.Kind == KindMessage && it.Role != "assistant"
}

// inParts is the item's JSON with its text as a list of one, marked or not.
func (it Item) inParts(marked bool) []byte {
	b := make([]byte, 0, len(it.Raw)+len(breakpoint)+64)
	if it.Kind == KindMessage {
		b = append(AppendText(append(b, `{"type":"message","role":`...), it.Role), `,"content":[`...)
	} else {
		b = append(AppendText(append(b, `{"type":`...), string(outputKind(it.Custom))), `,"call_id":`...)
		b = append(AppendText(b, it.CallID), `,"output":[`...)
	}
	b = AppendText(append(b, `{"type":"input_text","text":`...), it.Text)
	if marked {
		b = append(b, breakpoint...)
	}
	return append(b, `}]}`...)
}

// outputKind is the type of the output of a function's call, or of a custom tool's.
func outputKind(custom bool) ItemKind {
	if custom {
		return kindCustomOutput
	}
	return KindFunctionOutput
}
