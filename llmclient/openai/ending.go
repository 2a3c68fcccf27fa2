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
// any. Where nothing says that it was cut, only much of the same makes it endless.
func readEnding(r *llmclient.Reply, outputMax int) {
	full := outputMax > 0 && (r.Usage.Output >= int64(outputMax) || r.Usage.Output == 0 && isLong(r.Items, outputMax))
	cut := r.Status == "incomplete" && r.IncompleteReason == reasonLength
	least := 1
	if !full && !cut {
		least = endlessTimes
	}
	if endsOpen(r.Items) && isEndless(r.Items, least) {
		cutShort(r, llmclient.ReasonEndless, repairEndless)
		return
	}
	unsaid := r.Status != "incomplete" || r.IncompleteReason == reasonUnknown
	if full && unsaid && endsOpen(r.Items) {
		cutShort(r, reasonLength, repairCutUnsaid)
	}
}

// cutShort makes a reply one that was cut for a reason, which its status did not say.
func cutShort(r *llmclient.Reply, reason, repair string) {
	r.Status = "incomplete"
	r.IncompleteReason = reason
	r.Repairs = append(r.Repairs, repair)
}

// bytesPerTokenLeast is how long a token is at least on average in an answer whose tokens nobody counted.
const bytesPerTokenLeast = 2.5

// isLong reports whether an answer without a count is long enough to have used all its room.
func isLong(items []llmclient.Item, outputMax int) bool {
	size := 0
	for _, it := range items {
		size += len(it.Text)
		if it.Kind == llmclient.KindReasoning {
			size += len(reasoningText(it.Raw))
		}
	}
	return float64(size) >= bytesPerTokenLeast*float64(outputMax)
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
	repeatedMin, repeatsMin, pieceMax = 240, 4, 1024
	// callsMin is how many equal calls in a row before the last item make an answer endless.
	callsMin = 6
	// endlessTimes is how many times as much it takes where nothing says that the answer was cut.
	endlessTimes = 8
	// tailMax is how much of the end is looked at.
	tailMax = 4096
)

// isEndless reports whether the answer ends in white space, or in one piece again and again, least times
// as long as is needed.
func isEndless(items []llmclient.Item, least int) bool {
	if len(items) == 0 {
		return false
	}
	if least == 1 && repeatsCalls(items[:len(items)-1]) {
		return true
	}
	last := items[len(items)-1]
	text := last.Text
	if last.Kind == llmclient.KindReasoning {
		text = reasoningText(last.Raw)
	}
	text = text[max(0, len(text)-tailMax):]
	if blankEnd(text) >= least*blankMin || repeats(text, least*repeatedMin) {
		return true
	}
	// A counter in the piece makes no other piece of it.
	return least == 1 && repeats(spaces.ReplaceAllString(digits.ReplaceAllString(text, "0"), " "), repeatedMin)
}

// repeatsCalls reports whether items end in one call again and again.
func repeatsCalls(items []llmclient.Item) bool {
	if len(items) < callsMin {
		return false
	}
	last := items[len(items)-1]
	for _, it := range items[len(items)-callsMin:] {
		if it.Kind != llmclient.KindFunctionCall || it.Name != last.Name || it.Text != last.Text {
			return false
		}
	}
	return true
}

var (
	digits = regexp.MustCompile(`[0-9]+`)
	spaces = regexp.MustCompile(`\s+`)
)

// blankEnd is how many characters of white space a text ends in, those that are escaped included.
func blankEnd(text string) int {
	end := len(text)
	for end > 0 {
		switch {
		case strings.IndexByte(" \t\r\n", text[end-1]) >= 0:
			end--
		case end > 1 && text[end-2] == '\\' && strings.IndexByte("nrt", text[end-1]) >= 0:
			end -= 2
		default:
			return len(text) - end
		}
	}
	return len(text)
}

// repeats reports whether the end of a text, of that length at least, is one piece again and again. The
// last piece may be cut.
func repeats(text string, least int) bool {
	for piece := 1; piece <= min(pieceMax, len(text)/repeatsMin); piece++ {
		same := 0
		for i := len(text) - 1; i >= piece && text[i] == text[i-piece]; i-- {
			same++
		}
		if same >= max(least, piece*(repeatsMin-1)) {
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
