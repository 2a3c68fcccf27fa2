package scripted

import (
	"encoding/json"
	"strings"

	"agentworld/llmclient"
)

// The headings of the prompt sections the policy reads. A section starts with a
// line that is its heading, perhaps with a remark after a comma, and ends at the
// next line that starts with "# ".
const (
	headingObservation = "# Observation"
	headingGoals       = "# Goals"
	headingHistory     = "# History"
	headingLastOutcome = "# Last outcome"
)

// prompt is what the policy reads of the input's messages.
type prompt struct {
	// observation is the JSON object of the last observation section; nil when
	// there is none.
	observation json.RawMessage
	// outcome is the JSON object of the last outcome section; nil when there is
	// none.
	outcome json.RawMessage
	// goals is the text of the last goals section.
	goals string
	// latest is the last line of the last history section.
	latest string
	// turnStart is the index of the first item after the observation: from there
	// on the input is the record of the present turn.
	turnStart int
}

// readPrompt finds the sections. The last occurrence of a section counts, and
// messages the model wrote itself are not searched.
func readPrompt(input []llmclient.Item) prompt {
	var p prompt
	for i, item := range input {
		if item.Kind != llmclient.KindMessage || item.Role == "assistant" {
			continue
		}
		if text, ok := section(item.Text, headingObservation); ok {
			p.observation, p.turnStart = firstObject(text), i+1
		}
		if text, ok := section(item.Text, headingLastOutcome); ok {
			p.outcome = firstObject(text)
		}
		if text, ok := section(item.Text, headingGoals); ok {
			p.goals = text
		}
		if text, ok := section(item.Text, headingHistory); ok {
			p.latest = lastLine(text)
		}
	}
	return p
}

// section returns the text between a heading line and the next heading. A heading
// in the middle of a line is none, so that a section which quotes the text of another
// agent, escaped or on one line, cannot open a section of its own.
func section(text, heading string) (string, bool) {
	var body []string
	inside, found := false, false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimRight(line, " \t\r\n")
		switch {
		case trimmed == heading || strings.HasPrefix(trimmed, heading+","):
			inside, found, body = true, true, nil
		case strings.HasPrefix(line, "# "):
			inside = false
		case inside:
			body = append(body, line)
		}
	}
	return strings.Join(body, ""), found
}

// lastLine returns the last line that is not blank, "" when there is none.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// firstObject returns the first complete JSON object in text; nil without one.
// A brace that opens no object, as in prose, is passed over.
func firstObject(text string) json.RawMessage {
	for at := strings.IndexByte(text, '{'); at >= 0; {
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(text[at:])).Decode(&object) == nil {
			return object
		}
		next := strings.IndexByte(text[at+1:], '{')
		if next < 0 {
			return nil
		}
		at += 1 + next
	}
	return nil
}
