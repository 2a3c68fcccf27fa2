package behavior

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

var (
	invisible = strings.NewReplacer("\ufeff", "", "\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "")
	thinking  = regexp.MustCompile(`(?s)<think(?:ing)?>.*?</think(?:ing)?>`)
	// openThinking is thinking that never ends, objectLike a brace that begins an
	// object rather than standing in prose.
	openThinking = regexp.MustCompile(`<think(?:ing)?>`)
	objectLike   = regexp.MustCompile(`^\{\s*(?:["'}]|[\w-]+\s*:)`)
	fence        = regexp.MustCompile("(?s)```[A-Za-z0-9_-]*\\s*\\n?(.*?)```")
)

// findObjects returns the outermost JSON objects of text in order, and what it
// took to find them.
func findObjects(text string) (objects []fields, leniencies []string, kind ParseKind) {
	if len(text) > textBytesMax {
		return nil, nil, ParseTooLarge
	}
	leniencies = []string{lenTextInsteadOfCall}
	change := func(name, changed string) {
		if changed != text {
			leniencies = append(leniencies, name)
			text = changed
		}
	}
	change(lenInvisibleRemoved, invisible.Replace(text))
	change(lenThinkingRemoved, thinking.ReplaceAllString(text, ""))
	if openThinking.MatchString(text) {
		// What was only thought about must not be taken for a decision.
		return nil, nil, ParseTruncated
	}
	if blocks := fence.FindAllStringSubmatch(text, objectsMax); len(blocks) > 0 {
		var inner []string
		for _, b := range blocks {
			inner = append(inner, b[1])
		}
		change(lenUnfenced, strings.Join(inner, "\n"))
	}
	spans, truncated := objectSpans(text)
	if truncated {
		return nil, nil, ParseTruncated
	}
	rest := strings.TrimSpace(text)
	for _, span := range spans {
		rest = strings.Replace(rest, span, "", 1)
		object, repaired := decodeObject(span)
		if object == nil {
			continue
		}
		if repaired {
			leniencies = append(leniencies, lenRepairedJSON)
		}
		objects = append(objects, object)
	}
	rest = strings.TrimSpace(rest)
	if listOfMany.MatchString(rest) {
		return nil, nil, ParseSeveral
	}
	return objects, append(leniencies, surroundings(rest)...), emptyKind(objects, spans)
}

// surroundings names what stood around the objects.
func surroundings(rest string) []string {
	switch rest {
	case "":
		return nil
	case "[]":
		return []string{lenListOfOne}
	}
	return []string{lenProseAround}
}

// listOfMany is what is left of a list when its several objects are taken out.
var listOfMany = regexp.MustCompile(`^\[\s*(?:,\s*)+\]$`)

func emptyKind(objects []fields, spans []string) ParseKind {
	switch {
	case len(objects) > 0:
		return ""
	case len(spans) > 0:
		return ParseUnknownShape
	}
	return ParseNoJSON
}

// objectSpans returns the outermost brace-balanced spans of text, skipping
// braces in strings. A brace that never closes means that the text was cut, and
// nothing inside it may be taken for a whole answer, unless it plainly stands in
// prose: those are passed over a bounded number of times, so the scan stays linear.
func objectSpans(text string) (spans []string, truncated bool) {
	restarts := 0
	for from := 0; len(spans) < objectsMax; {
		start := strings.IndexByte(text[from:], '{')
		if start < 0 {
			return spans, false
		}
		start += from
		end := objectEnd(text[start:])
		if end < 0 {
			if restarts++; restarts > restartsMax || objectLike.MatchString(text[start:]) {
				return nil, true
			}
			from = start + 1
			continue
		}
		spans = append(spans, text[start:start+end])
		from = start + end
	}
	return spans, false
}

// objectEnd returns the length of the balanced object that s starts with, -1
// when it does not close.
func objectEnd(s string) int {
	depth, inString := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// decodeObject decodes a balanced span, repairing its syntax when that is what
// it takes. The repair's result is decoded again and must be an object.
func decodeObject(span string) (object fields, repaired bool) {
	if len(span) > objectBytesMax || depth(span) > argumentDepthMax {
		return nil, false
	}
	if json.Unmarshal([]byte(span), &object) == nil {
		return object, false
	}
	fixed, err := jsonrepair.Repair(span)
	if err != nil || json.Unmarshal([]byte(fixed), &object) != nil || inventsNumbers(span, fixed) {
		return nil, false
	}
	return object, true
}

var numberText = regexp.MustCompile(`-?\d[\d.eE+-]*`)

// inventsNumbers reports whether a repair holds a number that the model did not
// write, such as 1 for 1e.
func inventsNumbers(written, repaired string) bool {
	literal := map[string]bool{}
	for _, n := range numberText.FindAllString(written, -1) {
		literal[n] = true
	}
	return slices.ContainsFunc(numberText.FindAllString(repaired, -1), func(n string) bool { return !literal[n] })
}
