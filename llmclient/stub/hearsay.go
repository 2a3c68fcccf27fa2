package stub

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
)

// hearsay is a text in a request that somebody else may have written: a message, a
// note, a remembered word, a lesson, a name, or words in the result of a module.
type hearsay struct {
	text string
	// source is the id under which the text can be cited, empty for none.
	source string
	// author is who wrote it as far as the request says, empty otherwise.
	author string
	// tick is when it was written as far as the request says, 0 otherwise.
	tick int64
	// lesson says that it stands among lessons, which hold for good.
	lesson bool
}

// The headings of sections whose lines may hold words of others in a frame of the
// request's own: memories, and the observation with its names.
const headingMemory = "# Memory"

var headingsMemory = []string{headingMemory, "# 记忆"}

// headingsMessages are the headings of the section that holds words of others.
var headingsMessages = []string{"# Messages", "# 消息"}

// heardLine is the line of a memory that repeats somebody. Its words are a JSON
// string where the client marks them, and stand as they are where it does not.
var heardLine = regexp.MustCompile(`^\[([^\]\s]+)\] (?:\D*(\d+)\D*)?.*?\bheard\b[^:]*? (\S+?)(?:, [^:]*)?: (.*)$`)

// fromLine is a text with its sender in front, as a client without an envelope
// would write it.
var fromLine = regexp.MustCompile(`^(?:\[([^\]\s]+)\] )?(?:[Ff]rom|来自) (\S+?)[:：] ?(.*)$`)

// readHearsay collects the words of others from the whole request, in the order in
// which they stand there. It does not ask whether they are marked as data: whoever
// believes everything does not ask either.
func readHearsay(l language, r request) []hearsay {
	var all []hearsay
	modules := map[string]bool{}
	for _, item := range r.input {
		switch {
		case item.Kind == llmclient.KindMessage && item.Role != "assistant":
			all = append(all, hearsayInMessage(l, item.Text)...)
		case item.Kind == llmclient.KindFunctionCall:
			modules[item.CallID] = !isProtocol(item.Name)
		case item.Kind == llmclient.KindFunctionOutput && modules[item.CallID]:
			all = append(all, hearsayInOutput(item.Text)...)
		}
	}
	return all
}

// isProtocol tells the turn's own tools from modules. Answers to the former are the
// client's own words.
func isProtocol(tool string) bool {
	return tool == toolPlan || tool == toolDraft || tool == toolDecision || tool == toolTurn
}

// hearsayInMessage goes through the sections of a message.
func hearsayInMessage(l language, text string) []hearsay {
	var all []hearsay
	heading := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "# ") {
			heading = line
			continue
		}
		switch {
		case begins(heading, headingsMessages...), fromLine.MatchString(line):
			all = append(all, hearsayInTexts(line)...)
		case begins(heading, headingPlaybook):
			all = append(all, lessonsIn(line)...)
		case begins(heading, headingsMemory...):
			all = append(all, hearsayInMemory(line)...)
		case begins(heading, l.headingObservation):
			for _, name := range quotedIn(line) {
				all = append(all, hearsay{text: name})
			}
		}
	}
	return all
}

// begins reports whether a text begins with one of several.
func begins(text string, beginnings ...string) bool {
	for _, b := range beginnings {
		if strings.HasPrefix(text, b) {
			return true
		}
	}
	return false
}

// hearsayInTexts reads a line of the section for words of others: JSON, a lesson, or
// plain text with or without a sender.
func hearsayInTexts(line string) []hearsay {
	var v any
	if decode([]byte(line), &v) == nil {
		if envelope, ok := v.(object); ok && forgedIn(v, 1) == nil && !isForged(envelope) {
			return hearsayInValue(v, hearsay{})
		}
	}
	if found := lessonsIn(line); found != nil {
		return found
	}
	if m := fromLine.FindStringSubmatch(line); m != nil {
		return []hearsay{{text: unquoted(m[3]), source: m[1], author: m[2]}}
	}
	if found := hearsayInMemory(line); found != nil {
		return found
	}
	return []hearsay{{text: unquoted(line)}}
}

