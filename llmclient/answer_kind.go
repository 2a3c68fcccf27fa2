package llmclient

import "strings"

// AnswerKind says what an answer amounts to, before anybody reads its contents.
// Every answer has exactly one kind.
type AnswerKind string

// The answer kinds, in the order in which they are decided: what ended an answer
// goes before what is in it.
const (
	// AnswerNone: a failure; there is no reply.
	AnswerNone AnswerKind = "no_reply"
	// AnswerTruncated: cut at the output limit, or with a call or message that says
	// of itself that it is incomplete.
	AnswerTruncated AnswerKind = "truncated"
	// AnswerEndless: white space, or one piece again and again, until it was cut.
	AnswerEndless AnswerKind = "endless"
	// AnswerFiltered: stopped by the provider's content filter.
	AnswerFiltered AnswerKind = "content_filter"
	// AnswerIncomplete: not complete for another reason, or for an unknown one.
	AnswerIncomplete AnswerKind = "incomplete"
	// AnswerCalls: at least one function call, with or without other items.
	AnswerCalls AnswerKind = "calls"
	// AnswerRefusal: no call and a refusal, with or without text.
	AnswerRefusal AnswerKind = "refusal"
	// AnswerText: text and no call.
	AnswerText AnswerKind = "text"
	// AnswerBlank: messages without any text.
	AnswerBlank AnswerKind = "blank_text"
	// AnswerReasoning: reasoning that led to nothing.
	AnswerReasoning AnswerKind = "reasoning_only"
	// AnswerUnknown: only items of kinds without a meaning here.
	AnswerUnknown AnswerKind = "unknown_items"
	// AnswerEmpty: no items at all, and no output was billed.
	AnswerEmpty AnswerKind = "empty_output"
	// AnswerBilledEmpty: no items at all, but output tokens that were billed: the
	// provider lost what the model wrote.
	AnswerBilledEmpty AnswerKind = "empty_output_billed"
)

// ReasonEndless is the reason why an answer is incomplete that would not have ended by itself. No
// provider says so: whoever reads the response finds it.
const ReasonEndless = "endless_output"

// Kind returns what the answer amounts to.
func (a Answer) Kind() AnswerKind {
	r := a.Reply
	if r == nil {
		return AnswerNone
	}
	// A status that is not known counts as whole, because servers have words of their own
	// for it.
	switch r.Status {
	case "failed", "cancelled", "in_progress", "queued":
		return AnswerIncomplete
	case "incomplete":
		switch r.IncompleteReason {
		case "max_output_tokens":
			return AnswerTruncated
		case ReasonEndless:
			return AnswerEndless
		case "content_filter":
			return AnswerFiltered
		}
		return AnswerIncomplete
	}
	kinds := map[ItemKind]bool{}
	text, refused := false, false
	for _, it := range r.Items {
		if it.Status == "incomplete" && (it.Kind == KindFunctionCall || it.Kind == KindMessage) {
			return AnswerTruncated
		}
		kinds[it.Kind] = true
		if it.Kind == KindMessage {
			text = text || strings.TrimSpace(it.Text) != ""
			refused = refused || it.Refusal != ""
		}
	}
	switch {
	case kinds[KindFunctionCall]:
		return AnswerCalls
	case refused:
		return AnswerRefusal
	case text:
		return AnswerText
	case kinds[KindMessage]:
		return AnswerBlank
	case kinds[KindReasoning]:
		return AnswerReasoning
	case len(r.Items)+r.NonObjects > 0:
		return AnswerUnknown
	case r.Usage.Output > 0:
		return AnswerBilledEmpty
	}
	return AnswerEmpty
}
