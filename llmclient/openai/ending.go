package openai

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
)

// Some servers say "completed" of an answer that was cut, and of one that would never have ended. What
// is in the answer shows both.

// The repairs of a reply whose status said something else.
const (
	repairCutUnsaid = "cut_unsaid"
	repairEndless   = "endless"
)

// readEnding mends the status of a reply to a request that asked for at most outputMax tokens, 0 for
// any.
func readEnding(r *llmclient.Reply, outputMax int) {
	full := outputMax > 0 && r.Usage.Output >= int64(outputMax)
	cut := r.Status == "incomplete" && r.IncompleteReason == reasonLength
	if !full && !cut {
		return
	}
	if isEndless(r.Items) {
		r.Status, r.IncompleteReason, r.Repairs = "incomplete", llmclient.ReasonEndless, append(r.Repairs, repairEndless)
		return
	}
	if !cut && r.Status != "incomplete" && endsOpen(r.Items) {
		r.Status, r.IncompleteReason, r.Repairs = "incomplete", reasonLength, append(r.Repairs, repairCutUnsaid)
	}
}

// closing are the characters in which a text ends that holds a whole call or decision.
const closing = "}])>`"

// endsOpen reports whether the last item of an answer may have lost its end: a call whose arguments do
// not parse, a text that does not end as one with a decision does, or anything else.
func endsOpen(items []llmclient.Item) bool {
	if len(items) == 0 {
		return true
	}
	last := items[len(items)-1]
	text := strings.TrimSpace(last.Text)
	switch last.Kind {
	case llmclient.KindFunctionCall:
		return !json.Valid([]byte(text))
	case llmclient.KindMessage:
		return text == "" || !strings.ContainsRune(closing, rune(text[len(text)-1]))
	}
	return true
}

const (
	// blankMin is how much white space at its end makes an answer endless, in characters.
	blankMin = 64
	// repeatedMin is how much of the end of an answer has to be one piece again and again, at least
	// repeatsMin times, and pieceMax is the longest piece.
	repeatedMin, repeatsMin, pieceMax = 240, 4, 240
	// tailMax is how much of the end is looked at.
	tailMax = 4096
)

// isEndless reports whether the answer ends in white space, or in one piece again and again.
func isEndless(items []llmclient.Item) bool {
	if len(items) == 0 {
		return false
	}
	last := items[len(items)-1]
	text := last.Text
	if last.Kind == llmclient.KindReasoning {
		text = reasoningText(last.Raw)
	}
	text = text[max(0, len(text)-tailMax):]
	if len(blankEnd.FindString(text)) >= blankMin {
		return true
	}
	// A counter in the piece makes no other piece of it.
	text = spaces.ReplaceAllString(digits.ReplaceAllString(strings.ToValidUTF8(text, ""), "0"), " ")
	return repeats(text)
}

var (
	digits   = regexp.MustCompile(`[0-9]+`)
	spaces   = regexp.MustCompile(`\s+`)
	blankEnd = regexp.MustCompile(`(\s|\\[nrt])+$`) // escaped in a text that is JSON, too
)

// repeats reports whether the end of a text is one piece again and again. The last piece may be cut.
func repeats(text string) bool {
	for piece := 1; piece <= min(pieceMax, len(text)/repeatsMin); piece++ {
		same := 0
		for i := len(text) - 1; i >= piece && text[i] == text[i-piece]; i-- {
			same++
		}
		if same >= max(repeatedMin, piece*(repeatsMin-1)) {
			return true
		}
	}
	return false
}

// reasoningText is what a reasoning item shows of what was thought.
func reasoningText(raw json.RawMessage) string {
	var w struct {
		Content, Summary []struct{ Text string }
	}
	if json.Unmarshal(raw, &w) != nil {
		return ""
	}
	text := ""
	for _, part := range append(w.Summary, w.Content...) {
		text += part.Text
	}
	return text
}