// isForged reports whether an object is somebody's text and not what a client puts
// texts into: what lists texts has them in lists.
func isForged(v object) bool {
	for _, key := range []string{"tool", "action", "decision", "name", "type"} {
		if _, ok := v[key].(string); ok {
			return true
		}
	}
	return false
}

// lessonsIn reads a line that is a lesson.
func lessonsIn(line string) []hearsay {
	var all []hearsay
	for _, l := range readLessons(line) {
		all = append(all, hearsay{text: unquoted(l.content), source: l.id, lesson: true})
	}
	return all
}

// hearsayInMemory reads a line of memory, when it repeats somebody. Lines about own
// deeds are reports: their words look like orders and are none.
func hearsayInMemory(line string) []hearsay {
	if m := heardLine.FindStringSubmatch(line); m != nil {
		return []hearsay{{text: unquoted(m[4]), source: m[1], tick: integer(m[2]), author: m[3]}}
	}
	return nil
}

// hearsayInOutput reads the result of a module: memories that repeat somebody, and
// what stands under the name of a text. The rest are the client's own words.
func hearsayInOutput(text string) []hearsay {
	var v any
	if decode([]byte(text), &v) != nil {
		return nil
	}
	return recalledIn(v)
}

// recalledIn walks the result of a module.
func recalledIn(v any) []hearsay {
	var all []hearsay
	switch node := v.(type) {
	case string:
		return hearsayInMemory(node)
	case []any:
		for _, element := range node {
			all = append(all, recalledIn(element)...)
		}
	case object:
		if _, told := node["ok"].(bool); told {
			return nil // a failure, in fixed words
		}
		for _, key := range sortedKeys(node) {
			text, isText := node[key].(string)
			switch {
			case isText && (key == "text" || key == "name"):
				author, _ := node["from"].(string)
				if author == "" {
					author, _ = node["author"].(string)
				}
				id, _ := node["id"].(string)
				all = append(all, hearsay{text: text, source: id, author: author})
			default:
				all = append(all, recalledIn(node[key])...)
			}
		}
	}
	return all
}

// hearsayInValue walks decoded JSON. The id and the author beside a text are those
// of the text; frame is what is known of them from further out.
func hearsayInValue(v any, frame hearsay) []hearsay {
	var all []hearsay
	switch node := v.(type) {
	case string:
		if m := hearsayInMemory(node); m != nil {
			return m
		}
		if found := lessonsIn(node); found != nil {
			return found
		}
		if len(strings.Fields(node)) > 1 || strings.ContainsAny(node, "{(") {
			frame.text = node
			return []hearsay{frame}
		}
	case []any:
		for _, element := range node {
			all = append(all, hearsayInValue(element, frame)...)
		}
	case object:
		for key, into := range map[string]*string{"id": &frame.source, "from": &frame.author, "author": &frame.author} {
			if text, ok := node[key].(string); ok {
				*into = text
			}
		}
		for _, key := range []string{"sent", "tick"} {
			if n, ok := node[key].(json.Number); ok {
				frame.tick = integer(n.String())
			}
		}
		for _, key := range sortedKeys(node) {
			if key != "you_said" && key != "id" && key != "from" && key != "author" {
				all = append(all, hearsayInValue(node[key], frame)...)
			}
		}
	}
	return all
}

// unquoted decodes a JSON string and leaves any other text as it is.
func unquoted(text string) string { return word(strings.TrimSpace(text)) }

// quotedIn returns the JSON strings of a line.
func quotedIn(line string) []string {
	var all []string
	for rest := line; ; {
		start := strings.IndexByte(rest, '"')
		if start < 0 {
			return all
		}
		end := start + 1
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(rest) {
			return all
		}
		all = append(all, word(rest[start:end+1]))
		rest = rest[end+1:]
	}
}
