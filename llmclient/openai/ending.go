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
	full := outputMax > 0 && r.Usage.Output >= int64(outputMax)
	cut := r.Status == "incomplete" && r.IncompleteReason == reasonLength
	least := 1
	if !full && !cut {
		least = endlessTimes
	}
	if endsOpen(r.Items) && isEndless(r.Items, least) {
		r.Status, r.IncompleteReason, r.Repairs = "incomplete", llmclient.ReasonEndless, append(r.Repairs, repairEndless)
		return
	}
	if full && r.Status != "incomplete" && endsOpen(r.Items) {
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
