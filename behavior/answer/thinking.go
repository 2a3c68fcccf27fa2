package answer

import (
	"regexp"
	"strings"
)

// thinkingMark matches the marks between which models think aloud.
var thinkingMark = regexp.MustCompile(`(?i)<\|?(/?)(?:\w{1,20}:)?(?:begin_(?:of_)?|start_(?:of_)?|(end_(?:of_)?))?` +
	`(think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|(?:inner_)?monologue)(?:\s[^<>]{0,40})?\|?>|[\[◁](/?)(think)[\]▷]`)

// readMark returns what a mark names, and whether it ends it; text is where at was found.
func readMark(text string, at []int) (name string, ends bool) {
	part := func(group int) string { return text[max(0, at[2*group]):max(0, at[2*group+1])] }
	return strings.ToLower(part(3) + part(5)), part(1)+part(2)+part(4) != ""
}

// thoughtsMax bounds the blocks of thinking that are taken out.
const thoughtsMax = 16

// WithoutThinking takes out what was only thought about; it must not be taken for
// a decision. whole is false when the thinking never ends. A closing mark alone
// ends thinking that began before the text did, as some templates have it. A mark
// inside of an object is part of a value.
func WithoutThinking(text string) (said string, whole bool) {
	text, whole = withoutAnalysis(text)
	if !whole {
		return "", false
	}
	from := 0
	for range thoughtsMax {
		at := thinkingMark.FindStringSubmatchIndex(text[from:])
		if at == nil {
			return text, true
		}
		name, ends := readMark(text[from:], at)
		start, behind := from+at[0], from+at[1]
		switch {
		case insideObject(text[:start]):
			from = start + 1
		case ends:
			text, from = text[behind:], 0
		default:
			for other := ""; !ends || other != name; {
				at = thinkingMark.FindStringSubmatchIndex(text[behind:])
				if at == nil {
					return "", false
				}
				other, ends = readMark(text[behind:], at)
				behind += at[1]
			}
			text, from = text[:start]+text[behind:], start
		}
	}
	return text, false
}

// insideObject reports whether a text ends inside of an object. A brace that begins
// none is prose, and hides nothing.
func insideObject(text string) bool {
	if openBraces(text) <= 0 {
		return false
	}
	depth, begun := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '}':
			depth = max(0, depth-1)
		case text[i] != '{':
		case depth > 0:
			depth++
		default:
			begun++
			if begun > marksMax || beginsObject(text[i:]) {
				depth++
			}
		}
	}
	return depth > 0
}

// openBraces is how many braces more a text opens than it closes.
func openBraces(text string) int { return strings.Count(text, "{") - strings.Count(text, "}") }
