package stub

import (
	"cmp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

// prompt is what the policy reads of the input's messages.
type prompt struct {
	// language is that of headings and lines.
	language language
	// observation is the text of the last observation section, tick the remark
	// after its heading.
	observation, tick string
	// goals is the text of the last goals section, without task, the line that tells what the run
	// is scored by.
	goals, task string
	// latest is the outcome of the last action: the first line of the outcome
	// section, and without one the last of the history.
	latest string
	// remembered are places as memories describe them; visited are the ids of those that
	// journeys led to.
	remembered []world.Here
	visited    []string
	// recipes are the names of those that the known rules list, inputs and outputs what they say that
	// each takes and yields.
	recipes         []string
	inputs, outputs map[string][]world.Amount
	// ticks is how long they say that a batch of each takes.
	ticks map[string]int64
	// draw is the charge that each tick takes, as they say, 0 if they do not.
	draw int64
	// playbook is the text of the last section of lessons.
	playbook string
	// turnStart is the index of the first item after the observation: from there
	// on the input is the record of the present turn.
	turnStart int
}

// draws is the charge that a tick takes, a guess if nothing says so.
func (p prompt) draws() int64 { return cmp.Or(p.draw, idleDraw) }

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
			p.observation = text
			p.tick = remark
			p.turnStart = i + 1
		}
		if text, _, ok := section(item.Text, l.headingLastOutcome); ok {
			outcome, _, _ = strings.Cut(text, "\n")
		}
		if text, _, ok := section(item.Text, l.headingGoals); ok {
			p.task = metricReaders[l.code].scored.FindString(text)
			p.goals = strings.Replace(text, p.task, "", 1)
		}
		rules, _, _ := section(item.Text, l.headingKnown)
		for line := range strings.Lines(rules) {
			if rest, ok := strings.CutPrefix(line, l.draws); ok {
				number, _, _ := strings.Cut(rest, " ")
				p.draw = integer(number)
			}
			if key, _, entries, ok := cutLine(line); ok && key == l.keyRecipes {
				for _, entry := range entries {
					parts := split(entry, ',')
					inputs, outputs, _ := strings.Cut(parts[0], "->")
					name, inputs, _ := strings.Cut(inputs, " ")
					name = word(name)
					p.recipes = append(p.recipes, name)
					if p.ticks == nil {
						p.ticks = map[string]int64{}
						p.inputs = map[string][]world.Amount{}
						p.outputs = map[string][]world.Amount{}
					}
					p.ticks[name] = integer(parts[len(parts)-1])
					p.inputs[name], p.outputs[name] = amountsIn(inputs), amountsIn(outputs)
				}
			}
		}
		if text, _, ok := section(item.Text, l.headingPlaybook); ok {
			p.playbook = text
		}
		if text, _, ok := section(item.Text, l.headingHistory); ok {
			p.recall(text)
			p.latest = lastLine(text)
		}
		memory, _, _ := section(item.Text, l.headingMemory)
		p.recall(memory)
	}
	if outcome != "" {
		p.latest = outcome
	}
	return p
}

// agent is the id of the agent that a request is for, as its observation says; empty where there is
// none, as when an agent reflects.
func (r request) agent() string {
	p := readPrompt(r.input)
	return readObservation(p.language, p.tick, p.observation).Self.ID
}

// section returns the text between a heading line and the next heading, and the
// remark after the heading's comma. A heading
// in the middle of a line is none, so that a section which quotes the text of another
// agent, escaped or on one line, cannot open a section of its own.
func section(text, heading string) (body, remark string, found bool) {
	var lines []string
	inside := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimRight(line, " \t\r\n")
		rest, opens := strings.CutPrefix(trimmed, heading)
		switch {
		case opens && (rest == "" || strings.IndexAny(rest, commas) == 0):
			inside = true
			found = true
			lines = nil
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

// lastLine returns the last line that is not blank, "" when there is none.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// recall reads what lines of memory say about places: journeys, and what was found, as in
// at far-rock: radiation 3, compound 200 g.
func (p *prompt) recall(text string) {
	l := p.language
	number := func(text string) int64 { return integer(strings.TrimRight(text, ",")) }
	for line := range strings.Lines(text) {
		said := split(line, ' ')
		for i, w := range said {
			if w == actionMove && i+1 < len(said) {
				p.visited = append(p.visited, word(said[i+1]))
			}
			if w == l.found && i+5 < len(said) && said[i+2] == l.radiation && said[i+4] == world.Compound {
				p.remembered = append(p.remembered, world.Here{
					ID: word(strings.TrimRight(said[i+1], ":")), Radiation: number(said[i+3]), CompoundG: number(said[i+5]),
				})
			}
		}
	}
}

// remember takes numbers of places as they were seen before for memories.
func (p *prompt) remember(o *world.Observation) {
	for i := range o.Places {
		if at := &o.Places[i]; !at.Visible && at.Emission != nil && at.CompoundG != nil {
			p.remembered = append(p.remembered, world.Here{ID: at.ID, Radiation: *at.Emission, CompoundG: *at.CompoundG})
			at.Emission, at.CompoundG = nil, nil
		}
	}
}

// knows reports whether the agent has been at a place, as far as memories tell.
func (p prompt) knows(place string) bool {
	return slices.Contains(p.visited, place) ||
		slices.ContainsFunc(p.remembered, func(h world.Here) bool { return h.ID == place })
}
