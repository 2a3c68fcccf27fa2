package stub

import (
	"strings"

	"example.com/agentworld/llmclient"
)

// prompt is what the policy reads of the input's messages.
type prompt struct {
	// language is that of headings and lines.
	language language
	// observation is the text of the last observation section, tick the remark
	// behind its heading.
	observation, tick string
	// goals is the text of the last goals section.
	goals string
	// latest is what became of the last action: the last line of the outcome
	// section, and without one that of the history.
	latest string
	// playbook is the text of the last section of lessons.
	playbook string
	// turnStart is the index of the first item after the observation: from there
	// on the input is the record of the present turn.
	turnStart int
}

// readPrompt finds the sections. A section starts with a line that is its heading,
// perhaps with a remark after a comma, and ends at the next line that starts with
// "# ". The last occurrence of a section counts, and
// messages the model wrote itself are not searched.
func readPrompt(input []llmclient.Item) prompt {
	var texts []string
	for _, item := range input {
		if item.Kind == llmclient.KindMessage && item.Role != "assistant" {
			texts = append(texts, item.Text)
		}
	}
	l := languageOf(texts)
	p := prompt{language: l}
	outcome := ""
	for i, item := range input {
		if item.Kind != llmclient.KindMessage || item.Role == "assistant" {
			continue
		}
		if text, remark, ok := section(item.Text, l.headingObservation); ok {
			p.observation, p.tick, p.turnStart = text, remark, i+1
		}
		if text, _, ok := section(item.Text, l.headingLastOutcome); ok {
			outcome = lastLine(text)
		}
		if text, _, ok := section(item.Text, l.headingGoals); ok {
			p.goals = text
		}
		if text, _, ok := section(item.Text, headingPlaybook); ok {
			p.playbook = text
		}
		if text, _, ok := section(item.Text, l.headingHistory); ok {
			p.latest = lastLine(text)
		}
	}
	if outcome != "" {
		p.latest = outcome
	}
	return p
}

// section returns the text between a heading line and the next heading, and the
// remark behind the heading's comma. A heading
// in the middle of a line is none, so that a section which quotes the text of another
// agent, escaped or on one line, cannot open a section of its own.
func section(text, heading string) (body, remark string, found bool) {
	var lines []string
	inside := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimRight(line, " \t\r\n")
		rest, opens := strings.CutPrefix(trimmed, heading)
		switch {
		case opens && (rest == "" || startsWithComma(rest)):
			inside, found, lines = true, true, nil
			remark = strings.TrimSpace(strings.TrimLeft(rest, commas))
		case strings.HasPrefix(line, "# "):
			inside = false
		case inside:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ""), remark, found
}

// commas are the commas that part a heading from its remark.
const commas = ",，"

func startsWithComma(text string) bool { return strings.IndexAny(text, commas) == 0 }

// lastLine returns the last line that is not blank, "" when there is none.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
